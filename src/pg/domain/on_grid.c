/*
 * on_grid.c -- dp_on_grid: what a range makes of a value, for who wants to see it before a range is
 * declared.
 */
#include "pg/server/compat.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/domain/grid.h"
#include "pg/domain/resolution.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_on_grid);

/* dp_on_grid(value anyelement, range text[], resolution text) */
Datum
dp_on_grid(PG_FUNCTION_ARGS)
{
	Oid given = get_fn_expr_argtype(fcinfo->flinfo, 0);
	DpBaseType type = dp_base_type(given, -1);
	DpRangeWords words = {0};
	DpGrid grid;
	DpGridCoder *coder;
	int64 coordinate;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	dp_check_has_range("value", given, -1);
	dp_range_ends(PG_GETARG_DATUM(1), "value", &words);
	if (!PG_ARGISNULL(2))
		words.resolution = text_to_cstring(PG_GETARG_TEXT_PP(2));
	dp_grid_declared(&words, &type, "value", &grid);
	coder = dp_grid_coder(&grid, type.type, type.typmod);
	if (!dp_grid_coordinate(coder, PG_GETARG_DATUM(0), &coordinate))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(dp_grid_value(coder, coordinate));
}
