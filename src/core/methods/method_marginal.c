/*
 * method_marginal.c -- every column by itself: no dependence between columns is
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
 *              with, in its perturbed form: a row drawn from weights that are Dirichlet
 *              with parameters n_c + alpha has this law. laplace: folklore
 */
#include "conditional.h"
#include "discover.h"
#include "methods.h"
#include "pegs_counts.h"
#include "release_table.h"
#include "saturate.h"

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
#define SPECS_N (sizeof(specs) / sizeof(specs[0]))

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

	DP_TRY(dp_plan_held_rows(plan, specs, SPECS_N, 1, &marginal->run, error));
	DP_TRY(dp_pegs_memory(plan->request->domain, NULL, 0, arena, &bytes));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
	dp_plan_counts(plan, bytes);
	return dp_plan_perturbed(plan, arena, DP_PERTURBED_COUNTS, &marginal->run,
							 plan->remaining.epsilon_nano, &marginal->terms, error);
}

/* Levels of all columns; 0 = not known before open columns are discovered. */
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
	return dp_fail(error, DP_ERR_LIMIT, "the columns have too many levels together");
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
	return dp_plan_laplace(plan, MARGINS, p, marginal->epsilon_table_nano, cells, error);
}

static DpStatus
marginal_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	MarginalPlan *marginal = dp_alloc(arena, 1, sizeof(*marginal));

	if (marginal == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = marginal;
	plan->scans++;
	marginal->bootstrap = dp_option_integer(plan->request->options, specs, SPECS_N, "mechanism") ==
						  MECHANISM_BOOTSTRAP;
	return marginal->bootstrap ? plan_bootstrap(plan, marginal, arena, error)
							   : plan_laplace(plan, marginal, error);
}

/* ---- behind the wall ---- */

/* One scan into p margins. */
static DpStatus
measure_laplace(const DpMeasurement *m, int64_t epsilon_nano, DpModel *model, DpError *error)
{
	uint32_t p = m->domain->attributes;
	DpMarginal *exact = dp_alloc(m->arena, p, sizeof(*exact));
	DpMarginal *tables[DP_ATTRIBUTES_MAX];

	model->table = dp_alloc(m->arena, p, sizeof(*model->table));
	if (exact == NULL || model->table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < p; i++)
	{
		tables[i] = &exact[i];
		DP_TRY(dp_marginal_init(&exact[i], m->arena, m->domain, &i, 1, DP_DENSE, error));
	}
	dp_announce(m, MARGINS);
	DP_TRY(m->counter->count(m->counter->context, m->domain, tables, p, error));
	model->tables = p;
	for (uint32_t i = 0; i < p; i++)
		DP_TRY(dp_table_release(m, &exact[i], dp_cost_pure(epsilon_nano), &model->table[i]));
	dp_rows_settle(m, exact[0].total, model);
	return DP_OK;
}

static DpStatus
marginal_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const MarginalPlan *marginal = m->plan->private_data;

	if (marginal->bootstrap)
		return dp_pegs_make(m, &marginal->run, &marginal->terms, NULL, model, error);
	return measure_laplace(m, marginal->epsilon_table_nano, model, error);
}

/* ---- drawing ---- */

typedef struct MarginalSampler
{
	void *held; /* rows; NULL: draw from the margins */
	uint32_t attributes;
	DpConditional *conditional; /* [attributes] given nothing */
} MarginalSampler;

static bool
tables_fit(const DpModel *model)
{
	if (model->tables != model->domain.attributes)
		return false;
	for (uint32_t i = 0; i < model->tables; i++)
	{
		if (model->table[i].n != 1 || model->table[i].attribute[0] != i)
			return false;
	}
	return true;
}

static DpStatus
marginal_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **out,
				 DpError *error)
{
	MarginalSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));

	if (sampler == NULL)
		return DP_ERR_MEMORY;
	*out = sampler;
	if (dp_model_holds_rows(model))
		return dp_held_rows_prepare(model, arena, tick, &sampler->held, error);
	if (!tables_fit(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of marginal");
	sampler->attributes = model->domain.attributes;
	sampler->conditional = dp_alloc(arena, sampler->attributes, sizeof(*sampler->conditional));
	if (sampler->conditional == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		dp_tick(tick, (double) i / sampler->attributes);
		DP_TRY(dp_conditional_build(&sampler->conditional[i], &model->domain, &model->table[i],
									NULL, model->rows, false, arena, tick));
	}
	return DP_OK;
}

static bool
marginal_fetch(const void *sampler_in, uint64_t row, uint32_t *codes)
{
	const MarginalSampler *sampler = sampler_in;

	return sampler->held != NULL && dp_held_rows_fetch(sampler->held, row, codes);
}

static void
marginal_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const MarginalSampler *sampler = sampler_in;

	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		const DpConditional *conditional = &sampler->conditional[i];

		codes[i] = dp_conditional_draw_backoff(conditional, conditional->levels - 1, codes, prng);
	}
}

const DpMethod dp_method_marginal = {
	.name = "marginal",
	.summary =
		"Every column by itself, from noisy margins (laplace) or as rows drawn from perturbed "
		"margins (bootstrap).",
	.guarantee = "epsilon-DP",
	.source = "marginal Bayesian bootstrap, perturbed; noisy margins",
	.specs = specs,
	.specs_n = SPECS_N,
	.plan = marginal_plan,
	.measure = marginal_measure,
	.prepare = marginal_prepare,
	.draw = marginal_draw,
	.fetch = marginal_fetch,
	.draw_cost = dp_held_rows_cost,
};
