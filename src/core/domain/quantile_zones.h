/*
 * quantile_zones.h -- the parts of a range around a leaf that was chosen for a quantile. The rows
 * in them tell how far off the leaf can be.
 *
 * A range of 2^h leaves has 2 h + 1 zones. The one in the middle, h, is the chosen leaf. Zones h -
 * i and h + i hold the leaves that are 2^(i-1) to 2^i - 1 before and behind it. Those beyond the
 * ends of the range are empty.
 */
#ifndef DP_QUANTILE_ZONES_H
#define DP_QUANTILE_ZONES_H

#include "core/base/status.h"

#define DP_ZONES_MAX(height) (2 * (height) + 1)

/* The zone of a leaf. */
extern uint32_t dp_quantile_zone(uint32_t leaf, uint32_t chosen, uint32_t height);
/* The first and the last zone that has leaves. */
extern uint32_t dp_quantile_zone_first(uint32_t chosen, uint32_t height);
extern uint32_t dp_quantile_zone_last(uint32_t chosen, uint32_t height);
/* The first leaf of a zone that has leaves. */
extern uint32_t dp_quantile_zone_begin(uint32_t zone, uint32_t chosen, uint32_t height);

#endif
