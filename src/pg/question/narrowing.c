/*
 * narrowing.c -- what WHERE says of the range of a column.
 *
 * A row that is counted passes WHERE, so that x BETWEEN 1 AND 9 bounds what it has there. Where the
 * column is computed with, it is clamped to that: this changes nothing of a row that passes, and a row
 * that does not pass is not counted whatever is computed of it.
 */
#include "pg/question/asked.h"

#include <math.h>

typedef struct Ends
{
	double low, high;
} Ends;

/* The column that a side of a comparison is, as another type or not; NULL: it is none. */
static const DpRowExpression *
column_of(const DpRowExpression *side)
{
	while (side->kind == DP_X_CALL && side->function->rule == DP_RULE_SAME)
		side = linitial(side->arguments);
	return side->kind == DP_X_COLUMN ? side : NULL;
}

static bool
is_column(const DpRowExpression *side, uint32 relation, const char *name)
{
	const DpRowExpression *column = column_of(side);

	return column != NULL && column->relation == relation && strcmp(column->name, name) == 0;
}

static void
take_constant(DpAsked *asked, const char *sign, const DpRowExpression *constant, Ends *ends)
{
	DpExtent at = dp_extent_of(asked, constant);

	if (!at.ordered)
		return;
	if (strchr(sign, '<') == NULL) /* =, >, >= */
		ends->low = Max(ends->low, at.low);
	if (strchr(sign, '>') == NULL)
		ends->high = Min(ends->high, at.high);
}

/* x IN (3, 5) */
static void
take_list(DpAsked *asked, const List *arguments, Ends *ends)
{
	Ends all = {INFINITY, -INFINITY};

	for (int i = 1; i < list_length(arguments); i++)
	{
		DpExtent at = dp_extent_of(asked, list_nth(arguments, i));

		if (at.empty)
			continue;
		if (!at.ordered)
			return;
		all.low = Min(all.low, at.low);
		all.high = Max(all.high, at.high);
	}
	ends->low = Max(ends->low, all.low);
	ends->high = Min(ends->high, all.high);
}

static void
take(DpAsked *asked, const DpRowExpression *condition, uint32 relation, const char *name,
	 Ends *ends)
{
	const List *arguments = condition->arguments;
	const char *sign;
	ListCell *cell;

	if (condition->kind == DP_X_AND)
		foreach (cell, arguments)
			take(asked, lfirst(cell), relation, name, ends);
	else if (condition->kind == DP_X_IN && is_column(linitial(arguments), relation, name))
		take_list(asked, arguments, ends);
	if (condition->kind != DP_X_CALL || condition->function->rule != DP_RULE_COMPARE ||
		condition->function->operator== NULL)
		return;
	sign = condition->function->operator;
	if (strcmp(sign, "<>") != 0 && is_column(linitial(arguments), relation, name) &&
		dp_x_is_constant(lsecond(arguments)))
		take_constant(asked, sign, lsecond(arguments), ends);
}

void
dp_asked_narrow(DpAsked *asked, uint32 relation, DpAskedColumn *column)
{
	Ends ends = {-INFINITY, INFINITY};
	DpExtent extent = {.ordered = true, .digits = column->digits};
	double unit;
	DpGrid grid;

	if (asked->where == NULL)
		return;
	take(asked, asked->where, relation, column->name, &ends);
	if (!column->has_range && !isinf(ends.low) && !isinf(ends.high) && ends.low <= ends.high)
	{
		extent.low = ends.low;
		extent.high = ends.high;
		column->has_range = column->clamps = dp_extent_grid(&extent, column->type, &column->grid);
		return;
	}
	if (!column->has_range)
		return;
	grid = column->grid;
	unit = (double) grid.step * (grid.kind == DP_GRID_NUMBER ? pow(10, -grid.digits) : 1);
	if (ends.low / unit > (double) grid.first)
		grid.first = (int64) Min(floor(ends.low / unit + 1e-9), (double) grid.last);
	if (ends.high / unit < (double) grid.last)
		grid.last = (int64) Max(ceil(ends.high / unit - 1e-9), (double) grid.first);
	column->clamps |= grid.first != column->grid.first || grid.last != column->grid.last;
	column->assumed &= isinf(ends.low) || isinf(ends.high);
	column->grid = grid;
}
