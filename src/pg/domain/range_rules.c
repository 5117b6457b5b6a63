/*
 * range_rules.c -- bins that were found on a grid, in the units of rules.
 */
#include "pg/domain/range_rules.h"

#include <math.h>

#include "utils/timestamp.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

/* What the coordinates 0 and 1 are apart. */
static double
unit_of(const DpGrid *grid)
{
	switch (grid->kind)
	{
		case DP_GRID_NUMBER:
			return (double) grid->step * pow(10, 6 - grid->digits);
		case DP_GRID_DATE:
			return (double) grid->step * (double) USECS_PER_DAY;
		default:
			return (double) grid->step;
	}
}

/* Rounded down or up, unless it is an integer that a double holds. */
static double
position(const DpGrid *grid, int64 coordinate, double toward)
{
	double result = (double) coordinate * unit_of(grid);

	if (fabs((double) coordinate) <= EXACT_MAX && fabs(result) <= EXACT_MAX &&
		floor(result) == result)
		return result;
	return result + copysign(fabs(result) * 1e-15, toward);
}

DpInterval
dp_range_interval(const DpRange *range, uint32 bin)
{
	return (DpInterval){position(&range->grid, range->bin[bin], -1),
						position(&range->grid, dp_range_bin_last(range, bin), 1)};
}

void
dp_range_coordinates(const DpGrid *grid, DpInterval interval, int64 *first, int64 *last)
{
	double low = ceil(interval.low / unit_of(grid) - 1e-9);
	double high = floor(interval.high / unit_of(grid) + 1e-9);

	*first = low > (double) grid->first ? (int64) Min(low, (double) grid->last) : grid->first;
	*last = high < (double) grid->last ? (int64) Max(high, (double) grid->first) : grid->last;
	if (low > (double) grid->last || high < (double) grid->first || low > high)
	{
		*first = grid->last;
		*last = grid->first;
	}
}
