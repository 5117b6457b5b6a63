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
#include <math.h>

#include "core/base/saturate.h"
#include "core/graphical/noisy_measurement.h"
#include "core/methods/aim/aim_choice.h"
#include "core/methods/aim/aim_pace.h"
#include "core/methods/aim/aim_plan.h"
#include "core/methods/registry.h"
#include "core/plan/graphical_options.h"
#include "core/plan/graphical_score.h"
#include "core/plan/method.h"
#include "core/sample/graphical_fit.h"

/* ---- rounds ---- */

/*
 * Amounts, batches of tables, and less noise where a batch taught little. The amounts of a round are
 * functions of released numbers, and are taken off what is left.
 */

/* A table of this batch, and what was expected before it was released. */
typedef struct Taken
{
	uint32_t exact;
	double *before;
} Taken;

typedef struct Rounds
{
	const DpAimPlan *plan;
	DpGraphicalMeasure *measure;
	DpAimChoice choice;
	int64_t select, release; /* amounts of this round, for a selection and its table */
	int64_t left;            /* left for all rounds */
	Taken *taken;            /* [plan->batch] */
	uint32_t taken_n;
	double seconds_most; /* of all fits and scores, as DpGraphical counts them */
	double seconds_last; /* of the last round */
} Rounds;

/* ---- amounts ---- */

static double
stddev_of(const Rounds *rounds)
{
	return dp_privacy_measure_stddev(&rounds->plan->privacy_measure, rounds->release);
}

/*
 * The largest size of the model at present: in proportion to the share of the budget that is spent.
 */
static uint64_t
cells_now(const Rounds *rounds)
{
	double all = (double) rounds->plan->privacy_measure.all;
	double spent =
		(all - (double) rounds->left + (double) (rounds->select + rounds->release)) / all;

	return (uint64_t) ((double) rounds->plan->cells_max * (spent < 1 ? spent : 1));
}

/* Whether the next table is the last one: it takes all that is left. */
static bool
is_last(const Rounds *rounds)
{
	return rounds->left < 2 * (rounds->select + rounds->release) ||
		   rounds->measure->model->tables + 1 >= rounds->measure->tables_capacity;
}

static void
share_out(Rounds *rounds)
{
	if (!is_last(rounds))
		return;
	rounds->select = dp_share_floor(rounds->left, rounds->plan->share_nano);
	rounds->release = rounds->left - rounds->select;
}

/* ---- a batch ---- */

static DpAimPace
pace_of(const Rounds *rounds)
{
	const DpGraphicalMeasure *measure = rounds->measure;

	return (DpAimPace){
		.seconds_left = rounds->seconds_most - measure->graphical.seconds,
		.seconds_last = rounds->seconds_last,
		.seconds_a_cell = dp_cost_estimate_cell_seconds(measure->m->plan->estimate.levels),
		.tables_left = (double) rounds->left / (double) (rounds->select + rounds->release),
		.batch_most = rounds->plan->batch};
}

/* How many tables the next batch has. A large model is fitted less often. */
static uint32_t
batch_now(const Rounds *rounds, const DpAimPace *pace)
{
	uint32_t p = rounds->measure->m->domain->attributes;

	return rounds->plan->grows
			   ? dp_aim_pace_batch(pace, dp_aim_batch(rounds->measure->model->tables - p))
			   : rounds->plan->batch;
}

/* Releases the table of a candidate, and remembers what was expected of it. */
static DpStatus
take(Rounds *rounds, uint32_t chosen)
{
	const DpExactMarginal *exact = &rounds->measure->exact[chosen];
	Taken *taken = &rounds->taken[rounds->taken_n++];
	DpStatus status;

	taken->exact = chosen;
	taken->before = dp_alloc(rounds->measure->m->arena, exact->cells, sizeof(double));
	if (taken->before == NULL)
		return DP_ERR_MEMORY;
	status = dp_graphical_marginal(&rounds->measure->graphical, &exact->set, taken->before);
	if (status != DP_ERR_LIMIT) /* else too few messages are kept: it counts as having moved far */
		DP_TRY(status);
	DP_TRY(dp_graphical_release(rounds->measure, chosen, rounds->release));
	rounds->left -= rounds->select + rounds->release;
	return DP_OK;
}

/* Chooses and releases the tables of a batch, by the scores of one fit. *more: whether another may
 * follow. */
static DpStatus
take_batch(Rounds *rounds, bool *more)
{
	DpAimChoice *choice = &rounds->choice;
	const DpAimPace pace = pace_of(rounds);
	uint32_t batch = batch_now(rounds, &pace), chosen;

	*more = false;
	if (rounds->select < 1 || rounds->release < 1)
		return DP_OK;
	choice->select = rounds->select;
	choice->stddev = stddev_of(rounds);
	choice->allowed.limit = cells_now(rounds);
	choice->allowed.seconds_most = rounds->seconds_most;
	choice->allowed.in_time = dp_aim_pace_cells(&pace, rounds->measure->graphical.tree.cells);
	DP_TRY(dp_aim_choice_list(choice));
	while (choice->list.n > 0 && rounds->taken_n < batch)
	{
		choice->allowed.limit = cells_now(rounds);
		DP_TRY(dp_aim_choose(choice, &chosen));
		*more = chosen < rounds->measure->marginals; /* or none fits any more */
		if (!*more)
			return DP_OK;
		DP_TRY(take(rounds, chosen));
		*more = rounds->left > 0;
		if (!*more || is_last(rounds))
			return DP_OK;
	}
	return DP_OK;
}

static void
forget_batch(Rounds *rounds)
{
	while (rounds->taken_n > 0)
	{
		Taken *taken = &rounds->taken[--rounds->taken_n];

		dp_free(rounds->measure->m->arena, taken->before,
				rounds->measure->exact[taken->exact].cells, sizeof(double));
	}
}

/* ---- what a batch taught ---- */

/* Adds how far the last fit moved on a table of this batch. */
static DpStatus
add_moved(Rounds *rounds, const Taken *taken, double *distance)
{
	const DpExactMarginal *exact = &rounds->measure->exact[taken->exact];
	double *expected = rounds->choice.expected;

	DP_TRY(dp_graphical_marginal(&rounds->measure->graphical, &exact->set, expected));
	for (uint64_t k = 0; k < exact->cells; k++)
		*distance += fabs(expected[k] - taken->before[k]);
	return DP_OK;
}

/* If a batch taught less than its noise, there is less noise from now on. */
static DpStatus
anneal(Rounds *rounds)
{
	const DpPrivacyMeasure *privacy_measure = &rounds->plan->privacy_measure;
	double noise = 0, distance = 0;

	for (uint32_t i = 0; i < rounds->taken_n; i++)
	{
		const Taken *taken = &rounds->taken[i];
		uint64_t cells = rounds->measure->exact[taken->exact].cells;

		DP_TRY(add_moved(rounds, taken, &distance));
		noise += dp_graphical_noise(taken->before, cells, stddev_of(rounds));
	}
	if (distance > noise)
		return DP_OK;
	rounds->release = dp_privacy_measure_anneal(privacy_measure, rounds->release);
	rounds->select = dp_privacy_measure_anneal(privacy_measure, rounds->select);
	return DP_OK;
}

/* ---- all rounds ---- */

/* Runs one round. *more says whether there may be another. */
static DpStatus
run_round(Rounds *rounds, bool *more)
{
	double before = rounds->measure->graphical.seconds;

	share_out(rounds);
	DP_TRY(take_batch(rounds, more));
	if (*more) /* the last fit is for whoever draws */
	{
		const DpMeasurement *m = rounds->measure->m;
		DpFitRule rule = dp_graphical_rule_for(&dp_graphical_round_rule, m->domain->attributes);

		DP_TRY(dp_graphical_fit(&rounds->measure->graphical, &rule, m->noise.tick));
		DP_TRY(anneal(rounds));
	}
	rounds->seconds_last = rounds->measure->graphical.seconds - before;
	forget_batch(rounds);
	return DP_OK;
}

/* What fits and scores may take, by what the plan expects of as many rows as were released. */
static double
seconds_most(const DpGraphicalMeasure *measure)
{
	double rows = fmax(dp_graphical_total(&measure->graphical), 1);

	return dp_aim_pace_seconds(
		dp_cost_estimate_fit_seconds(&measure->m->plan->estimate, dp_floor_saturated(rows)));
}

/* Spends what the plan has for rounds. The tables of one attribute were released and fitted before;
 * the last fit is left to dp_graphical_close. most: dp_candidates_most of all that may be
 * chosen. */
static DpStatus
run_rounds(const DpAimPlan *plan, DpGraphicalMeasure *measure, double most)
{
	Rounds rounds = {.plan = plan,
					 .measure = measure,
					 .choice = {.plan = plan, .measure = measure, .most = most},
					 .select = plan->rounds.select,
					 .release = plan->rounds.release,
					 .left = plan->rounds.total,
					 .seconds_most = seconds_most(measure),
					 .taken = dp_alloc(measure->m->arena, plan->batch, sizeof(*rounds.taken))};
	bool more = true;

	if (rounds.taken == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_aim_choice_open(&rounds.choice));
	while (more)
		DP_TRY(run_round(&rounds, &more));
	dp_aim_choice_close(&rounds.choice);
	return DP_OK;
}

static const DpOptionSpec specs[] = {
	{
		.name = "workload",
		.type = DP_OPTION_WEIGHTED_SETS,
		.fallback = "3",
		.minimum = 1,
		.maximum = DP_CANDIDATE_MEMBERS_MAX,
		.summary =
			"Sets of columns whose tables are to be right, with weights, or an integer: all sets "
			"of that size; by default 3, with up to 20 columns larger ones, too, with more than 40 "
			"columns 2.",
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
	DP_SPEC_GROUP_RARE(NULL),
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
	DP_TRY(run_rounds(plan, &measure, most));
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
