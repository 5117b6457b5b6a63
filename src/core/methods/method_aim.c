/*
 * method_aim.c -- tables chosen one after the other by what the model so far gets wrong.
 *
 * aim
 *
 * Inputs:      p attributes; a workload of weighted sets of them; rounds T; memory of the model
 * Output:      the table of each attribute, and those of the sets that were chosen, with noise on
 *              every cell
 * Neighbours:  the dataset's
 * Guarantee:   with a delta: rho-zCDP for the rho that epsilon and delta buy, so (epsilon, delta)-DP.
 *              Without: epsilon-DP by basic composition. Adaptive composition of releases and
 *              selections, each of which takes its amount from what is left: the amounts depend on
 *              released numbers alone (a privacy filter with a fixed total; the meter holds it too).
 * Source:      McKenna, Mullins, Sheldon, Miklau, "AIM: an adaptive and iterative mechanism for
 *              differentially private synthetic data" (2022), algorithm 3. Departures:
 *              docs/methods/aim.md.
 */
#include <math.h>

#include "candidates.h"
#include "discover.h"
#include "graphical_measure.h"
#include "graphical_options.h"
#include "graphical_plan.h"
#include "graphical_prepare.h"
#include "graphical_public.h"
#include "graphical_sampler.h"
#include "methods.h"
#include "saturate.h"

#define SENSITIVITY_MAX INT64_C(4000000000) /* a selection's fractions fit 64 bits up to here */
#define ONES "tables of one column"
#define CHOSEN "choose and release tables"
#define ROUNDS_CONCENTRATED 8 /* for each attribute */
#define ROUNDS_SCARCE 4       /* the same where rho is less than */
#define SCARCE_RHO (DP_RHO_ONE / 1000)
#define ROUNDS_PURE 4

static const DpOptionSpec specs[] = {
	{
		.name = "workload",
		.type = DP_OPTION_WEIGHTED_SETS,
		.fallback = "3",
		.minimum = 1,
		.maximum = DP_CANDIDATE_MEMBERS_MAX,
		.summary =
			"Sets of columns whose tables are to be right, with weights, or an integer: all sets "
			"of that size.",
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
		.name = "share_select",
		.type = DP_OPTION_SHARE,
		.fallback = "0.1",
		.minimum = 1000000,
		.maximum = 900000000,
		.summary = "Share of the budget of a round for choosing its table.",
	},
	DP_SPEC_GROUP_RARE("false"),
	DP_SPEC_GENERATION,
	DP_SPEC_MODEL_MEMORY,
};
#define SPECS_N (sizeof(specs) / sizeof(specs[0]))

typedef struct AimPlan
{
	DpCurrency currency;
	DpCandidates candidates;
	uint64_t cells_max;
	int64_t one;             /* amount of the table of one attribute */
	int64_t select, measure; /* of a round, at first */
	int64_t rounds_all;      /* of all rounds */
	int64_t share_nano;      /* of a round's, for selection */
	uint32_t tables_max;
	bool group, systematic;
} AimPlan;

static int64_t
read_option(const DpPlan *plan, const char *name)
{
	return dp_option_integer(plan->request->options, specs, SPECS_N, name);
}

/* ---- plan ---- */

/* A fit takes each table that it has apart: 2^n parts of one over n attributes. */
static DpStatus
plan_parts(const AimPlan *aim, const DpDomain *domain, DpGraphicalSizes *sizes, DpError *error)
{
	const DpCandidates *all = &aim->candidates;
	uint64_t tables = aim->tables_max < all->n ? aim->tables_max : all->n;

	sizes->parts = dp_graphical_public_parts(domain) +
				   (tables << all->set[all->n - 1].n); /* the last one is the widest */
	if (sizes->parts <= DP_INTERACTION_PARTS_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "there are too many rounds for sets so large");
	dp_fail_hint(error, "Take fewer \"rounds\", or smaller sets in \"workload\".");
	return DP_ERR_LIMIT;
}

static DpStatus
plan_candidates(DpPlan *plan, AimPlan *aim, DpArena *arena, DpError *error)
{
	const DpWorkloadLimits limits = {.sets_max = DP_CANDIDATES_MAX};
	DpWorkload workload;
	DpDomain guess;
	DpGraphicalSizes sizes = {.clique_cells = aim->cells_max};

	DP_TRY(dp_workload_read(plan->request->options, specs, SPECS_N, "workload",
							plan->request->domain, &limits, arena, &workload, error));
	DP_TRY(dp_candidates_make(&workload, plan->request->domain->attributes, arena, &aim->candidates,
							  error));
	DP_TRY(plan_parts(aim, plan->request->domain, &sizes, error));
	DP_TRY(dp_graphical_guess(plan->request->domain, arena, &guess));
	DP_TRY(dp_graphical_check_ones(plan, &guess, aim->cells_max, error));
	DP_TRY(dp_graphical_plan_counts(&guess, aim->candidates.set, aim->candidates.n, aim->cells_max,
									arena, &sizes));
	if (sizes.counted > DP_MODEL_CELLS_MAX)
		return dp_graphical_too_many(error);
	sizes.released = dp_multiply_saturated(sizes.largest, aim->tables_max);
	sizes.queried = dp_graphical_query_cells(aim->cells_max);
	plan->scans++;
	dp_graphical_plan_memory(plan, &sizes);
	return DP_OK;
}

/* Where noise is large, few tables are worth it: fewer rounds leave more for each. */
static int64_t
rounds_of(const DpCurrency *currency, uint32_t attributes)
{
	if (!currency->concentrated)
		return (int64_t) attributes * ROUNDS_PURE;
	return (int64_t) attributes *
		   (currency->all < SCARCE_RHO ? ROUNDS_SCARCE : ROUNDS_CONCENTRATED);
}

/* The rate of the rounds: T of them for what there is, the tables of one attribute being p of these. */
static void
plan_amounts(DpPlan *plan, AimPlan *aim)
{
	uint32_t p = plan->request->domain->attributes;
	int64_t rounds = read_option(plan, "rounds");

	if (!dp_option_given(plan->request->options, "rounds"))
		rounds = rounds_of(&aim->currency, p);
	aim->share_nano = read_option(plan, "share_select");
	aim->select = dp_share_floor(aim->currency.all, aim->share_nano) / rounds;
	aim->measure =
		(aim->currency.all - dp_share_floor(aim->currency.all, aim->share_nano)) / rounds;
	aim->one = aim->measure;
	if (rounds < p + 1) /* then each is dear: half of all for the attributes */
		aim->one = aim->currency.all / 2 / p;
	aim->rounds_all = aim->currency.all - aim->one * p;
	if (aim->select + aim->measure > aim->rounds_all) /* a single round: it has what is left */
	{
		aim->select = dp_share_floor(aim->rounds_all, aim->share_nano);
		aim->measure = aim->rounds_all - aim->select;
	}
	aim->tables_max = p + (uint32_t) rounds + 1;
}

static DpStatus
aim_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	AimPlan *aim = dp_alloc(arena, 1, sizeof(*aim));
	const int64_t unit = DP_SCORE_UNIT * DP_CANDIDATE_WEIGHT_ONE;

	if (aim == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = aim;
	aim->currency = dp_currency_of(plan);
	aim->cells_max = dp_graphical_cells_of(read_option(plan, "max_model_memory"));
	aim->group = read_option(plan, "group_rare") != 0;
	aim->systematic = read_option(plan, "generation") == 0;
	if (dp_unit_l1(&plan->request->unit) > SENSITIVITY_MAX / unit)
		return dp_fail(error, DP_ERR_LIMIT,
					   "a privacy unit has too many rows for tables to be selected");
	plan_amounts(plan, aim);
	DP_TRY(plan_candidates(plan, aim, arena, error));
	DP_TRY(dp_currency_plan(plan, &aim->currency, ONES, p, aim->one, 0, error));
	return dp_currency_plan_rounds(plan, &aim->currency, CHOSEN, aim->tables_max - p, aim->select,
								   aim->measure, aim->rounds_all,
								   dp_unit_l1(&plan->request->unit) * unit, error);
}

/* ---- measure ---- */

typedef struct Aim
{
	const AimPlan *plan;
	DpGraphicalMeasure measure;
	int64_t select, measure_one; /* amounts of this round */
	int64_t left;                /* of all rounds */
	double most;                 /* importance */
	uint64_t work_cells;
	double *expected, *before; /* [work_cells] expected counts */
	uint32_t *candidate;
	int64_t *score;
	bool *wide; /* [tallies] not to be scored until a clique holds it: too large a sum */
} Aim;

/* What the model may grow to by now: the share of the budget that is spent. */
static uint64_t
cells_now(const Aim *aim)
{
	double all = (double) aim->plan->currency.all;
	double spent = (all - (double) aim->left + (double) (aim->select + aim->measure_one)) / all;

	return (uint64_t) ((double) aim->plan->cells_max * (spent < 1 ? spent : 1));
}

/*
 * weight x (L1 distance - what noise alone would make of it). The weight and the expected noise are public:
 * the sensitivity is that of the distance times the largest weight, DP_CANDIDATE_WEIGHT_ONE.
 */
static DpStatus
score(Aim *aim, uint32_t i, int64_t weight, int64_t *out)
{
	const DpTally *tally = &aim->measure.tally[i];
	double noise = DP_ABSOLUTE_OF_NORMAL *
				   dp_currency_stddev(&aim->plan->currency, aim->measure_one) *
				   (double) tally->cells * DP_SCORE_UNIT;
	int64_t distance;

	DP_TRY(dp_graphical_distance(&aim->measure, i, aim->expected, &distance));
	if (__builtin_mul_overflow(distance - (int64_t) fmin(noise, 0x1p50), weight, out))
		return DP_ERR_RANGE;
	return DP_OK;
}

static DpStatus
find_candidates(Aim *aim, size_t *n)
{
	uint64_t limit = cells_now(aim);
	DpStatus status;

	*n = 0;
	for (uint32_t i = 0; i < aim->measure.tallies; i++)
	{
		const DpAttributeSet *set = &aim->measure.tally[i].set;
		int64_t weight = dp_candidate_weight(&aim->plan->candidates, set, aim->most);

		dp_tick(aim->measure.m->tick, -1.0);
		if (weight == 0 || !dp_graphical_has_room(&aim->measure, i))
			continue;
		if ((aim->wide[i] && !dp_graph_joins(&aim->measure.graphical.graph, set)) ||
			!dp_graphical_has_cliques(&aim->measure, i, limit))
			continue;
		status = score(aim, i, weight, &aim->score[*n]);
		aim->wide[i] = status == DP_ERR_LIMIT;
		if (aim->wide[i]) /* by public sizes alone */
			continue;
		DP_TRY(status);
		aim->candidate[(*n)++] = i;
	}
	return DP_OK;
}

/* How far a fit moved on a table: what was expected before and is now. */
static DpStatus
moved(Aim *aim, uint32_t chosen, double *out)
{
	const DpTally *tally = &aim->measure.tally[chosen];

	DP_TRY(dp_graphical_marginal(&aim->measure.graphical, &tally->set, aim->expected));
	*out = 0;
	for (uint64_t k = 0; k < tally->cells; k++)
		*out += fabs(aim->expected[k] - aim->before[k]);
	return DP_OK;
}

/* A table that taught less than its noise: from now on less noise. */
static DpStatus
anneal(Aim *aim, uint32_t chosen)
{
	double noise = DP_ABSOLUTE_OF_NORMAL *
				   dp_currency_stddev(&aim->plan->currency, aim->measure_one) *
				   (double) aim->measure.tally[chosen].cells;
	double distance;

	DP_TRY(moved(aim, chosen, &distance));
	if (distance > noise)
		return DP_OK;
	aim->measure_one = dp_currency_twice_as_sure(&aim->plan->currency, aim->measure_one);
	aim->select = dp_currency_twice_as_sure(&aim->plan->currency, aim->select);
	return DP_OK;
}

/* The last round takes all that is left. */
static void
share_out(Aim *aim)
{
	if (aim->left >= 2 * (aim->select + aim->measure_one) &&
		aim->measure.model->tables + 1 < aim->measure.tables_capacity)
		return;
	aim->select = dp_share_floor(aim->left, aim->plan->share_nano);
	aim->measure_one = aim->left - aim->select;
}

/* One round; *more: there may be another. */
static DpStatus
run_round(Aim *aim, bool *more)
{
	const DpMeasurement *m = aim->measure.m;
	size_t n, at;
	uint32_t chosen;

	share_out(aim);
	*more = false;
	if (aim->select < 1 || aim->measure_one < 1)
		return DP_OK;
	DP_TRY(find_candidates(aim, &n));
	if (n == 0)
		return DP_OK;
	DP_TRY(dp_currency_select(
		m, &aim->plan->currency, aim->score, n, aim->select,
		dp_unit_l1(&aim->plan->currency.unit) * DP_SCORE_UNIT * DP_CANDIDATE_WEIGHT_ONE, &at));
	chosen = aim->candidate[at];
	DP_TRY(dp_graphical_marginal(&aim->measure.graphical, &aim->measure.tally[chosen].set,
								 aim->before));
	DP_TRY(dp_graphical_release(&aim->measure, chosen, aim->measure_one));
	aim->left -= aim->select + aim->measure_one;
	*more = aim->left > 0;
	if (!*more) /* the last fit is for whoever draws */
		return DP_OK;
	DP_TRY(dp_graphical_fit(&aim->measure.graphical, &dp_graphical_round_rule, m->tick));
	return anneal(aim, chosen);
}

static DpStatus
allocate_work(Aim *aim)
{
	DpArena *arena = aim->measure.m->arena;
	uint64_t cells = 1;

	for (uint32_t i = 0; i < aim->measure.tallies; i++)
		cells = aim->measure.tally[i].cells > cells ? aim->measure.tally[i].cells : cells;
	aim->work_cells = cells;
	aim->expected = dp_alloc(arena, cells, sizeof(*aim->expected));
	aim->before = dp_alloc(arena, cells, sizeof(*aim->before));
	aim->candidate = dp_alloc(arena, aim->measure.tallies, sizeof(*aim->candidate));
	aim->score = dp_alloc(arena, aim->measure.tallies, sizeof(*aim->score));
	aim->wide = dp_alloc(arena, aim->measure.tallies, sizeof(*aim->wide));
	return aim->expected == NULL || aim->before == NULL || aim->candidate == NULL ||
				   aim->score == NULL || aim->wide == NULL
			   ? DP_ERR_MEMORY
			   : DP_OK;
}

static void
free_work(Aim *aim)
{
	DpArena *arena = aim->measure.m->arena;

	dp_free(arena, aim->expected, aim->work_cells, sizeof(*aim->expected));
	dp_free(arena, aim->before, aim->work_cells, sizeof(*aim->before));
	dp_free(arena, aim->candidate, aim->measure.tallies, sizeof(*aim->candidate));
	dp_free(arena, aim->score, aim->measure.tallies, sizeof(*aim->score));
	dp_free(arena, aim->wide, aim->measure.tallies, sizeof(*aim->wide));
}

static DpStatus
aim_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const AimPlan *plan = m->plan->private_data;
	Aim aim = {.plan = plan,
			   .select = plan->select,
			   .measure_one = plan->measure,
			   .left = plan->rounds_all};
	DpAttributeSet *set = dp_memdup(m->arena, plan->candidates.set,
									plan->candidates.n * sizeof(*plan->candidates.set));
	bool more = true;
	uint32_t n;

	if (set == NULL)
		return DP_ERR_MEMORY;
	dp_announce(m, ONES);
	n = dp_graphical_feasible(m->domain, set, plan->candidates.n, plan->cells_max);
	aim.most = dp_candidates_most(&plan->candidates, set, n);
	DP_TRY(dp_graphical_open(&aim.measure, m, &plan->currency, set, n, plan->cells_max,
							 plan->tables_max, model, error));
	DP_TRY(dp_graphical_release_ones(&aim.measure, plan->one, plan->group));
	DP_TRY(allocate_work(&aim));
	dp_announce(m, CHOSEN);
	DP_TRY(dp_graphical_fit(&aim.measure.graphical, &dp_graphical_round_rule, m->tick));
	while (more)
		DP_TRY(run_round(&aim, &more));
	free_work(&aim);
	return dp_graphical_close(&aim.measure, plan->systematic);
}

const DpMethod dp_method_aim = {
	.name = "aim",
	.summary =
		"Tables of a workload chosen one after the other by what the model so far gets wrong, "
		"fitted as a graphical model.",
	.guarantee = "(epsilon, delta)-DP; epsilon-DP with delta 0",
	.source = "AIM, McKenna, Mullins, Sheldon, Miklau 2022",
	.specs = specs,
	.specs_n = SPECS_N,
	.plan = aim_plan,
	.measure = aim_measure,
	.prepare = dp_graphical_prepare,
	.draw = dp_graphical_draw,
	.draw_cost = dp_graphical_draw_cost,
	.gaussian = true,
	.draw_block = dp_graphical_draw_block,
	.expect = dp_graphical_expect,
};
