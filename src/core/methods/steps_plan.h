/*
 * steps_plan.h -- what a hierarchical release will do, from public facts: for
 * the methods steps, uh and flat.
 */
#ifndef DP_STEPS_PLAN_H
#define DP_STEPS_PLAN_H

#include "method.h"
#include "steps_select.h"

/* What the three methods differ in. */
typedef struct DpStepsShape
{
	DpLayerWidths widths;
	const uint32_t *order; /* of all attributes, public; NULL = to be selected */
	bool branches;         /* selected: another choice at each node */
	bool dependence;       /* selected: score */
	int64_t selection_share_nano;
	int64_t count_share_nano;
	int64_t tolerance_nano;
	uint64_t dense_cells;
} DpStepsShape;

typedef struct DpStepsPlan
{
	DpStepsShape shape;
	DpStepsSelection selection;
	int64_t epsilon_rows_nano;  /* 0 = no row count is needed */
	int64_t epsilon_layer_nano; /* of each layer */
} DpStepsPlan;

/* Appends the stages; *out comes from arena. */
extern DpStatus dp_steps_plan(DpPlan *plan, const DpStepsShape *shape, DpArena *arena,
							  DpStepsPlan **out, DpError *error) DP_MUST_USE;

#endif
