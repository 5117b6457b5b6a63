/*
 * test_pairs.c -- scores of all pairs, beside tables that are counted one by one.
 */
#include "core/select/pairs.h"

#include "unit_plain_score.h"

static void
test_scores(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	unsigned wrong = 0, scans = 0;
	int64_t most = 0;

	for (uint64_t seed = 0; seed < 20; seed++)
	{
		UnitTable table = random_table(&arena, &domain, seed);
		DpCounter counter = unit_counter(&table);
		DpMeasurement m = measurement(&domain, &counter, &arena);
		uint64_t before = arena.bytes_used;
		int64_t *score;

		MUST(dp_pairs_score(&m, DP_PAIR_DEPENDENCE, &score, NULL));
		scans += table.scans;
		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			for (uint32_t b = 0; b < ATTRIBUTES; b++)
			{
				const uint32_t pair[] = {a, b};
				int64_t want = a == b ? 0 : plain_score(&table, pair, 2, 1);

				wrong += score[a * ATTRIBUTES + b] != want;
				most = want > most ? want : most;
			}
		dp_pairs_free(&m, score);
		wrong += arena.bytes_used != before;
	}
	CHECK_I64(wrong, 0, "20 tables: the score of each pair, both ways round, is its definition's");
	CHECK_I64(scans, 20, "one scan each");
	CHECK(most > 5000, "some pairs depend");
	dp_arena_malloc_free(&arena);
}

/* A pair with more than four million cells is hashed; its score is the same. */
static void
test_large(void)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t few[] = {3, 5, 2};
	DpDomain domain = unit_domain(&arena, few, 3);
	UnitTable table = random_table(&arena, &domain, 7);
	DpCounter counter = unit_counter(&table);
	DpMeasurement m = measurement(&domain, &counter, &arena);
	int64_t *score, want[9];
	uint64_t dense;

	MUST(dp_pairs_score(&m, DP_PAIR_DEPENDENCE, &score, NULL));
	memcpy(want, score, sizeof(want));
	dense = dp_pairs_memory(&domain);
	domain.attribute[0].levels = domain.attribute[1].levels = 20000; /* that no row has */
	MUST(dp_pairs_score(&m, DP_PAIR_DEPENDENCE, &score, NULL));
	CHECK(memcmp(score, want, sizeof(want)) == 0, "levels that no row has change no score");
	CHECK(dense < 10000 && dp_pairs_memory(&domain) < UINT64_C(400000000) * 8,
		  "a pair of 4 x 10^8 cells is not counted as an array");
	unit_open(&domain.attribute[2]);
	CHECK(dp_pairs_memory(&domain) > dense, "an open column counts as large");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_scores();
	test_large();
	return unit_finish();
}
