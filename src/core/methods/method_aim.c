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
#include <string.h>

#include "core/base/saturate.h"
#include "core/graphical/evidence.h"
#include "core/graphical/public.h"
#include "core/mechanism/mechanism.h"
#include "core/methods/aim_batch.h"
#include "core/methods/registry.h"
#include "core/release/graphical_options.h"
#include "core/release/graphical_plan.h"
#include "core/release/method.h"
#include "core/release/refuse.h"
#include "core/rows/graphical_prepare.h"
#include "core/select/candidates.h"

#define SCORE_ONE (DP_SCORE_UNIT * DP_CANDIDATE_WEIGHT_ONE) /* a row of distance with weight 1 */
#define ONES "tables of one column"
#define CHOSEN "choose and release tables"
#define ROUNDS_CONCENTRATED 8 /* rounds for each attribute */
#define ROUNDS_SCARCE 4       /* rounds for each attribute where rho is below SCARCE_RHO */
#define SCARCE_RHO (DP_RHO_ONE / 1000)
#define ROUNDS_PURE 4
#define BATCH_COLUMNS 40               /* with more columns a fit for each table takes too long */
#define BATCH_SHARED 1                 /* columns that two tables of a batch may share */
#define TRIPLES_MOST 10000             /* all sets of three columns are the default up to here */
#define SCORES_MOST UINT64_C(20000000) /* candidates x rounds */

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
			"each two tables a column, with a delta and more than 40 columns as many as columns.",
	},
	DP_SPEC_SHARE("share_select", "0.1", "Share of the budget of a round for choosing its table."),
	DP_SPEC_PREDICT,
	DP_SPEC_GROUP_RARE("false"),
	DP_SPEC_GENERATION,
	DP_SPEC_EFFORT,
	DP_SPEC_MODEL_MEMORY,
};

typedef struct AimPlan
{
	DpCurrency currency;
	DpCandidates candidates;
	uint64_t cells_max;
	int64_t one; /* amount for the table of one attribute */
	DpCurrencyRounds rounds;
	int64_t share_nano; /* share of a round's amount that its selection gets */
	uint32_t tables_max;
	uint32_t batch; /* most tables between two fits */
	bool grows;     /* batches begin with one table */
	bool ask_later; /* whether a candidate fits is asked once it is drawn */
	bool forest;    /* no pair of a batch has columns that its other tables tie already */
	bool group, systematic;
} AimPlan;

/* ---- plan ---- */

/* A fit handles each of its tables in parts: 2^n parts for a table over n attributes. */
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

/* What each round scores. Fits take time, too, but their size has a limit of its own. */
static DpStatus
check_scores(const AimPlan *aim, DpError *error)
{
	uint32_t batch = aim->grows ? 1 : aim->batch;
	uint64_t scores = dp_multiply_saturated(aim->candidates.n, aim->rounds.tables / batch + 1);

	if (scores <= SCORES_MOST)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "choosing tables would take too long");
	dp_fail_detail(error,
				   "There are %u sets to choose from in %llu rounds, and the limit of their "
				   "product is %llu.",
				   aim->candidates.n, (unsigned long long) aim->rounds.tables,
				   (unsigned long long) SCORES_MOST);
	dp_fail_hint(error,
				 "Take \"workload\" 2, a larger \"batch\", fewer \"rounds\", or method mst.");
	return DP_ERR_LIMIT;
}

/* All triples, or all pairs where triples are so many that scoring them takes longest. */
static uint32_t
workload_size(const DpPlan *plan)
{
	uint64_t p = plan->request->domain->attributes;

	if (!dp_option_given(plan->request->options, "workload") &&
		p * (p - 1) * (p - 2) / 6 > TRIPLES_MOST)
		return 2;
	return (uint32_t) dp_plan_option(plan, "workload");
}

/* The fits of all rounds at the first rate. */
static uint64_t
fits_at_most(const AimPlan *aim, uint32_t attributes)
{
	uint64_t fits = 1;

	if (!aim->grows)
		return aim->rounds.tables / aim->batch + 1;
	for (uint64_t tables = 0; tables < aim->rounds.tables; fits++)
		tables += dp_aim_batch(attributes, tables);
	return fits;
}

/* What was expected of the tables of a batch, which are different ones. */
static uint64_t
expected_cells(const AimPlan *aim, const DpGraphicalSizes *sizes)
{
	uint64_t most = dp_multiply_saturated(sizes->largest, aim->batch);

	if (aim->batch == 1)
		return 0;
	return most < sizes->tallied ? most : sizes->tallied;
}

/* Sets without the attribute that is to be predicted weigh less. */
static DpStatus
weigh_for_prediction(const DpPlan *plan, DpWorkload *workload, DpError *error)
{
	uint32_t predicted;

	DP_TRY(dp_graphical_predicted(plan, &predicted, error));
	for (uint32_t i = 0; predicted != DP_PREDICT_NONE && i < workload->sets; i++)
		if (!dp_workload_set_has(&workload->set[i], predicted))
			workload->set[i].weight_nano =
				(workload->set[i].weight_nano + DP_PREDICT_OTHERS - 1) / DP_PREDICT_OTHERS;
	return DP_OK;
}

/* How long it will take. A model cannot be larger than the table of all attributes. */
static void
expect(DpPlan *plan, const AimPlan *aim, const DpGraphicalSizes *sizes)
{
	uint64_t joint = dp_graphical_joint_cells(plan->request->domain);

	dp_expect_scan(&plan->expected, plan->request->domain->attributes, aim->candidates.n);
	dp_expect_rounds(&plan->expected,
					 &(DpExpectedRounds){
						 .cells = joint < aim->cells_max ? joint : aim->cells_max,
						 .counted = sizes->counted,
						 .tables = aim->rounds.tables,
						 .candidates = aim->candidates.n,
						 .scorings = fits_at_most(aim, plan->request->domain->attributes),
						 .batched = aim->ask_later && aim->forest,
						 .noise_stddev = dp_currency_stddev(&aim->currency, aim->rounds.release)});
}

/* Whether the table before tells how these attributes go together, at no cost. */
static bool
is_told(const int32_t *known, const DpAttributeSet *set)
{
	uint32_t told = 0;

	for (uint32_t k = 0; k < set->n; k++)
		told += known[set->attribute[k]] == DP_KNOWN;
	return told == set->n && set->n > 1;
}

/* Leaves out what costs nothing. */
static void
drop_told(const int32_t *known, DpCandidates *candidates)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < candidates->n && known != NULL; i++)
		if (!is_told(known, &candidates->set[i]))
			candidates->set[kept++] = candidates->set[i];
	candidates->n = known != NULL ? kept : candidates->n;
}

static DpStatus
plan_candidates(DpPlan *plan, AimPlan *aim, DpArena *arena, DpError *error)
{
	const DpWorkloadQuery query = {.option = "workload",
								   .given = dp_option_lists(plan->request->options, "workload"),
								   .size = workload_size(plan),
								   .domain = plan->request->domain,
								   .sets_max = DP_CANDIDATES_MAX,
								   .tick = plan->request->tick,
								   .known = plan->request->known};
	DpWorkload workload;
	DpDomain guess;
	DpGraphicalSizes sizes = {.clique_cells = aim->cells_max};

	DP_TRY(dp_workload_read(&query, &workload, arena, error));
	DP_TRY(weigh_for_prediction(plan, &workload, error));
	DP_TRY(dp_candidates_make(&workload, plan->request->domain->attributes, &aim->candidates,
							  plan->request->tick, arena, error));
	drop_told(plan->request->known, &aim->candidates);
	DP_TRY(check_scores(aim, error));
	DP_TRY(plan_parts(aim, plan->request->domain, &sizes, error));
	DP_TRY(dp_graphical_guess(plan->request->domain, &guess, arena));
	DP_TRY(dp_graphical_check_ones(plan, &guess, aim->cells_max, error));
	DP_TRY(dp_graphical_plan_counts(&guess, aim->candidates.set, aim->candidates.n, aim->cells_max,
									&sizes, plan->request->tick, arena));
	if (sizes.counted > DP_MODEL_CELLS_MAX)
		return dp_refuse_cells(CHOSEN, DP_MODEL_CELLS_MAX,
							   "take \"workload\" 2, or fewer sets, or method mst", error);
	sizes.released = dp_multiply_saturated(sizes.largest, aim->tables_max);
	sizes.queried =
		dp_add_saturated(dp_graphical_query_cells(aim->cells_max), expected_cells(aim, &sizes));
	plan->scans++;
	dp_graphical_plan_memory(plan, &sizes);
	expect(plan, aim, &sizes);
	return DP_OK;
}

/* Where noise is large, few tables are worth their cost. Fewer rounds leave more for each. */
static int64_t
rounds_of(const DpCurrency *currency, uint32_t attributes)
{
	if (!currency->concentrated)
		return (int64_t) attributes * ROUNDS_PURE;
	return (int64_t) attributes *
		   (currency->all < SCARCE_RHO ? ROUNDS_SCARCE : ROUNDS_CONCENTRATED);
}

/* Attributes, of which those that are known before a row is drawn count as a half. */
static uint32_t
drawn_of(const DpRequest *request)
{
	uint32_t p = request->domain->attributes, known = 0;

	for (uint32_t a = 0; a < p && request->known != NULL; a++)
		known += request->known[a] != DP_DRAWN;
	return p - known / 2;
}

/* The rate of the rounds is what T of them can take from the budget. The tables of one attribute
 * count as p of these. */
static void
plan_amounts(DpPlan *plan, AimPlan *aim)
{
	uint32_t p = plan->request->domain->attributes;
	int64_t all = aim->currency.all, rounds = dp_plan_option(plan, "rounds");
	DpCurrencyRounds *paid = &aim->rounds;

	if (!dp_option_given(plan->request->options, "rounds"))
		rounds = rounds_of(&aim->currency, drawn_of(plan->request));
	aim->share_nano = dp_plan_option(plan, "share_select");
	paid->name = CHOSEN;
	paid->tables = (uint64_t) rounds + 1;
	paid->select = dp_share_floor(all, aim->share_nano) / rounds;
	paid->release = (all - dp_share_floor(all, aim->share_nano)) / rounds;
	paid->sensitivity = dp_unit_l1(&aim->currency.unit) * SCORE_ONE;
	aim->one = paid->release;
	if (rounds < p + 1) /* each table is dear then: half of all for the attributes */
		aim->one = all / 2 / p;
	paid->total = all - aim->one * p;
	if (paid->select + paid->release > paid->total) /* a single round has what is left */
	{
		paid->select = dp_share_floor(paid->total, aim->share_nano);
		paid->release = paid->total - paid->select;
	}
	aim->tables_max = p + (uint32_t) paid->tables;
}

static void
plan_batch(const DpPlan *plan, AimPlan *aim)
{
	uint32_t p = plan->request->domain->attributes;

	aim->grows = false;
	if (dp_option_given(plan->request->options, "batch"))
		aim->batch = (uint32_t) dp_plan_option(plan, "batch");
	else if (p > BATCH_COLUMNS && aim->currency.concentrated)
		aim->batch = p;
	else
	{
		aim->grows = true;
		aim->batch = dp_aim_batch(p, aim->rounds.tables);
	}
	aim->forest = p > BATCH_COLUMNS;
	aim->ask_later = aim->batch > 1 && !aim->grows && aim->currency.concentrated;
}

static DpStatus
aim_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	AimPlan *aim = dp_alloc(arena, 1, sizeof(*aim));

	if (aim == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = aim;
	aim->currency = dp_currency_of(plan);
	aim->cells_max = dp_graphical_cells_of(dp_plan_option(plan, "max_model_memory"));
	aim->group = dp_plan_option(plan, "group_rare") != 0;
	aim->systematic = dp_plan_option(plan, "generation") == 0;
	if (dp_unit_l1(&plan->request->unit) > DP_SELECT_SENSITIVITY_MAX / SCORE_ONE)
		return dp_refuse_unit(CHOSEN, error);
	plan_amounts(plan, aim);
	plan_batch(plan, aim);
	DP_TRY(plan_candidates(plan, aim, arena, error));
	DP_TRY(dp_currency_plan(plan, &aim->currency, &(DpCurrencyStage){ONES, p, aim->one}, error));
	return dp_currency_plan_rounds(plan, &aim->currency, &aim->rounds, error);
}

/* ---- measure ---- */

/* A table of this batch, and what was expected before it was released. */
typedef struct AimTaken
{
	uint32_t tally;
	double *before;
} AimTaken;

typedef struct Aim
{
	const AimPlan *plan;
	DpGraphicalMeasure measure;
	int64_t select, measure_one; /* amounts of this round */
	int64_t left;                /* left for all rounds */
	double most;                 /* the largest importance */
	uint64_t work_cells;
	double *expected; /* [work_cells] expected counts */
	uint32_t *candidate;
	int64_t *score;
	bool *refused;   /* [tallies] scratch of a selection */
	AimTaken *taken; /* [batch] */
	uint32_t taken_n;
	uint32_t *tied_to; /* [attributes] of a tree of the batch; its own number at the root */
	bool *wide; /* [tallies] its sum is too large: not to be scored until a clique holds it */
} Aim;

/* The size that the model may have by now: the share of the budget that is spent. */
static uint64_t
cells_now(const Aim *aim)
{
	double all = (double) aim->plan->currency.all;
	double spent = (all - (double) aim->left + (double) (aim->select + aim->measure_one)) / all;

	return (uint64_t) ((double) aim->plan->cells_max * (spent < 1 ? spent : 1));
}

/* The weight is public, so the sensitivity is that of the gain times the largest weight,
 * DP_CANDIDATE_WEIGHT_ONE. */
static DpStatus
score(Aim *aim, uint32_t i, int64_t weight, int64_t *out)
{
	double stddev = dp_currency_stddev(&aim->plan->currency, aim->measure_one);
	int64_t gain;

	DP_TRY(dp_graphical_gain(&aim->measure, i, stddev, aim->expected, &gain));
	return __builtin_mul_overflow(gain, weight, out) ? DP_ERR_RANGE : DP_OK;
}

/* Whether a candidate may be chosen by its cliques. Of many columns the tree is asked that is there:
 * what is drawn is asked again. */
static bool
has_cliques(Aim *aim, uint32_t i, uint64_t limit)
{
	return aim->plan->ask_later ? dp_graphical_widens(&aim->measure, i, limit)
								: dp_graphical_has_cliques(&aim->measure, i, limit);
}

static DpStatus
find_candidates(Aim *aim, size_t *n)
{
	uint64_t limit = cells_now(aim);
	DpStatus status;

	*n = 0;
	if (aim->plan->ask_later)
		DP_TRY(dp_graphical_ask(&aim->measure));
	for (uint32_t i = 0; i < aim->measure.tallies; i++)
	{
		const DpAttributeSet *set = &aim->measure.tally[i].set;
		int64_t weight = dp_candidate_weight(&aim->plan->candidates, set, aim->most);

		dp_tick(aim->measure.m->noise.tick, -1.0);
		if (weight == 0 || !dp_graphical_has_room(&aim->measure, i))
			continue;
		if ((aim->wide[i] && !dp_graph_joins(&aim->measure.graphical.graph, set)) ||
			!has_cliques(aim, i, limit))
			continue;
		status = score(aim, i, weight, &aim->score[*n]);
		aim->wide[i] = status == DP_ERR_LIMIT;
		if (aim->wide[i]) /* public sizes and what is released decide this */
			continue;
		DP_TRY(status);
		aim->candidate[(*n)++] = i;
	}
	return DP_OK;
}

/* How far the last fit moved on a table of this batch. */
static DpStatus
moved(Aim *aim, const AimTaken *taken, double *out)
{
	const DpTally *tally = &aim->measure.tally[taken->tally];

	DP_TRY(dp_graphical_marginal(&aim->measure.graphical, &tally->set, aim->expected));
	for (uint64_t k = 0; k < tally->cells; k++)
		*out += fabs(aim->expected[k] - taken->before[k]);
	return DP_OK;
}

/* If a batch taught less than its noise, there is less noise from now on. */
static DpStatus
anneal(Aim *aim)
{
	double stddev = dp_currency_stddev(&aim->plan->currency, aim->measure_one);
	double noise = 0, distance = 0;

	for (uint32_t i = 0; i < aim->taken_n; i++)
	{
		const AimTaken *taken = &aim->taken[i];

		DP_TRY(moved(aim, taken, &distance));
		noise += dp_graphical_noise(taken->before, aim->measure.tally[taken->tally].cells, stddev);
	}
	if (distance > noise)
		return DP_OK;
	aim->measure_one = dp_currency_twice_as_sure(&aim->plan->currency, aim->measure_one);
	aim->select = dp_currency_twice_as_sure(&aim->plan->currency, aim->select);
	return DP_OK;
}

/* Whether the next table is the last one: it takes all that is left. */
static bool
is_last(const Aim *aim)
{
	return aim->left < 2 * (aim->select + aim->measure_one) ||
		   aim->measure.model->tables + 1 >= aim->measure.tables_capacity;
}

static void
share_out(Aim *aim)
{
	if (!is_last(aim))
		return;
	aim->select = dp_share_floor(aim->left, aim->plan->share_nano);
	aim->measure_one = aim->left - aim->select;
}

static bool
fits(void *context, size_t candidate)
{
	Aim *aim = context;

	return dp_graphical_fits(&aim->measure, aim->candidate[candidate], cells_now(aim));
}

static void
drop_candidate(Aim *aim, size_t at, size_t *n)
{
	aim->candidate[at] = aim->candidate[--*n];
	aim->score[at] = aim->score[*n];
}

/* Drops the candidates that do not fit with what this batch has released. */
static void
drop_unfit(Aim *aim, size_t *n)
{
	for (size_t i = *n; i-- > 0;)
		if (!fits(aim, i))
			drop_candidate(aim, i, n);
}

/*
 * Selects a candidate that fits; *at is *n where none does. The first of a batch is one of those
 * that were listed as fitting. With a delta and a batch those are listed for which the tree that is
 * there can be widened, and whoever is drawn is asked again with those drawn before: to ask all of the
 * tree that would be built takes longest where columns are many.
 */
static DpStatus
select_one(Aim *aim, size_t *n, size_t *at)
{
	const AimPlan *plan = aim->plan;
	const DpNoiseSource *noise = &aim->measure.m->noise;
	const DpAllowed allowed = {.test = fits, .context = aim, .refused = aim->refused};
	DpScores scores = {.score = aim->score, .n = *n, .sensitivity = plan->rounds.sensitivity};

	if (plan->ask_later)
	{
		DP_TRY(dp_graphical_ask(&aim->measure));
		memset(aim->refused, 0, *n * sizeof(*aim->refused));
		return dp_select_allowed(noise, &scores, &allowed, aim->select, at);
	}
	if (aim->taken_n > 0)
		drop_unfit(aim, n);
	*at = scores.n = *n;
	return *n > 0 ? dp_currency_select(noise, &plan->currency, aim->select, &scores, at) : DP_OK;
}

static uint32_t
count_shared(const DpAttributeSet *a, const DpAttributeSet *b)
{
	uint32_t shared = 0;

	for (uint32_t i = 0, k = 0; i < a->n && k < b->n;)
	{
		uint32_t x = a->attribute[i], y = b->attribute[k];

		shared += x == y;
		i += x <= y;
		k += y <= x;
	}
	return shared;
}

static uint32_t
tree_of(const Aim *aim, uint32_t column)
{
	while (aim->tied_to[column] != column)
		column = aim->tied_to[column];
	return column;
}

/* The tables of a batch tie columns to trees. */
static void
tie(Aim *aim, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n; k++)
		aim->tied_to[tree_of(aim, set->attribute[k])] = tree_of(aim, set->attribute[0]);
}

static bool
is_tied(const Aim *aim, const DpAttributeSet *set)
{
	for (uint32_t k = 1; k < set->n; k++)
		if (tree_of(aim, set->attribute[k]) != tree_of(aim, set->attribute[0]))
			return false;
	return set->n > 1;
}

/* Whether the tables of the batch say much of what a candidate would. */
static bool
is_alike(const Aim *aim, const DpAttributeSet *chosen, const DpAttributeSet *set)
{
	uint32_t shared = count_shared(chosen, set);

	return shared > BATCH_SHARED || (aim->plan->forest && (shared == set->n || is_tied(aim, set)));
}

/* Drops what was chosen, and what says much of the same: its score is that of the fit before. */
static void
drop_alike(Aim *aim, uint32_t chosen, size_t *n)
{
	const DpAttributeSet *set = &aim->measure.tally[chosen].set;

	tie(aim, set);
	for (size_t i = *n; i-- > 0;)
		if (aim->candidate[i] == chosen ||
			is_alike(aim, set, &aim->measure.tally[aim->candidate[i]].set))
			drop_candidate(aim, i, n);
}

/* How many tables the next batch has. A large model is fitted less often. */
static uint32_t
batch_now(const Aim *aim)
{
	uint32_t p = aim->measure.m->domain->attributes;
	uint32_t grown = dp_aim_batch(p, aim->measure.model->tables - p);

	return aim->plan->grows && grown < aim->plan->batch ? grown : aim->plan->batch;
}

/* Releases the table of a candidate, and remembers what was expected of it. */
static DpStatus
take(Aim *aim, uint32_t chosen)
{
	const DpTally *tally = &aim->measure.tally[chosen];
	AimTaken *taken = &aim->taken[aim->taken_n++];

	DpStatus status;

	taken->tally = chosen;
	taken->before = dp_alloc(aim->measure.m->arena, tally->cells, sizeof(double));
	if (taken->before == NULL)
		return DP_ERR_MEMORY;
	status = dp_graphical_marginal(&aim->measure.graphical, &tally->set, taken->before);
	if (status != DP_ERR_LIMIT) /* else too few messages are kept: it counts as having moved far */
		DP_TRY(status);
	return dp_graphical_release(&aim->measure, chosen, aim->measure_one);
}

/* Chooses and releases the tables of a batch, by the scores of one fit. */
static DpStatus
take_batch(Aim *aim, bool *more)
{
	uint32_t batch = batch_now(aim);
	size_t n, at;

	*more = false;
	if (aim->select < 1 || aim->measure_one < 1)
		return DP_OK;
	DP_TRY(find_candidates(aim, &n));
	while (n > 0 && aim->taken_n < batch)
	{
		uint32_t chosen;

		DP_TRY(select_one(aim, &n, &at));
		*more = at < n; /* or none fits any more */
		if (!*more)
			return DP_OK;
		chosen = aim->candidate[at];
		drop_alike(aim, chosen, &n);
		DP_TRY(take(aim, chosen));
		aim->left -= aim->select + aim->measure_one;
		*more = aim->left > 0;
		if (!*more || is_last(aim))
			return DP_OK;
	}
	return DP_OK;
}

static void
forget_batch(Aim *aim)
{
	for (uint32_t a = 0; a < aim->measure.m->domain->attributes; a++)
		aim->tied_to[a] = a;
	while (aim->taken_n > 0)
	{
		AimTaken *taken = &aim->taken[--aim->taken_n];

		dp_free(aim->measure.m->arena, taken->before, aim->measure.tally[taken->tally].cells,
				sizeof(double));
	}
}

/* Runs one round. *more says whether there may be another. */
static DpStatus
run_round(Aim *aim, bool *more)
{
	share_out(aim);
	DP_TRY(take_batch(aim, more));
	if (*more) /* the last fit is for whoever draws */
	{
		DpFitRule rule =
			dp_graphical_rule_for(&dp_graphical_round_rule, aim->measure.m->domain->attributes);

		DP_TRY(dp_graphical_fit(&aim->measure.graphical, &rule, aim->measure.m->noise.tick));
		DP_TRY(anneal(aim));
	}
	forget_batch(aim);
	return DP_OK;
}

static DpStatus
allocate_work(Aim *aim)
{
	DpArena *arena = aim->measure.m->arena;
	uint32_t p = aim->measure.m->domain->attributes;
	uint64_t cells = 1;

	for (uint32_t i = 0; i < aim->measure.tallies; i++)
		cells = aim->measure.tally[i].cells > cells ? aim->measure.tally[i].cells : cells;
	aim->work_cells = cells;
	aim->expected = dp_alloc(arena, cells, sizeof(*aim->expected));
	aim->tied_to = dp_alloc(arena, p, sizeof(*aim->tied_to));
	aim->taken = dp_alloc(arena, aim->plan->batch, sizeof(*aim->taken));
	aim->refused = dp_alloc(arena, aim->measure.tallies, sizeof(*aim->refused));
	aim->candidate = dp_alloc(arena, aim->measure.tallies, sizeof(*aim->candidate));
	aim->score = dp_alloc(arena, aim->measure.tallies, sizeof(*aim->score));
	aim->wide = dp_alloc(arena, aim->measure.tallies, sizeof(*aim->wide));
	if (aim->expected == NULL || aim->tied_to == NULL || aim->taken == NULL ||
		aim->refused == NULL || aim->candidate == NULL || aim->score == NULL || aim->wide == NULL)
		return DP_ERR_MEMORY;
	forget_batch(aim);
	return DP_OK;
}

static void
free_work(Aim *aim)
{
	DpArena *arena = aim->measure.m->arena;
	uint32_t p = aim->measure.m->domain->attributes;

	dp_free(arena, aim->expected, aim->work_cells, sizeof(*aim->expected));
	dp_free(arena, aim->tied_to, p, sizeof(*aim->tied_to));
	dp_free(arena, aim->taken, aim->plan->batch, sizeof(*aim->taken));
	dp_free(arena, aim->refused, aim->measure.tallies, sizeof(*aim->refused));
	dp_free(arena, aim->candidate, aim->measure.tallies, sizeof(*aim->candidate));
	dp_free(arena, aim->score, aim->measure.tallies, sizeof(*aim->score));
	dp_free(arena, aim->wide, aim->measure.tallies, sizeof(*aim->wide));
}

static DpStatus
aim_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const AimPlan *plan = m->plan->private_data;
	Aim aim = {.measure = {.m = m,
						   .currency = plan->currency,
						   .cells_max = plan->cells_max,
						   .tables_capacity = plan->tables_max,
						   .model = model},
			   .plan = plan,
			   .select = plan->rounds.select,
			   .measure_one = plan->rounds.release,
			   .left = plan->rounds.total};
	DpAttributeSet *set = dp_memdup(m->arena, plan->candidates.set,
									plan->candidates.n * sizeof(*plan->candidates.set));
	bool more = true;
	uint32_t n;

	if (set == NULL)
		return DP_ERR_MEMORY;
	dp_announce(m, ONES);
	n = dp_graphical_feasible(m->domain, set, plan->candidates.n, plan->cells_max);
	aim.most = dp_candidates_most(&plan->candidates, set, n);
	DP_TRY(dp_graphical_open(&aim.measure, set, n, error));
	DP_TRY(dp_graphical_release_ones(&aim.measure, plan->one, plan->group));
	DP_TRY(allocate_work(&aim));
	dp_announce(m, CHOSEN);
	DP_TRY(dp_graphical_fit(&aim.measure.graphical, &dp_graphical_round_rule, m->noise.tick));
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
	DP_SPECS(specs),
	.plan = aim_plan,
	.measure = aim_measure,
	.gaussian = true,
	.sampler = &dp_graphical_sampler,
};
