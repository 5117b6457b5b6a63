/*
 * test_potentials.c -- expected counts by products of tables, against those by sums of logarithms.
 */
#include "core/graphical/graphical.h"
#include "core/graphical/potentials.h"
#include "core/base/prng.h"

#include <math.h>

#include "unit.h"

#define ATTRIBUTES 9
#define TABLES 10

/* A model of random tables over up to three of the attributes, with tree and belief. */
static void
make_model(DpGraphical *model, uint32_t *levels, DpPrng *prng, DpArena *arena)
{
	static const DpFitRule rule = {.ridge = 1, .tolerance = 1e9, .evaluations_max = 1};

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		levels[a] = 1 + (uint32_t) dp_prng_below(prng, 5);
	MUST(dp_graphical_init(
		model, &(DpGraphicalStart){ATTRIBUTES, levels, DP_TOTAL_UNKNOWN, UINT64_C(1) << 20},
		arena));
	for (uint32_t t = 0; t < TABLES; t++)
	{
		uint32_t first = (uint32_t) dp_prng_below(prng, 5), cells = 1;
		uint32_t attribute[3] = {first, first + 1 + (uint32_t) dp_prng_below(prng, 2), 0};
		uint32_t n = 1 + (uint32_t) dp_prng_below(prng, 3);
		double observed[125];

		attribute[2] = attribute[1] + 1 + (uint32_t) dp_prng_below(prng, 2);
		for (uint32_t k = 0; k < n; k++)
			cells *= levels[attribute[k]];
		for (uint32_t i = 0; i < cells; i++)
			observed[i] = (double) dp_prng_below(prng, 1000);
		MUST(dp_graphical_add(model, &(DpAttributeSet){n, attribute}, observed, 4));
	}
	MUST(dp_graphical_fit(model, &rule, NULL));
}

/* Whether both ways agree on every table and clique. *products: whether products served. */
static bool
ways_agree(DpGraphical *model, double spread, DpPrng *prng, bool *products, DpArena *arena)
{
	uint64_t n = model->potentials.n;
	double *potential = dp_alloc(arena, n, sizeof(double));
	double *expected[2] = {dp_alloc(arena, n, sizeof(double)), dp_alloc(arena, n, sizeof(double))};
	double log_sum[2], total = model->belief.total;
	DpPotentials potentials;
	bool right;

	for (uint64_t i = 0; i < n; i++)
		potential[i] = spread * (dp_prng_unit(prng) - 0.5);
	MUST(dp_potentials_init(&potentials, model));
	(void) dp_potentials_expect(&potentials, potential, expected[0]);
	log_sum[0] = dp_potentials_expect(&potentials, potential, expected[0]); /* the raised table */
	*products = !potentials.logarithms;
	potentials.logarithms = true;
	log_sum[1] = dp_potentials_expect(&potentials, potential, expected[1]);
	right = fabs(log_sum[0] - log_sum[1]) <= 1e-11 * (1 + fabs(log_sum[1]));
	for (uint64_t i = 0; i < n; i++)
		right &= fabs(expected[0][i] - expected[1][i]) <= 1e-10 * total;
	dp_potentials_free(&potentials);
	return right;
}

static void
test_spread(double spread, bool products_serve, DpArena *arena)
{
	uint32_t levels[ATTRIBUTES], wrong = 0, by_products = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){18, (uint64_t) spread, 1});
	for (uint32_t round = 0; round < 50; round++)
	{
		DpGraphical model;
		bool products;

		make_model(&model, levels, &prng, arena);
		wrong += !ways_agree(&model, spread, &prng, &products, arena);
		by_products += products;
		dp_graphical_free(&model);
	}
	CHECK_I64(wrong, 0, "potentials up to %g: both ways agree on 50 models", spread);
	if (products_serve)
		CHECK_I64(by_products, 50, "and products serve for all of them");
	unit_note("products served for %u", by_products);
}

/* Two tables whose largest cells are far apart: only a raised table keeps the sum. */
static void
test_raised(DpArena *arena)
{
	static const uint32_t levels[] = {3, 3}, both[] = {0, 1};
	static const DpFitRule rule = {.ridge = 1, .tolerance = 1e9, .evaluations_max = 1};
	static const double potential[] = {0, -400, -400, 0, 0, 0, -420, 0, 0, -500, 0, 0};
	const double observed[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	double expected[12], log_sum;
	DpPotentials potentials;
	DpGraphical model;

	MUST(dp_graphical_init(&model, &(DpGraphicalStart){2, levels, 90, 1000}, arena));
	MUST(dp_graphical_add(&model, &(DpAttributeSet){1, both}, observed, 1));
	MUST(dp_graphical_add(&model, &(DpAttributeSet){2, both}, observed, 1));
	MUST(dp_graphical_fit(&model, &rule, NULL));
	MUST(dp_potentials_init(&potentials, &model));
	log_sum = dp_potentials_expect(&potentials, potential, expected);
	CHECK(!potentials.logarithms, "products serve");
	CHECK_NEAR(log_sum, log(3), 1e-12, "sum of the first row, whose cells are not small");
	CHECK_NEAR(expected[0], 90, 1e-9, "all rows are there");
	dp_potentials_free(&potentials);
}

/* No cell is above exp(-250): products would fall below what is asked of them. */
static void
test_low(DpArena *arena)
{
	static const uint32_t levels[] = {2, 2}, both[] = {0, 1};
	static const DpFitRule rule = {.ridge = 1, .tolerance = 1e9, .evaluations_max = 1};
	static const double potential[] = {0, -300, -250, -250, 0, 0};
	const double observed[4] = {1, 1, 1, 1};
	double expected[6], log_sum;
	DpPotentials potentials;
	DpGraphical model;

	MUST(dp_graphical_init(&model, &(DpGraphicalStart){2, levels, 90, 1000}, arena));
	MUST(dp_graphical_add(&model, &(DpAttributeSet){1, both}, observed, 1));
	MUST(dp_graphical_add(&model, &(DpAttributeSet){2, both}, observed, 1));
	MUST(dp_graphical_fit(&model, &rule, NULL));
	MUST(dp_potentials_init(&potentials, &model));
	for (int run = 0; run < 2; run++)
	{
		log_sum = dp_potentials_expect(&potentials, potential, expected);
		CHECK(!potentials.logarithms && potentials.raised[0] > 1, "a table is raised");
		CHECK_NEAR(log_sum, -250 + log(2), 1e-11, "the sum is right");
		CHECK_NEAR(expected[2], 45, 1e-9, "and so are counts");
	}
	dp_potentials_free(&potentials);
}

#define CHAIN 9

/* Sets the potentials of columns that all have the same level: one table finds level 1 improbable,
 * and each other one finds level 0 less so. */
static void
fill_chain(double *potential, uint32_t end)
{
	for (uint32_t t = 0; t < CHAIN - 1; t++, potential += 4)
	{
		potential[0] = t == end ? 0 : -200;
		potential[1] = potential[2] = -5000;
		potential[3] = t == end ? -800 : 0;
	}
}

/* From clique to clique no product is too small. But what the first one has lost is all there is in
 * the end, if it is the table of that end which is farther from the root. */
static void
test_chain(uint32_t end, DpArena *arena)
{
	static const DpFitRule rule = {.ridge = 1, .tolerance = 1e9, .evaluations_max = 1};
	static const double observed[] = {1, 1, 1, 1};
	uint32_t levels[CHAIN];
	double potential[4 * (CHAIN - 1)], expected[4 * (CHAIN - 1)], log_sum;
	DpPotentials potentials;
	DpGraphical model;

	for (uint32_t a = 0; a < CHAIN; a++)
		levels[a] = 2;
	MUST(dp_graphical_init(&model, &(DpGraphicalStart){CHAIN, levels, 90, 1000}, arena));
	for (uint32_t a = 0; a + 1 < CHAIN; a++)
		MUST(dp_graphical_add(&model, &(DpAttributeSet){2, (uint32_t[]){a, a + 1}}, observed, 1));
	MUST(dp_graphical_fit(&model, &rule, NULL));
	MUST(dp_potentials_init(&potentials, &model));
	fill_chain(potential, end);
	log_sum = dp_potentials_expect(&potentials, potential, expected);
	CHECK_NEAR(log_sum, -800, 1e-9, "the sum is that of level 1");
	CHECK_NEAR(expected[3], 90, 1e-9, "which all rows have");
	dp_potentials_free(&potentials);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_spread(1, true, &arena);
	test_spread(30, true, &arena);
	test_spread(300, false, &arena);
	test_spread(3000, false, &arena);
	test_raised(&arena);
	test_low(&arena);
	test_chain(0, &arena);
	test_chain(CHAIN - 2, &arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
