/*
 * method_sbhg.c -- noisy conditional histograms, and a Gibbs sampler on them.
 *
 * sbhg -- stability-based hashed Gibbs sampler
 *
 * Inputs:      p attributes with R parents each, public or selected with budget
 * Output:      p noisy tables over (parents, attribute). Rows are independent chains that
 *              start from noisy one-way margins. They redraw each attribute in turn
 *              from its noisy conditional distribution, `sweeps` times.
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, delta)-DP by basic composition, adaptive where a stage follows what
 *              an earlier one released: p R selections (dp_parents_select), the choice of R
 *              (dp_parents_number_choose), the row count under add/remove, and p tables
 * (dp_table_release), in each of which a row sits in one cell. delta is that of the sparse tables;
 * with none it is 0.
 *              All that follows reads noisy tables only.
 * Source:      the SBHG paper (Stability-based hashed Gibbs). It departs from the paper where
 *              the paper's own step is not private or not right. The p tables share one
 *              budget. Parents cost budget or are public. A key that was not released never
 *              falls back to the exact conditional, but to a shorter prefix of its parents,
 *              or the value stays (missing_key = reject). Dense tables are made to agree
 *              before they are sampled from (consistency.c). The scan is sequential, since
 * drawing all attributes given the previous row has another stationary distribution. The
 *              chain does not start at a row of the data. Besides, small tables get noise on
 *              every cell, which needs no delta and no threshold (dense_cells = 0 gives the
 *              paper's).
 */
#include "core/base/index_list.h"
#include "core/base/saturate.h"
#include "core/methods/registry.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"
#include "core/plan/release_table.h"
#include "core/sample/sbhg/sbhg_sampler.h"
#include "core/methods/sbhg/parents_number.h"

#define HISTOGRAMS "hashed conditional histograms"
#define PARENTS_AUTO (-1)
#define AUTO_MAX 4 /* parents that auto may take; each costs selections */

static const DpOptionSpec specs[] = {
	{
		.name = "parents",
		.type = DP_OPTION_INTEGER_OR_WORD,
		.fallback = "1",
		.maximum = DP_ATTRIBUTES_MAX - 1,
		.choices = "auto",
		.summary = "Number of columns that each column is conditioned on; auto: chosen with a part "
				   "of selection_share.",
	},
	DP_SPEC_FEATURES,
	DP_SPEC_ATTRIBUTE_ORDER,
	{
		.name = "score",
		.type = DP_OPTION_CHOICE,
		.fallback = "dependence",
		.choices = "dependence|information",
		.summary = "What parents are selected by: how far two columns are from independence, or "
				   "their mutual information.",
	},
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

typedef struct SbhgPlan
{
	DpParentsPlan parents;
	bool choose;            /* how many parents there are, up to number.most */
	DpParentsNumber number; /* if so */
	uint64_t dense_cells;
	int64_t epsilon_rows_nano;  /* 0 = no row count is needed */
	int64_t epsilon_table_nano; /* epsilon of one table */
	int64_t delta_tables_atto;  /* delta of all sparse tables together */
} SbhgPlan;

/* What is known of the p tables before anything is selected or discovered. */
typedef struct TableEstimates
{
	uint32_t dense;          /* tables that are dense for certain */
	uint32_t maybe_sparse;   /* all other tables */
	bool certain;            /* nothing depends on a selection or a discovery */
	uint64_t cells;          /* cells of the tables that are dense for certain */
	uint64_t cells_possible; /* cells of all tables that can turn out dense */
	uint64_t memory_bytes;
	DpCostEstimate estimate;
} TableEstimates;

static void
estimate_table(const SbhgPlan *sbhg, const DpDomain *domain, const uint32_t *attributes, uint32_t n,
			   TableEstimates *cost_estimate)
{
	uint64_t cells = dp_domain_cells(domain, attributes, n);
	DpStorage storage = dp_table_storage(domain, attributes, n, sbhg->dense_cells);

	cost_estimate->memory_bytes = dp_add_saturated(cost_estimate->memory_bytes,
												   dp_table_memory(domain, attributes, n, storage));
	dp_expect_table(&cost_estimate->estimate, domain, &(DpAttributeSet){n, attributes}, storage);
	if (storage == DP_DENSE)
	{
		cost_estimate->dense++;
		cost_estimate->cells += cells;
		cost_estimate->cells_possible += cells;
		return;
	}
	cost_estimate->maybe_sparse++;
	if (sbhg->parents.given != NULL && !dp_cells_any_open(domain, attributes, n))
		return;
	cost_estimate->certain = false;
	cost_estimate->cells_possible += sbhg->dense_cells;
}

static DpStatus
estimate_tables(const SbhgPlan *sbhg, const DpDomain *domain, TableEstimates *cost_estimate,
				DpArena *arena, DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint64_t by_size[DP_ATTRIBUTES_MAX];

	*cost_estimate = (TableEstimates){.certain = true};
	DP_TRY(dp_parents_by_size(domain, by_size, arena));
	for (uint32_t i = 0; i < domain->attributes; i++)
	{
		uint32_t n =
			sbhg->parents.given != NULL
				? dp_parents_table(&sbhg->parents.given[i], i, attributes)
				: dp_parents_largest_table(by_size, sbhg->parents.parents_n, i, attributes);

		estimate_table(sbhg, domain, attributes, n, cost_estimate);
	}
	return cost_estimate->cells_possible <= DP_MODEL_CELLS_MAX
			   ? DP_OK
			   : dp_refuse_cells(HISTOGRAMS, DP_MODEL_CELLS_MAX, "lower \"dense_cells\"", error);
}

/* A dense table tells the total, so no row count is needed then. None is needed either where the
 * number of rows is public. */
static bool
needs_row_count(const DpPlan *plan, const TableEstimates *cost_estimate)
{
	return !dp_unit_rows_public(&plan->request->unit) && cost_estimate->dense == 0;
}

static DpStatus
plan_histograms(DpPlan *plan, SbhgPlan *sbhg, const TableEstimates *cost_estimate,
				int64_t epsilon_nano, DpError *error)
{
	int64_t delta_atto = dp_budget_divide(plan->remaining, cost_estimate->maybe_sparse).delta_atto;
	DpBudget each = dp_cost_approximate(
		(DpBudget){.epsilon_nano = epsilon_nano / plan->request->domain->attributes,
				   .delta_atto = delta_atto});

	sbhg->epsilon_table_nano = each.epsilon_nano;
	sbhg->delta_tables_atto = delta_atto * (int64_t) cost_estimate->maybe_sparse;
	/* With selected parents it is not known which tables are small, nor how many cells they
	 * have. */
	DP_TRY(dp_plan_laplace(plan, HISTOGRAMS, cost_estimate->dense, dp_cost_pure(each.epsilon_nano),
						   sbhg->parents.given != NULL && !sbhg->choose ? cost_estimate->cells : 0,
						   error));
	return dp_plan_stability(plan, HISTOGRAMS,
							 cost_estimate->certain ? "stability histogram"
													: "stability histogram or discrete Laplace",
							 cost_estimate->maybe_sparse, each, error);
}

static void
plan_memory(DpPlan *plan, const SbhgPlan *sbhg, const TableEstimates *cost_estimate)
{
	uint64_t pairs = sbhg->parents.given != NULL ? 0 : dp_pairs_memory(plan->request->domain);
	uint64_t peak = pairs > cost_estimate->memory_bytes ? pairs : cost_estimate->memory_bytes;
	uint64_t scored =
		sbhg->parents.given != NULL ? 0 : dp_combinations(plan->request->domain->attributes, 2);

	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, peak);
	dp_plan_counts(plan, peak);
	plan->estimate = cost_estimate->estimate;
	dp_expect_tables(&plan->estimate, scored, 2);
	plan->estimate.bytes = dp_add_saturated(plan->estimate.bytes, pairs);
}

/* How many parents the option asks for. With auto that is the most that there can be: all tables
 * are dense then, so that the noise of a cell is known. Where that leaves nothing to choose, each
 * attribute has one parent. */
static DpStatus
parents_wanted(const DpPlan *plan, SbhgPlan *sbhg, uint32_t *wanted, DpArena *arena)
{
	const DpOptions *options = plan->request->options;
	uint32_t others = plan->request->domain->attributes - 1;
	int64_t option = dp_plan_option(plan, "parents");
	/* with all others there is nothing to select, and no order among them */
	uint32_t most = dp_option_given(options, "column_order") || others == 0 ? others : others - 1;

	if (option != PARENTS_AUTO)
	{
		*wanted = option < others ? (uint32_t) option : others;
		return DP_OK;
	}
	DP_TRY(dp_parents_number_bound(plan->request->domain, most < AUTO_MAX ? most : AUTO_MAX,
								   sbhg->dense_cells, wanted, arena));
	sbhg->choose = *wanted > 1 && !dp_option_given(options, "network");
	if (!sbhg->choose)
		*wanted = others < 1 ? others : 1;
	return DP_OK;
}

/* The choice of a number takes half of the share for selecting. */
static DpStatus
plan_parents(DpPlan *plan, SbhgPlan *sbhg, int64_t *left_nano, DpArena *arena, DpError *error)
{
	int64_t share = dp_plan_option(plan, "selection_share");
	int64_t spent_nano;

	if (sbhg->choose)
		share /= 2;
	DP_TRY(dp_parents_plan_selection(plan, &sbhg->parents, share, &spent_nano, error));
	*left_nano -= spent_nano;
	if (!sbhg->choose)
		return DP_OK;
	sbhg->number = (DpParentsNumber){
		.most = sbhg->parents.parents_n,
		.epsilon_nano = dp_share_floor(plan->remaining.epsilon_nano, share),
	};
	*left_nano -= sbhg->number.epsilon_nano;
	return dp_parents_number_plan(plan, &sbhg->number, arena, error);
}

static DpStatus
sbhg_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	int64_t left_nano = plan->remaining.epsilon_nano;
	SbhgPlan *sbhg = dp_alloc(arena, 1, sizeof(*sbhg));
	DpParents *parents = NULL;
	TableEstimates cost_estimate;
	uint32_t wanted;

	DP_TRY_ALLOC(sbhg);
	plan->private_data = sbhg;
	sbhg->dense_cells = (uint64_t) dp_plan_option(plan, "dense_cells");
	DP_TRY(parents_wanted(plan, sbhg, &wanted, arena));
	DP_TRY(dp_parents_public(plan, wanted, &parents, arena, error));
	sbhg->parents = (DpParentsPlan){
		.given = parents,
		.parents_n = wanted,
		.score = dp_plan_option(plan, "score") == 1 ? DP_PAIR_INFORMATION : DP_PAIR_DEPENDENCE};
	DP_TRY(estimate_tables(sbhg, domain, &cost_estimate, arena, error));
	DP_TRY(plan_parents(plan, sbhg, &left_nano, arena, error));
	if (needs_row_count(plan, &cost_estimate))
	{
		DP_TRY(dp_plan_rows(plan, dp_plan_option(plan, "count_share"), &sbhg->epsilon_rows_nano,
							error));
		left_nano -= sbhg->epsilon_rows_nano;
	}
	plan->scans++;
	plan_memory(plan, sbhg, &cost_estimate);
	DP_TRY(plan_histograms(plan, sbhg, &cost_estimate, left_nano > 0 ? left_nano : 0, error));
	sbhg->number.distribution = dp_unit_laplace(&plan->request->unit, sbhg->epsilon_table_nano);
	return DP_OK;
}

/* Counts p tables in one scan. */
static DpStatus
count_tables(const DpMeasurement *m, const DpParents *parents, DpMarginal *exact, DpError *error)
{
	const SbhgPlan *sbhg = m->plan->private_data;
	uint32_t p = m->domain->attributes;
	uint32_t attributes[DP_ATTRIBUTES_MAX];

	for (uint32_t i = 0; i < p; i++)
	{
		uint32_t n = dp_parents_table(&parents[i], i, attributes);

		DP_TRY(dp_marginal_init(&exact[i], m->domain, &(DpAttributeSet){n, attributes},
								dp_table_storage(m->domain, attributes, n, sbhg->dense_cells),
								m->arena, error));
	}
	return dp_count_marginals(m, exact, p, error);
}

/*
 * The tables that are known to be sparse now share delta. Their number follows from released facts.
 */
static DpBudget
table_cost(const SbhgPlan *sbhg, const DpMarginal *exact, uint32_t n)
{
	int64_t sparse = 0;

	for (uint32_t i = 0; i < n; i++)
		sparse += exact[i].storage == DP_SPARSE;
	return dp_cost_approximate(
		(DpBudget){.epsilon_nano = sbhg->epsilon_table_nano,
				   .delta_atto = sparse > 0 ? sbhg->delta_tables_atto / sparse : 0});
}

static DpStatus
release_tables(const DpMeasurement *m, DpMarginal *exact, DpModel *model)
{
	const SbhgPlan *sbhg = m->plan->private_data;
	uint32_t p = m->domain->attributes;
	DpBudget cost = table_cost(sbhg, exact, p);
	int64_t rows = exact[0].total;

	DP_TRY(dp_tables_release(m, exact, p, cost, sbhg->epsilon_rows_nano > 0, model));
	if (sbhg->epsilon_rows_nano > 0)
		DP_TRY(dp_rows_release(m, rows, dp_cost_pure(sbhg->epsilon_rows_nano), &model->table[p]));
	dp_rows_finalize(m, rows, model);
	return DP_OK;
}

static DpStatus
set_parameters(const DpMeasurement *m, DpModel *model)
{
	model->parameters = 2;
	model->parameter = dp_alloc(m->arena, model->parameters, sizeof(*model->parameter));
	DP_TRY_ALLOC(model->parameter);
	model->parameter[0] = (DpParameter){"sweeps", dp_plan_option(m->plan, "sweeps")};
	model->parameter[1] = (DpParameter){"missing_key", dp_plan_option(m->plan, "missing_key")};
	return DP_OK;
}

static DpStatus
sbhg_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const SbhgPlan *sbhg = m->plan->private_data;
	uint32_t p = m->domain->attributes;
	DpMarginal *exact = dp_alloc(m->arena, p, sizeof(*exact));
	const DpParents *found;
	DpParents *parents;

	DP_TRY_ALLOC(exact);
	DP_TRY(dp_parents_measure(m, &sbhg->parents, &found, error));
	parents = dp_memdup(m->arena, found, p * sizeof(*parents));
	DP_TRY_ALLOC(parents);
	if (sbhg->choose)
		DP_TRY(dp_parents_number_choose(m, &sbhg->number, parents, error));
	dp_announce(m, HISTOGRAMS);
	DP_TRY(count_tables(m, parents, exact, error));
	DP_TRY(release_tables(m, exact, model));
	dp_free(m->arena, exact, p, sizeof(*exact));
	return set_parameters(m, model);
}

const DpMethod dp_method_sbhg = {
	.name = "sbhg",
	.summary = "Noisy conditional histograms of each column given a few others, and a Gibbs "
			   "sampler on them.",
	.guarantee = "(epsilon, delta)-DP; epsilon-DP where every table is certain to be dense",
	.source = "stability-based hashed Gibbs (SBHG), corrected",
	DP_SPECS(specs),
	.plan = sbhg_plan,
	.measure = sbhg_measure,
	.sampler = &dp_sbhg_sampler,
};
