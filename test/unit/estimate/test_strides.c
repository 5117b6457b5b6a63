/*
 * test_strides.c -- a table and its margin side by side, products and exp, each
 * against the plain loop.
 */
#include "core/base/arena.h"
#include "core/base/prng.h"
#include "core/estimate/strides.h"

#include "unit.h"

#define AXES_MAX 8
#define CELLS_MAX 20000

typedef struct Case
{
	uint32_t levels[2 * AXES_MAX];
	uint32_t outer[AXES_MAX], outer_n;
	uint32_t inner[AXES_MAX], inner_n;
	uint64_t cells, margin_cells;
	double table[CELLS_MAX], margin[CELLS_MAX];
	double got[CELLS_MAX], want[CELLS_MAX];
	uint32_t cell_of[CELLS_MAX]; /* in the margin */
} Case;

/* A table over some attributes with gaps between their numbers, and a margin of it. Every other
 * case has a long last axis, so that all lanes of a sum get something. */
static void
make_case(Case *c, DpPrng *prng, bool is_long)
{
	c->outer_n = (uint32_t) dp_prng_below(prng, is_long ? 4 : AXES_MAX + 1);
	c->inner_n = 0;
	c->cells = c->margin_cells = 1;
	for (uint32_t k = 0; k < c->outer_n; k++)
	{
		uint32_t a = 2 * k + (uint32_t) dp_prng_below(prng, 2);

		c->outer[k] = a;
		c->levels[a] = 1 + (uint32_t) dp_prng_below(prng, is_long && k + 1 == c->outer_n ? 60 : 4);
		c->cells *= c->levels[a];
		if (dp_prng_below(prng, 2) == 0)
			continue;
		c->inner[c->inner_n++] = a;
		c->margin_cells *= c->levels[a];
	}
}

static uint32_t
margin_cell(const Case *c, uint64_t cell)
{
	uint64_t step = 1, at = 0;
	uint32_t k = c->inner_n;

	for (uint32_t i = c->outer_n; i-- > 0;)
	{
		uint32_t a = c->outer[i];

		if (k > 0 && c->inner[k - 1] == a)
		{
			at += cell % c->levels[a] * step;
			step *= c->levels[a];
			k--;
		}
		cell /= c->levels[a];
	}
	return (uint32_t) at;
}

/* Small whole numbers of either sign: sums and products of them are exact in any order. */
static void
fill(Case *c, DpPrng *prng)
{
	for (uint64_t i = 0; i < c->cells; i++)
	{
		c->table[i] = (double) dp_prng_below(prng, 201) - 100;
		c->cell_of[i] = margin_cell(c, i);
	}
	for (uint64_t i = 0; i < c->margin_cells; i++)
		c->margin[i] = (double) dp_prng_below(prng, 201) - 100;
}

typedef void (*Broadcast)(const DpWalk *, double *, const double *);

static bool
broadcast_agrees(Case *c, const DpWalk *walk, Broadcast function, char operation)
{
	memcpy(c->got, c->table, c->cells * sizeof(double));
	function(walk, c->got, c->margin);
	for (uint64_t i = 0; i < c->cells; i++)
	{
		double m = c->margin[c->cell_of[i]];

		c->want[i] = operation == '+'   ? c->table[i] + m
					 : operation == '-' ? c->table[i] - m
					 : operation == '=' ? m
										: c->table[i] * m;
	}
	return memcmp(c->got, c->want, c->cells * sizeof(double)) == 0;
}

static bool
sum_agrees(Case *c, const DpWalk *walk)
{
	memset(c->want, 0, c->margin_cells * sizeof(double));
	memcpy(c->got, c->margin, c->margin_cells * sizeof(double));
	for (uint64_t i = 0; i < c->cells; i++)
		c->want[c->cell_of[i]] += c->table[i];
	dp_walk_sum(walk, c->table, c->got);
	for (uint64_t i = 0; i < c->margin_cells; i++)
		if (c->got[i] != c->want[i])
			return false;
	return true;
}

static bool
maximum_agrees(Case *c, const DpWalk *walk)
{
	for (uint64_t i = 0; i < c->margin_cells; i++)
		c->want[i] = -INFINITY;
	for (uint64_t i = 0; i < c->cells; i++)
		c->want[c->cell_of[i]] = fmax(c->want[c->cell_of[i]], c->table[i]);
	dp_walk_maximum(walk, c->table, c->got);
	for (uint64_t i = 0; i < c->margin_cells; i++)
		if (c->got[i] != c->want[i])
			return false;
	return true;
}

static bool
counts_agree(const Case *c, const DpWalk *walk)
{
	static int64_t table[CELLS_MAX], got[CELLS_MAX], want[CELLS_MAX];

	memset(want, 0, c->margin_cells * sizeof(*want));
	memset(got, 77, c->margin_cells * sizeof(*got));
	for (uint64_t i = 0; i < c->cells; i++)
	{
		table[i] = (int64_t) c->table[i] * (INT64_C(1) << 50) + 1; /* more than a double holds */
		want[c->cell_of[i]] += table[i];
	}
	dp_walk_sum_counts(walk, table, got);
	return memcmp(got, want, c->margin_cells * sizeof(*got)) == 0;
}

static void
test_walks(void)
{
	static Case c;
	unsigned wrong[7] = {0};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){5, 0, 0});
	for (int round = 0; round < 600; round++)
	{
		DpWalk walk;

		do
			make_case(&c, &prng, round % 2);
		while (c.cells > CELLS_MAX);
		fill(&c, &prng);
		MUST(dp_walk_init(&walk, c.levels, &(DpAttributeSet){c.outer_n, c.outer},
						  &(DpAttributeSet){c.inner_n, c.inner}));
		wrong[0] += !broadcast_agrees(&c, &walk, dp_walk_add, '+');
		wrong[1] += !broadcast_agrees(&c, &walk, dp_walk_subtract, '-');
		wrong[2] += !broadcast_agrees(&c, &walk, dp_walk_multiply, '*');
		wrong[3] += !sum_agrees(&c, &walk);
		wrong[6] += !broadcast_agrees(&c, &walk, dp_walk_copy, '=');
		wrong[4] += !maximum_agrees(&c, &walk);
		wrong[5] += !counts_agree(&c, &walk);
	}
	CHECK_I64(wrong[0], 0, "a margin is added to 600 tables");
	CHECK_I64(wrong[1], 0, "a margin is subtracted from them");
	CHECK_I64(wrong[2], 0, "a margin multiplies them");
	CHECK_I64(wrong[3], 0, "they are summed into a margin, whatever it held");
	CHECK_I64(wrong[4], 0, "they are maximised into a margin");
	CHECK_I64(wrong[5], 0, "integers are summed into a margin exactly");
	CHECK_I64(wrong[6], 0, "a margin takes the place of what tables held");
}

/* Stored models give the same rows everywhere, so the order of additions is a part of what a sum
 * is. */
static void
test_order(void)
{
	double value[70], got;
	unsigned wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){4, 0, 0});
	for (uint32_t n = 1; n <= 70; n++)
	{
		volatile double lane[4] = {0, 0, 0, 0}, first, second;
		const uint32_t attribute = 0;
		DpWalk walk;

		for (uint32_t i = 0; i < n; i++)
		{
			value[i] = ldexp(dp_prng_unit(&prng), (int) dp_prng_below(&prng, 40));
			lane[i < n / 4 * 4 ? i % 4 : 0] += value[i];
		}
		first = lane[0] + lane[1];
		second = lane[2] + lane[3];
		MUST(dp_walk_init(&walk, &n, &(DpAttributeSet){1, &attribute},
						  &(DpAttributeSet){0, &attribute}));
		dp_walk_sum(&walk, value, &got);
		wrong += got != first + second;
	}
	CHECK_I64(wrong, 0, "sums of 1 to 70 numbers, to the last bit");
}

static void
test_refusals(void)
{
	uint32_t levels[50], all[50];
	DpWalk walk;

	for (uint32_t a = 0; a < 50; a++)
	{
		levels[a] = 2;
		all[a] = a;
	}
	CHECK_OK(dp_walk_init(&walk, levels, &(DpAttributeSet){39, all}, &(DpAttributeSet){39, all}),
			 "2^39 cells");
	CHECK(walk.cells == UINT64_C(1) << 39, "are counted");
	CHECK_STATUS(dp_walk_init(&walk, levels, &(DpAttributeSet){40, all}, &(DpAttributeSet){1, all}),
				 DP_ERR_LIMIT, "2^40 are too many");
	CHECK_STATUS(dp_walk_init(&walk, levels, &(DpAttributeSet){50, all}, &(DpAttributeSet){1, all}),
				 DP_ERR_LIMIT, "so are more");
	CHECK_STATUS(dp_walk_init(&walk, levels, &(DpAttributeSet){3, all}, &(DpAttributeSet){4, all}),
				 DP_ERR_ARGUMENT, "a margin over an attribute that the table lacks");
	CHECK_STATUS(
		dp_walk_init(&walk, levels, &(DpAttributeSet){3, all + 1}, &(DpAttributeSet){2, all}),
		DP_ERR_ARGUMENT, "or that comes before its first");
	CHECK_STATUS(dp_walk_init(&walk, levels, &(DpAttributeSet){3, all},
							  &(DpAttributeSet){2, (const uint32_t[]){1, 0}}),
				 DP_ERR_ARGUMENT, "a margin in descending order");
	levels[1] = levels[2] = 1;
	CHECK_OK(dp_walk_init(&walk, levels, &(DpAttributeSet){20, all}, &(DpAttributeSet){20, all}),
			 "a table that is its own margin");
	CHECK_I64(walk.axes, 1, "is one long run");
}

/* ---- products ---- */

static void
test_products(void)
{
	static double a[2000], b[2000], got[2000], want[2000];
	unsigned wrong_rows = 0, wrong_cells = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){6, 0, 0});
	for (int round = 0; round < 200; round++)
	{
		size_t rows = 1 + dp_prng_below(&prng, 6), terms = 1 + dp_prng_below(&prng, 6);
		size_t columns = 1 + dp_prng_below(&prng, 6), run = 1 + dp_prng_below(&prng, 20);

		for (size_t i = 0; i < 2000; i++)
		{
			a[i] = (double) dp_prng_below(&prng, 21) - 10;
			b[i] = (double) dp_prng_below(&prng, 21) - 10;
			got[i] = want[i] = (double) dp_prng_below(&prng, 100);
		}
		for (size_t i = 0; i < rows; i++)
			for (size_t k = 0; k < run; k++)
				for (size_t t = 0; t < terms; t++)
					want[i * run + k] += a[i * terms + t] * b[t * run + k];
		dp_product_rows(a, b, got, (DpProductShape){rows, terms, run, 1});
		wrong_rows += memcmp(got, want, sizeof(got)) != 0;
		for (size_t i = 0; i < rows; i++)
			for (size_t j = 0; j < columns; j++)
				for (size_t k = 0; k < run; k++)
					for (size_t t = 0; t < terms; t++)
						want[(i * columns + j) * run + k] +=
							a[(i * terms + t) * run + k] * b[(t * columns + j) * run + k];
		dp_product_cells(a, b, got, (DpProductShape){rows, terms, columns, run});
		wrong_cells += memcmp(got, want, sizeof(got)) != 0;
	}
	CHECK_I64(wrong_rows, 0, "200 products of matrices, added to what was there, and no cell more");
	CHECK_I64(wrong_cells, 0, "200 products of matrices of runs");
}

/* ---- exp ---- */

/* The distance to the truth in units in the last place of it. */
static double
error_of(double x)
{
	long double truth = expl((long double) x);
	double value = x, nearest = (double) truth;
	double unit = nextafter(nearest, INFINITY) - nearest;

	dp_exp_all(&value, 1);
	return (double) (fabsl((long double) value - truth) / (long double) unit);
}

static void
test_exp(void)
{
	double edge[] = {0, -0.0, -708, -708.0000001, -1e300, -INFINITY};
	double worst = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){7, 0, 0});
	for (int i = 0; i < 100000; i++)
	{
		worst = fmax(worst, error_of(-dp_prng_unit(&prng) * (i % 2 ? 708 : 1)));
		worst = fmax(worst, error_of(-ldexp(dp_prng_unit(&prng), -i % 60)));
	}
	for (int k = 0; k < 1020; k++) /* where rounding to the nearest power changes over */
		worst = fmax(worst, error_of(-(k + 0.5) * 0.693147180559945309417 * 708 / 707.5));
	CHECK(worst <= 2, "exp is right to 2 units in the last place (%.3f)", worst);
	dp_exp_all(edge, 6);
	CHECK(edge[0] == 1 && edge[1] == 1, "exp(0) is 1");
	CHECK_NEAR(edge[2], 3.307553003638408e-308L, 1e-322L, "exp(-708) is the least");
	CHECK(edge[3] == 0 && edge[4] == 0 && edge[5] == 0, "and 0 below");
}

int
main(void)
{
	test_walks();
	test_order();
	test_refusals();
	test_products();
	test_exp();
	return unit_finish();
}
