/*
 * unit_sparse.h -- the sparse histogram on tiny domains: its sources of chance as
 * walks, and the distribution of a cell by its formula.
 */
#ifndef UNIT_SPARSE_H
#define UNIT_SPARSE_H

#include "core/mechanism/sparse_histogram.h"

#include "unit_walk.h"

#define CELLS 3
#define VALUES 7 /* of a cell: silent, T..T+4, and all from T+5 on */
#define LAPLACE_LOW (-10)
#define LAPLACE_HIGH 16 /* both ends stand for all beyond: no cell here tells them apart */

/* ---- sources of chance, as walks ---- */

DpStatus
dp_bernoulli(DpRng *rng, uint64_t numerator, uint64_t denominator, bool *out)
{
	return walk_coin(rng->context, (long double) numerator / (long double) denominator, out);
}

DpStatus
dp_bernoulli_exp(DpRng *rng, uint64_t numerator, uint64_t denominator, bool *out)
{
	return walk_coin(rng->context, expl(-(long double) numerator / (long double) denominator), out);
}

/*
 * Belongs to Gaussian noise, which is not used here. It is defined all the same, so that the linker
 * does not take its whole file from the core.
 */
DpStatus
dp_bernoulli_exp_square(DpRng *rng, unsigned __int128 x, uint64_t a, uint64_t b, bool *out)
{
	(void) rng, (void) x, (void) a, (void) b, (void) out;
	return DP_ERR_INTERNAL;
}

/*
 * Gaps end at CELLS and values at T + 5, so the last branch is the whole tail. That of a gap is out
 * of range, as a gap of more than 64 bits is.
 */
DpStatus
dp_geometric_exp(DpRng *rng, uint64_t numerator, uint64_t denominator, uint64_t *out)
{
	uint64_t last = denominator == UINT64_C(1) << 62 ? CELLS : VALUES - 2;
	long double e0 = (long double) numerator / (long double) denominator;
	Walk *walk = rng->context;

	DP_TRY(walk_branch(walk, last + 1, out));
	walk->probability *= expl(-e0 * (long double) *out) * (*out < last ? -expm1l(-e0) : 1);
	return last == CELLS && *out == last ? DP_ERR_RANGE : DP_OK;
}

DpStatus
dp_discrete_laplace(DpRng *rng, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	long double e0 = (long double) numerator / (long double) denominator;
	Walk *walk = rng->context;
	uint64_t branch;

	DP_TRY(walk_branch(walk, LAPLACE_HIGH - LAPLACE_LOW + 1, &branch));
	*out = (int64_t) branch + LAPLACE_LOW;
	if (*out == LAPLACE_LOW)
		walk->probability *= unit_laplace_above(e0, -LAPLACE_LOW);
	else if (*out == LAPLACE_HIGH)
		walk->probability *= unit_laplace_above(e0, LAPLACE_HIGH);
	else
		walk->probability *= unit_laplace_mass(e0, *out);
	return DP_OK;
}

/* ---- the distribution of a cell ---- */

static inline long double
empty_shows(const DpSparseRule *rule)
{
	return ldexpl(-expm1l(-ldexpl((long double) rule->gap_numerator, -62)),
				  -(int) rule->thinning_bits);
}

/* p0: with which an empty cell shows. */
static inline void
cell_distribution(long double e0, int64_t threshold, long double p0, int64_t count,
				  long double *out)
{
	for (int v = 1; v < VALUES; v++)
	{
		bool last = v == VALUES - 1;

		if (count == 0)
			out[v] = p0 * expl(-e0 * (v - 1)) * (last ? 1 : -expm1l(-e0));
		else
			out[v] = last ? unit_laplace_above(e0, threshold + v - 1 - count)
						  : unit_laplace_mass(e0, threshold + v - 1 - count);
	}
	out[0] = count == 0 ? 1 - p0 : 1 - unit_laplace_above(e0, threshold - count);
}

#endif
