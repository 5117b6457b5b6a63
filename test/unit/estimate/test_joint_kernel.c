/*
 * test_joint_kernel.c -- an array and another over some of its axes, against the
 * plain loop; sums in the order that is written down.
 */
#include "core/base/prng.h"
#include "core/estimate/joint.h"

#include "unit.h"

#define RUNS_MAX 5
#define CELLS_MAX 10000

typedef struct Case
{
	DpRun run[RUNS_MAX];
	uint32_t runs;
	uint64_t cells, small_cells;
	double large[CELLS_MAX], small[CELLS_MAX], got[CELLS_MAX], want[CELLS_MAX];
} Case;

/* Row-major both: steps grow from the last axis, and those of the small array where an axis is
 * kept. */
static void
make_case(Case *c, DpPrng *prng)
{
	c->runs = 1 + (uint32_t) dp_prng_below(prng, RUNS_MAX);
	c->cells = c->small_cells = 1;
	for (uint32_t r = c->runs; r-- > 0;)
	{
		bool kept = dp_prng_below(prng, 2) == 1;
		uint64_t length = 1 + dp_prng_below(prng, r + 1 == c->runs ? 13 : 5);

		c->run[r] = (DpRun){length, c->cells, kept ? c->small_cells : 0};
		c->cells *= length;
		c->small_cells *= kept ? length : 1;
	}
	for (uint64_t i = 0; i < c->cells; i++)
		c->large[i] = (double) dp_prng_below(prng, 201) - 100;
	for (uint64_t i = 0; i < c->small_cells; i++)
		c->small[i] = (double) dp_prng_below(prng, 201) - 100;
}

static uint64_t
small_cell(const Case *c, uint64_t cell)
{
	uint64_t at = 0;

	for (uint32_t r = 0; r < c->runs; r++)
		at += cell / c->run[r].step % c->run[r].length * c->run[r].step_small;
	return at;
}

static bool
assign_agrees(Case *c)
{
	for (uint64_t i = 0; i < c->cells; i++)
		c->want[i] = c->small[small_cell(c, i)];
	memset(c->got, 77, c->cells * sizeof(double));
	dp_runs_assign(c->got, c->small, c->run, c->runs);
	return memcmp(c->got, c->want, c->cells * sizeof(double)) == 0;
}

static bool
multiply_agrees(Case *c)
{
	for (uint64_t i = 0; i < c->cells; i++)
		c->want[i] = c->large[i] * c->small[small_cell(c, i)];
	memcpy(c->got, c->large, c->cells * sizeof(double));
	dp_runs_multiply(c->got, c->small, c->run, c->runs);
	return memcmp(c->got, c->want, c->cells * sizeof(double)) == 0;
}

/* Sums are added to what the small array holds. */
static bool
sum_agrees(Case *c)
{
	memcpy(c->want, c->small, c->small_cells * sizeof(double));
	memcpy(c->got, c->small, c->small_cells * sizeof(double));
	for (uint64_t i = 0; i < c->cells; i++)
		c->want[small_cell(c, i)] += c->large[i];
	dp_runs_sum(c->large, c->got, c->run, c->runs);
	for (uint64_t i = 0; i < c->small_cells; i++)
		if (c->got[i] != c->want[i])
			return false;
	return true;
}

static void
test_runs(void)
{
	static Case c;
	unsigned wrong[3] = {0};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 0, 0});
	for (int round = 0; round < 500; round++)
	{
		make_case(&c, &prng);
		wrong[0] += !assign_agrees(&c);
		wrong[1] += !multiply_agrees(&c);
		wrong[2] += !sum_agrees(&c);
	}
	CHECK_I64(wrong[0], 0, "500 arrays get the cells of a smaller one");
	CHECK_I64(wrong[1], 0, "they are multiplied by them");
	CHECK_I64(wrong[2], 0, "they are summed into it, on top of what it holds");
}

/* Stored models give the same rows everywhere, so the order of additions is a part of what
 * dp_sum is. */
static double
sum_in_order(const double *value, uint64_t n)
{
	volatile double part[4] = {0, 0, 0, 0};
	volatile double even, odd;

	for (uint64_t i = 0; i < n; i++)
		part[i < n / 4 * 4 ? i % 4 : 0] += value[i];
	even = part[0] + part[2];
	odd = part[1] + part[3];
	return even + odd;
}

static void
test_sums(void)
{
	double value[103];
	unsigned wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){9, 0, 0});
	for (uint64_t n = 0; n <= 103; n++)
	{
		for (uint64_t i = 0; i < n; i++)
			value[i] = ldexp(dp_prng_unit(&prng) - 0.5, (int) dp_prng_below(&prng, 40));
		wrong += dp_sum(value, n) != sum_in_order(value, n);
	}
	CHECK_I64(wrong, 0, "sums of 0 to 103 numbers, to the last bit");
}

int
main(void)
{
	test_runs();
	test_sums();
	return unit_finish();
}
