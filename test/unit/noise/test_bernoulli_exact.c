/*
 * test_bernoulli_exact.c -- Bernoulli(exp(-x)), and that of a square, by
 * enumeration of the uniform integers that they draw.
 */
#include "core/noise/noise.h"

#include "unit_walk.h"

typedef struct Fraction
{
	uint64_t numerator;
	uint64_t denominator;
} Fraction;

static Fraction odds; /* of the coin under test */
static Fraction more; /* of its other factor; a denominator of 0: there is none */

/*
 * A coin with odds n/d, and one with 1/k, falls alike for all draws of 1..n-1
 * and for all from n on (test_compares): so one of each stands for its kind.
 */
DpStatus
dp_rng_below(DpRng *rng, uint64_t bound, uint64_t *out)
{
	const Fraction *coin = bound == more.denominator ? &more : &odds;
	uint64_t split = coin->numerator % coin->denominator, size[3], kind;
	Walk *walk = rng->context;

	*out = 0;
	if (bound == 1)
		return DP_OK;
	if (split < 1 || split >= bound)
		split = 1;
	size[0] = 1;
	size[1] = split - 1;
	size[2] = bound - split;
	DP_TRY(walk_branch(walk, 3, &kind));
	walk->probability *= (long double) size[kind] / (long double) bound;
	*out = kind == 0 ? 0 : kind == 1 ? 1 : split;
	return DP_OK;
}

static DpStatus
sample_coin(DpRng *rng, const void *parameter, int *outcome)
{
	const Fraction *x = parameter;
	bool heads;

	DP_TRY(dp_bernoulli(rng, x->numerator, x->denominator, &heads));
	*outcome = heads;
	return DP_OK;
}

static void
test_compares(void)
{
	bool exact = true;
	Walk walk;

	for (uint64_t d = 1; d <= 40; d++)
		for (uint64_t n = 0; n <= d; n++)
		{
			odds = (Fraction){n, d};
			walk_all(&walk, 0, sample_coin, &odds);
			exact = exact && fabsl(walk.mass[1] - (long double) n / (long double) d) < 1e-18L;
		}
	CHECK(exact, "Bernoulli(n/d) is heads for exactly the draws below n");
}

static DpStatus
sample(DpRng *rng, const void *parameter, int *outcome)
{
	const Fraction *x = parameter;
	bool heads;

	DP_TRY(dp_bernoulli_exp(rng, x->numerator, x->denominator, &heads));
	*outcome = heads;
	return DP_OK;
}

static void
test_range(uint64_t low, uint64_t high, long double cutoff, long double lost_max)
{
	long double truth[WALK_OUTCOMES] = {0}, lost = 0;
	bool agrees = true;
	Walk walk;

	for (uint64_t d = 1; d <= 9; d++)
		for (uint64_t n = low * d; n <= high * d; n++)
		{
			truth[1] = expl(-(long double) n / (long double) d);
			truth[0] = 1 - truth[1];
			odds = (Fraction){n, d};
			walk_all(&walk, cutoff, sample, &odds);
			agrees = agrees && walk_agrees(&walk, truth);
			lost = fmaxl(lost, walk.lost);
		}
	CHECK(agrees && lost < lost_max,
		  "Bernoulli(exp(-x)), x in %d..%d by ninths and less: exact within %.1Le", (int) low,
		  (int) high, lost);
}

typedef struct Square
{
	unsigned __int128 x;
	uint64_t a;
	uint64_t b;
} Square;

static DpStatus
sample_square(DpRng *rng, const void *parameter, int *outcome)
{
	const Square *square = parameter;
	bool heads;

	DP_TRY(dp_bernoulli_exp_square(rng, square->x, square->a, square->b, &heads));
	*outcome = heads;
	return DP_OK;
}

static void
check_square(Square square, long double cutoff, bool *agrees, long double *lost)
{
	long double truth[WALK_OUTCOMES] = {0};
	Walk walk;

	truth[1] = expl(-((long double) square.x / (long double) square.a) *
					((long double) square.x / (long double) square.b));
	truth[0] = 1 - truth[1];
	odds = (Fraction){(uint64_t) (square.x % square.a), square.a};
	more = (Fraction){(uint64_t) (square.x % square.b), square.b};
	walk_all(&walk, cutoff, sample_square, &square);
	more = (Fraction){0, 0};
	*agrees = *agrees && walk_agrees(&walk, truth);
	*lost = fmaxl(*lost, walk.lost);
}

/* Whole and broken parts on either side, on both, and none. */
static void
test_squares(void)
{
	bool agrees = true;
	long double lost = 0;

	for (uint64_t a = 1; a <= 5; a++)
		for (uint64_t b = 1; b <= 5; b++)
			for (uint64_t x = 0; x * x <= 3 * a * b; x++)
				check_square((Square){x, a, b}, 1e-8L, &agrees, &lost);
	CHECK(agrees && lost < 1e-3L, "Bernoulli(exp(-x^2/(a b))), up to 3: exact within %.1Le", lost);
	lost = 0;
	for (uint64_t x = 1; x <= 6; x++)
		check_square((Square){x, 6, 7}, 1e-13L, &agrees, &lost);
	CHECK(agrees && lost < 1e-8L, "with x below both, within %.1Le", lost);
	lost = 0;
	check_square((Square){(unsigned __int128) 3 << 60, UINT64_C(5) << 60, UINT64_C(1) << 63},
				 1e-13L, &agrees, &lost);
	check_square((Square){((unsigned __int128) 1 << 64) + 5, UINT64_MAX, UINT64_MAX - 12345}, 1e-8L,
				 &agrees, &lost);
	CHECK(agrees && lost < 1e-4L, "with terms of 64 bits and more, within %.1Le", lost);
}

int
main(void)
{
	test_compares();
	test_range(0, 1, 1e-13L, 1e-9L);
	test_range(1, 2, 1e-9L, 1e-5L);
	test_range(3, 4, 1e-8L, 1e-3L);
	test_squares();
	return unit_finish();
}
