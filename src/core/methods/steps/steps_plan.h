/*
 * steps_plan.h -- what a hierarchical release will do, from public facts. It serves the
 * methods steps, uh and flat.
 */
#ifndef DP_STEPS_PLAN_H
#define DP_STEPS_PLAN_H

#include "core/methods/steps/steps_scores.h"
#include "core/model/model.h"
#include "core/plan/measurement.h"

/*
 * Which attributes come first, chosen with budget: one order for the whole tree, or another choice
 * at each node.
 */

/* How many choices are charged for. They cover all attributes above the last layer. */
extern uint32_t dp_steps_choices(const DpLayerWidths *widths, uint32_t attributes);
/* Whether such a unit's sensitivity is within the limits of dp_select. */
extern bool dp_steps_selectable(const DpStepsSelection *selection, DpUnit unit,
								uint32_t attributes);
/*
 * Whether a tree with branches of its own can be counted, whatever is chosen. Layers above
 * the last must have at most nodes_max nodes, and at most DP_BRANCH_CELLS_MAX cells may be
 * counted at once. Open attributes count as one level, so the answer is then that of the
 * best case.
 */
#define DP_BRANCH_CELLS_MAX UINT64_C(20000000)
extern bool dp_steps_branches_fit(const DpStepsSelection *selection, const DpDomain *domain);

/* Sets order[attributes] to the chosen attributes, then all others in the domain's order. It
 * takes one scan. */
extern DpStatus dp_steps_select_order(const DpMeasurement *m, const DpStepsSelection *selection,
									  uint32_t *order, DpError *error) DP_MUST_USE;
/* Makes the layers above the last one, where each node has a choice of its own. It takes one
 * scan a layer. */
extern DpStatus dp_steps_select_branches(const DpMeasurement *m, const DpStepsSelection *selection,
										 DpPartition *partition, DpError *error) DP_MUST_USE;

/*
 * Contingency tables of any size with noise and no delta: dense ones get noise on every cell,
 * larger ones are released as sparse histograms.
 */

#define DP_SPEC_DENSE_LIMIT                                                                        \
	{                                                                                              \
		.name = "dense_cells", .type = DP_OPTION_INTEGER, .fallback = "1000000", .minimum = 0,     \
		.maximum = 10000000,                                                                       \
		.summary = "Tables with at most so many cells get noise on every cell; of larger ones "    \
				   "only the cells are kept whose noisy count reaches a threshold."                \
	}

/* How one table is to be released. */
typedef struct DpPureRelease
{
	int64_t epsilon_nano;
	uint64_t dense_cells; /* the table is dense iff it has at most so many cells */
	int64_t
		no_false_positives_nano; /* probability that no empty cell of a sparse one is kept, 1e-9 */
} DpPureRelease;

/*
 * Appends a stage of one table of `cells` cells. If its size is not certain, because a selection or
 * a discovery decides it, cells is the most that it can have. DP_ERR_LIMIT: these are too many even
 * for a sparse histogram.
 */
extern DpStatus dp_plan_pure(DpPlan *plan, const char *name, const DpPureRelease *release,
							 uint64_t cells, bool certain, DpError *error) DP_MUST_USE;
/* Adds noise to an exact table, (epsilon, 0)-DP. out is ready for the model, and holds no exact
 * count. */
extern DpStatus dp_table_release_pure(const DpMeasurement *m, const DpMarginal *exact,
									  const DpPureRelease *release, DpTable *out) DP_MUST_USE;

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

/* Behind the wall: the layers of a hierarchical release, counted in one scan, with noise. */

/* Fills tables, structure and rows of the model. */
extern DpStatus dp_steps_measure(const DpMeasurement *m, const DpStepsPlan *steps, DpModel *model,
								 DpError *error) DP_MUST_USE;

#endif
