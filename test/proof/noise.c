/*
 * noise.c -- the samplers: no parameter in their documented range lets integers overflow.
 *
 * Random numbers are any that rng.h allows, and the source may fail at each draw. A loop of coins
 * ends at the first that comes up tails; the theorems are about draws with at most FLIPS coins in
 * a row, since more only repeat the same step. The distributions are the subject of the unit tests
 * test_noise_exact and test_bernoulli_exact.
 */
#include "proof.h"

#include "core/noise/noise.h"

DpStatus
dp_rng_below(DpRng *rng, uint64_t bound, uint64_t *out)
{
	uint64_t drawn = nondet_uint64();

	(void) rng;
	holds(bound >= 1); /* no sampler asks for less: DP_ERR_ARGUMENT never comes up here */
	given(drawn < bound);
	*out = drawn;
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

DpStatus
dp_rng_bit(DpRng *rng, bool *out)
{
	(void) rng;
	*out = nondet_bool();
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

#include "core/noise/bernoulli.c"
#include "core/noise/noise.c"
#include "core/noise/discrete_gaussian.c"

static DpRng rng;

static bool
ok_or(DpStatus status, DpStatus other)
{
	return status == DP_OK || status == DP_ERR_RANDOM || status == other;
}

/* Bernoulli(p/q): p > q and q = 0 are refused, and 0 and 1 are never mistaken. */
void
prove_bernoulli(void)
{
	uint64_t p = nondet_uint64(), q = nondet_uint64();
	bool out;
	DpStatus status = dp_bernoulli(&rng, p, q, &out);

	holds(ok_or(status, DP_ERR_ARGUMENT));
	holds((status == DP_ERR_ARGUMENT) == (q == 0 || p > q));
	holds(status != DP_OK || p > 0 || !out);
	holds(status != DP_OK || p < q || out);
}

/* Bernoulli(exp(-p/q)): q = 0 alone is refused, for 0 it is true, and the output of a failure is
 * untouched. */
void
prove_bernoulli_exp(void)
{
	uint64_t p = nondet_uint64(), q = nondet_uint64();
	bool before = nondet_bool(), out = before;
	DpStatus status = dp_bernoulli_exp(&rng, p, q, &out);

	holds(ok_or(status, DP_ERR_ARGUMENT));
	holds((status == DP_ERR_ARGUMENT) == (q == 0));
	holds(status != DP_OK || p > 0 || out);
	holds(status == DP_OK || out == before);
}

void
prove_bernoulli_exp_square(void)
{
	unsigned __int128 x = nondet_uint128();
	uint64_t a = nondet_uint64(), b = nondet_uint64();
	bool before = nondet_bool(), out = before;
	DpStatus status = dp_bernoulli_exp_square(&rng, x, a, b, &out);

	holds(ok_or(status, DP_ERR_ARGUMENT));
	holds((status == DP_ERR_ARGUMENT) == (a == 0 || b == 0));
	holds(status != DP_OK || x > 0 || out);
	holds(status == DP_OK || out == before);
}

/* What stands in for the parts of a geometric draw: u < t, and any v, as if coins came up so
 * often. */
DpStatus
any_truncated(DpRng *r, uint64_t t, uint64_t *u)
{
	(void) r;
	*u = nondet_uint64();
	given(*u < t);
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

DpStatus
any_geometric_unit(DpRng *r, uint64_t *v)
{
	(void) r;
	*v = nondet_uint64();
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

/* Geometric with exp(-s/t), for all s, t and all sizes of the draw: u + t v leaves neither 64 bits
 * unseen nor 128 at all, and DP_ERR_RANGE is the only new error. */
void
prove_geometric(void)
{
	uint64_t s = nondet_uint64(), t = nondet_uint64(), before = nondet_uint64(), out = before;
	DpStatus status = dp_geometric_exp(&rng, s, t, &out);

	holds((status == DP_ERR_ARGUMENT) == (s == 0 || t == 0));
	holds(status == DP_ERR_ARGUMENT || ok_or(status, DP_ERR_RANGE));
	holds(status == DP_OK || out == before);
}

static uint64_t size_drawn;

DpStatus
any_geometric(DpRng *r, uint64_t numerator, uint64_t denominator, uint64_t *out)
{
	(void) r;
	holds(numerator > 0 && denominator > 0);
	size_drawn = nondet_uint64();
	*out = size_drawn;
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

/* Discrete Laplace, for all sizes that are drawn: the result is that size with either sign, or
 * DP_ERR_RANGE exactly where the size does not fit. */
void
prove_laplace(void)
{
	int64_t before = nondet_int64(), out = before;
	DpStatus status = dp_discrete_laplace(&rng, 1, 1, &out);

	holds(ok_or(status, DP_ERR_RANGE));
	holds(status == DP_OK || out == before);
	holds(status != DP_ERR_RANGE || size_drawn > INT64_MAX);
	if (status == DP_OK)
		holds(size_drawn <= INT64_MAX &&
			  (out == (int64_t) size_drawn || out == -(int64_t) size_drawn));
}

#ifndef ROOT_BITS
#define ROOT_BITS 16
#endif

/* The square root is floor(sqrt(x)) for all x below 2^ROOT_BITS; nothing overflows for any x. */
void
prove_square_root(void)
{
	uint64_t x = nondet_uint64(), root = square_root(x);

	given(x >> ROOT_BITS == 0);
	holds(root * root <= x && (root + 1) * (root + 1) > x);
}

void
prove_square_root_any(void)
{
	uint64_t root = square_root(nondet_uint64());

	holds(root <= UINT32_MAX);
}

static unsigned __int128 gap_x;
static uint64_t gap_a, gap_b;

DpStatus
any_exp_square(DpRng *r, unsigned __int128 x, uint64_t a, uint64_t b, bool *out)
{
	(void) r;
	gap_x = x;
	gap_a = a;
	gap_b = b;
	holds(a >= 1 && b >= 1);
	*out = nondet_bool();
	return nondet_bool() ? DP_OK : DP_ERR_RANDOM;
}

DpStatus
any_laplace(DpRng *r, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	(void) r;
	holds(numerator > 0 && denominator > 0);
	*out = nondet_int64();
	given(*out > INT64_MIN);
	return nondet_bool() ? DP_OK : nondet_bool() ? DP_ERR_RANDOM : DP_ERR_RANGE;
}

/* Discrete Gaussian for v = 2^NUMERATOR / 2^DENOMINATOR, up to the largest terms that are
 * documented, and all proposals: what its coin is asked for never overflows. */
void
prove_gaussian(void)
{
	uint64_t n = nondet_uint64(), d = nondet_uint64();
	int64_t before = nondet_int64(), out = before;
	DpStatus status;

	given(n <= (UINT64_C(1) << TERM_BITS) && d <= (UINT64_C(1) << TERM_BITS));
	status = dp_discrete_gaussian(&rng, n, d, &out);
	holds((status == DP_ERR_ARGUMENT) == (n == 0 || d == 0));
	holds(status == DP_OK || out == before);
}
