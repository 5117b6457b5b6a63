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
#include "miscadmin.h"
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

		if (!of->is_public && !of->is_below && of->ancestor == steps &&
			(i == 0 || of->units == NULL))
			return psprintf("s%d", i);
	}
	return psprintf("a%d", steps);
}

static bool
is_read(const DpAsked *asked, int steps)
{
	return alias_of(asked, steps)[0] == 's';
}

/* Whether any ancestor at so many steps or more is read. What is joined by unit reads the highest. */
static bool
is_read_from(const DpAsked *asked, int steps, int depth)
{
	ListCell *cell;

	for (int i = steps; i <= depth; i++)
		if (is_read(asked, i))
			return true;
	for_each_from(cell, asked->relations,
				  1) if (((const DpAskedRelation *) lfirst(cell))->units != NULL) return true;
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
			appendStringInfo(
				sql, "%s%s", i ? " AND " : "",
				dp_foreign_key_compare(&key->equal[i],
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

/* "WHERE a AND b", of what tells the unit and of what is asked for. */
static char *
where_clause(DpAsked *asked, const List *unit)
{
	const char *word = " WHERE ";
	StringInfoData sql;
	ListCell *cell;

	initStringInfo(&sql);
	foreach (cell, unit)
	{
		appendStringInfo(&sql, "%s%s IS NOT NULL", word, (char *) lfirst(cell));
		word = " AND ";
	}
	if (asked->where != NULL)
		appendStringInfo(&sql, "%s%s", word, dp_asked_sql(asked, asked->where, false));
	return sql.data;
}

static char *from_units(DpAsked *units, Oid relation, const char *alias, List **unit);

/* That the row of a unit is that of the unit to which the row at hand belongs. */
static char *
same_unit(const DpAsked *asked, const DpDataset *dataset, const DpDataset *own, const List *unit)
{
	char *root = alias_of(asked, list_length(dp_dataset_parents(dataset)));
	int steps;
	const DpForeignKey *key = dp_dataset_unit_reference(own, &steps);
	StringInfoData sql;

	if (key == NULL)
	{
		DpForeignKeyOperator equal = dp_equality_operator(
			get_atttype(own->relation, get_attnum(own->relation, own->unit_column)));

		return dp_foreign_key_compare(&equal, psprintf("s0.%s", quote_identifier(own->unit_column)),
									  linitial(unit));
	}
	initStringInfo(&sql);
	for (int i = 0; i < key->columns; i++)
		appendStringInfo(&sql, "%s%s", i ? " AND " : "",
						 dp_foreign_key_compare(
							 &key->equal[i], psprintf("%s.%s", root, quote_identifier(key->key[i])),
							 list_nth(unit, i)));
	return sql.data;
}

/* Joins the row of its unit to each row: there is one at most. */
static void
join_units(const DpAsked *asked, const DpDataset *dataset, StringInfo sql)
{
	ListCell *cell;

	for_each_from(cell, asked->relations, 1)
	{
		const DpAskedRelation *of = lfirst(cell);
		DpDataset own;
		List *unit;
		char *rows;

		if (of->units == NULL)
			continue;
		dp_dataset_get(of->relation, false, &own);
		rows = from_units(of->units, of->relation, psprintf("s%d", foreach_current_index(cell)),
						  &unit);
		appendStringInfo(sql, " %sJOIN %s ON %s", of->outer ? "LEFT " : "", rows,
						 same_unit(asked, dataset, &own, unit));
	}
}

static char *
from_rows(DpAsked *asked, const DpDataset *dataset, List **unit)
{
	StringInfoData from;

	initStringInfo(&from);
	appendStringInfo(&from, "%s s0", dp_relation_label(dataset->relation));
	*unit = join_above(asked, dataset, &from);
	join_units(asked, dataset, &from);
	join_public(asked, &from);
	return from.data;
}

/* ---- rows of units ---- */

static char *
aggregate_sql(DpAsked *units, const DpUnitAggregate *aggregate)
{
	return psprintf("pg_catalog.%s(%s)", dp_unit_aggregate_name(aggregate->kind),
					aggregate->of == NULL ? "*"
					: dp_unit_aggregate_adds(aggregate->kind)
						? dp_asked_added_sql(units, aggregate->of)
						: dp_asked_sql(units, aggregate->of, true));
}

/* Whether a condition is about rows of the counted relation, or of what belongs to them, and not of the
 * unit alone. */
static bool
reads_rows(const DpAsked *units, const DpRowExpression *condition)
{
	ListCell *cell;

	check_stack_depth();
	if (condition->kind == DP_X_COLUMN)
		return condition->relation == 0;
	if (condition->kind == DP_X_EXISTS &&
		((const DpAskedRelation *) list_nth(units->relations, (int) condition->relation))->of == 0)
		return true;
	foreach (cell, condition->arguments)
		if (reads_rows(units, lfirst(cell)))
			return true;
	return false;
}

/*
 * The rows of the table right above, with the rows that belong to each, if any does. What is said of
 * those stands in the condition of the join, and what is said of the unit alone leaves units out.
 */
static char *
from_all_units(DpAsked *units, const DpDataset *dataset, List **unit)
{
	const DpForeignKey *key = dp_dataset_reference(dataset);
	char *above = alias_of(units, 1);
	const char *word = " WHERE ";
	List *conjuncts = units->where == NULL             ? NIL
					  : units->where->kind == DP_X_AND ? units->where->arguments
													   : list_make1(units->where);
	StringInfoData from;
	ListCell *cell;

	initStringInfo(&from);
	appendStringInfo(&from, "%s %s LEFT JOIN %s s0 ON ", dp_parent_label(dataset->parent), above,
					 dp_relation_label(dataset->relation));
	*unit = NIL;
	for (int i = 0; i < key->columns; i++)
	{
		char *key_column = psprintf("%s.%s", above, quote_identifier(key->key[i]));

		*unit = lappend(*unit, key_column);
		appendStringInfo(
			&from, "%s%s", i ? " AND " : "",
			dp_foreign_key_compare(&key->equal[i], key_column,
								   psprintf("s0.%s", quote_identifier(key->column[i]))));
	}
	foreach (cell, conjuncts)
		if (reads_rows(units, lfirst(cell)))
			appendStringInfo(&from, " AND %s", dp_asked_sql(units, lfirst(cell), false));
	foreach (cell, conjuncts)
		if (!reads_rows(units, lfirst(cell)))
		{
			appendStringInfo(&from, "%s%s", word, dp_asked_sql(units, lfirst(cell), false));
			word = " AND ";
		}
	return from.data;
}

/* One row of each unit, or of each of its groups: n0, ..., g0, ..., u1, ... */
static char *
from_units(DpAsked *units, Oid relation, const char *alias, List **unit)
{
	StringInfoData sql, by;
	DpDataset dataset;
	List *key;
	char *from;
	ListCell *cell;

	dp_dataset_get(relation, false, &dataset);
	from =
		units->all_units ? from_all_units(units, &dataset, &key) : from_rows(units, &dataset, &key);
	initStringInfo(&sql);
	initStringInfo(&by);
	appendStringInfoString(&sql, "(SELECT ");
	foreach (cell, units->aggregates)
		appendStringInfo(&sql, "%s AS n%d, ", aggregate_sql(units, lfirst(cell)),
						 foreach_current_index(cell));
	foreach (cell, units->groups)
	{
		char *group = dp_asked_sql(units, lfirst(cell), true);

		appendStringInfo(&sql, "%s AS g%d, ", group, foreach_current_index(cell));
		appendStringInfo(&by, "(%s), ", group);
	}
	*unit = NIL;
	foreach (cell, key)
	{
		int number = foreach_current_index(cell) + 1;

		appendStringInfo(&sql, "%s%s AS u%d", number > 1 ? ", " : "", (char *) lfirst(cell),
						 number);
		appendStringInfo(&by, "%s%s", number > 1 ? ", " : "", (char *) lfirst(cell));
		*unit = lappend(*unit, psprintf("%s.u%d", alias, number));
	}
	appendStringInfo(&sql, " FROM %s%s GROUP BY %s) %s", from,
					 units->all_units ? "" : where_clause(units, key), by.data, alias);
	return sql.data;
}

char *
dp_source_asked_rows(const DpRelation *relation, const DpDataset *dataset)
{
	DpAsked *asked = relation->asked;
	DpAsked *units = ((DpAskedRelation *) linitial(asked->relations))->units;
	StringInfoData sql;
	List *unit;
	char *from = units != NULL ? from_units(units, dataset->relation, "s0", &unit)
							   : from_rows(asked, dataset, &unit);
	ListCell *cell;

	initStringInfo(&sql);
	for (uint32 i = 0; i < relation->domain.attributes; i++)
		appendStringInfo(&sql, "%s%s AS c%u",
						 i             ? ", "
						 : asked->once ? "SELECT DISTINCT "
									   : "SELECT ",
						 dp_asked_attribute_sql(relation, i), i + 1);
	foreach (cell, unit)
		appendStringInfo(&sql, ", %s AS u%d", (char *) lfirst(cell),
						 foreach_current_index(cell) + 1);
	appendStringInfo(&sql, " FROM %s%s", from, where_clause(asked, unit));
	return sql.data;
}
