/*
 * domain_discovery.h -- finds the levels of open attributes, with noise.
 */
#ifndef DP_DOMAIN_DISCOVERY_H
#define DP_DOMAIN_DISCOVERY_H

#include "core/plan/measurement.h"

/* Option of a method with bounds_open. */
#define DP_SPEC_OPEN_LEVELS                                                                        \
	{                                                                                              \
		.name = "open_levels", .type = DP_OPTION_INTEGER, .fallback = "32", .minimum = 1,          \
		.maximum = 100000,                                                                         \
		.summary = "The most values of an open column that are kept: the commonest ones, by what " \
				   "was found.",                                                                   \
	}

/* Appends the stages, sets plan->discovery and plan->discovery_pure, and subtracts their cost
 * from plan->remaining. Does nothing if no attribute is open. */
extern DpStatus dp_domain_discovery_plan(DpPlan *plan, int64_t share_nano, DpArena *arena,
										 DpError *error) DP_MUST_USE;
/* The request's domain at its largest, for methods with bounds_open: an open attribute has
 * plan->open_levels levels and the level "other", without labels. */
extern DpStatus dp_domain_discovery_bound(const DpPlan *plan, DpDomain *bound,
										  DpArena *arena) DP_MUST_USE;
/* Makes a copy of m->domain in which every open attribute has its released values as levels. */
extern DpStatus dp_domain_discovery(const DpMeasurement *m, DpDomain *discovered,
									DpError *error) DP_MUST_USE;

#endif
