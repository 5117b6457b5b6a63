/*
 * test_table_sampler.c -- the distribution by which cells are drawn, read off the alias table
 * without a random number, is that of the weights; and codes are those of cells.
 */
#include "core/sample/table_sampler.h"

#include "unit_data.h"
#include "unit_stat.h"
#include "core/estimate/weights.h"

#define CELLS_MAX 60

/* Each column of the table is as likely as the others. */
static void
distribution_of(const DpTableSampler *sampler, double *distribution)
{
	memset(distribution, 0, CELLS_MAX * sizeof(*distribution));
	for (uint32_t i = 0; i < sampler->cells; i++)
	{
		double own = sampler->entry[i].threshold * 0x1p-32;

		distribution[sampler->entry[i].own] += own / sampler->cells;
		distribution[sampler->entry[i].other] += (1 - own) / sampler->cells;
	}
}

static bool
has_distribution(const DpTableSampler *sampler, const double *weight, uint64_t cells)
{
	double distribution[CELLS_MAX], sum = 0;
	bool right = true;

	distribution_of(sampler, distribution);
	for (uint64_t i = 0; i < cells; i++)
		sum += weight[i];
	for (uint64_t i = 0; i < cells; i++)
		right &= fabs(distribution[i] - weight[i] / sum) < 1e-8 &&
				 (weight[i] > 0 || distribution[i] == 0);
	return right;
}

/* The table's attributes in another order than the domain's, one left out. */
static const uint32_t levels[] = {3, 7, 4, 5};
static uint32_t order[] = {2, 0, 3};

static DpModel
one_table(DpArena *arena, DpTable *table)
{
	return (DpModel){.domain = unit_domain(arena, levels, 4), .tables = 1, .table = table};
}

static DpTable
dense_table(DpArena *arena, DpPrng *prng)
{
	DpTable table = {.n = 3, .attribute = order, .storage = DP_DENSE, .cells = 60};

	table.value = dp_alloc(arena, 60, sizeof(*table.value));
	for (uint32_t i = 0; i < 60; i++)
		table.value[i] = (int64_t) dp_prng_below(prng, 100) - 30;
	table.value[17] = 50;
	return table;
}

static void
test_distributions(void)
{
	unsigned wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){91, 0, 0});
	for (int round = 0; round < 100; round++)
	{
		DpArena arena = dp_arena_malloc();
		DpTable table = dense_table(&arena, &prng);
		DpModel model = one_table(&arena, &table);
		uint32_t zero_attribute[] = {3}, zero_code[] = {1};
		DpZeroSet zeros = {1, zero_attribute, 1, zero_code};
		double *weight, estimate[60];
		DpTableSampler sampler;

		model.domain.zeros = round % 2 ? (DpZeros){1, &zeros} : (DpZeros){0, NULL};
		for (uint32_t i = 0; i < 60; i++)
			estimate[i] = 100 * dp_prng_unit(&prng) - 20;
		estimate[2] = 70;
		MUST(dp_table_sampler_prepare(&(DpEstimatedTable){&model.domain, model.table, NULL, 500},
									  &sampler, &arena, NULL));
		MUST(dp_weights_make(&(DpEstimatedTable){&model.domain, &table, NULL, 500}, &weight,
							 &arena));
		wrong += !has_distribution(&sampler, weight, 60);
		MUST(
			dp_table_sampler_prepare(&(DpEstimatedTable){&model.domain, model.table, estimate, 500},
									 &sampler, &arena, NULL));
		MUST(dp_weights_make(&(DpEstimatedTable){&model.domain, &table, estimate, 500}, &weight,
							 &arena));
		wrong += !has_distribution(&sampler, weight, 60);
		dp_arena_malloc_free(&arena);
	}
	CHECK_I64(wrong, 0, "100 tables: cells go by their weights, with zeros and with estimates too");
}

/* What a draw writes, cell by cell; and nothing where the table has no attribute. */
static void
test_draws(void)
{
	DpArena arena = dp_arena_malloc();
	uint64_t observed[60] = {0};
	double probability[60], distribution[CELLS_MAX];
	bool untouched = true;
	DpTable table;
	DpTableSampler sampler;
	DpModel model;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){92, 0, 0});
	table = dense_table(&arena, &prng);
	model = one_table(&arena, &table);
	MUST(dp_table_sampler_prepare(&(DpEstimatedTable){&model.domain, model.table, NULL, 500},
								  &sampler, &arena, NULL));
	distribution_of(&sampler, distribution);
	memcpy(probability, distribution, sizeof(probability));
	for (int i = 0; i < 200000; i++)
	{
		uint32_t codes[] = {99, 99, 99, 99};

		dp_table_sampler_draw(&sampler, &prng, codes);
		untouched &= codes[1] == 99;
		observed[(codes[2] * 3 + codes[0]) * 5 + codes[3]]++;
	}
	CHECK(untouched, "an attribute that the table lacks is not written");
	CHECK(unit_chi_square_p(observed, probability, 60, 200000) > UNIT_P_MIN,
		  "codes are those of cells that follow the distribution");
	dp_arena_malloc_free(&arena);
}

static void
test_sparse(void)
{
	DpArena arena = dp_arena_malloc();
	uint32_t code[] = {0, 2, 1, 1, 0, 4, 3, 2, 2};
	int64_t value[] = {10, 30, 60};
	uint64_t observed[4] = {0};
	const double probability[] = {0.1, 0.3, 0.6};
	DpTable table = {
		.n = 3, .attribute = order, .storage = DP_SPARSE, .cells = 3, .value = value, .code = code};
	DpModel model = one_table(&arena, &table);
	DpTableSampler sampler;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){93, 0, 0});
	MUST(dp_table_sampler_prepare(&(DpEstimatedTable){&model.domain, model.table, NULL, 77},
								  &sampler, &arena, NULL));
	for (int i = 0; i < 100000; i++)
	{
		uint32_t codes[4], cell = 0;

		dp_table_sampler_draw(&sampler, &prng, codes);
		while (cell < 3 && (codes[2] != code[3 * cell] || codes[0] != code[3 * cell + 1] ||
							codes[3] != code[3 * cell + 2]))
			cell++;
		observed[cell]++;
	}
	CHECK_I64(observed[3], 0, "of a sparse table only released cells are drawn");
	CHECK(unit_chi_square_p(observed, probability, 3, 100000) > UNIT_P_MIN, "by their counts");
	dp_arena_malloc_free(&arena);
}

static void
test_uniform(void)
{
	DpArena arena = dp_arena_malloc();
	int64_t value[60];
	uint64_t observed[60] = {0};
	double probability[60];
	DpTable table = {.n = 3, .attribute = order, .storage = DP_DENSE, .cells = 60, .value = value};
	DpModel model = one_table(&arena, &table);
	DpTableSampler sampler;
	DpPrng prng;

	for (int i = 0; i < 60; i++)
	{
		value[i] = -i;
		probability[i] = 1 / 60.0;
	}
	dp_prng_seed(&prng, (DpStream){94, 0, 0});
	MUST(dp_table_sampler_prepare(&(DpEstimatedTable){&model.domain, model.table, NULL, 500},
								  &sampler, &arena, NULL));
	for (int i = 0; i < 100000; i++)
	{
		uint32_t codes[4];

		dp_table_sampler_draw(&sampler, &prng, codes);
		observed[(codes[2] * 3 + codes[0]) * 5 + codes[3]]++;
	}
	CHECK(unit_chi_square_p(observed, probability, 60, 100000) > UNIT_P_MIN,
		  "a table that says nothing is drawn from uniformly");
	table.cells = UINT64_C(1) << 32;
	CHECK_STATUS(
		dp_table_sampler_prepare(&(DpEstimatedTable){&model.domain, model.table, NULL, 500},
								 &sampler, &arena, NULL),
		DP_ERR_LIMIT, "2^32 cells are too many");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_distributions();
	test_draws();
	test_sparse();
	test_uniform();
	return unit_finish();
}
