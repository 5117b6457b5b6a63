/*
 * quasi_random.h -- a quasi-random sequence of points in a cube, in place of random points.
 *
 * Point n has the coordinates (shift_k + n step_k) mod 1, with irrational steps (a Kronecker
 * sequence; Niederreiter 1992, chapter 3): of points that follow each other about as many lie in a
 * part of the cube as the part is large. The shift is random, so that one point by itself is
 * uniform in the cube (Cranley and Patterson 1976).
 */
#ifndef DP_QUASI_RANDOM_H
#define DP_QUASI_RANDOM_H

#include "core/base/prng.h"

#define DP_QUASI_RANDOM_DIMENSIONS_MAX 8

typedef struct DpQuasiRandom
{
	uint32_t dimensions;
	uint64_t step[DP_QUASI_RANDOM_DIMENSIONS_MAX],
		shift[DP_QUASI_RANDOM_DIMENSIONS_MAX]; /* of 2^64 */
} DpQuasiRandom;

/* dimensions: DP_QUASI_RANDOM_DIMENSIONS_MAX at most. */
extern void dp_quasi_random_init(DpQuasiRandom *points, uint32_t dimensions);
extern void dp_quasi_random_shift(DpQuasiRandom *points, DpPrng *prng);
/* Point number n: unit[dimensions], each in [0, 1). */
extern void dp_quasi_random_get(const DpQuasiRandom *points, uint64_t n, double *unit);

#endif
