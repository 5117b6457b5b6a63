/*
 * method_mst.c -- a spanning tree of pairs, chosen privately.
 *
 * mst
 *
 * Inputs:      p attributes
 * Output:      the table of each attribute, and of the p - 1 pairs of a tree that is chosen by how far
 *              each pair is from independence, all with noise on every cell
 * Neighbours:  the dataset's
 * Guarantee:   with a delta: rho-zCDP for the rho that epsilon and delta buy, so (epsilon, delta)-DP; a
 *              third each for the attributes, p - 1 selections by the exponential mechanism and
 *              the pairs. Without: epsilon-DP by basic composition of the same thirds. Adaptive
 *              composition: the scores compare exact pairs with products of released margins.
 * Source:      McKenna, Miklau, Sheldon, "Winning the NIST contest: a scalable and general approach to
 *              differentially private synthetic data" (2021), algorithm 1. Departures:
 *              docs/methods/mst.md.
 */
#include "discover.h"
#include "graphical_measure.h"
#include "graphical_options.h"
#include "graphical_plan.h"
#include "graphical_prepare.h"
#include "graphical_sampler.h"
#include "methods.h"
#include "saturate.h"

#define SENSITIVITY_MAX INT64_C(4000000000) /* a selection's fractions fit 64 bits up to here */
#define ONES "tables of one column"
#define SELECTION "select pairs"
#define PAIRS "tables of pairs"

static const DpOptionSpec specs[] = {
	{
		.name = "share_one",
		.type = DP_OPTION_SHARE,
		.fallback = "0.333333333",
		.minimum = 1000000,
		.maximum = 900000000,
		.summary = "Share of the budget for the tables of one column.",
	},
	{
		.name = "share_select",
		.type = DP_OPTION_SHARE,
		.fallback = "0.333333333",
		.minimum = 1000000,
		.maximum = 900000000,
		.summary = "Share of the budget for choosing the pairs.",
	},
	DP_SPEC_GROUP_RARE("true"),
	DP_SPEC_GENERATION,
	DP_SPEC_MODEL_MEMORY,
};
#define SPECS_N (sizeof(specs) / sizeof(specs[0]))

typedef struct MstPlan
{
	DpCurrency currency;
	uint64_t cells_max;
	int64_t one, select, pair; /* amounts of one each */
	bool group, systematic;
} MstPlan;

static int64_t
read_option(const DpPlan *plan, const char *name)
{
	return dp_option_integer(plan->request->options, specs, SPECS_N, name);
}

/* ---- plan ---- */

/* Sets of one attribute, then all pairs. */
static DpStatus
list_sets(uint32_t p, DpArena *arena, DpAttributeSet **out, uint32_t *n)
{
	uint64_t pairs = (uint64_t) p * (p - 1) / 2;
	uint32_t *member = dp_alloc(arena, p + 2 * pairs, sizeof(*member));
	DpAttributeSet *set = dp_alloc(arena, p + pairs, sizeof(*set));

	*n = 0;
	if (member == NULL || set == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < p; a++, member++)
	{
		*member = a;
		set[(*n)++] = (DpAttributeSet){1, member};
	}
	for (uint32_t a = 0; a < p; a++)
		for (uint32_t b = a + 1; b < p; b++, member += 2)
		{
			member[0] = a;
			member[1] = b;
			set[(*n)++] = (DpAttributeSet){2, member};
		}
	*out = set;
	return DP_OK;
}

static DpStatus
plan_memory(DpPlan *plan, const MstPlan *mst, DpArena *arena, DpError *error)
{
	DpGraphicalSizes sizes = {.clique_cells = mst->cells_max};
	DpDomain guess;

	DP_TRY(dp_graphical_guess(plan->request->domain, arena, &guess));
	DP_TRY(dp_graphical_check_ones(plan, &guess, mst->cells_max, error));
	sizes.counted = dp_graphical_pair_cells(&guess);
	if (sizes.counted > DP_MODEL_CELLS_MAX)
		return dp_graphical_too_many(error);
	sizes.tallied = dp_add_saturated(sizes.counted, mst->cells_max / 2);
	sizes.released = sizes.tallied;
	sizes.parts = 4 * (uint64_t) guess.attributes;
	dp_graphical_plan_memory(plan, &sizes);
	return DP_OK;
}

static DpStatus
mst_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	uint32_t p = plan->request->domain->attributes;
	MstPlan *mst = dp_alloc(arena, 1, sizeof(*mst));
	int64_t ones, selections, sensitivity = dp_unit_l1(&plan->request->unit) * DP_SCORE_UNIT;

	if (mst == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = mst;
	mst->currency = dp_currency_of(plan);
	mst->cells_max = dp_graphical_cells_of(read_option(plan, "max_model_memory"));
	mst->group = read_option(plan, "group_rare") != 0;
	mst->systematic = read_option(plan, "generation") == 0;
	if (read_option(plan, "share_one") + read_option(plan, "share_select") > 990000000)
		return dp_fail(error, DP_ERR_ARGUMENT,
					   "options \"share_one\" and \"share_select\" leave nothing for the pairs");
	if (dp_unit_l1(&plan->request->unit) > SENSITIVITY_MAX / DP_SCORE_UNIT)
		return dp_fail(error, DP_ERR_LIMIT,
					   "a privacy unit has too many rows for pairs to be selected");
	ones = p == 1 ? mst->currency.all
				  : dp_share_floor(mst->currency.all, read_option(plan, "share_one"));
	selections = dp_share_floor(mst->currency.all, read_option(plan, "share_select"));
	mst->one = ones / p;
	mst->select = p > 1 ? selections / (p - 1) : 0;
	mst->pair = p > 1 ? (mst->currency.all - ones - selections) / (p - 1) : 0;
	DP_TRY(plan_memory(plan, mst, arena, error));
	plan->scans++;
	DP_TRY(dp_currency_plan(plan, &mst->currency, ONES, p, mst->one, 0, error));
	DP_TRY(dp_currency_plan_selection(plan, &mst->currency, SELECTION, p - 1, mst->select,
									  sensitivity, error));
	return dp_currency_plan(plan, &mst->currency, PAIRS, p - 1, mst->pair, 0, error);
}

/* ---- measure ---- */

/* The tree so far: each attribute's component. */
static void
join_components(uint32_t *component, uint32_t n, const DpAttributeSet *pair)
{
	uint32_t from = component[pair->attribute[1]], to = component[pair->attribute[0]];

	for (uint32_t a = 0; a < n; a++)
		if (component[a] == from)
			component[a] = to;
}

/* Pairs that join two components and that the model can hold, with their scores. room: cells that
 * its cliques may still grow by. */
static size_t
list_candidates(const DpGraphicalMeasure *measure, const uint32_t *component, uint64_t room,
				const int64_t *distance, uint32_t *candidate, int64_t *score)
{
	size_t n = 0;

	for (uint32_t i = 0; i < measure->tallies; i++)
	{
		const DpAttributeSet *set = &measure->tally[i].set;

		if (set->n < 2 || component[set->attribute[0]] == component[set->attribute[1]] ||
			measure->tally[i].cells > room || !dp_graphical_has_room(measure, i))
			continue;
		candidate[n] = i;
		score[n++] = distance[i];
	}
	return n;
}

/* What the attributes themselves leave of the model: cliques of a forest are its pairs and what is in none. */
static uint64_t
room_for_pairs(const DpGraphicalMeasure *measure)
{
	uint64_t ones = 0;

	for (uint32_t a = 0; a < measure->m->domain->attributes; a++)
		ones += measure->grouping.levels[a];
	return ones < measure->cells_max ? measure->cells_max - ones : 0;
}

/* p^ is the product of the margins throughout, as in the paper: distances are found once. */
static DpStatus
find_distances(DpGraphicalMeasure *measure, int64_t *distance)
{
	uint64_t cells = 1;
	double *expected;

	for (uint32_t i = 0; i < measure->tallies; i++)
		cells = measure->tally[i].cells > cells ? measure->tally[i].cells : cells;
	expected = dp_alloc(measure->m->arena, cells, sizeof(*expected));
	if (expected == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(dp_graphical_fit(&measure->graphical, &dp_graphical_final_rule, measure->m->tick));
	for (uint32_t i = 0; i < measure->tallies; i++)
		if (measure->tally[i].set.n == 2)
			DP_TRY(dp_graphical_distance(measure, i, expected, &distance[i]));
	dp_free(measure->m->arena, expected, cells, sizeof(*expected));
	return DP_OK;
}

static DpStatus
select_tree(DpGraphicalMeasure *measure, const MstPlan *mst, uint32_t *chosen, uint32_t *chosen_n)
{
	const DpMeasurement *m = measure->m;
	uint32_t p = m->domain->attributes;
	int64_t *distance = dp_alloc(m->arena, measure->tallies, sizeof(*distance));
	int64_t *score = dp_alloc(m->arena, measure->tallies, sizeof(*score));
	uint32_t *candidate = dp_alloc(m->arena, measure->tallies, sizeof(*candidate));
	uint32_t *component = dp_alloc(m->arena, p, sizeof(*component));
	uint64_t room = room_for_pairs(measure);

	if (distance == NULL || score == NULL || candidate == NULL || component == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < p; a++)
		component[a] = a;
	DP_TRY(find_distances(measure, distance));
	for (*chosen_n = 0; *chosen_n + 1 < p; (*chosen_n)++)
	{
		size_t n = list_candidates(measure, component, room, distance, candidate, score), at;

		if (n == 0) /* the pairs that are left have too many cells */
			break;
		DP_TRY(dp_currency_select(m, &mst->currency, score, n, mst->select,
								  dp_unit_l1(&mst->currency.unit) * DP_SCORE_UNIT, &at));
		chosen[*chosen_n] = candidate[at];
		room -= measure->tally[candidate[at]].cells;
		join_components(component, p, &measure->tally[candidate[at]].set);
	}
	dp_free(m->arena, distance, measure->tallies, sizeof(*distance));
	dp_free(m->arena, score, measure->tallies, sizeof(*score));
	dp_free(m->arena, candidate, measure->tallies, sizeof(*candidate));
	dp_free(m->arena, component, p, sizeof(*component));
	return DP_OK;
}

static DpStatus
measure_pairs(DpGraphicalMeasure *measure, const MstPlan *mst)
{
	uint32_t p = measure->m->domain->attributes, n;
	uint32_t *chosen = dp_alloc(measure->m->arena, p, sizeof(*chosen));

	if (chosen == NULL)
		return DP_ERR_MEMORY;
	dp_announce(measure->m, SELECTION);
	DP_TRY(select_tree(measure, mst, chosen, &n));
	dp_announce(measure->m, PAIRS);
	for (uint32_t i = 0; i < n; i++)
		if (dp_graphical_has_room(measure, chosen[i]) &&
			dp_graphical_has_cliques(measure, chosen[i], measure->cells_max))
			DP_TRY(dp_graphical_release(measure, chosen[i], mst->pair));
	return DP_OK;
}

static DpStatus
mst_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const MstPlan *mst = m->plan->private_data;
	uint32_t p = m->domain->attributes, n;
	DpGraphicalMeasure measure;
	DpAttributeSet *set;

	dp_announce(m, ONES);
	DP_TRY(list_sets(p, m->arena, &set, &n));
	n = dp_graphical_feasible(m->domain, set, n, mst->cells_max);
	DP_TRY(dp_graphical_open(&measure, m, &mst->currency, set, n, mst->cells_max, 2 * p - 1, model,
							 error));
	DP_TRY(dp_graphical_release_ones(&measure, mst->one, mst->group));
	if (p > 1)
		DP_TRY(measure_pairs(&measure, mst));
	return dp_graphical_close(&measure, mst->systematic);
}

const DpMethod dp_method_mst = {
	.name = "mst",
	.summary = "A tree of pairs chosen privately, fitted as a graphical model.",
	.guarantee = "(epsilon, delta)-DP; epsilon-DP with delta 0",
	.source = "Winning the NIST contest, McKenna, Miklau, Sheldon 2021",
	.specs = specs,
	.specs_n = SPECS_N,
	.plan = mst_plan,
	.measure = mst_measure,
	.prepare = dp_graphical_prepare,
	.draw = dp_graphical_draw,
	.draw_cost = dp_graphical_draw_cost,
	.gaussian = true,
	.draw_block = dp_graphical_draw_block,
	.expect = dp_graphical_expect,
};
