/*
 * asked_relation.c -- a question's groups and arguments as the attributes of a relation, so that a
 * query measures them as it measures columns.
 */
#include "pg/question/asked.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/catalog.h"
#include "pg/server/values.h"

#define NAME_BYTES 56 /* with a number behind it, what a statement keeps of a name */

typedef struct Making
{
	DpAsked *asked;
	DpDomain *domain;
	DpColumn *column;
} Making;

static const DpGrid no_grid = {.first = 1, .last = 0, .step = 1};

/* A name that no other attribute has. */
static char *
name_of(const Making *making, const DpRowExpression *expression)
{
	char *words = dp_x_words(expression), *name;

	words[pg_mbcliplen(words, (int) strlen(words), NAME_BYTES)] = '\0';
	name = words;
	for (int i = 2; dp_domain_find(making->domain, name) >= 0; i++)
		name = psprintf("%s %d", words, i);
	return name;
}

static uint32
attribute_add(Making *making, const DpRowExpression *expression, DpAttribute attribute, DpGrid grid)
{
	uint32 a = making->domain->attributes;

	attribute.name = name_of(making, expression);
	attribute.type = format_type_be(expression->type);
	if (!attribute.open && attribute.range == NULL)
		dp_attribute_count_levels(&attribute);
	making->column[a] = (DpColumn){.type = expression->type,
								   .typmod = -1,
								   .collation = get_typcollation(expression->type),
								   .own_type = expression->type,
								   .source = "expression",
								   .nullable = attribute.has_other,
								   .expression = expression};
	making->domain->attribute[a] = attribute;
	making->asked->grid[a] = grid;
	making->domain->attributes++;
	return a;
}

/* ---- groups ---- */

/* The column of an expression, if it is a column of the counted relation whose values are
 * discovered; else NULL. */
static const DpAskedColumn *
open_column(DpAsked *asked, const DpRowExpression *expression)
{
	const DpAskedColumn *column;

	if (expression->kind != DP_X_COLUMN)
		return NULL;
	column = dp_asked_column(asked, expression->relation, expression->name);
	return column->attribute != NULL && column->attribute->open ? column : NULL;
}

static uint32
group_add(Making *making, const DpRowExpression *expression)
{
	const DpAskedColumn *open = open_column(making->asked, expression);
	DpAttribute attribute = {.kind = DP_CATEGORIES};
	uint32 a;

	if (open != NULL)
	{
		a = attribute_add(making, expression, *open->attribute, no_grid);
		making->column[a].domain = open->column->domain;
		making->column[a].collation = open->column->collation;
		return a;
	}
	else
	{
		DpImage image = dp_image_of(making->asked, expression);

		attribute.labels = image.value;
		attribute.labels_n = image.n;
		attribute.has_other = image.rest || image.n == 0;
		return attribute_add(making, expression, attribute, no_grid);
	}
}

/* ---- arguments ---- */

static DP_NORETURN void
no_range(const DpRowExpression *expression, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s has no public range", dp_x_words(expression)), errdetail("%s", detail),
			 errhint("Its custodian can declare the range of a column with dp_define_column; "
					 "least and greatest bound an expression.")));
}

/* A range is one bin to a query. */
static uint32
number_add(Making *making, const DpRowExpression *expression)
{
	DpExtent extent = dp_extent_of(making->asked, expression);
	DpAttribute attribute = {.kind = DP_BINS, .labels_n = 2, .has_other = extent.nullable};
	char text[DP_GRID_TEXT_BYTES];
	DpGrid grid;

	dp_extent_narrow_to_distance(making->asked, expression, &extent);
	if (extent.empty)
		extent = (DpExtent){.ordered = true, .high = 1, .nullable = true};
	if (!dp_extent_grid(&extent, expression->type, &grid))
		no_range(expression,
				 "Values are clamped to a range, which bounds what one row can change.");
	if (extent.assumed)
		no_range(expression,
				 "Nothing but its type says which values it can have, and noise for all of them "
				 "would be far larger than the answer.");
	attribute.labels = palloc(sizeof(char *) * 2);
	(void) dp_grid_print(&grid, grid.first, text);
	attribute.labels[0] = pstrdup(text);
	(void) dp_grid_print(&grid, grid.last, text);
	attribute.labels[1] = pstrdup(text);
	return attribute_add(making, expression, attribute, grid);
}

/* For an expression of which only matters whether it is NULL. */
static uint32
presence_add(Making *making, const DpRowExpression *expression)
{
	(void) dp_extent_of(making->asked, expression);
	return attribute_add(making, expression,
						 (DpAttribute){.kind = DP_CATEGORIES, .has_other = true}, no_grid);
}

static uint32
argument_add(Making *making, const DpAskedMeasure *measure)
{
	switch (measure->kind)
	{
		case DP_COUNT:
			return presence_add(making, measure->of);
		case DP_COUNT_DISTINCT:
			if (open_column(making->asked, measure->of) != NULL)
				no_range(measure->of, "Only values with a bound can be counted.");
			return group_add(making, measure->of);
		default:
			return number_add(making, measure->of);
	}
}

/* That of a measure before it which reads the same in the same way. */
static bool
argument_find(const DpAsked *asked, int number, uint32 *attribute)
{
	const DpAskedMeasure *measure = list_nth(asked->measures, number);
	bool ranged = dp_measure_needs_range(measure->kind);

	for (int i = 0; i < number; i++)
	{
		const DpAskedMeasure *before = list_nth(asked->measures, i);

		if (before->of == NULL || strcmp(dp_x_text(before->of), dp_x_text(measure->of)) != 0 ||
			(ranged ? !dp_measure_needs_range(before->kind) : before->kind != measure->kind))
			continue;
		*attribute = asked->measure_attribute[i];
		return true;
	}
	return false;
}

/* ---- the relation ---- */

static void
narrow_columns(DpAsked *asked)
{
	uint32 relation = 0;
	ListCell *cell, *column;

	foreach (cell, asked->relations)
	{
		const DpAskedRelation *of = lfirst(cell);

		if (of->units != NULL && !of->units->narrows)
			narrow_columns(of->units);
		foreach (column, of->columns)
			if (!((DpAskedColumn *) lfirst(column))->is_unread)
				dp_asked_narrow(asked, relation, lfirst(column));
		relation++;
	}
	asked->narrows = true;
}

static void check_conditions(DpAsked *asked);

static void
check_units(DpAsked *units)
{
	ListCell *cell;

	check_conditions(units);
	foreach (cell, units->aggregates)
		dp_unit_aggregate_check(units, lfirst(cell));
	foreach (cell, units->groups)
		(void) dp_extent_of(units, lfirst(cell));
}

/* ERROR unless all conditions have a value for every row. */
static void
check_conditions(DpAsked *asked)
{
	ListCell *cell;

	narrow_columns(asked);
	if (asked->where != NULL)
		(void) dp_extent_of(asked, asked->where);
	foreach (cell, asked->relations)
	{
		const DpAskedRelation *of = lfirst(cell);

		if (of->on != NULL)
			(void) dp_extent_of(asked, of->on);
		if (of->units != NULL)
			check_units(of->units);
	}
}

void
dp_asked_restrict(DpRelation *relation, DpAsked *asked)
{
	int n = list_length(asked->groups) + list_length(asked->measures) + 1;
	Making making = {asked, &relation->domain, palloc0(sizeof(DpColumn) * n)};
	int level = dp_values_begin(), i = 0;
	ListCell *cell;

	relation->domain = (DpDomain){.attribute = palloc0(sizeof(DpAttribute) * n)};
	relation->column = making.column;
	relation->unmodelled = relation->derived = relation->checks = relation->generated = NIL;
	relation->asked = asked;
	relation->joined_above = dp_asked_above(asked);
	asked->grid = palloc0(sizeof(DpGrid) * n);
	asked->group_attribute = palloc0(sizeof(uint32) * n);
	asked->measure_attribute = palloc0(sizeof(uint32) * n);
	check_conditions(asked);
	foreach (cell, asked->groups)
		asked->group_attribute[i++] = group_add(&making, lfirst(cell));
	i = 0;
	foreach (cell, asked->measures)
	{
		const DpAskedMeasure *measure = lfirst(cell);

		if (measure->of == NULL)
			asked->measure_attribute[i] = DP_NO_COLUMN;
		else if (!argument_find(asked, i, &asked->measure_attribute[i]))
			asked->measure_attribute[i] = argument_add(&making, measure);
		i++;
	}
	if (relation->domain.attributes == 0) /* a row must have something to be read by */
		(void) presence_add(&making, dp_x_value(BOOLOID, "t"));
	relation->joined_public = dp_asked_public(asked);
	relation->joined_digest = dp_asked_digest(asked);
	dp_values_end(level);
}

void
dp_asked_check_rows(DpAsked *asked, const DpDataset *dataset)
{
	Oid why;

	if (dp_dataset_has_units(dataset) ||
		((DpAskedRelation *) linitial(asked->relations))->units != NULL ||
		dp_asked_keeps_rows(asked, &why))
		return;
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("a row of relation \"%s\" meets several rows of public table \"%s\"",
						   dp_relation_words(dataset->relation), dp_relation_words(why)),
					errdetail("Nothing tells how many rows of one person there would be."),
					errhint("Join it by a key, or use IN (SELECT ...).")));
}

bool
dp_asked_has_one_row(const DpAsked *asked)
{
	const DpAsked *units = ((DpAskedRelation *) linitial(asked->relations))->units;

	return (asked->once && asked->groups == NIL) || (units != NULL && units->groups == NIL);
}

DpQuery *
dp_asked_query(const DpRelation *relation)
{
	const DpAsked *asked = relation->asked;
	uint32 attributes = relation->domain.attributes;
	bool *nullable = palloc0(sizeof(bool) * (attributes + 1));
	DpQuery *query = palloc0(sizeof(DpQuery));
	ListCell *cell;

	for (uint32 a = 0; a < attributes; a++)
		nullable[a] = relation->domain.attribute[a].has_other;
	*query = (DpQuery){.by = (uint32) list_length(asked->groups),
					   .by_attribute = asked->group_attribute,
					   .measure = palloc0(sizeof(DpMeasure) * (list_length(asked->measures) + 1)),
					   .grid = asked->grid,
					   .nullable = nullable,
					   .selects = asked->where != NULL || asked->once ||
								  ((DpAskedRelation *) linitial(asked->relations))->units != NULL ||
								  list_length(asked->relations) > 1};
	foreach (cell, asked->measures)
	{
		const DpAskedMeasure *measure = lfirst(cell);

		query->measure[query->measures] =
			(DpMeasure){.kind = measure->kind,
						.column = asked->measure_attribute[query->measures],
						.quantile_nano = measure->quantile_nano};
		query->measures++;
	}
	return query;
}
