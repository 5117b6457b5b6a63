/*
 * columns_as_question.c -- a question that names columns, in the form that a SELECT has.
 *
 * Where columns are modelled as they are, names of them mean what a SELECT means. Then dp_query asks as
 * that SELECT would, and each reads the answer of the other. Columns with bins, fields, distances or
 * declared zeros, those of ancestors, and ranges that are to be narrowed have no such form.
 *
 * Nothing is proved here of what the two forms mean: the question is planned as a SELECT's is, and
 * serves if it has the same groups, ranges and names. Only conditions are written anew.
 */
#include "pg/question/asked.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "pg/budget/parent.h"
#include "pg/domain/grid.h"
#include "pg/server/values.h"

/* ---- columns ---- */

/* The column that an attribute is; NULL: it is modelled as something else. */
static DpRowExpression *
column_of(const DpRelation *relation, uint32 a)
{
	const DpAttribute *attribute = &relation->domain.attribute[a];
	const DpColumn *column = &relation->column[a];

	if (attribute->open || attribute->range != NULL || attribute->other != NULL ||
		column->above != NULL || column->field != NULL || column->lookup != NULL ||
		dp_column_is_distance(column) || column->refers != NIL || column->exists ||
		column->expression != NULL || get_attnum(relation->oid, attribute->name) <= 0 ||
		get_atttype(relation->oid, column->number) != column->type ||
		!dp_expression_type(column->type) ||
		(OidIsValid(column->collation) && !get_collation_isdeterministic(column->collation)))
		return NULL;
	return dp_x_column(0, attribute->name, column->type);
}

/* ---- conditions ---- */

/* As PostgreSQL compares a column with a constant. */
static DpRowExpression *
compared(DpRowExpression *column)
{
	return dp_x_as(column->type == VARCHAROID ? TEXTOID : column->type, column);
}

static DpRowExpression *
value_of(const DpRowExpression *compared, const char *text)
{
	return dp_x_value(compared->type, text);
}

/* Whether values that are not declared count as a level that the filter has: the first one, where there is
 * no level for others, and only a declaration says which values there are. */
static bool
takes_undeclared(const DpAttribute *attribute, const DpColumn *column, const DpCodes *codes)
{
	return !attribute->has_other && strcmp(column->source, "schema") != 0 && codes->level[0];
}

/* x = a, or x IN (a, b); NULL: it has no such form. */
static DpRowExpression *
levels_condition(const DpAttribute *attribute, const DpColumn *of, const DpCodes *codes,
				 DpRowExpression *column)
{
	DpRowExpression *left = compared(column);
	const DpFunction *equals =
		dp_function_of(get_opcode(lookup_type_cache(left->type, TYPECACHE_EQ_OPR)->eq_opr));
	List *values = NIL;

	if (equals == NULL || attribute->kind != DP_CATEGORIES ||
		(attribute->has_other && codes->level[attribute->labels_n]) ||
		takes_undeclared(attribute, of, codes))
		return NULL;
	for (uint32 i = 0; i < attribute->labels_n; i++)
		if (codes->level[i])
			values = lappend(values, value_of(left, attribute->labels[i]));
	if (list_length(values) == 1)
		return dp_x_call(equals, list_make2(left, linitial(values)));
	return dp_x_of(DP_X_IN, lcons(left, values));
}

/* x >= a AND x < b. What lies outside of the range counts as its end, so that an end of the range is
 * no bound. NULL: it has no such form. */
static DpRowExpression *
range_condition(const DpGrid *grid, const DpCodes *codes, DpRowExpression *column)
{
	const DpFunction *less, *least;
	DpGridCoder *coder = dp_grid_coder(grid, column->type, -1);
	List *bounds = NIL;

	if ((column->type != INT4OID && column->type != INT8OID && column->type != DATEOID) ||
		grid->step != 1 || grid->digits != 0 || codes->missing)
		return NULL;
	less = dp_function_of(get_opcode(lookup_type_cache(column->type, TYPECACHE_LT_OPR)->lt_opr));
	least = dp_function_negated(less);
	if (codes->first > grid->first)
		bounds = lappend(
			bounds,
			dp_x_call(
				least,
				list_make2(column, value_of(column, dp_value_out(dp_grid_value(coder, codes->first),
																 column->type)))));
	if (codes->last < grid->last)
		bounds = lappend(
			bounds,
			dp_x_call(less, list_make2(
								column,
								value_of(column, dp_value_out(dp_grid_value(coder, codes->last + 1),
															  column->type)))));
	return bounds == NIL ? NULL : dp_x_of(DP_X_AND, bounds);
}

static DpRowExpression *
condition_of(const DpRelation *relation, const DpRowExpression *coded)
{
	uint32 a = dp_relation_attribute(relation,
									 ((const DpRowExpression *) linitial(coded->arguments))->name);
	const DpAttribute *attribute = &relation->domain.attribute[a];
	const DpColumn *of = &relation->column[a];
	DpRowExpression *column = column_of(relation, a);

	if (column == NULL || (of->nullable && !attribute->has_other))
		return NULL;
	if (coded->codes->level != NULL)
		return levels_condition(attribute, of, coded->codes, column);
	if (of->nullable && column->type == DATEOID) /* infinity counts as NULL */
		return NULL;
	return range_condition(&coded->codes->grid, coded->codes, column);
}

/* False: some condition has no such form. */
static bool
conditions_of(const DpRelation *relation, DpAsked *question)
{
	List *conditions = NIL;
	ListCell *cell;

	foreach (cell, dp_asked_conjuncts(relation->asked))
	{
		conditions = lappend(conditions, condition_of(relation, lfirst(cell)));
		if (llast(conditions) == NULL)
			return false;
	}
	if (conditions != NIL)
		question->where = dp_x_normal(dp_x_of(DP_X_AND, conditions));
	return true;
}

/* ---- groups and measures ---- */

/* Whether a SELECT can ask for it: values are listed, or have a range that is declared. */
static bool
can_be_asked(const DpRelation *relation, uint32 a, DpAsked *question, DpMeasureKind kind,
			 DpRowExpression *column)
{
	DpExtent extent;
	DpGrid grid;

	if (column == NULL || kind == DP_COUNT) /* of what, a SELECT sees in another way */
		return false;
	if (!dp_measure_needs_range(kind))
		return relation->domain.attribute[a].kind == DP_CATEGORIES;
	extent = dp_extent_of(question, column);
	return !extent.assumed && dp_extent_grid(&extent, column->type, &grid);
}

static bool
parts_of(const DpRelation *relation, DpAsked *question)
{
	const DpAsked *asked = relation->asked;
	ListCell *cell;

	foreach (cell, asked->groups)
	{
		uint32 a = asked->group_attribute[foreach_current_index(cell)];
		DpRowExpression *column = column_of(relation, a);

		if (!can_be_asked(relation, a, question, DP_COUNT_DISTINCT, column))
			return false;
		question->groups = lappend(question->groups, column);
	}
	foreach (cell, asked->measures)
	{
		uint32 a = asked->measure_attribute[foreach_current_index(cell)];
		DpAskedMeasure *measure = palloc(sizeof(DpAskedMeasure));

		*measure = *(const DpAskedMeasure *) lfirst(cell);
		if (measure->of != NULL)
		{
			measure->of = column_of(relation, a);
			if (!can_be_asked(relation, a, question, measure->kind, measure->of))
				return false;
		}
		question->measures = lappend(question->measures, measure);
	}
	return true;
}

/* ---- whether it is the same ---- */

static bool
same_attribute(const DpAttribute *a, const DpAttribute *b)
{
	return strcmp(a->name, b->name) == 0 && a->open == b->open && a->range == b->range &&
		   a->other == b->other && a->has_other == b->has_other && a->kind == b->kind &&
		   (a->kind != DP_CATEGORIES || dp_attribute_same_labels(a, b));
}

static bool
same_parts(const DpRelation *columns, const DpRelation *question)
{
	const DpAsked *a = columns->asked, *b = question->asked;

	for (int i = 0; i < list_length(a->groups); i++)
		if (!same_attribute(&columns->domain.attribute[a->group_attribute[i]],
							&question->domain.attribute[b->group_attribute[i]]))
			return false;
	for (int i = 0; i < list_length(a->measures); i++)
	{
		uint32 x = a->measure_attribute[i], y = b->measure_attribute[i];

		if (x != DP_NO_COLUMN &&
			(!same_attribute(&columns->domain.attribute[x], &question->domain.attribute[y]) ||
			 !dp_grid_same(&a->grid[x], &b->grid[y])))
			return false;
	}
	return true;
}

char *
dp_asked_columns_as_question(const DpRelation *relation, const DpDataset *dataset)
{
	DpRelation *facts = dp_relation_columns(relation->oid, dataset->id, true);
	DpAsked *question = palloc0(sizeof(DpAsked));
	int level;
	bool found;
	char *text;

	if (relation->domain.zeros.sets > 0 || dp_dataset_is_distributed(dataset))
		return NULL;
	question->relations =
		list_make1(dp_asked_relation_create(relation->oid, 0, false, false, facts));
	level = dp_values_begin();
	found = conditions_of(relation, question) && parts_of(relation, question);
	dp_values_end(level);
	if (!found)
		return NULL;
	text = dp_asked_write(question);
	dp_asked_restrict(facts, question);
	return same_parts(relation, facts) ? text : NULL;
}
