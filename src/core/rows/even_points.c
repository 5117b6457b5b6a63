/*
 * even_points.c -- points that fill a cube evenly.
 */
#include "core/rows/even_points.h"

#include <assert.h>

/* The root above 1 of x^(dimensions + 1) = x + 1, by halving: the same on every CPU. */
static double
golden_ratio(uint32_t dimensions)
{
	double low = 1, high = 2;

	for (int i = 0; i < 60; i++)
	{
		double x = (low + high) / 2, power = x;

		for (uint32_t k = 0; k < dimensions; k++)
			power *= x;
		if (power > x + 1)
			high = x;
		else
			low = x;
	}
	return low;
}

void
dp_even_points_init(DpEvenPoints *points, uint32_t dimensions)
{
	double ratio = golden_ratio(dimensions), step = 1;

	assert(dimensions <= DP_EVEN_DIMENSIONS_MAX);
	*points = (DpEvenPoints){.dimensions = dimensions};
	for (uint32_t k = 0; k < dimensions; k++)
	{
		step /= ratio;
		points->step[k] = (uint64_t) (step * 0x1p64);
	}
}

void
dp_even_points_shift(DpEvenPoints *points, DpPrng *prng)
{
	dp_prng_fill(prng, points->shift, points->dimensions);
}

void
dp_even_points_get(const DpEvenPoints *points, uint64_t n, double *unit)
{
	for (uint32_t k = 0; k < points->dimensions; k++)
		unit[k] = (double) ((points->shift[k] + n * points->step[k]) >> 11) * 0x1p-53;
}
