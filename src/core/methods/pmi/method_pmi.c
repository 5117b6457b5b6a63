/*
 * method_pmi.c -- rows drawn from perturbed regressions, behind the wall.
 *
 * pmi -- perturbed multiple imputation
 *
 * Inputs:      p attributes; for each a public list of the others that it is regressed
 *              on (all of them); the number of rows, public; a public seed row each
 * Output:      the rows themselves. A row redraws each attribute in turn, `sweeps` times,
 *              from (f + alpha) / (1 + C alpha). f is what an elastic-net multinomial
 *              logistic regression on the relation tells about it given the other values
 * Neighbours:  the dataset's, units of several rows too
 * Guarantee:   epsilon-DP for all rows together. A row is made by the perturbed mechanism,
 *              whose ratio is at most 1 + 1/alpha for any two f. So neither the fit of f nor
 *              the choice of its penalty needs a budget: docs/methods/pmi.md
 * Source:      the PeGS paper, its comparison with multiple imputation
 */
#include "core/base/saturate.h"
#include "core/methods/pmi/pmi_fit.h"
#include "core/methods/registry.h"
#include "core/plan/domain_discovery.h"
#include "core/plan/row_release.h"
#include "core/plan/method.h"
#include "core/plan/release_table.h"
#include "core/sample/sampler.h"

#define PARAMETERS_MAX UINT64_C(10000000) /* of all regressions together */
#define DECIMAL 1e9                       /* as options hold decimals */

static const DpOptionSpec specs[] = {
	DP_SPEC_ROWS,
	{
		.name = "alpha_mixing",
		.type = DP_OPTION_SHARE,
		.fallback = "0.5",
		.minimum = 0,
		.maximum = 1000000000,
		.summary = "Mixing of the penalty: 1 is the lasso, 0 ridge.",
	},
	{
		.name = "lambda",
		.type = DP_OPTION_SHARE,
		.minimum = 1000,
		.maximum = INT64_C(1000000000000),
		.summary = "Weight of the penalty; left out: cross-validated on 0.1, 0.03, 0.01, 0.003, "
				   "0.001, 0.0003, at no cost.",
	},
	{
		.name = "folds",
		.type = DP_OPTION_INTEGER,
		.fallback = "3",
		.minimum = 2,
		.maximum = 20,
		.summary = "Parts that cross-validation makes of the rows.",
	},
	{
		.name = "network",
		.type = DP_OPTION_NAME_MAP,
		.summary = "For each column the list of columns that it is regressed on; left out: all "
				   "others.",
	},
	DP_SPEC_ROW_SWEEPS,
	DP_SPEC_SEED_POOL,
	DP_SPEC_OPEN_LEVELS,
};

typedef struct PmiPlan
{
	DpPmiSettings settings;
	DpRowRun run;
	DpPerturbedTerms terms;
} PmiPlan;

static DpStatus
read_settings(const DpPlan *plan, DpPmiSettings *settings, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	const DpOption *map = dp_option_lists(plan->request->options, "network");
	DpParents *features = dp_alloc(arena, domain->attributes, sizeof(*features));

	DP_TRY_ALLOC(features);
	settings->features = features;
	settings->mixing = (double) dp_plan_option(plan, "alpha_mixing") / DECIMAL;
	settings->lambda = (double) dp_plan_option(plan, "lambda") / DECIMAL;
	settings->folds = (uint32_t) dp_plan_option(plan, "folds");
	if (map == NULL)
		return dp_parents_all(domain, features, arena);
	return dp_parents_from_map(map, domain, DP_ATTRIBUTES_MAX, features, arena, error);
}

static DpStatus
too_large(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the regressions of method \"pmi\" would be too large");
	dp_fail_detail(error,
				   "Together they may have %llu weights: for each column its levels times "
				   "those of the columns that it is regressed on.",
				   (unsigned long long) PARAMETERS_MAX);
	dp_fail_hint(
		error,
		"Leave columns with many levels out, or limit the predictors of each by \"network\".");
	return DP_ERR_LIMIT;
}

/* Adds the memory of the weights of all regressions, of the rows and their index, and of
 * exp(score) of the largest regression. */
static DpStatus
plan_size(DpPlan *plan, const DpDomain *domain, const DpPmiSettings *settings, DpError *error)
{
	uint32_t all[DP_ATTRIBUTES_MAX] = {0};
	uint32_t levels[DP_ATTRIBUTES_MAX] = {0};
	uint64_t parameters = 0, rows, most = 0, bytes;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		all[a] = a;
		levels[a] = domain->attribute[a].levels;
		most = levels[a] > most ? levels[a] : most;
	}
	for (uint32_t a = 0; a < domain->attributes; a++)
		parameters = dp_add_saturated(
			parameters, dp_elastic_net_parameters(levels, a, settings->features[a].index,
												  settings->features[a].n));
	if (parameters > PARAMETERS_MAX)
		return too_large(error);
	rows = dp_domain_cells(domain, all, domain->attributes);
	rows = rows < DP_PLAN_SPARSE_CELLS ? rows : DP_PLAN_SPARSE_CELLS;
	bytes = dp_table_memory(domain, all, domain->attributes, DP_SPARSE);
	bytes = dp_add_saturated(bytes, 4 * sizeof(double) * parameters);
	bytes = dp_add_saturated(bytes, rows * (4 * domain->attributes + 8 * (most + 4)));
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
	dp_plan_counts(plan, dp_table_counted(domain, all, domain->attributes, DP_SPARSE));
	return DP_OK;
}

static DpStatus
pmi_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	PmiPlan *pmi = dp_alloc(arena, 1, sizeof(*pmi));
	DpDomain bound;

	DP_TRY_ALLOC(pmi);
	plan->private_data = pmi;
	DP_TRY(dp_plan_row_release(plan, 1, &pmi->run, error));
	DP_TRY(read_settings(plan, &pmi->settings, arena, error));
	DP_TRY(dp_domain_discovery_bound(plan, &bound, arena));
	DP_TRY(plan_size(plan, &bound, &pmi->settings, error));
	plan->scans++;
	pmi->terms =
		dp_row_run_terms(plan, &pmi->run, DP_PERTURBED_FITTED, plan->remaining.epsilon_nano);
	return dp_plan_perturbed(plan, &pmi->run, &pmi->terms, arena, error);
}

/* ---- behind the wall ---- */

typedef struct PmiDraws
{
	DpPerturbed perturbed;
	DpElasticNet *net; /* [attributes] */
	uint32_t *code;    /* 0, 1, 2, ... */
	double *f;
	int64_t *count; /* f, rounded */
} PmiDraws;

static DpStatus
begin_row(void *context)
{
	return dp_perturbed_begin(&((PmiDraws *) context)->perturbed);
}

static DpStatus
draw_value(void *context, uint32_t attribute, const uint32_t *row, uint32_t *code)
{
	PmiDraws *draws = context;
	const DpElasticNet *net = &draws->net[attribute];
	DpHistogram fitted = {.levels = net->classes,
						  .n = net->classes,
						  .code = draws->code,
						  .count = draws->count,
						  .total = (int64_t) draws->perturbed.alpha.unit};

	dp_elastic_net_predict(net, row, draws->f);
	dp_pmi_round(draws->f, net->classes, fitted.total, draws->count);
	return dp_perturbed_draw(&draws->perturbed, &fitted, code);
}

static DpStatus
draws_init(const DpMeasurement *m, PmiDraws *draws)
{
	uint32_t most = 1;

	for (uint32_t a = 0; a < m->domain->attributes; a++)
		most = m->domain->attribute[a].levels > most ? m->domain->attribute[a].levels : most;
	draws->net = dp_alloc(m->arena, m->domain->attributes, sizeof(*draws->net));
	draws->code = dp_alloc(m->arena, most, sizeof(*draws->code));
	draws->f = dp_alloc(m->arena, most, sizeof(*draws->f));
	draws->count = dp_alloc(m->arena, most, sizeof(*draws->count));
	DP_TRY_ALLOC(draws->net && draws->code && draws->f && draws->count);
	for (uint32_t c = 0; c < most; c++)
		draws->code[c] = c;
	return DP_OK;
}

static DpStatus
pmi_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const PmiPlan *pmi = m->plan->private_data;
	PmiDraws draws;
	DpRowSource source = {.context = &draws, .begin = begin_row, .draw = draw_value};
	DpPmiData data;

	DP_TRY(dp_perturbed_init(&draws.perturbed, &m->noise, &pmi->terms));
	DP_TRY(draws_init(m, &draws));
	DP_TRY(dp_pmi_count(m, &data, error));
	dp_announce(m, "fit regressions");
	for (uint32_t a = 0; a < m->domain->attributes; a++)
		DP_TRY(dp_pmi_fit(m, &data, &pmi->settings, a, &draws.net[a]));
	dp_announce(m, "draw rows");
	return dp_row_release_make(m, &pmi->run, &source, model);
}

const DpMethod dp_method_pmi = {
	.name = "pmi",
	.summary =
		"Rows drawn behind the wall from perturbed elastic-net regressions of each column on "
		"the others; the rows are the release.",
	.guarantee = "epsilon-DP",
	.source = "perturbed multiple imputation (PeGS paper)",
	DP_SPECS(specs),
	.bounds_open = true,
	.plan = pmi_plan,
	.measure = pmi_measure,
	.sampler = &dp_row_release_sampler,
};
