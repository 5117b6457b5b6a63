/*
 * method_sbhg.c -- noisy conditional histograms, and a Gibbs sampler on them.
 *
 * sbhg -- stability-based hashed Gibbs sampler
 *
 * Inputs:      p attributes with R parents each, public or selected with budget
 * Output:      p noisy tables over (parents, attribute). Rows are independent chains that
 *              start from noisy one-way margins and then redraw each attribute in turn
 *              from its noisy conditional distribution, `sweeps` times.
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, delta)-DP by basic composition, adaptive where a stage follows what
 *              an earlier one released: p R selections (dp_parents_select), the row count
 *              under add/remove, and p tables (dp_table_release), in each of which a row
 *              sits in one cell. delta is that of the sparse tables; with none it is 0.
 *              All that follows reads noisy tables only.
 * Source:      the SBHG paper (Stability-based hashed Gibbs). Departures, each since the
 *              paper's own step is not private or not right: the p tables share one budget;
 *              parents cost budget or are public; a key that was not released never falls
 *              back to the exact conditional, but to a shorter prefix of its parents (or the
 *              value stays: missing_key = reject); dense tables are made to agree before they
 *              are sampled from (consistency.c); the scan is sequential, since drawing all
 *              attributes given the previous row has another stationary law; the chain does
 *              not start at a row of the data. And small tables get noise on every cell,
 *              which needs no delta and no threshold (dense_cells = 0 for the paper's).
 */
#include "conditional.h"
#include "consistency.h"
#include "methods.h"
#include "parents_plan.h"
#include "pairs.h"
#include "release_table.h"
#include "saturate.h"

#define HISTOGRAMS "hashed conditional histograms"

static const DpOptionSpec specs[] = {
	DP_SPEC_PARENTS,
	DP_SPEC_FEATURES,
	DP_SPEC_ATTRIBUTE_ORDER,
	DP_SPEC_SELECTION_SHARE,
	DP_SPEC_COUNT_SHARE,
	DP_SPEC_DENSE_CELLS("10000"),
	{
		.name = "sweeps",
		.type = DP_OPTION_INTEGER,
		.fallback = "20",
		.minimum = 1,
		.maximum = 10000,
		.summary = "Times that each row's chain redraws every column.",
	},
	{
		.name = "missing_key",
		.type = DP_OPTION_CHOICE,
		.fallback = "backoff",
		.choices = "backoff|reject",
		.summary = "What to do where a combination of parents was not released: condition on fewer "
				   "of them, or keep the value.",
	},
};
#define SPECS_N (sizeof(specs) / sizeof(specs[0]))

typedef struct SbhgPlan
{
	const DpParents *parents; /* public, one for each attribute; NULL = to be selected */
	uint32_t parents_n;       /* to select for each attribute */
	uint64_t dense_cells;
	int64_t epsilon_select_nano; /* of one selection */
	int64_t epsilon_rows_nano;   /* 0 = no row count is needed */
	int64_t epsilon_table_nano;  /* of one table */
	int64_t delta_tables_atto;   /* of all sparse tables together */
} SbhgPlan;

/* What is known of the p tables before anything is selected or discovered. */
typedef struct Forecast
{
	uint32_t dense;          /* tables that are dense for certain */
	uint32_t maybe_sparse;   /* the others */
	bool certain;            /* nothing depends on a selection or a discovery */
	uint64_t cells;          /* of those dense for certain */
	uint64_t cells_possible; /* of all that can turn out dense */
	uint64_t memory_bytes;
} Forecast;

static int64_t
read_option(const DpPlan *plan, const char *name)
{
	return dp_option_integer(plan->request->options, specs, SPECS_N, name);
}

static bool
any_open(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
	{
		if (domain->attribute[attributes[k]].open)
			return true;
	}
	return false;
}

static void
forecast_table(const SbhgPlan *sbhg, const DpDomain *domain, const uint32_t *attributes, uint32_t n,
			   Forecast *forecast)
{
	uint64_t cells = dp_domain_cells(domain, attributes, n);
	DpStorage storage = dp_table_storage(domain, attributes, n, sbhg->dense_cells);

	forecast->memory_bytes =
		dp_add_saturated(forecast->memory_bytes, dp_table_memory(domain, attributes, n, storage));
	if (storage == DP_DENSE)
	{
		forecast->dense++;
		forecast->cells += cells;
		forecast->cells_possible += cells;
		return;
	}
	forecast->maybe_sparse++;
	if (sbhg->parents != NULL && !any_open(domain, attributes, n))
		return;
	forecast->certain = false;
	forecast->cells_possible += sbhg->dense_cells;
}

static DpStatus
too_many_cells(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the dense tables of this release could be too large");
	dp_fail_detail(error, "Together they may have at most %llu cells.",
				   (unsigned long long) DP_MODEL_CELLS_MAX);
	dp_fail_hint(error, "Lower dense_cells.");
	return DP_ERR_LIMIT;
}

static DpStatus
make_forecast(const SbhgPlan *sbhg, const DpDomain *domain, DpArena *arena, Forecast *forecast,
			  DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint64_t by_size[DP_ATTRIBUTES_MAX];

	*forecast = (Forecast){.certain = true};
	DP_TRY(dp_parents_by_size(domain, arena, by_size));
	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		uint32_t n = sbhg->parents != NULL
						 ? dp_parents_table(&sbhg->parents[i], i, attributes)
						 : dp_parents_largest_table(by_size, sbhg->parents_n, i, attributes);

		forecast_table(sbhg, domain, attributes, n, forecast);
	}
	return forecast->cells_possible <= DP_MODEL_CELLS_MAX ? DP_OK : too_many_cells(error);
}

/* Dense tables are certain of a total, and so is a public number of rows. */
static bool
needs_row_count(const DpPlan *plan, const Forecast *forecast)
{
	return !dp_unit_rows_public(&plan->request->unit) && forecast->dense == 0;
}

static DpStatus
plan_histograms(DpPlan *plan, SbhgPlan *sbhg, const Forecast *forecast, int64_t epsilon_nano,
				DpError *error)
{
	int64_t delta_atto = dp_budget_divide(plan->remaining, forecast->maybe_sparse).delta_atto;
	DpBudget each =
		dp_cost_approximate(epsilon_nano / plan->request->domain->attributes, delta_atto);

	sbhg->epsilon_table_nano = each.epsilon_nano;
	sbhg->delta_tables_atto = delta_atto * (int64_t) forecast->maybe_sparse;
	/* Selected parents can make any table the smaller one: then the number of cells is not known. */
	DP_TRY(dp_plan_laplace(plan, HISTOGRAMS, forecast->dense, each.epsilon_nano,
						   sbhg->parents != NULL ? forecast->cells : 0, error));
	return dp_plan_stability(plan, HISTOGRAMS,
							 forecast->certain ? "stability histogram"
											   : "stability histogram or discrete Laplace",
							 forecast->maybe_sparse, each, error);
}

static void
plan_memory(DpPlan *plan, const SbhgPlan *sbhg, const Forecast *forecast)
{
	uint64_t pairs = sbhg->parents != NULL ? 0 : dp_pairs_memory(plan->request->domain);
	uint64_t peak = pairs > forecast->memory_bytes ? pairs : forecast->memory_bytes;

	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, peak);
	dp_plan_counts(plan, peak);
}

static DpStatus
sbhg_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	uint32_t parents_wanted = (uint32_t) read_option(plan, "parents");
	int64_t left_nano = plan->remaining.epsilon_nano;
	SbhgPlan *sbhg = dp_alloc(arena, 1, sizeof(*sbhg));
	DpParents *parents = NULL;
	Forecast forecast;
	int64_t spent_nano = 0;

	if (sbhg == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = sbhg;
	sbhg->dense_cells = (uint64_t) read_option(plan, "dense_cells");
	sbhg->parents_n = parents_wanted < domain->attributes ? parents_wanted : domain->attributes - 1;
	DP_TRY(dp_parents_public(plan, arena, sbhg->parents_n, &parents, error));
	sbhg->parents = parents;
	DP_TRY(make_forecast(sbhg, domain, arena, &forecast, error));
	if (parents == NULL)
	{
		DP_TRY(dp_parents_plan_selection(plan, sbhg->parents_n,
										 read_option(plan, "selection_share"),
										 &sbhg->epsilon_select_nano, &spent_nano, error));
		left_nano -= spent_nano;
	}
	if (needs_row_count(plan, &forecast))
	{
		DP_TRY(
			dp_plan_rows(plan, read_option(plan, "count_share"), &sbhg->epsilon_rows_nano, error));
		left_nano -= sbhg->epsilon_rows_nano;
	}
	plan->scans++;
	plan_memory(plan, sbhg, &forecast);
	return plan_histograms(plan, sbhg, &forecast, left_nano > 0 ? left_nano : 0, error);
}

/* One scan into p tables. */
static DpStatus
count_tables(const DpMeasurement *m, const DpParents *parents, DpMarginal *exact, DpError *error)
{
	const SbhgPlan *sbhg = m->plan->private_data;
	uint32_t p = m->domain->attributes;
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	DpMarginal *tables[DP_ATTRIBUTES_MAX];

	for (uint32_t i = 0; i < p; i++)
	{
		uint32_t n = dp_parents_table(&parents[i], i, attributes);

		tables[i] = &exact[i];
		DP_TRY(dp_marginal_init(&exact[i], m->arena, m->domain, attributes, n,
								dp_table_storage(m->domain, attributes, n, sbhg->dense_cells),
								error));
	}
	return m->counter->count(m->counter->context, m->domain, tables, p, error);
}

/* The tables that are sparse by now share delta: their number follows from released facts only. */
static DpBudget
table_cost(const SbhgPlan *sbhg, const DpMarginal *exact, uint32_t n)
{
	int64_t sparse = 0;

	for (uint32_t i = 0; i < n; i++)
		sparse += exact[i].storage == DP_SPARSE;
	return dp_cost_approximate(sbhg->epsilon_table_nano,
							   sparse > 0 ? sbhg->delta_tables_atto / sparse : 0);
}

static DpStatus
release_tables(const DpMeasurement *m, DpMarginal *exact, DpModel *model)
{
	const SbhgPlan *sbhg = m->plan->private_data;
	uint32_t p = m->domain->attributes;
	DpBudget cost = table_cost(sbhg, exact, p);
	int64_t rows = exact[0].total;

	model->tables = p + (sbhg->epsilon_rows_nano > 0);
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	if (model->table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < p; i++)
	{
		DP_TRY(dp_table_release(m, &exact[i], cost, &model->table[i]));
		dp_marginal_free(&exact[i]);
	}
	if (sbhg->epsilon_rows_nano > 0)
		DP_TRY(dp_rows_release(m, rows, sbhg->epsilon_rows_nano, &model->table[p]));
	dp_rows_settle(m, rows, model);
	return DP_OK;
}

static DpStatus
set_parameters(const DpMeasurement *m, DpModel *model)
{
	model->parameters = 2;
	model->parameter = dp_alloc(m->arena, model->parameters, sizeof(*model->parameter));
	if (model->parameter == NULL)
		return DP_ERR_MEMORY;
	model->parameter[0] = (DpParameter){"sweeps", read_option(m->plan, "sweeps")};
	model->parameter[1] = (DpParameter){"missing_key", read_option(m->plan, "missing_key")};
	return DP_OK;
}

static DpStatus
sbhg_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const SbhgPlan *sbhg = m->plan->private_data;
	uint32_t p = m->domain->attributes;
	DpMarginal *exact = dp_alloc(m->arena, p, sizeof(*exact));
	const DpParents *parents;

	if (exact == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_parents_measure(m, sbhg->parents, sbhg->parents_n, sbhg->epsilon_select_nano,
							  &parents, error));
	dp_announce(m, HISTOGRAMS);
	DP_TRY(count_tables(m, parents, exact, error));
	DP_TRY(release_tables(m, exact, model));
	dp_free(m->arena, exact, p, sizeof(*exact));
	return set_parameters(m, model);
}

typedef struct SbhgSampler
{
	uint32_t attributes;
	uint32_t sweeps;
	bool reject;
	DpConditional *conditional; /* [attributes], in the order of the scan */
} SbhgSampler;

/* p tables whose targets are the attributes in order, and at most the row count behind them. */
static bool
tables_fit(const DpModel *model)
{
	uint32_t p = model->domain.attributes;
	bool counted = model->tables == p + 1 && model->table[p].n == 0;

	if (model->tables != p && !counted)
		return false;
	for (uint32_t i = 0; i < p; i++)
	{
		const DpTable *table = &model->table[i];

		if (table->n < 1 || table->n > DP_PARENTS_MAX + 1 || table->attribute[table->n - 1] != i)
			return false;
	}
	return true;
}

static DpStatus
read_parameters(const DpModel *model, SbhgSampler *sampler, DpError *error)
{
	int64_t sweeps = dp_model_parameter(model, "sweeps", 0);
	int64_t missing_key = dp_model_parameter(model, "missing_key", 0);

	if (!tables_fit(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of sbhg");
	if (sweeps < 1 || sweeps > 10000 || missing_key < 0 || missing_key > 1)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: a parameter is out of its bounds");
	sampler->attributes = model->domain.attributes;
	sampler->sweeps = (uint32_t) sweeps;
	sampler->reject = missing_key == 1;
	return DP_OK;
}

static DpStatus
sbhg_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **out, DpError *error)
{
	SbhgSampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	uint32_t parents = 0;
	double **estimate;

	if (sampler == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(read_parameters(model, sampler, error));
	DP_TRY(dp_consistency_make(model, arena, tick, &estimate));
	sampler->conditional = dp_alloc(arena, sampler->attributes, sizeof(*sampler->conditional));
	if (sampler->conditional == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		dp_tick(tick, (double) i / sampler->attributes);
		DP_TRY(dp_conditional_build(&sampler->conditional[i], &model->domain, &model->table[i],
									estimate[i], model->rows, !sampler->reject, arena, tick));
		parents += sampler->conditional[i].parents;
	}
	dp_consistency_free(model, arena, estimate);
	/* Without any parents the starting point is the law already. */
	if (parents == 0)
		sampler->sweeps = 0;
	*out = sampler;
	return DP_OK;
}

/* Each attribute from its own noisy margin. */
static void
start_chain(const SbhgSampler *sampler, DpPrng *prng, uint32_t *codes)
{
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		const DpConditional *conditional = &sampler->conditional[i];

		codes[i] = dp_conditional_draw_backoff(conditional, conditional->levels - 1, codes, prng);
	}
}

static void
sweep_backoff(const SbhgSampler *sampler, DpPrng *prng, uint32_t *codes)
{
	for (uint32_t i = 0; i < sampler->attributes; i++)
		codes[i] = dp_conditional_draw_backoff(&sampler->conditional[i], 0, codes, prng);
}

static void
sweep_reject(const SbhgSampler *sampler, DpPrng *prng, uint32_t *codes)
{
	for (uint32_t i = 0; i < sampler->attributes; i++)
	{
		const DpConditional *conditional = &sampler->conditional[i];

		/* Where the key is missing the value stays as it is. */
		(void) dp_conditional_draw(conditional, &conditional->level[0], codes, prng, &codes[i]);
	}
}

static void
sbhg_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const SbhgSampler *sampler = sampler_in;

	start_chain(sampler, prng, codes);
	for (uint32_t i = 0; i < sampler->sweeps; i++)
	{
		if (sampler->reject)
			sweep_reject(sampler, prng, codes);
		else
			sweep_backoff(sampler, prng, codes);
	}
}

/* Without parents a chain ends where it starts. */
static bool
any_parents(const DpModel *model)
{
	for (uint32_t i = 0; i < model->tables; i++)
	{
		if (model->table[i].n > 1)
			return true;
	}
	return false;
}

static uint64_t
sbhg_draw_cost(const DpModel *model)
{
	int64_t sweeps = dp_model_parameter(model, "sweeps", 1);
	uint64_t draws = 1; /* where a chain starts */

	if (sweeps > 0 && any_parents(model))
		draws += (uint64_t) sweeps;
	return dp_multiply_saturated(model->domain.attributes, draws);
}

const DpMethod dp_method_sbhg = {
	.name = "sbhg",
	.summary = "Noisy conditional histograms of each column given a few others, and a Gibbs "
			   "sampler on them.",
	.guarantee = "(epsilon, delta)-DP; epsilon-DP where every table is certain to be dense",
	.source = "stability-based hashed Gibbs (SBHG), corrected",
	.specs = specs,
	.specs_n = SPECS_N,
	.plan = sbhg_plan,
	.measure = sbhg_measure,
	.prepare = sbhg_prepare,
	.draw = sbhg_draw,
	.draw_cost = sbhg_draw_cost,
};
