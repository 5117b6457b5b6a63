/*
 * test_propensity.c -- propensity scores of equal and of different tables.
 */
#include "core/evaluate/propensity.h"

#include "unit.h"

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

int
main(void)
{
	test_scores();
	return unit_finish();
}
