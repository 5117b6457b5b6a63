/*
 * frechet_bounds.h -- between which numbers a group must lie that no table holds, by the tables
 * that hold a part of its attributes.
 *
 * Let a group be the rows that meet A and B, each about other attributes. There are at most as many
 * as meet A, and at least |A| + |B| - N (Frechet 1935). These bounds need no model. They are taken
 * from intervals of the noisy tables, each wide enough that all of them hold together with the
 * confidence that is asked for (Bonferroni).
 */
#ifndef DP_FRECHET_BOUNDS_H
#define DP_FRECHET_BOUNDS_H

#include "core/estimate/measured.h"

/* Sets low and high of each answer whose basis is NONE, for counts and shares, where some table
 * tells. out: after dp_measured_answer of the same query. */
extern DpStatus dp_frechet_bounds(const DpMarginalQuery *query, const DpMeasuredTable *table,
								  uint32_t tables, DpGroupAnswer *out, const DpTick *tick,
								  DpArena *arena) DP_MUST_USE;

#endif
