/*
 * test_quasi_random.c -- points that follow each other fill intervals, and rectangles, as evenly as
 * is said; one by itself is uniform.
 */
#include "core/sample/conditional_sampler.h"

#include "unit_stat.h"

#define POINTS 1000
#define PARTS 16
#define SHIFTS 20000

/* By how much the number of points in an interval differs from its length, at most: of any points
 * that follow each other, each coordinate by itself. */
static double
worst_gap(const DpQuasiRandom *points, uint32_t k)
{
	double worst = 0, unit[DP_QUASI_RANDOM_DIMENSIONS_MAX];

	for (uint32_t first = 0; first < POINTS; first += POINTS / 10)
	{
		uint32_t count[PARTS] = {0};

		for (uint32_t n = 1; first + n <= POINTS; n++)
		{
			uint32_t below = 0;

			dp_quasi_random_get(points, first + n - 1, unit);
			count[(uint32_t) (unit[k] * PARTS)]++;
			for (uint32_t part = 0; part < PARTS; part++)
			{
				below += count[part];
				worst = fmax(worst, fabs(below - n * (part + 1.0) / PARTS));
			}
		}
	}
	return worst;
}

/* The same of squares of the first two coordinates, of all points. */
static double
worst_square(const DpQuasiRandom *points)
{
	double worst = 0, unit[DP_QUASI_RANDOM_DIMENSIONS_MAX];
	uint32_t count[PARTS][PARTS] = {{0}};

	for (uint32_t n = 0; n < POINTS; n++)
	{
		dp_quasi_random_get(points, n, unit);
		count[(uint32_t) (unit[0] * PARTS)][(uint32_t) (unit[1] * PARTS)]++;
	}
	for (uint32_t i = 0; i < PARTS; i++)
		for (uint32_t j = 0; j < PARTS; j++)
			worst = fmax(worst, fabs(count[i][j] - (double) POINTS / PARTS / PARTS));
	return worst;
}

static void
test_even(void)
{
	DpQuasiRandom points;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){1, 1, 1});
	for (uint32_t dimensions = 1; dimensions <= DP_QUASI_RANDOM_DIMENSIONS_MAX; dimensions++)
	{
		double worst = 0;

		dp_quasi_random_init(&points, dimensions);
		dp_quasi_random_shift(&points, &prng);
		for (uint32_t k = 0; k < dimensions; k++)
			worst = fmax(worst, worst_gap(&points, k));
		/* random ones are off by about 15 */
		CHECK(worst < 6, "%u dimensions: intervals get their points, %.1f off at most", dimensions,
			  worst);
	}
	dp_quasi_random_init(&points, 2);
	dp_quasi_random_shift(&points, &prng);
	/* random ones are off by about 6, since 256 squares have 4 each */
	CHECK(worst_square(&points) < 3, "squares get theirs, %.1f off at most", worst_square(&points));
}

/* The mean and the mean square of a coordinate over shifts, and of the product of two. */
static void
test_uniform(void)
{
	double sum[3] = {0}, unit[DP_QUASI_RANDOM_DIMENSIONS_MAX];
	DpQuasiRandom points;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){2, 1, 1});
	dp_quasi_random_init(&points, 3);
	for (int i = 0; i < SHIFTS; i++)
	{
		dp_quasi_random_shift(&points, &prng);
		dp_quasi_random_get(&points, 7, unit);
		sum[0] += unit[2] / SHIFTS;
		sum[1] += unit[2] * unit[2] / SHIFTS;
		sum[2] += unit[0] * unit[1] / SHIFTS;
	}
	CHECK_NEAR(sum[0], 0.5, 0.015, "one point by itself: the mean of a coordinate");
	CHECK_NEAR(sum[1], 1.0 / 3, 0.015, "of its square");
	CHECK_NEAR(sum[2], 0.25, 0.012, "and of the product of two");
}

/* The first steps: those of a seed's points on every CPU. */
static void
test_pinned(void)
{
	DpQuasiRandom points;
	double unit[2];

	dp_quasi_random_init(&points, 2);
	dp_quasi_random_get(&points, 1, unit);
	CHECK(unit[0] == 0x1.3c6ef372fe950p-1, "the golden ratio: %a", unit[0]);
	CHECK(unit[1] == 0x1.a827999fcef34p-2, "and the root of 2: %a", unit[1]);
}

int
main(void)
{
	test_even();
	test_uniform();
	test_pinned();
	return unit_finish();
}
