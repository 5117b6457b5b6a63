/*
 * test_privbayes_sampler.c -- rows of a small network by the distribution that its tables tell,
 * each column given its parents.
 */
#include "core/sample/privbayes/privbayes_sampler.h"

#include "unit_data.h"
#include "unit_stat.h"

#define DRAWS 200000
#define CELLS 24

static const uint32_t levels[] = {2, 3, 2, 2};

/* Attribute 1 comes first, then 0 given 1, 2 given 1 and 0, and 3 given 2. */
static uint32_t first[] = {1}, second[] = {1, 0}, third[] = {1, 0, 2}, fourth[] = {2, 3};
static uint32_t *const attributes[] = {first, second, third, fourth};
static const uint32_t widths[] = {1, 2, 3, 2};

static const double p_first[] = {0.5, 0.2, 0.3};
static const double p_second[3][2] = {{0.8, 0.2}, {0.5, 0.5}, {0.0, 1.0}};
static const double p_third[3][2][2] = {
	{{0.1, 0.9}, {0.5, 0.5}}, {{0.4, 0.6}, {1.0, 0.0}}, {{0.5, 0.5}, {0.7, 0.3}}};
static const double p_fourth[2][2] = {{0.25, 0.75}, {0.6, 0.4}};

static double
share(const uint32_t *codes)
{
	return p_first[codes[1]] * p_second[codes[1]][codes[0]] *
		   p_third[codes[1]][codes[0]][codes[2]] * p_fourth[codes[2]][codes[3]];
}

static void
codes_of(uint32_t cell, uint32_t *codes)
{
	for (uint32_t a = 4; a-- > 0; cell /= levels[a])
		codes[a] = cell % levels[a];
}

/* Tables of 10^8 rows that are as the distribution has them, so that rounding does not show. */
static DpModel
make_model(DpArena *arena)
{
	DpModel model = {.rows = 100000000, .unit = {DP_ADD_REMOVE, 1}, .tables = 4};

	model.domain = unit_domain(arena, levels, 4);
	model.table = dp_alloc(arena, 4, sizeof(*model.table));
	for (uint32_t t = 0; t < 4; t++)
	{
		DpTable *table = &model.table[t];

		*table = (DpTable){.n = widths[t],
						   .attribute = attributes[t],
						   .storage = DP_DENSE,
						   .cells = dp_domain_cells(&model.domain, attributes[t], widths[t]),
						   .noise = DP_NOISE_LAPLACE,
						   .cost = {DP_EPSILON_ONE, 0, 0},
						   .sensitivity_l1 = 1};
		table->value = dp_alloc(arena, table->cells, sizeof(*table->value));
		for (uint32_t i = 0; i < CELLS; i++)
		{
			uint32_t codes[4], at = 0;

			codes_of(i, codes);
			for (uint32_t k = 0; k < table->n; k++)
				at = at * levels[table->attribute[k]] + codes[table->attribute[k]];
			table->value[at] += llround(1e8 * share(codes));
		}
	}
	return model;
}

static void
draw_rows(const DpModel *model, DpArena *arena, uint64_t *observed)
{
	void *sampler;
	DpPrng prng;

	memset(observed, 0, CELLS * sizeof(*observed));
	MUST(dp_privbayes_sampler.prepare(model, &sampler, NULL, arena, NULL));
	dp_prng_seed(&prng, (DpStream){191, 0, 0});
	for (int i = 0; i < DRAWS; i++)
	{
		uint32_t codes[4], cell = 0;

		dp_privbayes_sampler.draw(sampler, &prng, codes);
		for (uint32_t a = 0; a < model->domain.attributes; a++)
			cell = cell * levels[a] + codes[a];
		observed[cell]++;
	}
}

static void
test_network(DpArena *arena)
{
	DpModel model = make_model(arena);
	double probability[CELLS];
	uint64_t observed[CELLS], impossible = 0;

	draw_rows(&model, arena, observed);
	for (uint32_t i = 0; i < CELLS; i++)
	{
		uint32_t codes[4];

		codes_of(i, codes);
		probability[i] = share(codes);
		impossible += probability[i] == 0 ? observed[i] : 0;
	}
	CHECK(unit_chi_square_p(observed, probability, CELLS, DRAWS) > UNIT_P_MIN,
		  "rows follow the product of the conditional distributions");
	CHECK_I64(impossible, 0, "what no row has is not drawn");
	CHECK_I64(dp_privbayes_sampler.draw_cost(&model, NULL), 4, "a row costs a draw a column");
}

/* One table of six cells and 100 rows, with much noise or with little. */
static void
test_noise(DpArena *arena, int64_t epsilon_nano, const double *weight, const char *what)
{
	static uint32_t both[] = {0, 1};
	int64_t value[] = {70, -20, 10, 30, -10, 50};
	DpTable table = {.n = 2,
					 .attribute = both,
					 .storage = DP_DENSE,
					 .cells = 6,
					 .value = value,
					 .noise = DP_NOISE_LAPLACE,
					 .cost = {epsilon_nano, 0, 0},
					 .sensitivity_l1 = 1};
	DpModel model = {.rows = 100, .unit = {DP_ADD_REMOVE, 1}, .tables = 1, .table = &table};
	uint64_t observed[CELLS];
	double probability[6];

	model.domain = unit_domain(arena, levels, 2);
	for (int i = 0; i < 6; i++)
		probability[i] = weight[i];
	draw_rows(&model, arena, observed);
	CHECK(unit_chi_square_p(observed, probability, 6, DRAWS) > UNIT_P_MIN, "%s", what);
}

static void
refuse(DpModel model, DpArena *arena, const char *why)
{
	DpError error = {.status = DP_OK};
	void *sampler;

	CHECK_STATUS(dp_privbayes_sampler.prepare(&model, &sampler, NULL, arena, &error),
				 DP_ERR_CORRUPT, "%s", why);
	CHECK(error.status == DP_ERR_CORRUPT, "%s, says the error", why);
}

static void
test_corrupt(DpArena *arena)
{
	DpModel model = make_model(arena);
	uint32_t unknown[] = {3, 0}, again[] = {1, 0, 1};
	DpTable swapped;

	model.tables = 3;
	refuse(model, arena, "an attribute without a table");
	model = make_model(arena);
	model.table[1].attribute = unknown;
	refuse(model, arena, "a parent that comes later");
	model = make_model(arena);
	model.table[2].attribute = again;
	refuse(model, arena, "an attribute twice");
	model = make_model(arena);
	model.table[3].storage = DP_SPARSE;
	refuse(model, arena, "a sparse table");
	model = make_model(arena);
	swapped = model.table[0];
	model.table[0] = model.table[3];
	model.table[3] = swapped;
	refuse(model, arena, "tables in another order");
	model.tables = 0;
	refuse(model, arena, "no tables");
}

int
main(void)
{
	/* 100 rows: nearest with the margins 45, 55 and 70, 0, 30; or all positive ones, of 160 rows */
	static const double nearest[] = {0.45, 0, 0, 0.25, 0, 0.3};
	static const double cut[] = {70 / 160.0, 0, 10 / 160.0, 30 / 160.0, 0, 50 / 160.0};
	DpArena arena = dp_arena_malloc();

	test_network(&arena);
	test_noise(&arena, DP_EPSILON_ONE, nearest, "a table with little noise keeps its margins");
	test_noise(&arena, DP_EPSILON_ONE / 100, cut,
			   "a table of little but noise keeps its positive counts");
	test_corrupt(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
