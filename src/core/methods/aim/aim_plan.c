/*
 * aim_plan.c -- what aim will do, from public facts.
 */
#include "core/methods/aim/aim_plan.h"

#include "core/base/saturate.h"
#include "core/domain/workload.h"
#include "core/graphical/noisy_measurement.h"
#include "core/mechanism/mechanism.h"
#include "core/methods/aim/aim_batch.h"
#include "core/methods/aim/aim_order.h"
#include "core/plan/graphical_options.h"
#include "core/plan/graphical_plan.h"
#include "core/plan/graphical_score.h"
#include "core/plan/method.h"
#include "core/plan/refuse.h"

#define SCORE_ONE (DP_SCORE_UNIT * DP_CANDIDATE_WEIGHT_ONE) /* a row of distance with weight 1 */
#define ROUNDS_CONCENTRATED 8                               /* rounds for each attribute */
#define ROUNDS_SCARCE 4 /* rounds for each attribute where rho is below SCARCE_RHO */
#define SCARCE_RHO (DP_RHO_ONE / 1000)
#define ROUNDS_PURE 4
#define SIBLING_PART 8 /* divides the amount of tables of siblings */
#define SIBLING_ONE_WAY "tables of one column of siblings"
#define TRIPLES_MOST 10000             /* all sets of three columns are the default up to here */
#define SCORES_MOST UINT64_C(20000000) /* candidates x rounds */
#define WORKLOAD_DEFAULT 3
#define ORDER_SCORINGS 4      /* of sets of more columns: each time the noise is halved */
#define ORDER_CELLS 2         /* of sets of more columns, for each cell of the model */
#define ORDER_MEMBERS 10000   /* columns of all such sets: a row is counted in each */
#define ORDER_PREDICT_CELLS 4 /* the same where a column is to be predicted */
#define ORDER_PREDICT_MEMBERS 30000

/* A fit handles each of its tables in parts: 2^n parts for a table over n attributes. */
static DpStatus
plan_parts(const DpAimPlan *aim, const DpRequest *request, DpGraphicalSizes *sizes, DpError *error)
{
	const DpCandidates *all = &aim->candidates;
	uint64_t tables = aim->tables_max < all->n ? aim->tables_max : all->n;

	sizes->parts = dp_graphical_plan_public_parts(request) +
				   (tables << all->set[all->n - 1].n); /* the last one is the widest */
	if (sizes->parts <= DP_INTERACTION_PARTS_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "there are too many rounds for sets so large");
	dp_fail_hint(error, "Take fewer \"rounds\", or smaller sets in \"workload\".");
	return DP_ERR_LIMIT;
}

/* Lists of candidates, at most. */
static uint64_t
scorings(const DpAimPlan *aim)
{
	return aim->rounds.tables / (aim->grows ? 1 : aim->batch) + 1;
}

/* What each round scores. Fits take time, too, but their size has a limit of its own. */
static DpStatus
check_scores(const DpAimPlan *aim, DpError *error)
{
	uint64_t scores = dp_multiply_saturated(aim->candidates.n, scorings(aim));

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
fits_at_most(const DpAimPlan *aim)
{
	uint64_t fits = 1;

	if (!aim->grows)
		return aim->rounds.tables / aim->batch + 1;
	for (uint64_t tables = 0; tables < aim->rounds.tables; fits++)
		tables += dp_aim_batch(tables);
	return fits;
}

/* What was expected of the tables of a batch, which differ from each other. */
static uint64_t
expected_cells(const DpAimPlan *aim, const DpGraphicalSizes *sizes)
{
	uint64_t most = dp_multiply_saturated(sizes->largest, aim->batch);

	if (aim->batch == 1)
		return 0;
	return most < sizes->margin_cells ? most : sizes->margin_cells;
}

/* The cells of expected counts of the tracked pairs. */
static uint64_t
changes_cells(const DpAimPlan *aim, const DpDomain *estimate)
{
	uint64_t pairs = dp_graphical_pair_cells(estimate);

	return pairs < aim->changes_cells ? pairs : aim->changes_cells;
}

/* Sets without the attribute that is to be predicted weigh less. */
static DpStatus
weigh_for_prediction(const DpPlan *plan, DpWorkload *workload, DpError *error)
{
	uint32_t predicted;

	DP_TRY(dp_graphical_predicted(plan, &predicted, error));
	for (uint32_t i = 0; predicted != DP_PREDICT_NONE && i < workload->sets; i++)
		if (!dp_set_holds(&workload->set[i].of, predicted))
			workload->set[i].weight_nano =
				(workload->set[i].weight_nano + DP_PREDICT_OTHERS - 1) / DP_PREDICT_OTHERS;
	return DP_OK;
}

/* How long it will take. A model cannot be larger than the table of all attributes. */
static void
expect(DpPlan *plan, const DpAimPlan *aim, const DpDomain *estimate, const DpGraphicalSizes *sizes)
{
	uint64_t joint = dp_graphical_joint_cells(plan->request->domain);
	uint32_t usual = 0;

	plan->estimate.levels = dp_graphical_mean_levels(estimate);
	dp_expect_tables(&plan->estimate, 1, (double) sizes->members);
	for (uint32_t i = 0; i < aim->candidates.n; i++)
	{
		const DpAttributeSet *set = &aim->candidates.set[i];
		uint64_t cells = dp_domain_cells(estimate, set->attribute, set->n);

		if (set->n > aim->candidates.widest) /* few of them are released */
			dp_expect_scores(&plan->estimate, ORDER_SCORINGS * cells);
		else
			dp_expect_candidate(&plan->estimate, cells);
		usual += set->n <= aim->candidates.widest;
	}
	dp_expect_rounds(&plan->estimate,
					 &(DpCostRounds){.cells = joint < aim->cells_max ? joint : aim->cells_max,
									 .counted = sizes->counted,
									 .tables = aim->rounds.tables,
									 .candidates = usual,
									 .scorings = fits_at_most(aim),
									 .batched = aim->ask_later && aim->forest,
									 .columns = plan->request->domain->attributes,
									 .noise_stddev = dp_privacy_measure_stddev(
										 &aim->privacy_measure, aim->rounds.release)});
}

/* Leaves out how what is known before a row is drawn goes together: sets of candidates have such
 * subsets. */
static void
drop_known(const int32_t *known, DpCandidates *candidates)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < candidates->n && known != NULL; i++)
	{
		const DpAttributeSet *set = &candidates->set[i];

		if (set->n == 1 || dp_workload_draws(set->attribute, set->n, known))
			candidates->set[kept++] = *set;
	}
	candidates->n = known != NULL ? kept : candidates->n;
}

/*
 * Where no workload is given and all triples are candidates, so are larger sets, with few columns or
 * one that is to be predicted: as many as have a few times the model's cells, and as can be counted
 * and scored.
 */
static DpStatus
add_order(const DpPlan *plan, const DpDomain *estimate, DpAimPlan *aim, DpArena *arena,
		  DpError *error)
{
	DpCandidates *all = &aim->candidates;
	DpAimOrder order = {.domain = estimate,
						.known = plan->request->known,
						.sets_max = SCORES_MOST / scorings(aim),
						.tick = plan->request->tick};
	bool predicts;

	if (dp_option_given(plan->request->options, "workload") || all->widest != WORKLOAD_DEFAULT)
		return DP_OK;
	DP_TRY(dp_graphical_predicted(plan, &order.predicted, error));
	predicts = order.predicted != DP_PREDICT_NONE;
	if (!predicts && plan->request->domain->attributes > DP_AIM_FEW_COLUMNS)
		return DP_OK;
	order.cells_max = (predicts ? ORDER_PREDICT_CELLS : ORDER_CELLS) * aim->cells_max;
	order.members_max = predicts ? ORDER_PREDICT_MEMBERS : ORDER_MEMBERS;
	order.sets_max = order.sets_max > all->n ? order.sets_max - all->n : 0;
	return dp_aim_order_add(&order, all, arena);
}

static DpStatus
plan_candidates(DpPlan *plan, DpAimPlan *aim, DpArena *arena, DpError *error)
{
	const DpWorkloadQuery query = {.option = "workload",
								   .given = dp_option_lists(plan->request->options, "workload"),
								   .size = workload_size(plan),
								   .domain = plan->request->domain,
								   .sets_max = DP_CANDIDATES_MAX,
								   .tick = plan->request->tick,
								   .known = plan->request->known};
	DpWorkload workload;
	DpDomain estimate;
	DpGraphicalSizes sizes = {.clique_cells = aim->cells_max};

	DP_TRY(dp_workload_read(&query, &workload, arena, error));
	DP_TRY(weigh_for_prediction(plan, &workload, error));
	DP_TRY(dp_candidates_make(&workload, plan->request->domain->attributes, &aim->candidates,
							  plan->request->tick, arena, error));
	drop_known(plan->request->known, &aim->candidates);
	DP_TRY(check_scores(aim, error));
	DP_TRY(dp_graphical_estimate(plan->request->domain, &estimate, arena));
	DP_TRY(add_order(plan, &estimate, aim, arena, error));
	DP_TRY(plan_parts(aim, plan->request, &sizes, error));
	DP_TRY(dp_graphical_check_one_way(plan, &estimate, aim->cells_max, error));
	DP_TRY(dp_graphical_plan_counts(&estimate, aim->candidates.set, aim->candidates.n,
									aim->cells_max, &sizes, plan->request->tick, arena));
	if (sizes.counted > DP_MODEL_CELLS_MAX)
		return dp_refuse_cells(DP_AIM_CHOSEN, DP_MODEL_CELLS_MAX,
							   "take \"workload\" 2, or fewer sets, or method mst", error);
	sizes.released = dp_multiply_saturated(sizes.largest, aim->tables_max);
	aim->changes_cells = aim->candidates.widest > 2 ? aim->cells_max : 0;
	sizes.queried =
		dp_add_saturated(dp_graphical_query_cells(aim->cells_max), expected_cells(aim, &sizes));
	sizes.queried += changes_cells(aim, &estimate);
	plan->scans++;
	dp_graphical_plan_memory(plan, &sizes);
	expect(plan, aim, &estimate, &sizes);
	return DP_OK;
}

/* Where noise is large, few tables are worth their cost. Fewer rounds leave more for each. */
static int64_t
rounds_of(const DpPrivacyMeasure *privacy_measure, uint32_t attributes)
{
	if (!privacy_measure->concentrated)
		return (int64_t) attributes * ROUNDS_PURE;
	return (int64_t) attributes *
		   (privacy_measure->all < SCARCE_RHO ? ROUNDS_SCARCE : ROUNDS_CONCENTRATED);
}

/* Counts the attributes that are known before a row is drawn, and those of them that describe
 * siblings. */
static void
count_known(const DpRequest *request, uint32_t *known, uint32_t *siblings)
{
	*known = *siblings = 0;
	for (uint32_t a = 0; a < request->domain->attributes && request->known != NULL; a++)
	{
		*known += request->known[a] != DP_DRAWN;
		*siblings += request->known[a] >= 0;
	}
}

/* Amounts of the tables of one attribute. Tables of several attributes measure again what siblings
 * were. The columns of ancestors have tables like others: they measure how many rows each ancestor
 * has, and the ancestor's model is recalibrated to that (sample/parent_priors.h). */
static void
plan_one_way(DpAimPlan *aim, uint32_t own, uint32_t siblings, int64_t rounds)
{
	aim->one.own = aim->rounds.release;
	if (rounds < own + siblings + 1) /* each table is dear then: half of all for the attributes */
		aim->one.own =
			aim->privacy_measure.all / 2 / (SIBLING_PART * own + siblings) * SIBLING_PART;
	aim->one.sibling = aim->one.own / SIBLING_PART;
}

/* The rate of the rounds is what T of them can take from the budget. The tables of one attribute
 * count as p of these, or fewer where siblings' cost less. */
static void
plan_amounts(DpPlan *plan, DpAimPlan *aim)
{
	uint32_t p = plan->request->domain->attributes, known;
	int64_t all = aim->privacy_measure.all, rounds = dp_plan_option(plan, "rounds");
	DpPrivacyMeasureRounds *paid = &aim->rounds;

	count_known(plan->request, &known, &aim->siblings);

	if (!dp_option_given(plan->request->options, "rounds"))
		rounds = rounds_of(&aim->privacy_measure, p - known / 2);
	aim->share_nano = dp_plan_option(plan, "selection_share");
	paid->name = DP_AIM_CHOSEN;
	paid->tables = (uint64_t) rounds + 1;
	paid->select = dp_share_floor(all, aim->share_nano) / rounds;
	paid->release = (all - dp_share_floor(all, aim->share_nano)) / rounds;
	paid->sensitivity = dp_unit_l1(&aim->privacy_measure.unit) * SCORE_ONE;
	plan_one_way(aim, p - aim->siblings, aim->siblings, rounds);
	paid->total = all - aim->one.own * (p - aim->siblings) - aim->one.sibling * aim->siblings;
	if (paid->select + paid->release > paid->total) /* a single round has what is left */
	{
		paid->select = dp_share_floor(paid->total, aim->share_nano);
		paid->release = paid->total - paid->select;
	}
	aim->tables_max = p + (uint32_t) paid->tables;
}

static void
plan_batch(const DpPlan *plan, DpAimPlan *aim)
{
	uint32_t p = plan->request->domain->attributes;

	aim->grows = false;
	if (dp_option_given(plan->request->options, "batch"))
		aim->batch = (uint32_t) dp_plan_option(plan, "batch");
	else if (p > DP_MANY_ATTRIBUTES && aim->privacy_measure.concentrated)
		aim->batch = p;
	else
	{
		aim->grows = true;
		aim->batch = p > dp_aim_batch(aim->rounds.tables) ? p : dp_aim_batch(aim->rounds.tables);
	}
	aim->forest = p > DP_MANY_ATTRIBUTES;
	aim->ask_later = aim->batch > 1 && (!aim->grows || p > DP_AIM_FEW_COLUMNS) &&
					 aim->privacy_measure.concentrated;
}

/* Nothing is drawn from these tables: they weigh those that are. */
static DpStatus
plan_sibling_one_way(DpPlan *plan, const DpAimPlan *aim, DpError *error)
{
	if (aim->siblings == 0)
		return DP_OK;
	DP_TRY(dp_privacy_measure_plan(
		plan, &aim->privacy_measure,
		&(DpPrivacyMeasureStage){SIBLING_ONE_WAY, aim->siblings, aim->one.sibling}, error));
	plan->stage[plan->stages - 1].known = true;
	return DP_OK;
}

DpStatus
dp_aim_plan(DpPlan *plan, DpAimPlan **out, DpArena *arena, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	DpAimPlan *aim = dp_alloc(arena, 1, sizeof(*aim));

	if (aim == NULL)
		return DP_ERR_MEMORY;
	*out = aim;
	aim->privacy_measure = dp_privacy_measure_of(plan);
	aim->cells_max = dp_graphical_cells_of(dp_plan_option(plan, "max_model_memory"));
	aim->group = dp_graphical_grouping(plan, DP_GROUPING_LONG);
	aim->systematic = dp_plan_option(plan, "generation") == 0;
	if (dp_unit_l1(&plan->request->unit) > DP_SELECT_SENSITIVITY_MAX / SCORE_ONE)
		return dp_refuse_unit(DP_AIM_CHOSEN, error);
	plan_amounts(plan, aim);
	plan_batch(plan, aim);
	DP_TRY(plan_candidates(plan, aim, arena, error));
	DP_TRY(dp_privacy_measure_plan(
		plan, &aim->privacy_measure,
		&(DpPrivacyMeasureStage){DP_AIM_ONE_WAY, p - aim->siblings, aim->one.own}, error));
	DP_TRY(plan_sibling_one_way(plan, aim, error));
	return dp_privacy_measure_plan_rounds(plan, &aim->privacy_measure, &aim->rounds, error);
}
