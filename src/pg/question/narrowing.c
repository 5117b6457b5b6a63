/*
 * narrowing.c -- what WHERE says of the range of a column.
 *
 * A row that is counted passes WHERE, so that x BETWEEN 1 AND 9 bounds what it has there. Where the
 * column is computed with, it is clamped to that: this changes nothing of a row that passes, and a row
 * that does not pass is not counted whatever is computed of it.
 *
 * The condition that bounds a column must not be true of a value that it is clamped to. What is compared
 * as it is, is not clamped there. A cast of it is: x::numeric <= 9 bounds x by the next value beyond 9.
 * Where a grid has all values that a column can hold, x < 9 bounds it by the one before 9.
 */
#include "pg/question/asked.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/timestamp.h"

#include "pg/server/numbers.h"

typedef struct Ends
{
	double low, high;
	bool above, below; /* the end itself is none of the values */
} Ends;

static const Ends unbounded = {.low = -INFINITY, .high = INFINITY};

/* The bounds that conditions give of a column itself, and of casts of it. */
typedef struct Said
{
	Ends itself, cast;
	int digits; /* of the column's numbers */
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

/* By how much an end of one type is multiplied where the other one is compared with it: days are not
 * microseconds. */
static double
scale_of(Oid constant, Oid column)
{
	if (constant == DATEOID && column == TIMESTAMPOID)
		return (double) USECS_PER_DAY;
	return constant == TIMESTAMPOID && column == DATEOID ? 1 / (double) USECS_PER_DAY : 1;
}

static void
take_low(Ends *ends, double low, bool above)
{
	if (low < ends->low)
		return;
	ends->above = above || (ends->above && low == ends->low);
	ends->low = low;
}

static void
take_high(Ends *ends, double high, bool below)
{
	if (high > ends->high)
		return;
	ends->below = below || (ends->below && high == ends->high);
	ends->high = high;
}

/* Whether an end is what was written: x < 9.500000000001 and x < 2^53 + 1 are true of the number that a
 * double, or the digits of the column, make of that. */
static bool
is_exact(const DpExtent *at, double end, int digits)
{
	return at->digits <= digits && fabs(end) < 9007199254740992.0;
}

static void
take_constant(DpAsked *asked, const char *sign, const DpRowExpression *constant, Oid column,
			  int digits, Ends *ends)
{
	DpExtent at = dp_extent_of(asked, constant);
	double scale = scale_of(constant->type, column);

	if (!at.ordered)
		return;
	if (strchr(sign, '<') == NULL) /* =, >, >= */
		take_low(ends, at.low * scale, strcmp(sign, ">") == 0 && is_exact(&at, at.low, digits));
	if (strchr(sign, '>') == NULL)
		take_high(ends, at.high * scale, strcmp(sign, "<") == 0 && is_exact(&at, at.high, digits));
}

/* x IN (3, 5) */
static void
take_list(DpAsked *asked, const List *arguments, Ends *ends)
{
	Ends all = {.low = INFINITY, .high = -INFINITY};

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
	take_low(ends, all.low, false);
	take_high(ends, all.high, false);
}

static Ends *
ends_said(Said *said, const DpRowExpression *side)
{
	return side->kind == DP_X_COLUMN ? &said->itself : &said->cast;
}

static void take(DpAsked *asked, const DpRowExpression *condition, uint32 relation,
				 const char *name, Said *said);

/* The ends of what lies in one of both. */
static Ends
either(Ends a, Ends b)
{
	return (Ends){Min(a.low, b.low), Max(a.high, b.high),
				  (a.above || b.low < a.low) && (b.above || a.low < b.low),
				  (a.below || b.high > a.high) && (b.below || a.high > b.high)};
}

/* One of the conditions is true, so the column lies between the ends that some of them gives. */
static void
take_either(DpAsked *asked, const List *conditions, uint32 relation, const char *name, Said *said)
{
	static const Ends none = {.low = INFINITY, .high = -INFINITY};
	Said all = {none, none, said->digits};
	ListCell *cell;

	foreach (cell, conditions)
	{
		Said one = {unbounded, unbounded, said->digits};

		take(asked, lfirst(cell), relation, name, &one);
		all.itself = either(all.itself, one.itself);
		all.cast = either(all.cast, one.cast);
	}
	take_low(&said->itself, all.itself.low, all.itself.above);
	take_high(&said->itself, all.itself.high, all.itself.below);
	take_low(&said->cast, all.cast.low, all.cast.above);
	take_high(&said->cast, all.cast.high, all.cast.below);
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
	else if (condition->kind == DP_X_OR)
		take_either(asked, arguments, relation, name, said);
	else if (condition->kind == DP_X_IN && is_column(linitial(arguments), relation, name))
		take_list(asked, arguments, ends_said(said, linitial(arguments)));
	if (condition->kind != DP_X_CALL || condition->function->rule != DP_RULE_COMPARE ||
		condition->function->operator== NULL)
		return;
	sign = condition->function->operator;
	if (strcmp(sign, "<>") != 0 && is_column(linitial(arguments), relation, name) &&
		dp_x_is_constant(lsecond(arguments)))
		take_constant(asked, sign, lsecond(arguments),
					  ((const DpRowExpression *) linitial(arguments))->type, said->digits,
					  ends_said(said, linitial(arguments)));
}

/* Whether a column can hold no value between two neighbours of a grid. */
static bool
has_all_values(const DpGrid *grid, const DpAskedColumn *column)
{
	return grid->step == 1 && (dp_is_integer(column->type) || dp_is_time(column->type)
								   ? grid->digits == 0
								   : column->digits == grid->digits);
}

/* A column without other bounds: the ends that WHERE gives, and for casts the next values beyond
 * them. */
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
	if (has_all_values(grid, column) && grid->last - grid->first > 1)
	{
		grid->first += said->itself.above && said->itself.low >= said->cast.low;
		grid->last -= said->itself.below && said->itself.high <= said->cast.high;
	}
	if (column->type == TIMEOID) /* no time of a day lies beyond */
	{
		grid->first = Max(grid->first, 0);
		grid->last = Min(grid->last, USECS_PER_DAY);
	}
}

/* below_low and beyond_high: so many values more on either side */
static void
narrow(DpGrid *grid, const Ends *ends, double below_low, double beyond_high)
{
	double unit = (double) grid->step * (grid->kind == DP_GRID_NUMBER ? pow(10, -grid->digits) : 1);
	double low = floor(ends->low / unit + 1e-9) - below_low,
		   high = ceil(ends->high / unit - 1e-9) + beyond_high;

	if (low > (double) grid->first)
		grid->first = (int64) Min(low, (double) grid->last);
	if (high < (double) grid->last)
		grid->last = (int64) Max(high, (double) grid->first);
}

void
dp_asked_narrow(DpAsked *asked, uint32 relation, DpAskedColumn *column)
{
	Said said = {unbounded, unbounded, column->digits};
	DpGrid grid = column->grid;
	bool all = has_all_values(&grid, column);

	if (asked->where == NULL)
		return;
	take(asked, asked->where, relation, column->name, &said);
	if (!column->has_range)
	{
		bound(column, &said);
		return;
	}
	narrow(&grid, &said.itself, -(all && said.itself.above), -(all && said.itself.below));
	narrow(&grid, &said.cast, 1, 1);
	column->clamps |= grid.first != column->grid.first || grid.last != column->grid.last;
	column->assumed &= (isinf(said.itself.low) && isinf(said.cast.low)) ||
					   (isinf(said.itself.high) && isinf(said.cast.high));
	column->grid = grid;
}
