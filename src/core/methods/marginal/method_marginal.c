/*
 * method_marginal.c -- every column by itself. No dependence between columns is
 * kept, and so none is paid for.
 *
 * marginal -- product of one-way margins
 *
 * Inputs:      p attributes; for `bootstrap` the number of rows, public
 * Output:      `laplace`: p noisy margins, projected on the simplex; any number of rows,
 *              each attribute drawn by itself. `bootstrap`: rows, each attribute drawn from
 *              (n_c + alpha) / (N + C alpha) of the whole relation
 * Neighbours:  the dataset's, units of several rows too
 * Guarantee:   laplace: epsilon-DP, p histograms of epsilon/p each (dp_table_release).
 *              bootstrap: epsilon-DP, the perturbed mechanism with one block a row
 * Source:      bootstrap: the marginal Bayesian bootstrap that the PeGS paper compares
 *              with, in its perturbed form. A row that is drawn from Dirichlet weights with
 *              parameters n_c + alpha has this distribution. laplace: folklore
 */
#include "core/base/saturate.h"
#include "core/methods/pegs_counts.h"
#include "core/methods/registry.h"
#include "core/plan/method.h"
#include "core/plan/release_table.h"
#include "core/sample/marginal/marginal_sampler.h"

#define MARGINS "one-way margins"

enum
{
	MECHANISM_LAPLACE = 0,
	MECHANISM_BOOTSTRAP = 1
};

static const DpOptionSpec specs[] = {
	{
		.name = "mechanism",
		.type = DP_OPTION_CHOICE,
		.fallback = "laplace",
		.choices = "laplace|bootstrap",
		.summary = "laplace: margins with noise, from which any number of rows can be drawn; "
				   "bootstrap: rows drawn from perturbed margins, which spend one by one.",
	},
	DP_SPEC_ROWS,
};

typedef struct MarginalPlan
{
	bool bootstrap;
	int64_t epsilon_table_nano; /* laplace: of one margin */
	DpRowRun run;               /* bootstrap */
	DpPerturbedTerms terms;
} MarginalPlan;

static DpStatus
plan_bootstrap(DpPlan *plan, MarginalPlan *marginal, DpArena *arena, DpError *error)
{
	uint64_t bytes;

	DP_TRY(dp_plan_row_release(plan, 1, &marginal->run, error));
	DP_TRY(dp_pegs_memory(plan->request->domain, NULL, 0, &bytes, arena));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
	dp_plan_counts(plan, bytes);
	marginal->terms =
		dp_row_run_terms(plan, &marginal->run, DP_PERTURBED_COUNTS, plan->remaining.epsilon_nano);
	return dp_plan_perturbed(plan, &marginal->run, &marginal->terms, arena, error);
}

/* The levels of all columns. The result is 0 if it is not known before open columns are
 * discovered. */
static DpStatus
plan_margins(DpPlan *plan, uint64_t *cells, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint64_t sum = 0, counted = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		sum += domain->attribute[a].levels;
		plan->memory_bytes =
			dp_add_saturated(plan->memory_bytes, dp_table_memory(domain, &a, 1, DP_DENSE));
		counted = dp_add_saturated(counted, dp_table_counted(domain, &a, 1, DP_DENSE));
	}
	dp_plan_counts(plan, counted);
	*cells = dp_open_attributes(domain) > 0 ? 0 : sum;
	if (sum <= DP_MODEL_CELLS_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "the columns have too many levels together");
	dp_fail_detail(error, "They have %llu; the limit is %llu.", (unsigned long long) sum,
				   (unsigned long long) DP_MODEL_CELLS_MAX);
	dp_fail_hint(error, "Model fewer columns: option \"columns\".");
	return DP_ERR_LIMIT;
}

static DpStatus
plan_laplace(DpPlan *plan, MarginalPlan *marginal, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	uint64_t cells;

	if (dp_option_given(plan->request->options, "rows"))
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "option \"rows\" is of mechanism bootstrap alone");
		dp_fail_hint(error, "From noisy margins any number of rows can be drawn, at no cost.");
		return DP_ERR_ARGUMENT;
	}
	marginal->epsilon_table_nano = plan->remaining.epsilon_nano / p;
	DP_TRY(plan_margins(plan, &cells, error));
	return dp_plan_laplace(plan, MARGINS, p, dp_cost_pure(marginal->epsilon_table_nano), cells,
						   error);
}

static DpStatus
marginal_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	MarginalPlan *marginal = dp_alloc(arena, 1, sizeof(*marginal));

	DP_TRY_ALLOC(marginal);
	plan->private_data = marginal;
	plan->scans++;
	marginal->bootstrap = dp_plan_option(plan, "mechanism") == MECHANISM_BOOTSTRAP;
	return marginal->bootstrap ? plan_bootstrap(plan, marginal, arena, error)
							   : plan_laplace(plan, marginal, error);
}

/* ---- behind the wall ---- */

/* Counts p margins in one scan, and releases them. */
static DpStatus
measure_laplace(const DpMeasurement *m, int64_t epsilon_nano, DpModel *model, DpError *error)
{
	uint32_t p = m->domain->attributes;
	DpMarginal *exact = dp_alloc(m->arena, p, sizeof(*exact));

	int64_t rows;

	DP_TRY_ALLOC(exact);
	for (uint32_t i = 0; i < p; i++)
		DP_TRY(dp_marginal_init(&exact[i], m->domain, &(DpAttributeSet){1, &i}, DP_DENSE, m->arena,
								error));
	dp_announce(m, MARGINS);
	DP_TRY(dp_count_marginals(m, exact, p, error));
	rows = exact[0].total;
	DP_TRY(dp_tables_release(m, exact, p, dp_cost_pure(epsilon_nano), false, model));
	dp_rows_finalize(m, rows, model);
	return DP_OK;
}

static DpStatus
marginal_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const MarginalPlan *marginal = m->plan->private_data;

	if (marginal->bootstrap)
		return dp_pegs_make(m, &marginal->run, &marginal->terms, &(DpPegsShape){0}, model, error);
	return measure_laplace(m, marginal->epsilon_table_nano, model, error);
}

/* ---- drawing ---- */

const DpMethod dp_method_marginal = {
	.name = "marginal",
	.summary =
		"Every column by itself, from noisy margins (laplace) or as rows drawn from perturbed "
		"margins (bootstrap).",
	.guarantee = "epsilon-DP",
	.source = "marginal Bayesian bootstrap, perturbed; noisy margins",
	DP_SPECS(specs),
	.plan = marginal_plan,
	.measure = marginal_measure,
	.sampler = &dp_marginal_sampler,
};
