/*
 * discover.h -- the levels of open attributes, found with noise.
 */
#ifndef DP_DISCOVER_H
#define DP_DISCOVER_H

#include "method.h"

extern uint32_t dp_open_attributes(const DpDomain *domain);
/* Appends the stages, sets plan->discovery and discovery_pure and takes their cost off plan->remaining;
 * nothing if no attribute is open. */
extern DpStatus dp_discover_plan(DpPlan *plan, int64_t share_nano, DpArena *arena,
								 DpError *error) DP_MUST_USE;
/* A copy of m->domain in which every open attribute has its released values as levels. */
extern DpStatus dp_discover(const DpMeasurement *m, DpDomain *discovered,
							DpError *error) DP_MUST_USE;

#endif
