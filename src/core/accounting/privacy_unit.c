/*
 * privacy_unit.c -- sensitivities that follow from the privacy unit.
 */
#include "core/accounting/privacy_unit.h"

bool
dp_unit_valid(const DpUnit *unit)
{
	return unit->rows_max >= 1 && (unit->neighbours == DP_REPLACE_ONE ||
								   (unit->neighbours == DP_ADD_REMOVE && !unit->rows_secret));
}

int64_t
dp_unit_l1(const DpUnit *unit)
{
	return (int64_t) unit->rows_max * (unit->neighbours == DP_REPLACE_ONE ? 2 : 1);
}

int64_t
dp_unit_l2_squared(const DpUnit *unit)
{
	unsigned __int128 rows = unit->rows_max;
	unsigned __int128 squared = rows * rows * (unit->neighbours == DP_REPLACE_ONE ? 2 : 1);

	return squared > INT64_MAX ? DP_SENSITIVITY_TOO_LARGE : (int64_t) squared;
}

bool
dp_unit_rows_public(const DpUnit *unit)
{
	return unit->neighbours == DP_REPLACE_ONE && unit->rows_max == 1 && !unit->rows_secret;
}
