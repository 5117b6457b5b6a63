/*
 * range_rules.h -- bins that were found on a grid, in the units of rules: millionths of 1, or
 * microseconds.
 */
#ifndef DPSYN_RANGE_RULES_H
#define DPSYN_RANGE_RULES_H

#include "pg/server/compat.h"

#include "core/base/prng.h"
#include "core/domain/range.h"
#include "core/domain/rule.h"

/* The numbers that a bin holds. */
extern DpInterval dp_range_interval(const DpRange *range, uint32 bin);
/* A uniform coordinate among those of a bin from least to most that lie within an interval; false:
 * there is none. */
extern bool dp_range_draw_within(const DpRange *range, uint32 bin, DpInterval within, int64 least,
								 int64 most, DpPrng *prng, int64 *coordinate);

#endif
