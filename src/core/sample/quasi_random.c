/*
 * quasi_random.c -- points that fill a cube evenly.
 */
#include "core/sample/conditional_sampler.h"

#include <assert.h>
#include <math.h>

/* Quadratic irrationals, (root of n - less) / of. Their continued fractions have small terms, so
 * that each coordinate by itself is as even as a sequence can be but for a factor, and none of them
 * is a rational combination of the others. The root is rounded correctly, the same on every CPU. */
static const struct
{
	double n, less, of;
} steps[DP_QUASI_RANDOM_DIMENSIONS_MAX] = {{5, 1, 2}, {2, 1, 1},  {3, 1, 1}, {13, 3, 2},
										   {7, 2, 1}, {21, 3, 2}, {6, 2, 1}, {29, 5, 2}};

void
dp_quasi_random_init(DpQuasiRandom *points, uint32_t dimensions)
{
	assert(dimensions <= DP_QUASI_RANDOM_DIMENSIONS_MAX);
	*points = (DpQuasiRandom){.dimensions = dimensions};
	for (uint32_t k = 0; k < dimensions; k++)
		points->step[k] = (uint64_t) ((sqrt(steps[k].n) - steps[k].less) / steps[k].of * 0x1p64);
}

void
dp_quasi_random_shift(DpQuasiRandom *points, DpPrng *prng)
{
	dp_prng_fill(prng, points->shift, points->dimensions);
}

void
dp_quasi_random_get(const DpQuasiRandom *points, uint64_t n, double *unit)
{
	for (uint32_t k = 0; k < points->dimensions; k++)
		unit[k] = (double) ((points->shift[k] + n * points->step[k]) >> 11) * 0x1p-53;
}
