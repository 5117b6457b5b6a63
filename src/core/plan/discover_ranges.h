/*
 * discover_ranges.h -- finds the bins of attributes with a range, with noise.
 */
#ifndef DP_DISCOVER_RANGES_H
#define DP_DISCOVER_RANGES_H

#include "core/plan/measurement.h"

/* Appends the stages, sets plan->range, and subtracts their cost from plan->remaining. share_nano
 * is that of the request's epsilon, or of its rho where the method pays with rho and nothing else
 * is discovered. Does nothing if no attribute has a range whose bins are still to be found. */
extern DpStatus dp_ranges_plan(DpPlan *plan, int64_t share_nano, DpError *error) DP_MUST_USE;
/* Makes a copy of m->domain in which every range that asks for bins has them. */
extern DpStatus dp_ranges_find(const DpMeasurement *m, DpDomain *found, DpError *error) DP_MUST_USE;
/* Gives the ranges of found that take their bins those of request->known, or of m->taken. It is
 * post-processing. */
extern void dp_ranges_take(const DpMeasurement *m, DpDomain *found);

#endif
