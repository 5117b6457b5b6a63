/*
 * method.h -- what every method consists of: a plan, a measurement and a sampler.
 *
 *   plan     options + domain + budget -> stages, costs, memory; touches no data
 *   measure  behind the wall: asks for counts, adds noise, fills the model
 *   sampler  outside of the wall: from the noisy model to rows (sample/sampler.h)
 *
 * A method is a folder, methods/<name>, with method_<name>.c, at the end of which its DpMethod stands.
 * Variants that share their steps share the folder: steps, uh and flat; histogram and cathist.
 */
#ifndef DP_METHOD_H
#define DP_METHOD_H

#include "core/plan/plan.h"
#include "core/sample/sampler.h"

/* SECRET: only measure gets it (measurement.h). */
typedef struct DpMeasurement DpMeasurement;

struct DpMethod
{
	const char *name;
	const char *summary;
	const char *guarantee; /* "(epsilon, delta)-DP" */
	/* Not DP at all. Only the custodian may use it and draw from it, and it never takes from a
	 * budget (epsilon and delta are 0). */
	bool unprotected;
	const char *source; /* the paper that it follows */
	const DpOptionSpec *specs;
	uint32_t specs_n;
	/* It must know sizes beforehand, so it has the option open_levels: of an open attribute no more
	 * values are kept. */
	bool bounds_open;
	bool keeps_open; /* it measures open attributes itself: nothing is discovered before */
	/* Plans with plan->remaining: appends its stages, and adds its scans and memory. */
	DpStatus (*plan)(DpPlan *plan, DpArena *arena, DpError *error);
	DpStatus (*measure)(const DpMeasurement *m, DpModel *model, DpError *error);
	/* Adjusts the estimate to a number of rows; 0: unknown, as for the largest. NULL: the estimate
	 * does not depend on it. */
	void (*expect)(const DpPlan *plan, uint64_t rows, DpCostEstimate *estimate);
	const DpSampler *sampler; /* how rows come from the model, outside of the wall */
	bool gaussian;            /* its tables may have Gaussian noise */
	bool chooses_tables;      /* by what noise leaves of them: many levels cost it little */
};

/* The value of an option of the plan's method, as dp_option_integer reads it. */
extern int64_t dp_plan_option(const DpPlan *plan, const char *name);

/* The work of the release, in counts of operations, for so many rows; 0: unknown. */
extern DpCostEstimate dp_plan_cost_estimate(const DpPlan *plan, uint64_t rows);
/* CPU seconds that it is expected to take. */
extern double dp_plan_seconds(const DpPlan *plan, uint64_t rows);
/* The worker's peak that is expected: what any worker has, and no more than the plan's bound. */
extern uint64_t dp_plan_bytes(const DpPlan *plan, uint64_t rows);

/* The list of options of a method, and their number. */
#define DP_SPECS(list) .specs = (list), .specs_n = sizeof(list) / sizeof((list)[0])

#endif
