/*
 * test_aim_candidates.c -- the candidates of a workload, their weights, and the bound of a score.
 */
#include "core/methods/aim/aim_candidates.h"

#include <math.h>

#include "unit_distribution.h"

/* Largest difference of a systematic count from the expected one: cliques in their order. */
static double
worst_gap(const Distribution *distribution, const uint32_t *count, uint32_t rows)
{
	double a_b[12] = {0}, b[4] = {0}, b_c[8] = {0}, worst = 0;
	bool root_ab = distribution->model.tree.clique[0].set.attribute[0] == 0;

	for (uint32_t i = 0; i < CELLS; i++)
	{
		a_b[i / 2] += count[i];
		b[i / 2 % 4] += count[i];
		b_c[i / 2 % 4 * 2 + i % 2] += count[i];
	}
	for (uint32_t i = 0; i < CELLS; i++)
	{
		uint32_t k = i / 2 % 4, c = i % 2;
		double p_ab = 0, p_bc = 0, p_b = 0;

		for (uint32_t j = 0; j < CELLS; j++)
		{
			p_ab += j / 2 == i / 2 ? distribution->share[j] : 0;
			p_bc += j / 2 % 4 == k && j % 2 == c ? distribution->share[j] : 0;
			p_b += j / 2 % 4 == k ? distribution->share[j] : 0;
		}
		/* the root's cells of all rows, the other's of those that agree on b */
		worst = fmax(worst, fabs(a_b[i / 2] - p_ab * (root_ab ? rows : b[k] / p_b)));
		worst = fmax(worst, fabs(b_c[k * 2 + c] - p_bc * (root_ab ? b[k] / p_b : rows)));
	}
	return worst;
}

static void
test_rounding(DpArena *arena)
{
	static const uint32_t many[] = {1, 2, 7, 1023, 1024, 1025, 5000, 262144, 300000};
	uint32_t count[CELLS], split[2];
	Distribution distribution;

	build_distribution(arena, true, ROWS, &distribution);
	for (uint32_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
	{
		double batches = ceil(many[i] / 262144.0), gap;

		dp_graphical_expect(distribution.sampler, many[i]);
		count_rows(&distribution, 3, many[i], count, split);
		gap = worst_gap(&distribution, count, many[i]);
		CHECK(gap < batches + 1e-6, "%u rows: cells of each clique are rounded, %.3f off at most",
			  many[i], gap);
	}
}

static void
test_candidates(DpArena *arena)
{
	static uint32_t three[] = {0, 1, 2}, two[] = {2, 3}, nine[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	static const uint32_t wanted[][3] = {{0, 9, 9}, {1, 9, 9}, {2, 9, 9}, {3, 9, 9}, {4, 9, 9},
										 {0, 1, 9}, {0, 2, 9}, {1, 2, 9}, {2, 3, 9}, {0, 1, 2}};
	DpWorkloadSet sets[] = {{{3, three}, DP_WEIGHT_ONE}, {{2, two}, 2 * DP_WEIGHT_ONE}};
	DpWorkloadSet large = {{9, nine}, DP_WEIGHT_ONE};
	DpWorkload workload = {2, sets}, too_large = {1, &large};
	DpCandidates candidates;
	bool same = true;
	double most;

	MUST(dp_candidates_make(&workload, 5, &candidates, NULL, arena, NULL));
	for (uint32_t i = 0; i < 10 && candidates.n == 10; i++)
		for (uint32_t k = 0; k < 3; k++)
			same &= k < candidates.set[i].n ? candidates.set[i].attribute[k] == wanted[i][k]
											: wanted[i][k] == 9;
	CHECK(candidates.n == 10 && same, "all subsets once, by size, and each attribute");
	most = dp_candidates_most(&candidates, candidates.set, candidates.n);
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[9], most), DP_CANDIDATE_WEIGHT_ONE,
			  "{0, 1, 2} meets the first in 3 and the second, of weight 2, in 1");
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[8], most), DP_CANDIDATE_WEIGHT_ONE,
			  "{2, 3} the second in 2");
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[0], most),
			  (DP_CANDIDATE_WEIGHT_ONE + 2) / 5, "{0} the first in 1");
	CHECK_I64(dp_candidate_weight(&candidates, &candidates.set[4], most), 0, "{4} none");
	CHECK_STATUS(dp_candidates_make(&too_large, 9, &candidates, NULL, arena, NULL), DP_ERR_LIMIT,
				 "nine attributes are too many");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_rounding(&arena);
	test_candidates(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
