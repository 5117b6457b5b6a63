/*
 * test_baseline.c -- donors by hand; scores of two tables by hand; memory that runs out.
 */
#include "core/evaluate/baseline.h"
#include "core/evaluate/propensity.h"

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

/* ---- two tables ---- */

typedef struct Table
{
	uint32_t rows, a; /* the first a rows have level 0 */
	bool read;
} Table;

static void
table_rewind(void *context)
{
	((Table *) context)->read = false;
}

static uint32_t
table_next(void *context, uint32_t *const *column)
{
	Table *table = context;

	for (uint32_t i = 0; i < table->rows; i++)
		column[0][i] = i >= table->a;
	if (table->read)
		return 0;
	table->read = true;
	return table->rows;
}

static void
test_scores(void)
{
	DpArena arena = dp_arena_malloc();
	DpAttribute attribute = {.name = "x", .kind = DP_CATEGORIES, .levels = 2};
	DpDomain domain = {.attributes = 1, .attribute = &attribute};
	Table original = {.rows = 100, .a = 60}, synthetic = {.rows = 50, .a = 10};
	DpCodedRows rows[2] = {{&original, 100, table_rewind, table_next},
						   {&synthetic, 50, table_rewind, table_next}};
	DpStackedCells cells, drawn;
	DpPropensity found;
	DpPrng prng;

	CHECK_OK(dp_stack_cells(&domain, rows, UINT64_C(1) << 20, &cells, NULL, &arena), "stacked");
	CHECK_I64(cells.cells, 2, "two distinct rows");
	CHECK_OK(dp_propensity_fit(&domain, &cells, false, &found, NULL, &arena), "scores");
	/* 10 of 70 and 40 of 80 are synthetic, a third of all */
	CHECK_NEAR(found.ks, 0.6 - 0.2, 1e-12, "their distance");
	CHECK_NEAR(found.pmse, (70 * pow(1 / 7.0 - 1 / 3.0, 2) + 80 * pow(0.5 - 1 / 3.0, 2)) / 150,
			   1e-5, "their variance");
	CHECK_NEAR(dp_pmse_expected(&cells, found.terms), 1 / 3.0 * 4 / 9.0 / 150, 1e-15, "by formula");
	dp_prng_seed(&prng, (DpStream){.seed = 1});
	CHECK_OK(dp_stack_null(&cells, &prng, &drawn, &arena), "drawn from the original");
	CHECK_NEAR(drawn.count[1][0] + drawn.count[1][1], 50, 0, "as many as there are synthetic rows");
	CHECK(fabs(drawn.count[1][0] - 30) < 18, "with its shares"); /* 5 standard deviations */
	CHECK_STATUS(dp_stack_cells(&domain, rows, 100, &cells, NULL, &arena), DP_ERR_LIMIT,
				 "too little memory for distinct rows");
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
	test_scores();
	test_memory(DP_BASELINE_GIBBS);
	test_memory(DP_BASELINE_IMPUTATION);
	return unit_finish();
}
