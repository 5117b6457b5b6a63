/*
 * test_aim_order.c -- which sets of more columns than the workload's are candidates: whole sizes
 * while they go in, then those with the fewest cells; with the column to be predicted alone.
 */
#include "core/methods/aim/aim_order.h"

#include "core/plan/graphical_options.h"
#include "unit_data.h"

/* All sets of up to three columns, and as many larger ones as the order allows. */
static DpCandidates
extended(DpArena *arena, const DpAimOrder *order)
{
	const DpWorkloadQuery query = {
		.option = "workload", .size = 3, .domain = order->domain, .sets_max = DP_CANDIDATES_MAX};
	DpCandidates candidates;
	DpWorkload workload;

	MUST(dp_workload_read(&query, &workload, arena, NULL));
	MUST(dp_candidates_make(&workload, order->domain->attributes, &candidates, NULL, arena, NULL));
	MUST(dp_aim_order_add(order, &candidates, arena));
	return candidates;
}

static uint32_t
sets_of(const DpCandidates *candidates, uint32_t n)
{
	uint32_t sets = 0;

	for (uint32_t i = 0; i < candidates->n; i++)
		sets += candidates->set[i].n == n;
	return sets;
}

/* Whether sets ascend, and whether larger ones than triples have the column. */
static bool
is_sound(const DpCandidates *candidates, uint32_t column)
{
	for (uint32_t i = 0; i < candidates->n; i++)
	{
		const DpAttributeSet *set = &candidates->set[i];

		if (i > 0 &&
			dp_attributes_compare(set[-1].attribute, set[-1].n, set->attribute, set->n) >= 0)
			return false;
		if (column != DP_PREDICT_NONE && set->n > 3 && !dp_set_holds(set, column))
			return false;
	}
	return true;
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	uint32_t levels[26] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2};
	int32_t known[11];
	DpDomain domain = unit_domain(&arena, levels, 11), wide;
	DpAimOrder order = {.domain = &domain,
						.predicted = DP_PREDICT_NONE,
						.sets_max = 100000,
						.cells_max = 10000000,
						.members_max = 30000};
	DpCandidates all = extended(&arena, &order);
	const DpAttributeSet triple = {3, (const uint32_t[]){0, 1, 2}};
	double most = dp_candidates_most(&all, all.set, all.n);

	CHECK(sets_of(&all, 4) == 330 && sets_of(&all, 5) == 462 && sets_of(&all, 6) == 462 &&
			  sets_of(&all, 7) == 330,
		  "all sets of up to seven of eleven columns");
	CHECK(sets_of(&all, 8) == 120, "of eight those with the column of two levels");
	CHECK(is_sound(&all, DP_PREDICT_NONE) && all.widest == 3, "in order, behind the triples");
	CHECK_I64(dp_candidate_weight(&all, &triple, most), DP_CANDIDATE_WEIGHT_ONE,
			  "a triple weighs most");
	CHECK_I64(dp_candidate_weight(&all, &all.set[all.n - 1], most), DP_CANDIDATE_WEIGHT_ONE / 2,
			  "a larger set half of that");
	order.cells_max = 300000;
	all = extended(&arena, &order);
	CHECK(sets_of(&all, 4) == 330 && sets_of(&all, 5) == 210,
		  "of five columns those with the fewest cells: %u", sets_of(&all, 5));
	order.sets_max = 100;
	all = extended(&arena, &order);
	CHECK(all.n == 11 + 55 + 165, "no size may go in: %u", all.n);
	order.sets_max = 100000;
	order.cells_max = 10000000;
	order.predicted = 10;
	all = extended(&arena, &order);
	CHECK(sets_of(&all, 4) == 120 && sets_of(&all, 5) == 210 && sets_of(&all, 8) == 120,
		  "with the column to be predicted sets reach further");
	CHECK(is_sound(&all, 10), "and all have it");
	for (uint32_t a = 0; a < 11; a++)
		known[a] = a < 8 ? DP_KNOWN : DP_DRAWN;
	order.known = known;
	order.predicted = DP_PREDICT_NONE;
	all = extended(&arena, &order);
	CHECK(sets_of(&all, 4) == 330 - 70, "something of each is drawn: %u", sets_of(&all, 4));
	order.known = NULL;
	for (uint32_t a = 0; a < 26; a++)
		levels[a] = 2;
	wide = unit_domain(&arena, levels, 26);
	order.domain = &wide;
	all = extended(&arena, &order);
	CHECK(sets_of(&all, 4) == 0, "sets that take too long to count are left out");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
