/*
 * test_simplex.c -- the projection against its optimality conditions and against
 * the textbook algorithm with a sort.
 */
#include "core/base/prng.h"
#include "core/estimate/weights.h"

#include "unit.h"

#define N 2000

static int
descending(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x < y) - (x > y);
}

/* Held, Wolfe, Crowder (1974). */
static void
project_by_sort(double *x, uint32_t n, double total)
{
	double sorted[N];
	double sum = 0;
	double theta = 0;

	memcpy(sorted, x, n * sizeof(*x));
	qsort(sorted, n, sizeof(*sorted), descending);
	for (uint32_t k = 0; k < n; k++)
	{
		sum += sorted[k];
		if (sorted[k] - (sum - total) / (k + 1) > 0)
			theta = (sum - total) / (k + 1);
	}
	for (uint32_t i = 0; i < n; i++)
		x[i] = fmax(x[i] - theta, 0);
}

/* x >= 0, the sum is right, and what was taken off is one number on the support and at least
 * the value elsewhere. */
static bool
optimal(const double *before, const double *x, uint32_t n, double total, double tolerance)
{
	double sum = 0;
	double theta = NAN;

	for (uint32_t i = 0; i < n; i++)
	{
		if (!(x[i] >= 0))
			return false;
		sum += x[i];
		if (x[i] > 0 && isnan(theta))
			theta = before[i] - x[i];
	}
	if (isnan(theta) || fabs(sum - total) > tolerance)
		return false;
	for (uint32_t i = 0; i < n; i++)
	{
		if (x[i] > 0 ? fabs(before[i] - x[i] - theta) > tolerance : before[i] - theta > tolerance)
			return false;
	}
	return true;
}

static void
check_projection(const double *before, uint32_t n, double total, const char *what)
{
	double x[N];
	double y[N];
	double work[N];
	double size = total;
	double worst = 0;

	memcpy(x, before, n * sizeof(*x));
	memcpy(y, before, n * sizeof(*y));
	for (uint32_t i = 0; i < n; i++)
		size = fmax(size, fabs(before[i]));
	dp_simplex_project(x, n, work, total);
	project_by_sort(y, n, total);
	for (uint32_t i = 0; i < n; i++)
		worst = fmax(worst, fabs(x[i] - y[i]));
	CHECK(optimal(before, x, n, total, 1e-12 * n * size), "%s: optimal", what);
	CHECK(worst <= 1e-12 * n * size, "%s: as by sorting", what);
}

/* Where sums lose the total entirely: half the values are 2^61, and 1 is to be shared. */
static void
test_small_total(double *x)
{
	double work[N];
	double worst = 0;

	dp_simplex_project(x, N, work, 1);
	for (uint32_t i = 0; i < N; i++)
		worst = fmax(worst, fabs(x[i] - (i % 2 == 0 ? 2.0 / N : 0)));
	CHECK(worst < 1e-15, "a total that vanishes beside the values is shared all the same");
}

/* -INFINITY is 0, and as if it were not there. */
static void
test_excluded(void)
{
	double x[] = {-INFINITY, 7, -3, -INFINITY, 4, 5, -INFINITY};
	double rest[] = {7, -3, 4, 5};
	double work[7];

	dp_simplex_project(x, 7, work, 10);
	dp_simplex_project(rest, 4, work, 10);
	CHECK(x[0] == 0 && x[3] == 0 && x[6] == 0, "what is excluded becomes 0");
	CHECK(x[1] == rest[0] && x[2] == rest[1] && x[4] == rest[2] && x[5] == rest[3],
		  "and the others what they are alone");
}

int
main(void)
{
	double x[N];
	double work[1];
	DpPrng prng;

	for (uint64_t seed = 0; seed < 100; seed++)
	{
		uint32_t n;
		double spread;

		dp_prng_seed(&prng, (DpStream){seed, 0, 0});
		n = 1 + (uint32_t) dp_prng_below(&prng, N);
		spread = exp(10 * dp_prng_unit(&prng));
		for (uint32_t i = 0; i < n; i++)
			x[i] = floor(spread * (dp_prng_unit(&prng) - 0.4));
		check_projection(x, n, 1 + (double) dp_prng_below(&prng, 100000), "random counts");
	}
	for (uint32_t i = 0; i < N; i++)
		x[i] = -1e6 - i;
	check_projection(x, N, 10, "all negative");
	for (uint32_t i = 0; i < N; i++)
		x[i] = 5;
	check_projection(x, N, 10000, "already there");
	for (uint32_t i = 0; i < N; i++)
		x[i] = ldexp(1, (int) (i % 60));
	check_projection(x, N, 1000, "powers of two: one value drops out at a time");
	for (uint32_t i = 0; i < N; i++)
		x[i] = i % 2 == 0 ? 0x1p61 : -0x1p61;
	test_small_total(x);
	x[0] = -3e18;
	dp_simplex_project(x, 1, work, 42);
	CHECK_NEAR(x[0], 42, 1e-9, "a single cell gets the total, exactly");
	test_excluded();
	return unit_finish();
}
