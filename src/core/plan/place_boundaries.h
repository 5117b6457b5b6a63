/*
 * place_boundaries.h -- more edges for bins that are found, where what other attributes say
 * changes.
 */
#ifndef DP_PLACE_BOUNDARIES_H
#define DP_PLACE_BOUNDARIES_H

#include "core/plan/privacy_measure.h"
#include "core/plan/measurement.h"

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
