/*
 * narrowing.c -- what WHERE says of the range of a column.
 *
 * A row that is counted passes WHERE, so that x BETWEEN 1 AND 9 bounds what it has there. Where the
 * column is computed with, it is clamped to that: this changes nothing of a row that passes, and a row
 * that does not pass is not counted whatever is computed of it.
 *
 * The condition that bounds a column must not be true of a value that it is clamped to. What is compared
 * as it is, is not clamped there. A cast of it is: x::numeric <= 9 bounds x by the next value beyond 9.
 */
#include "pg/question/asked.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/timestamp.h"

typedef struct Ends
{
	double low, high;
} Ends;

/* What conditions say of a column as it is, and of casts of it. */
typedef struct Said
{
	Ends itself, cast;
} Said;

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

static Ends *
ends_said(Said *said, const DpRowExpression *side)
{
	return side->kind == DP_X_COLUMN ? &said->itself : &said->cast;
}

static void
take(DpAsked *asked, const DpRowExpression *condition, uint32 relation, const char *name,
	 Said *said)
{
	const List *arguments = condition->arguments;
	const char *sign;
	ListCell *cell;

	if (condition->kind == DP_X_AND)
		foreach (cell, arguments)
			take(asked, lfirst(cell), relation, name, said);
	else if (condition->kind == DP_X_IN && is_column(linitial(arguments), relation, name))
		take_list(asked, arguments, ends_said(said, linitial(arguments)));
	if (condition->kind != DP_X_CALL || condition->function->rule != DP_RULE_COMPARE ||
		condition->function->operator== NULL)
		return;
	sign = condition->function->operator;
	if (strcmp(sign, "<>") != 0 && is_column(linitial(arguments), relation, name) &&
		dp_x_is_constant(lsecond(arguments)))
		take_constant(asked, sign, lsecond(arguments), ends_said(said, linitial(arguments)));
}

/* A column that nothing else bounds: the ends that WHERE says, and the next values beyond what it says
 * of a cast. */
static void
bound(DpAskedColumn *column, const Said *said)
{
	DpExtent extent = {.ordered = true,
					   .digits = column->digits,
					   .low = Max(said->itself.low, said->cast.low),
					   .high = Min(said->itself.high, said->cast.high)};
	DpGrid *grid = &column->grid;

	if (isinf(extent.low) || isinf(extent.high) || extent.low > extent.high)
		return;
	column->has_range = column->clamps = dp_extent_grid(&extent, column->type, grid);
	if (!column->has_range)
		return;
	grid->first -= said->cast.low > said->itself.low;
	grid->last += said->cast.high < said->itself.high;
	if (column->type == TIMEOID) /* no time of a day lies beyond */
	{
		grid->first = Max(grid->first, 0);
		grid->last = Min(grid->last, USECS_PER_DAY);
	}
}

static void
narrow(DpGrid *grid, const Ends *ends, int beyond)
{
	double unit = (double) grid->step * (grid->kind == DP_GRID_NUMBER ? pow(10, -grid->digits) : 1);
	double low = floor(ends->low / unit + 1e-9) - beyond,
		   high = ceil(ends->high / unit - 1e-9) + beyond;

	if (low > (double) grid->first)
		grid->first = (int64) Min(low, (double) grid->last);
	if (high < (double) grid->last)
		grid->last = (int64) Max(high, (double) grid->first);
}

void
dp_asked_narrow(DpAsked *asked, uint32 relation, DpAskedColumn *column)
{
	Said said = {{-INFINITY, INFINITY}, {-INFINITY, INFINITY}};
	DpGrid grid = column->grid;

	if (asked->where == NULL)
		return;
	take(asked, asked->where, relation, column->name, &said);
	if (!column->has_range)
	{
		bound(column, &said);
		return;
	}
	narrow(&grid, &said.itself, 0);
	narrow(&grid, &said.cast, 1);
	column->clamps |= grid.first != column->grid.first || grid.last != column->grid.last;
	column->assumed &= (isinf(said.itself.low) && isinf(said.cast.low)) ||
					   (isinf(said.itself.high) && isinf(said.cast.high));
	column->grid = grid;
}
