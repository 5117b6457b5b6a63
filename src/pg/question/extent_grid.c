/*
 * extent_grid.c -- the grid of the values that an expression can have.
 */
#include "pg/question/asked.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "pg/domain/grid.h"
#include "pg/server/numbers.h"

#define STEPS_MAX 3e10 /* of a range whose type does not say what it can tell apart */

/* What a double is off by is no step. */
static double
whole(double value, bool down)
{
	double nearest = rint(value);

	if (fabs(value - nearest) <= 1e-9 * Max(1, fabs(value)))
		return nearest;
	return down ? floor(value) : ceil(value);
}

bool
dp_extent_grid(const DpExtent *extent, Oid type, DpGrid *grid)
{
	double width = extent->high - extent->low, scale;
	int most = (int) floor(log10(STEPS_MAX / Max(width, 1e-15)));
	DpError error = {0};

	*grid = (DpGrid){.step = 1};
	if (!extent->ordered ||
		!(dp_is_number(type) || dp_is_time(type) || type == TIMEOID || type == INTERVALOID))
		return false;
	grid->kind = dp_grid_kind_of(type);
	if (grid->kind == DP_GRID_NUMBER && extent->digits != 0 && type != INT2OID && type != INT4OID &&
		type != INT8OID)
		grid->digits = extent->digits == DP_DIGITS_UNKNOWN ? Max(Min(most, 15), -24)
														   : Min(extent->digits, Max(most + 4, 0));
	scale = pow(10, grid->digits);
	if (fabs(extent->low * scale) > 4e18 || fabs(extent->high * scale) > 4e18)
		return false;
	grid->first = (int64) whole(extent->low * scale, true);
	grid->last = (int64) whole(extent->high * scale, false);
	if (grid->first == grid->last) /* noise needs a value that differs */
		grid->last++;
	return dp_grid_check(grid, &error) == DP_OK;
}
