/*
 * range_bins.h -- from the noisy counts of fine leaves to the bins of a model, and to what is drawn
 * inside them. Post-processing.
 */
#ifndef DP_RANGE_BINS_H
#define DP_RANGE_BINS_H

#include "core/estimate/noisy_leaves.h"

/* Fills in what is found of a range, whose grid and bins_max are given. */
extern DpStatus dp_range_find(const DpNoisyLeaves *leaves, DpRange *range, const DpTick *tick,
							  DpArena *arena) DP_MUST_USE;

#endif
