/*
 * test_baseline.c -- donors of an attack that only guesses.
 */
#include "core/base/code_key.h"
#include "core/evaluate/baseline.h"

#include "unit.h"

/* The second column is the first one; the third is another. */
static const uint32_t code[] = {1, 1, 1, 1, 1, 2, 2, 2, 1, 2, 2, 2};

static const uint32_t levels[] = {3, 3, 3};

static DpBaselineTask
task_of(DpBaselineMethod method, uint32_t parents)
{
	return (DpBaselineTask){.method = method,
							.parents = parents,
							.sweeps = 2,
							.seed = 5,
							.rows = {.rows = 4, .attributes = 3, .levels = levels, .code = code}};
}

static void
test_donors(DpBaselineMethod method, uint32_t parents, bool keeps)
{
	DpArena arena = dp_arena_malloc();
	DpBaselineTask task = task_of(method, parents);
	unsigned broken = 0, mixed = 0, outside = 0;
	DpBaseline *baseline;

	CHECK_OK(dp_baseline_prepare(&task, &baseline, NULL, &arena), "method %d", (int) method);
	for (uint64_t row = 0; row < 1000; row++)
	{
		uint32_t donor[3], again[3];

		dp_baseline_draw(baseline, row, donor);
		dp_baseline_draw(baseline, row, again);
		outside += memcmp(donor, again, sizeof(donor)) != 0;
		for (int a = 0; a < 3; a++)
			outside += donor[a] > 3;
		broken += code[3 * donor[0]] != code[3 * donor[1] + 1];
		mixed += donor[0] != donor[1] || donor[1] != donor[2];
	}
	CHECK_I64(outside, 0, "donors are rows, the same each time");
	CHECK((broken == 0) == keeps, "whether columns keep together: %u of 1000 do not", broken);
	CHECK((mixed == 0) == (method == DP_BASELINE_EMPIRICAL), "whether rows stay whole: %u", mixed);
	dp_arena_malloc_free(&arena);
}

static void
test_memory(DpBaselineMethod method)
{
	uint64_t refused = 0, done = 0;

	for (uint64_t bytes = 8; bytes < UINT64_C(1) << 26; bytes += bytes / 3 + 8)
	{
		DpArena arena = dp_arena_malloc();
		DpBaselineTask task = task_of(method, 1);
		DpBaseline *baseline;
		DpStatus status;

		arena.bytes_max = bytes;
		status = dp_baseline_prepare(&task, &baseline, NULL, &arena);
		refused += status == DP_ERR_MEMORY;
		done += status == DP_OK;
		dp_arena_malloc_free(&arena);
	}
	CHECK(refused > 3 && done > 3, "too little memory is said: %d", (int) refused);
}

int
main(void)
{
	test_donors(DP_BASELINE_EMPIRICAL, 1, true);
	test_donors(DP_BASELINE_MARGINAL, 1, false);
	test_donors(DP_BASELINE_GIBBS, 1, true);
	test_donors(DP_BASELINE_GIBBS, 9, true);
	test_donors(DP_BASELINE_IMPUTATION, 1, false);
	test_memory(DP_BASELINE_GIBBS);
	test_memory(DP_BASELINE_IMPUTATION);
	return unit_finish();
}
