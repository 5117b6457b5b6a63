/*
 * distance_extent.c -- columns that are declared as the distance from another column, of their row or
 * of one that this belongs to: which values they have, and how large the difference of the two is.
 *
 * A row may break the declaration. So the column's own range is one that its values are clamped to
 * wherever something is computed of them, as those of any column. The range of the difference is
 * used where a measure is clamped to it and nowhere else: nothing that must hold of every value, as
 * that a divisor is not 0, rests on it.
 */
#include "pg/question/asked.h"

#include "miscadmin.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "pg/domain/grid.h"
#include "pg/domain/range_attribute.h"
#include "pg/question/extent.h"

/* The ends of a grid of days, or of microseconds. false: it has other units. */
static bool
ends_of(const DpAttribute *attribute, const DpColumn *column, bool days, int64 *low, int64 *high)
{
	DpGrid grid;

	if (!dp_column_grid(attribute, column, &grid) || grid.digits != 0)
		return false;
	if (grid.kind == DP_GRID_DATE || grid.kind == DP_GRID_NUMBER ? !days : days)
		return false;
	return !pg_mul_s64_overflow(grid.first, grid.step, low) &&
		   !pg_mul_s64_overflow(grid.last, grid.step, high) &&
		   !pg_add_s64_overflow(*high, grid.step - 1, high);
}

/* The attribute that one is the distance from, and in *facts whose it is; -1: none is known. */
static int
base_of(const DpRelation **facts, const DpColumn *column)
{
	DpDataset dataset;

	if (OidIsValid(column->base_relation))
	{
		if (!dp_dataset_find(column->base_relation, false, &dataset))
			return -1;
		*facts = dp_relation_columns(column->base_relation, dataset.id, false);
	}
	return dp_domain_find(&(*facts)->domain, column->base_name);
}

/* The extent of a column: that of its base column moved by the declared distance, and so on for the
 * base of that. */
static bool
column_ends(const DpRelation *facts, int attribute, bool days, int64 *first, int64 *last)
{
	int64 low, high;

	*first = *last = 0;
	while (attribute >= 0)
	{
		const DpColumn *column = &facts->column[attribute];

		CHECK_FOR_INTERRUPTS();
		if (!ends_of(&facts->domain.attribute[attribute], column, days, &low, &high) ||
			pg_add_s64_overflow(*first, low, first) || pg_add_s64_overflow(*last, high, last))
			return false;
		if (!dp_column_is_distance(column))
			return true;
		attribute = base_of(&facts, column);
	}
	return false;
}

void
dp_asked_distance_describe(const DpRelation *facts, uint32 attribute, DpAskedColumn *column)
{
	const DpColumn *of = &facts->column[attribute];
	bool days = column->type == DATEOID;
	DpGrid grid = {.kind = dp_grid_kind_of(column->type), .step = 1};
	int64 low, high;

	column->nullable |= of->nullable;
	if ((!days && column->type != TIMESTAMPOID && column->type != TIMESTAMPTZOID) ||
		!ends_of(&facts->domain.attribute[attribute], of, days, &low, &high) ||
		!column_ends(facts, (int) attribute, days, &grid.first, &grid.last))
		return;
	column->grid = grid;
	column->has_range = column->clamps = true;
	column->distance_of = OidIsValid(of->base_relation) ? of->base_relation : facts->oid;
	column->distance_from = of->base_name;
	column->distance_low = (double) low;
	column->distance_high = (double) high;
}

static Oid
relation_of(const DpAsked *asked, const DpRowExpression *column)
{
	return ((DpAskedRelation *) list_nth(asked->relations, (int) column->relation))->relation;
}

/* column - base, where the one is declared as the distance from the other. */
static bool
of_difference(DpAsked *asked, const DpRowExpression *call, double *low, double *high)
{
	const DpRowExpression *column = linitial(call->arguments), *base = lsecond(call->arguments);
	const DpAskedColumn *of;

	if (column->kind != DP_X_COLUMN || base->kind != DP_X_COLUMN)
		return false;
	of = dp_asked_column(asked, column->relation, column->name);
	if (of->distance_from == NULL || strcmp(of->distance_from, base->name) != 0 ||
		of->distance_of != relation_of(asked, base))
		return false;
	*low = of->distance_low;
	*high = of->distance_high;
	return true;
}

/* The constant by which a call divides or multiplies, above 0; 0: it does not. */
static double
constant_factor(const DpRowExpression *call)
{
	const DpRowExpression *by = lsecond(call->arguments);
	double factor;

	if (by->kind != DP_X_VALUE || by->text == NULL)
		return 0;
	factor = strtod(by->text, NULL);
	return factor > 0 && isfinite(factor) ? factor : 0;
}

/* The range of a difference, in seconds, hours or days, too. */
static bool
find_distance(DpAsked *asked, const DpRowExpression *expression, double *low, double *high)
{
	const DpRowExpression *first;
	double factor = 1;

	if (expression->kind != DP_X_CALL || list_length(expression->arguments) > 2)
		return false;
	first = linitial(expression->arguments);
	switch (expression->function->rule)
	{
		case DP_RULE_SUBTRACT:
			return of_difference(asked, expression, low, high);
		case DP_RULE_SAME:
			return find_distance(asked, first, low, high);
		case DP_RULE_DIVIDE:
			factor = constant_factor(expression);
			factor = factor > 0 ? 1 / factor : 0;
			break;
		case DP_RULE_MULTIPLY:
			factor = constant_factor(expression);
			break;
		case DP_RULE_EXTRACT:
			if (first->text == NULL || pg_strcasecmp(first->text, "epoch") != 0)
				return false;
			first = lsecond(expression->arguments);
			factor = 1 / (double) USECS_PER_SEC;
			break;
		default:
			return false;
	}
	if (factor <= 0 || !find_distance(asked, first, low, high))
		return false;
	*low *= factor;
	*high *= factor;
	return true;
}

void
dp_extent_narrow_to_distance(DpAsked *asked, const DpRowExpression *expression, DpExtent *extent)
{
	double low, high;

	if (!extent->ordered || !find_distance(asked, expression, &low, &high) || low > extent->high ||
		high < extent->low)
		return;
	extent->low = Max(extent->low, low);
	extent->high = Min(extent->high, high);
}
