/*
 * steps_plan.h -- what a hierarchical release will do, from public facts. It serves the
 * methods steps, uh and flat.
 */
#ifndef DP_STEPS_PLAN_H
#define DP_STEPS_PLAN_H

#include "core/methods/steps/release_pure.h"
#include "core/methods/steps/steps_select.h"

/* The parameters in which the three methods differ. */
typedef struct DpStepsShape
{
	DpLayerWidths widths;
	const uint32_t *order; /* order of all attributes, public; NULL = to be selected */
	bool branches;         /* selected: each node has a choice of its own */
	bool dependence;       /* selected: the score is dependence, otherwise a criterion */
	bool bic;              /* BIC, otherwise AIC */
	bool clusters;         /* selected: groups of any size; the widths are 1 here */
	int64_t selection_share_nano;
	int64_t count_share_nano;
	DpPureRelease layer; /* how each layer is released; its epsilon follows from the plan */
} DpStepsShape;

typedef struct DpStepsPlan
{
	DpStepsShape shape;
	DpStepsSelection selection;
	int64_t epsilon_rows_nano; /* 0 = no row count is needed */
} DpStepsPlan;

/* Appends the stages; *out comes from arena. */
extern DpStatus dp_steps_plan(DpPlan *plan, const DpStepsShape *shape, DpStepsPlan **out,
							  DpArena *arena, DpError *error) DP_MUST_USE;

#endif
