/*
 * discover.h -- finds the levels of open attributes, with noise.
 */
#ifndef DP_DISCOVER_H
#define DP_DISCOVER_H

#include "core/release/measurement.h"

/* Appends the stages, sets plan->discovery and plan->discovery_pure, and subtracts their cost
 * from plan->remaining. Does nothing if no attribute is open. */
extern DpStatus dp_discover_plan(DpPlan *plan, int64_t share_nano, DpArena *arena,
								 DpError *error) DP_MUST_USE;
/* Makes a copy of m->domain in which every open attribute has its released values as levels. */
extern DpStatus dp_discover(const DpMeasurement *m, DpDomain *discovered,
							DpError *error) DP_MUST_USE;

#endif
