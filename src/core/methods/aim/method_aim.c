/*
 * method_aim.c -- tables chosen one after the other by what the model so far gets wrong.
 *
 * aim
 *
 * Inputs:      p attributes; a workload of weighted sets of them; rounds T; memory of the model
 * Output:      the table of each attribute, and those of the sets that were chosen, with noise on
 *              every cell
 * Neighbours:  the dataset's
 * Guarantee:   with a delta, rho-zCDP for the rho that epsilon and delta buy, and so
 *              (epsilon, delta)-DP; without one, epsilon-DP by basic composition. Releases and
 *              selections are composed adaptively, and each takes its amount from what is
 *              left. The amounts depend on released numbers alone: this is a privacy filter
 *              with a fixed total, which the meter holds too.
 * Source:      McKenna, Mullins, Sheldon, Miklau, "AIM: an adaptive and iterative mechanism for
 *              differentially private synthetic data" (2022), algorithm 3. Departures:
 *              docs/methods/aim.md.
 */
#include "core/graphical/evidence.h"
#include "core/methods/aim/aim_plan.h"
#include "core/methods/aim/aim_rounds.h"
#include "core/methods/registry.h"
#include "core/plan/graphical_options.h"
#include "core/plan/method.h"
#include "core/sample/graphical_prepare.h"

static const DpOptionSpec specs[] = {
	{
		.name = "workload",
		.type = DP_OPTION_WEIGHTED_SETS,
		.fallback = "3",
		.minimum = 1,
		.maximum = DP_CANDIDATE_MEMBERS_MAX,
		.summary =
			"Sets of columns whose tables are to be right, with weights, or an integer: all sets "
			"of that size; by default 3, with more than 40 columns 2.",
	},
	{
		.name = "rounds",
		.type = DP_OPTION_INTEGER,
		.minimum = 1,
		.maximum = 50000,
		.summary = "Rounds that the budget would last at its first rate; by default 8 for each "
				   "column, 4 where rho is less than 0.001 or without a delta.",
	},
	{
		.name = "batch",
		.type = DP_OPTION_INTEGER,
		.minimum = 1,
		.maximum = 10000,
		.summary =
			"Tables that are chosen and released between two fits; by default 1, and one more for "
			"each 24 tables chosen, with a delta and more than 40 columns as many as columns.",
	},
	DP_SPEC_SHARE("selection_share", "0.1",
				  "Share of the budget of a round for choosing its table."),
	DP_SPEC_PREDICT,
	DP_SPEC_GROUP_RARE("false"),
	DP_SPEC_GENERATION,
	DP_SPEC_EFFORT,
	DP_SPEC_MODEL_MEMORY,
};

static DpStatus
aim_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	DpAimPlan *aim;

	DP_TRY(dp_aim_plan(plan, &aim, arena, error));
	plan->private_data = aim;
	return DP_OK;
}

static DpStatus
aim_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const DpAimPlan *plan = m->plan->private_data;
	DpGraphicalMeasure measure = {.m = m,
								  .privacy_measure = plan->privacy_measure,
								  .cells_max = plan->cells_max,
								  .tables_capacity = plan->tables_max,
								  .model = model};
	DpAttributeSet *set = dp_memdup(m->arena, plan->candidates.set,
									plan->candidates.n * sizeof(*plan->candidates.set));
	double most;
	uint32_t n;

	if (set == NULL)
		return DP_ERR_MEMORY;
	dp_announce(m, DP_AIM_ONE_WAY);
	n = dp_graphical_feasible(m->domain, set, plan->candidates.n, plan->cells_max);
	most = dp_candidates_most(&plan->candidates, set, n);
	DP_TRY(dp_graphical_open(&measure, set, n, error));
	DP_TRY(dp_graphical_release_one_way(&measure, plan->one, plan->group));
	dp_announce(m, DP_AIM_CHOSEN);
	DP_TRY(dp_graphical_fit(&measure.graphical, &dp_graphical_round_rule, m->noise.tick));
	DP_TRY(dp_aim_run_rounds(plan, &measure, most));
	return dp_graphical_close(&measure, plan->systematic);
}

const DpMethod dp_method_aim = {
	.name = "aim",
	.summary =
		"Tables of a workload chosen one after the other by what the model so far gets wrong, "
		"fitted as a graphical model.",
	.guarantee = "(epsilon, delta)-DP; epsilon-DP with delta 0",
	.source = "AIM, McKenna, Mullins, Sheldon, Miklau 2022",
	DP_SPECS(specs),
	.plan = aim_plan,
	.measure = aim_measure,
	.gaussian = true,
	.chooses_tables = true,
	.sampler = &dp_graphical_sampler,
};
