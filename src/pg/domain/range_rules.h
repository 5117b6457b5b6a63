/*
 * range_rules.h -- bins that were found on a grid, in the units of rules: millionths of 1, or
 * microseconds.
 */
#ifndef DPSYN_RANGE_RULES_H
#define DPSYN_RANGE_RULES_H

#include "pg/server/compat.h"

#include "core/domain/range.h"
#include "core/domain/rule.h"

/* The numbers that a bin holds. */
extern DpInterval dp_range_interval(const DpRange *range, uint32 bin);
/* The coordinates of an interval, clamped to the grid; first > last: there are none, unless the
 * grid has one coordinate alone. */
extern void dp_range_coordinates(const DpGrid *grid, DpInterval interval, int64 *first,
								 int64 *last);

#endif
