/*
 * discover_ranges.h -- finds the bins of attributes with a range, with noise.
 */
#ifndef DP_DISCOVER_RANGES_H
#define DP_DISCOVER_RANGES_H

#include "core/plan/measurement.h"
#include "core/plan/privacy_measure.h"

/* Appends the stages, sets plan->range, and subtracts their cost from plan->remaining. share_nano
 * is that of the request's epsilon, or of its rho where the method pays with rho and nothing else
 * is discovered. Does nothing if no attribute has a range whose bins are still to be found. */
extern DpStatus dp_ranges_plan(DpPlan *plan, int64_t share_nano, DpError *error) DP_MUST_USE;
/* Makes a copy of m->domain in which every range that asks for bins has them. */
extern DpStatus dp_ranges_find(const DpMeasurement *m, DpDomain *found, DpError *error) DP_MUST_USE;
/* Gives the ranges of found that take their bins those of request->known, or of m->taken. It is
 * post-processing. */
extern void dp_ranges_take(const DpMeasurement *m, DpDomain *found);

/* More edges for bins that are found, where what other attributes say changes. */

/* How many edges are placed in a release; 0: there is nothing to place, too much to
 * count, or too many rows of a unit. */
extern uint32_t dp_edges_number(const DpPlan *plan);
/* How many bins fewer are found of an attribute with a range, so that edges can be added. */
extern uint32_t dp_boundaries_capacity(const DpPlan *plan, const DpAttribute *attribute);
/* Appends the stage, each edge of which costs an amount. */
extern DpStatus dp_edges_plan(DpPlan *plan, const DpPrivacyMeasure *privacy_measure, int64_t each,
							  DpError *error) DP_MUST_USE;
/* Chooses the edges, and gives them to the ranges of found, the bins of which were found. */
extern DpStatus dp_edges_place(const DpMeasurement *m, const DpPrivacyMeasure *privacy_measure,
							   int64_t each, DpDomain *found, DpError *error) DP_MUST_USE;

#endif
