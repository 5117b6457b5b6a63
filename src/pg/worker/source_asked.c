/*
 * source_asked.c -- the rows that a question counts. RELEASE WORKER ONLY.
 *
 * A row of the counted relation, with the rows that it belongs to and rows of public tables, as far as
 * the filter leaves it. Which rows of a unit these are depends on the unit's own rows and on public
 * tables alone, so what bounds them (source.c) comes after the filter: a unit that joins or leaves
 * changes so many of them, and no others. Where units are counted, those rows of a unit that are in
 * one group are one row before that.
 */
#include "pg/server/compat.h"

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/budget/parent.h"
#include "pg/question/asked.h"
#include "pg/server/catalog.h"
#include "pg/worker/scan.h"

/* What a statement calls the ancestor so many steps up; 0: the counted relation itself. */
static char *
alias_of(const DpAsked *asked, int steps)
{
	for (int i = 0; i < list_length(asked->relations); i++)
	{
		const DpAskedRelation *of = list_nth(asked->relations, i);

		if (!of->is_public && of->ancestor == steps)
			return psprintf("s%d", i);
	}
	return psprintf("a%d", steps);
}

static bool
is_read(const DpAsked *asked, int steps)
{
	return alias_of(asked, steps)[0] == 's';
}

/* Whether any ancestor at so many steps or more is read. */
static bool
is_read_from(const DpAsked *asked, int steps, int depth)
{
	for (int i = steps; i <= depth; i++)
		if (is_read(asked, i))
			return true;
	return false;
}

/* Joins the rows that a row belongs to, as far as they are read or tell the unit: the key of a parent
 * is UNIQUE, so that a row stays one row. Returns what tells the unit: "s1.o_custkey, ...". */
static List *
join_above(const DpAsked *asked, const DpDataset *dataset, StringInfo sql)
{
	int depth = list_length(dp_dataset_parents(dataset));
	List *unit = dataset->unit_column == NULL
					 ? NIL
					 : list_make1(psprintf("s0.%s", quote_identifier(dataset->unit_column)));
	DpDataset at = *dataset;

	for (int steps = 1; OidIsValid(at.parent); steps++)
	{
		const DpForeignKey *key = dp_dataset_reference(&at);
		char *below = alias_of(asked, steps - 1), *above = alias_of(asked, steps);

		dp_dataset_get(at.parent, false, &at);
		unit = NIL;
		for (int i = 0; i < key->columns; i++)
			unit = lappend(unit, psprintf("%s.%s", below, quote_identifier(key->column[i])));
		if (!OidIsValid(at.parent) && !is_read_from(asked, steps, depth))
			break;
		appendStringInfo(sql, " JOIN %s %s ON ", dp_parent_label(at.relation), above);
		for (int i = 0; i < key->columns; i++)
			appendStringInfo(sql, "%s%s", i ? " AND " : "",
							 dp_foreign_key_compare(
								 &key->equal[i],
								 psprintf("%s.%s", above, quote_identifier(key->key[i])),
								 list_nth(unit, i)));
	}
	return unit;
}

static void
join_public(DpAsked *asked, StringInfo sql)
{
	for (int i = 0; i < list_length(asked->relations); i++)
	{
		const DpAskedRelation *of = list_nth(asked->relations, i);

		if (!of->is_public)
			continue;
		appendStringInfo(sql, " %sJOIN %s%s s%d ON %s", of->outer ? "LEFT " : "",
						 get_rel_relkind(of->relation) == RELKIND_PARTITIONED_TABLE ? "" : "ONLY ",
						 dp_relation_label(of->relation), i,
						 of->on == NULL ? "true" : dp_asked_sql(asked, of->on, false));
	}
}

char *
dp_source_asked_rows(const DpRelation *relation, const DpDataset *dataset)
{
	DpAsked *asked = relation->asked;
	const char *word = " WHERE ";
	StringInfoData sql, from;
	List *unit;
	ListCell *cell;

	initStringInfo(&from);
	appendStringInfo(&from, "%s s0", dp_relation_label(relation->oid));
	unit = join_above(asked, dataset, &from);
	join_public(asked, &from);
	initStringInfo(&sql);
	for (uint32 i = 0; i < relation->domain.attributes; i++)
		appendStringInfo(&sql, "%s%s AS c%u", i ? ", " : asked->once ? "SELECT DISTINCT " : "SELECT ",
						 dp_asked_attribute_sql(relation, i), i + 1);
	foreach (cell, unit)
		appendStringInfo(&sql, ", %s AS u%d", (char *) lfirst(cell),
						 foreach_current_index(cell) + 1);
	appendStringInfo(&sql, " FROM %s", from.data);
	foreach (cell, unit)
	{
		appendStringInfo(&sql, "%s%s IS NOT NULL", word, (char *) lfirst(cell));
		word = " AND ";
	}
	if (asked->where != NULL)
		appendStringInfo(&sql, "%s%s", word, dp_asked_sql(asked, asked->where, false));
	return sql.data;
}
