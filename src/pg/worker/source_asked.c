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
#include "pg/counting/row_cache.h"
#include "pg/counting/spec.h"
#include "pg/domain/distance.h"
#include "pg/domain/distance_base.h"
#include "pg/question/asked.h"
#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"
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

/* ---- columns as they are modelled ---- */

typedef struct Levels
{
	const DpRelation *relation;
	const DpAsked *asked; /* by whose aliases columns are read; NULL: by their names alone */
} Levels;

static char *
alias_of_relation(const DpAsked *asked, Oid relation)
{
	ListCell *cell;

	foreach (cell, asked->relations)
		if (((const DpAskedRelation *) lfirst(cell))->relation == relation)
			return psprintf("s%d", foreach_current_index(cell));
	elog(ERROR, "dpsyn: a column is of a relation that is not read");
}

/* An attribute of the relation, or of the rows that its rows belong to. */
static char *
level_value(const Levels *of, uint32 attribute)
{
	const DpColumn *column = &of->relation->column[attribute];
	const DpRelation *facts = column->above == NULL ? of->relation : column->above;
	char *alias, *value, *base;

	if (of->asked == NULL)
		return dp_source_value(facts, attribute, "");
	alias = alias_of_relation(of->asked, facts->oid);
	value = dp_source_value(facts, column->above == NULL ? attribute : column->above_attribute,
							psprintf("%s.", alias));
	column = dp_column_as_read(column);
	if (!OidIsValid(column->base_relation))
		return value;
	base = dp_distance_base_expression(
		column, psprintf("%s.", alias_of_relation(of->asked, column->base_relation)));
	return dp_distance_expression(value, base, of->relation->domain.attribute[attribute].other,
								  column->own_type);
}

/* The condition as ranges of the integers that the aggregate dp_row_cache keeps for a value:
 * "{3,3,7,9}". */
static char *
ends_of(const DpCodes *codes)
{
	uint64 first = codes->missing ? 0 : (uint64) codes->first - (uint64) codes->grid.first + 1;
	uint64 last = codes->missing ? 0 : (uint64) codes->last - (uint64) codes->grid.first + 1;
	StringInfoData ends;

	initStringInfo(&ends);
	if (codes->level == NULL)
		return psprintf("{" INT64_FORMAT "," INT64_FORMAT "}", (int64) first, (int64) last);
	for (uint32 i = 0; i < codes->levels; i++)
	{
		if (codes->level[i] && (i == 0 || !codes->level[i - 1]))
			appendStringInfo(&ends, "%s%u", ends.len > 0 ? "," : "{", i);
		if (codes->level[i] && (i + 1 == codes->levels || !codes->level[i + 1]))
			appendStringInfo(&ends, ",%u", i);
	}
	appendStringInfoChar(&ends, '}');
	return ends.data;
}

/* A condition on a level. What is written are codes, and the public domain as the digits of a bytea. */
static char *
coded_text(void *context, const DpRowExpression *coded, bool clamped)
{
	const DpRelation *relation = ((Levels *) context)->relation;
	const DpRowExpression *level = linitial(coded->arguments);
	uint32 a = dp_relation_attribute(relation, level->name), first = 0;
	DpSpecSet any = {.n = 1, .attribute = &first, .storage = DP_SPARSE};
	DpRowField field = {.kind = coded->codes->level != NULL ? DP_FIELD_CODE : DP_FIELD_COORDINATE,
						.nullable = coded->codes->nullable,
						.levels = coded->codes->levels,
						.grid = coded->codes->grid};
	DpRowCacheSpec spec = {.keep = {.parts = 1}, .columns = 1, .column = &field};
	char *value = level_value(context, a), *ends = ends_of(coded->codes), *digits;
	bytea *bytes;

	(void) clamped;
	dp_spec_domain(&relation->domain, relation->column, &a, coded->codes->level != NULL ? 1 : 0,
				   &spec.coded);
	spec.coded.clamps = true; /* whether a value is outside a domain is a fact of the data */
	spec.coded.sets = 1;      /* a spec must have at least one */
	spec.coded.set = &any;
	bytes = dp_row_cache_spec(&spec);
	digits = palloc0(2 * VARSIZE_ANY_EXHDR(bytes) + 1);
	hex_encode(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), digits);
	return psprintf("dp_catalog.dp_row_passes('%s', %s, %s)", ends,
					quote_literal_cstr(psprintf("\\x%s", digits)), value);
}

bool
dp_source_runs_code(const DpRelation *relation)
{
	const DpAsked *asked = relation->asked;
	ListCell *cell;

	if (asked == NULL || !asked->by_columns)
		return false;
	foreach (cell, dp_asked_conjuncts(asked))
	{
		const DpRowExpression *coded = lfirst(cell), *level = linitial(coded->arguments);
		uint32 a = dp_relation_attribute(relation, level->name);

		if (dp_type_runs_code(getBaseType(relation->column[a].type)))
			return true;
	}
	return false;
}

char *
dp_source_where(const DpRelation *relation)
{
	const DpAsked *asked = relation->asked;
	Levels levels = {relation, NULL};

	return asked == NULL || asked->where == NULL
			   ? pstrdup("")
			   : psprintf(" WHERE %s", dp_x_sql(asked->where, coded_text, &levels));
}

static char *
condition_of(DpAsked *asked, const DpRelation *relation)
{
	Levels levels = {relation, asked};

	if (asked->where == NULL)
		return NULL;
	return asked->by_columns ? dp_x_sql(asked->where, coded_text, &levels)
							 : dp_asked_sql(asked, asked->where, false);
}

static char *
attribute_of(const DpAsked *asked, const DpRelation *relation, uint32 attribute)
{
	return asked->by_columns ? level_value(&(Levels){relation, asked}, attribute)
							 : dp_asked_attribute_sql(relation, attribute);
}

/* ---- joins ---- */

/* "WHERE a AND b": the condition that identifies the unit, and the condition of the question. */
static char *
where_clause(const char *condition, const List *unit)
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
	if (condition != NULL)
		appendStringInfo(&sql, "%s%s", word, condition);
	return sql.data;
}

static char *from_units(DpAsked *units, Oid relation, const char *alias, List **unit);

/* The condition that a row belongs to the same unit as the present row. */
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

/*
 * Whether a condition uses rows of the counted relation or of its children, and not the unit alone.
 */
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
 * All rows of the parent, each with its child rows, if there are any. Conditions on child rows are
 * in ON, so that a parent without such rows stays; conditions on the parent alone are in WHERE.
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
					 units->all_units ? "" : where_clause(condition_of(units, NULL), key), by.data,
					 alias);
	return sql.data;
}

char *
dp_source_asked_rows(const DpRelation *relation, const DpDataset *dataset)
{
	DpAsked *asked =
		relation->asked != NULL ? relation->asked : dp_asked_of_columns(relation, dataset);
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
						 attribute_of(asked, relation, i), i + 1);
	foreach (cell, unit)
		appendStringInfo(&sql, ", %s AS u%d", (char *) lfirst(cell),
						 foreach_current_index(cell) + 1);
	appendStringInfo(&sql, " FROM %s%s", from, where_clause(condition_of(asked, relation), unit));
	return sql.data;
}
