/*
 * test_sparse_histogram_gap.c -- the sparse histogram at a huge epsilon, where the gap to the
 * next random cell is often over 64 bits: it is past the last cell, and no error.
 */
#include "core/mechanism/sparse_histogram.h"

#include "unit_data.h"

#define RELEASES 1000

int
main(void)
{
	static const uint64_t index[] = {1, 7, 30};
	static const int64_t counts[] = {500, 300, 200};
	const DpUnit unit = {DP_ADD_REMOVE, 1};
	const int64_t epsilon = 2000 * DP_EPSILON_ONE;
	DpArena arena = dp_arena_malloc();
	int failed = 0, others = 0;
	DpSparseRule rule;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 9);
	MUST(dp_sparse_histogram_plan(&(DpSparseHistogram){epsilon, unit, 60}, DP_EPSILON_ONE / 10 * 9,
								  &rule));
	for (int i = 0; i < RELEASES; i++)
	{
		DpSparseCells cells;
		DpMeter meter;

		dp_meter_init(&meter, dp_cost_pure(epsilon));
		failed += dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter, .rng = &rng}, &rule,
											  &(DpOccupiedCells){3, index, counts}, &cells,
											  &arena) != DP_OK;
		others += failed == 0 && cells.n != 3;
	}
	CHECK_I64(failed, 0, "%d releases, none of which fails", RELEASES);
	CHECK_I64(others, 0, "with the cells that have rows, and no other");
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
