/*
 * asked_source.c -- the expressions of a question, as the statement that reads its rows has them.
 */
#include "pg/question/asked.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/budget/parent.h"
#include "pg/server/catalog.h"

/* ---- columns ---- */

static bool
has_infinities(Oid type)
{
	return type == NUMERICOID || type == FLOAT4OID || type == FLOAT8OID || type == DATEOID ||
		   type == TIMESTAMPOID;
}

static char *
end_of(const DpAskedColumn *column, int64 coordinate)
{
	char text[DP_GRID_TEXT_BYTES];

	(void) dp_grid_print(&column->grid, coordinate, text);
	return psprintf("%s::%s", quote_literal_cstr(text), dp_expression_type_label(column->type));
}

/*
 * The value clamped to its range. NaN and infinities become NULL if the column can be NULL, else
 * the nearer end, as everywhere in a query (worker/scan_sums.c). Floats so near to 0 that a product
 * could underflow become 0.
 */
static char *
clamped(const DpAskedColumn *column, const char *text)
{
	const char *type = dp_expression_type_label(column->type);
	bool drops = column->nullable && has_infinities(column->type);
	char *low = end_of(column, column->grid.first), *high = end_of(column, column->grid.last);
	char *inside = pstrdup(text);

	if (column->type == FLOAT4OID || column->type == FLOAT8OID)
		inside = psprintf("CASE WHEN pg_catalog.abs(%s) OPERATOR(pg_catalog.<) '1e-30'::%s"
						  " THEN '0'::%s ELSE %s END",
						  text, type, type, text);
	return psprintf(
		"CASE WHEN %s OPERATOR(pg_catalog.>=) %s AND %s OPERATOR(pg_catalog.<=) %s THEN %s"
		" WHEN %s OPERATOR(pg_catalog.<) %s%s THEN %s WHEN %s OPERATOR(pg_catalog.>) %s%s THEN %s"
		" END",
		text, low, text, high, inside, text, low,
		drops ? psprintf(" AND %s OPERATOR(pg_catalog.>) '-infinity'::%s", text, type) : "", low,
		text, high,
		drops ? psprintf(" AND %s OPERATOR(pg_catalog.<) 'infinity'::%s", text, type) : "", high);
}

typedef struct Reading
{
	DpAsked *asked;
	bool grouped; /* a column by itself, too, counts as the end of its range */
	bool added;   /* the same, of any range that is known */
} Reading;

/* Rows that belong to the row at hand, by the foreign key that says so. */
static char *
rows_below(const DpAsked *asked, uint32 number)
{
	const DpAskedRelation *of = list_nth(asked->relations, (int) number);
	const DpForeignKey *key;
	DpDataset dataset;
	StringInfoData sql;

	dp_dataset_get(of->relation, false, &dataset);
	key = dp_dataset_reference(&dataset);
	initStringInfo(&sql);
	appendStringInfo(&sql, "FROM %s s%u WHERE ", dp_relation_label(of->relation), number);
	for (int i = 0; i < key->columns; i++)
		appendStringInfo(
			&sql, "%s%s", i ? " AND " : "",
			dp_foreign_key_compare(&key->equal[i],
								   psprintf("s%u.%s", of->of, quote_identifier(key->key[i])),
								   psprintf("s%u.%s", number, quote_identifier(key->column[i]))));
	return sql.data;
}

static char *
column_text(void *context, const DpRowExpression *expression, bool computed)
{
	const Reading *reading = context;
	const DpAskedColumn *column;
	char *text;

	if (expression->kind == DP_X_EXISTS)
		return rows_below(reading->asked, expression->relation);
	column = dp_asked_column(reading->asked, expression->relation, expression->name);
	text = psprintf("s%u.%s%s%s", expression->relation, quote_identifier(column->name),
					column->is_cast ? "::" : "",
					column->is_cast ? dp_expression_type_label(column->type) : "");
	if (!computed && !reading->added && !reading->grouped)
		return text;
	column = dp_asked_column_values(reading->asked, expression->relation, expression->name);
	if (computed || reading->added ? column->clamps : column->is_range)
		return psprintf("(%s)", clamped(column, text));
	return text;
}

char *
dp_asked_sql(DpAsked *asked, const DpRowExpression *expression, bool grouped)
{
	Reading reading = {asked, grouped && expression->kind == DP_X_COLUMN, false};

	return dp_x_sql(expression, column_text, &reading);
}

char *
dp_asked_added_sql(DpAsked *asked, const DpRowExpression *expression)
{
	Reading reading = {asked, true, expression->kind == DP_X_COLUMN};

	return dp_x_sql(expression, column_text, &reading);
}

char *
dp_asked_attribute_sql(const DpRelation *relation, uint32 attribute)
{
	DpAsked *asked = relation->asked;

	return dp_asked_sql(asked, relation->column[attribute].expression,
						attribute < (uint32) list_length(asked->groups));
}

/* ---- how many rows of a public table a row meets ---- */

static bool
reads(const DpRowExpression *expression, uint32 relation)
{
	ListCell *cell;

	foreach (cell, dp_x_columns(expression, NIL))
		if (((DpRowExpression *) lfirst(cell))->relation == relation)
			return true;
	return false;
}

/* The columns of a relation that a condition says to be equal to something else. */
static List *
fixed_columns(const DpRowExpression *on, uint32 relation)
{
	List *fixed = NIL;
	ListCell *cell;

	if (on == NULL)
		return NIL;
	if (on->kind == DP_X_AND)
	{
		foreach (cell, on->arguments)
			fixed = list_concat(fixed, fixed_columns(lfirst(cell), relation));
		return fixed;
	}
	if (on->kind != DP_X_CALL || on->function->operator== NULL ||
									 strcmp(on->function->operator, "=") != 0)
		return NIL;
	for (int i = 0; i < 2; i++)
	{
		const DpRowExpression *column = list_nth(on->arguments, i);

		if (column->kind == DP_X_COLUMN && column->relation == relation &&
			!reads(list_nth(on->arguments, 1 - i), relation))
			fixed = lappend(fixed, unconstify(char *, column->name));
	}
	return fixed;
}

/* Whether all columns of a unique index are fixed by conditions. Index expressions are not
 * considered, even if they are constant. */
static bool
index_is_fixed(Relation index, Oid relation, const List *fixed)
{
	const Form_pg_index form = index->rd_index;

	if (!form->indisunique || !form->indimmediate || !form->indisvalid ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL))
		return false;
	for (int i = 0; i < form->indnkeyatts; i++)
	{
		const char *name = get_attname(relation, form->indkey.values[i], true);
		bool found = false;
		ListCell *cell;

		foreach (cell, fixed)
			found |= name != NULL && strcmp(name, lfirst(cell)) == 0;
		if (!found)
			return false;
	}
	return true;
}

static bool
meets_one(Oid relation, const List *fixed)
{
	Relation open = relation_open(relation, AccessShareLock);
	bool one = false;
	ListCell *cell;

	foreach (cell, RelationGetIndexList(open))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		one |= index_is_fixed(index, relation, fixed);
		index_close(index, NoLock);
	}
	relation_close(open, NoLock); /* so that the index is there until the worker has locked it */
	return one;
}

bool
dp_asked_is_row_key(DpAsked *asked, const DpRowExpression *expression)
{
	const DpAskedRelation *counted = linitial(asked->relations);
	Oid why;

	return expression->kind == DP_X_COLUMN && expression->relation == 0 && counted->units == NULL &&
		   (get_rel_relkind(counted->relation) == RELKIND_PARTITIONED_TABLE ||
			!has_subclass(counted->relation)) &&
		   meets_one(counted->relation, list_make1(unconstify(char *, expression->name))) &&
		   dp_asked_keeps_rows(asked, &why);
}

bool
dp_asked_keeps_rows(DpAsked *asked, Oid *why)
{
	for (int i = 1; i < list_length(asked->relations); i++)
	{
		const DpAskedRelation *of = list_nth(asked->relations, i);

		if (!of->is_public || meets_one(of->relation, fixed_columns(of->on, (uint32) i)))
			continue;
		*why = of->relation;
		return false;
	}
	return true;
}
