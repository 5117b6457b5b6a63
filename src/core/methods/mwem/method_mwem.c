/*
 * method_mwem.c -- marginals are chosen one after another where the fit so far is
 * worst, and measured.
 *
 * mwem
 *
 * Inputs:      a public list Q of distinct sets of attributes that covers all of them; rounds T
 * Output:      T noisy tables, in the order in which they were chosen
 * How:         in each round the tables measured so far are fitted (fit_entropic.c: multiplicative
 *              weights with line search over all of them). Each set of Q is scored by how far
 *              its exact table is from the fit. One is chosen by permute-and-flip and measured.
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, 0)-DP by basic, adaptive composition of at most 1 + 2T mechanisms: the
 *              number of rows N where it is secret, T choices (dp_mwem_score), and T tables
 *              (dp_table_release). Besides the data they depend on the fit and its predictions,
 *              which are computed from what earlier mechanisms released, and from N, which is
 *              released or public.
 * Source:      Hardt, Ligett, McSherry, "A simple and practical algorithm for differentially
 *              private data release" (2012); whole marginals and the penalty for noise: McKenna
 *              et al. (2019, 2022). Departures: docs/methods/mwem.md
 */
#include <math.h>

#include "core/base/saturate.h"
#include "core/estimate/joint.h"
#include "core/mechanism/mechanism.h"
#include "core/methods/fit_measure.h"
#include "core/methods/registry.h"
#include "core/plan/domain_discovery.h"
#include "core/plan/graphical_plan.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"
#include "core/plan/release_table.h"
#include "core/sample/fit.h"
#include "core/methods/mwem/mwem_score.h"

#define SELECTION "select marginals"
#define TABLES "marginal tables"
#define ROUNDS_MAX 1000
/* There are fewer tables than in cipher, so fewer surplus equations: its 850 stops too early. */
#define RESIDUAL_PERMILLE 200

static const DpOptionSpec specs[] = {
	DP_SPEC_MARGINALS(
		"Sets of columns to choose from, or how many columns each set has, for all sets "
		"of that size."),
	{
		.name = "rounds",
		.type = DP_OPTION_INTEGER,
		.minimum = 1,
		.maximum = ROUNDS_MAX,
		.summary = "Tables that are chosen and measured; by default two for each column, but no "
				   "more than there are sets.",
	},
	DP_SPEC_SHARE("selection_share", "0.5", "Share of epsilon for choosing."),
	DP_SPEC_COUNT_SHARE,
	DP_SPEC_CELL_LIMIT,
	DP_SPEC_OPEN_LEVELS,
};

typedef struct MwemPlan
{
	DpWorkload workload;
	DpFitSettings settings;
	uint32_t rounds;
	int64_t epsilon_rows_nano;   /* 0 = the number of rows is public */
	int64_t epsilon_select_nano; /* of one round */
	int64_t epsilon_table_nano;
} MwemPlan;

/* ---- plan ---- */

static uint32_t
choose_rounds(const DpPlan *plan, const MwemPlan *mwem)
{
	uint32_t rounds = 2 * plan->request->domain->attributes;

	if (dp_option_given(plan->request->options, "rounds"))
		return (uint32_t) dp_plan_option(plan, "rounds");
	rounds = rounds < mwem->workload.sets ? rounds : mwem->workload.sets;
	return rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
}

/* The model cannot have more than the cells of the largest set, T times. */
static DpStatus
check_cells(const DpDomain *domain, const MwemPlan *mwem, uint64_t *cells, DpError *error)
{
	uint64_t largest = 0;

	for (uint32_t s = 0; s < mwem->workload.sets; s++)
	{
		const DpWorkloadSet *set = &mwem->workload.set[s];
		uint64_t own = dp_domain_cells(domain, set->of.attribute, set->of.n);

		largest = own > largest ? own : largest;
	}
	*cells = dp_multiply_saturated(largest, mwem->rounds);
	if (*cells <= DP_MODEL_CELLS_MAX)
		return DP_OK;
	return dp_refuse_cells(TABLES, DP_MODEL_CELLS_MAX, "lower \"rounds\", or take smaller sets",
						   error);
}

static DpStatus
plan_memory(DpPlan *plan, const DpDomain *domain, const MwemPlan *mwem, uint64_t solve_bytes,
			DpError *error)
{
	uint64_t cells, tables;

	DP_TRY(check_cells(domain, mwem, &cells, error));
	/* This is the memory of the exact tables and their predictions, of the chosen tables, and of
	 * the fit, which is made in the worker too. */
	tables = dp_add_saturated(
		dp_multiply_saturated(dp_workload_cells(&mwem->workload, domain), 8 * sizeof(int64_t)),
		dp_multiply_saturated(cells, 4 * sizeof(int64_t)));
	plan->memory_bytes =
		dp_add_saturated(plan->memory_bytes, dp_add_saturated(tables, solve_bytes));
	return DP_OK;
}

static DpStatus
plan_selection(DpPlan *plan, const MwemPlan *mwem, DpError *error)
{
	DpStage stage = {
		.name = SELECTION, .tables = mwem->rounds, .each = dp_cost_pure(mwem->epsilon_select_nano)};

	return dp_plan_selection(plan, &stage, dp_mwem_sensitivity(&plan->request->unit), error);
}

static DpStatus
mwem_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	int64_t left_nano = plan->remaining.epsilon_nano;
	MwemPlan *mwem = dp_alloc(arena, 1, sizeof(*mwem));
	uint64_t solve_bytes;
	DpDomain bound;

	DP_TRY_ALLOC(mwem);
	plan->private_data = mwem;
	mwem->settings = (DpFitSettings){.solver = DP_SOLVER_ENTROPIC,
									 .lambda_nano = 1,
									 .cell_limit = dp_plan_option(plan, "cell_limit"),
									 .residual_permille = RESIDUAL_PERMILLE};
	DP_TRY(dp_domain_discovery_bound(plan, &bound, arena));
	DP_TRY(dp_fit_plan(plan, &bound, &mwem->settings, &mwem->workload, &solve_bytes, arena, error));
	mwem->rounds = choose_rounds(plan, mwem);
	DP_TRY(plan_memory(plan, &bound, mwem, solve_bytes, error));
	dp_expect_counts(&plan->estimate, dp_workload_cells(&mwem->workload, &bound));
	dp_expect_fits(&plan->estimate, mwem->rounds, dp_graphical_joint_cells(&bound));
	plan->scans++;
	dp_plan_counts(plan, dp_fit_counted(&mwem->workload, &bound));
	if (!dp_unit_rows_public(&plan->request->unit))
	{
		DP_TRY(dp_plan_rows(plan, dp_plan_option(plan, "count_share"), &mwem->epsilon_rows_nano,
							error));
		left_nano -= mwem->epsilon_rows_nano;
	}
	mwem->epsilon_select_nano =
		dp_share_floor(left_nano, dp_plan_option(plan, "selection_share")) / mwem->rounds;
	mwem->epsilon_table_nano = left_nano / mwem->rounds - mwem->epsilon_select_nano;
	DP_TRY(plan_selection(plan, mwem, error));
	return dp_plan_laplace(plan, TABLES, mwem->rounds, dp_cost_pure(mwem->epsilon_table_nano), 0,
						   error);
}

/* ---- measure ---- */

/* What all rounds share. */
typedef struct Rounds
{
	const DpMeasurement *m;
	const MwemPlan *mwem;
	const DpMarginal *exact; /* [sets] SECRET */
	double rows;             /* public or noisy, >= 1 */
	DpFitTable *wanted;      /* [sets] shapes */
	DpFitTable *measured;    /* [rounds] */
	double **predicted;      /* [sets] proportions, from released tables alone */
	int64_t *score;          /* [sets] SECRET */
} Rounds;

static DpStatus
predict(Rounds *rounds, uint32_t done, DpError *error)
{
	DpFitInput input = {.domain = rounds->m->domain,
						.tables = done,
						.table = rounds->measured,
						.rows = rounds->rows,
						.cell_limit = (uint64_t) rounds->mwem->settings.cell_limit,
						.residual = RESIDUAL_PERMILLE * 1e-3};

	return dp_fit_margins(&input,
						  &(DpFitWanted){.n = rounds->mwem->workload.sets,
										 .table = rounds->wanted,
										 .margin = rounds->predicted},
						  rounds->m->noise.tick, rounds->m->arena, error);
}

/* Scores all sets, and gives the predictions back. */
static DpStatus
score_sets(Rounds *rounds)
{
	const DpMeasurement *m = rounds->m;
	DpLaplace distribution =
		dp_unit_laplace(&m->plan->request->unit, rounds->mwem->epsilon_table_nano);

	for (uint32_t s = 0; s < rounds->mwem->workload.sets; s++)
	{
		uint64_t cells = rounds->exact[s].cells;

		rounds->score[s] = dp_mwem_score(rounds->exact[s].dense, rounds->predicted[s], cells,
										 rounds->rows, dp_mwem_penalty(cells, distribution));
		dp_free(m->arena, rounds->predicted[s], cells, sizeof(double));
	}
	return DP_OK;
}

/*
 * Runs one round: it chooses, then measures. Both cost what the plan says. The scores of the
 * choice have the sensitivity that dp_mwem_score proves, for any fixed predictions.
 */
static DpStatus
run_round(Rounds *rounds, uint32_t round, DpTable *out, DpError *error)
{
	const DpMeasurement *m = rounds->m;
	size_t chosen;

	DP_TRY(predict(rounds, round, error));
	DP_TRY(score_sets(rounds));
	DP_TRY(dp_select(&m->noise,
					 &(DpScores){.score = rounds->score,
								 .n = rounds->mwem->workload.sets,
								 .sensitivity = dp_mwem_sensitivity(&m->plan->request->unit)},
					 rounds->mwem->epsilon_select_nano, &chosen));
	DP_TRY(dp_table_release(m, &rounds->exact[chosen],
							dp_cost_pure(rounds->mwem->epsilon_table_nano), out));
	return dp_fit_table(out, &rounds->measured[round]);
}

static DpStatus
start_rounds(Rounds *rounds)
{
	const DpWorkload *workload = &rounds->mwem->workload;
	DpArena *arena = rounds->m->arena;

	rounds->wanted = dp_alloc(arena, workload->sets, sizeof(*rounds->wanted));
	rounds->measured = dp_alloc(arena, rounds->mwem->rounds, sizeof(*rounds->measured));
	rounds->predicted = dp_alloc(arena, workload->sets, sizeof(*rounds->predicted));
	rounds->score = dp_alloc(arena, workload->sets, sizeof(*rounds->score));
	DP_TRY_ALLOC(rounds->wanted && rounds->measured && rounds->predicted && rounds->score);
	for (uint32_t s = 0; s < workload->sets; s++)
		rounds->wanted[s] =
			(DpFitTable){.of = workload->set[s].of, .cells = rounds->exact[s].cells};
	return DP_OK;
}

/* Finds the number of rows that predictions are scaled by. It is bought where it is secret. */
static DpStatus
measure_rows(const DpMeasurement *m, const MwemPlan *mwem, int64_t exact_rows, DpTable *count,
			 double *rows)
{
	int64_t n = exact_rows;

	if (mwem->epsilon_rows_nano > 0)
	{
		DP_TRY(dp_rows_release(m, exact_rows, dp_cost_pure(mwem->epsilon_rows_nano), count));
		n = count->value[0];
	}
	*rows = n > 1 ? (double) n : 1;
	return DP_OK;
}

static void
free_exact(const DpMeasurement *m, DpMarginal *exact, uint32_t n)
{
	for (uint32_t s = 0; s < n; s++)
		dp_marginal_free(&exact[s]);
	dp_free(m->arena, exact, n, sizeof(*exact));
}

static DpStatus
mwem_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const MwemPlan *mwem = m->plan->private_data;
	Rounds rounds = {.m = m, .mwem = mwem};
	DpTable count = {.n = 0};
	DpMarginal *exact;
	int64_t exact_rows;

	DP_TRY(dp_fit_count(m, &mwem->workload, &exact, error));
	exact_rows = exact[0].total;
	rounds.exact = exact;
	DP_TRY(measure_rows(m, mwem, exact_rows, &count, &rounds.rows));
	DP_TRY(start_rounds(&rounds));
	model->tables = mwem->rounds + (mwem->epsilon_rows_nano > 0);
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	DP_TRY_ALLOC(model->table);
	dp_announce(m, SELECTION);
	for (uint32_t round = 0; round < mwem->rounds; round++)
		DP_TRY(run_round(&rounds, round, &model->table[round], error));
	if (mwem->epsilon_rows_nano > 0)
		model->table[mwem->rounds] = count;
	free_exact(m, exact, mwem->workload.sets);
	dp_rows_finalize(m, exact_rows, model);
	return dp_fit_finalize(m, &mwem->settings, model);
}

const DpMethod dp_method_mwem = {
	.name = "mwem",
	.summary = "Tables of small sets of columns, chosen one after another where the fit so far is "
			   "worst.",
	.guarantee = "epsilon-DP",
	.source = "MWEM, Hardt, Ligett, McSherry 2012",
	DP_SPECS(specs),
	.bounds_open = true,
	.plan = mwem_plan,
	.measure = mwem_measure,
	.sampler = &dp_fit_sampler,
};
