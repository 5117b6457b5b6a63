/*
 * simplex.c -- Euclidean projection on the simplex, without a sort.
 */
#include "core/estimate/weights.h"

#include <string.h>

/* Keeps the values above theta, in order, and returns how many. */
static uint64_t
keep_above(double *value, uint64_t n, double theta)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < n; i++)
	{
		double v = value[i];

		value[kept] = v;
		kept += v > theta;
	}
	return kept;
}

static double
threshold_for(const double *value, uint64_t n, double total)
{
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += value[i];
	return (sum - total) / (double) n;
}

/*
 * dp_simplex_project -- nearest point of {x >= 0, sum x = total}
 *
 * The projection is max(x - theta, 0), for the one theta with the right sum. Michelot's algorithm
 * (1986): compute theta as if every value stayed positive, drop the values that do not stay so,
 * and repeat. This is Newton's method on a convex piecewise linear function. With each pass the
 * error or the number of values left falls at least by half, so that there are few passes.
 *
 * A value of -INFINITY makes the first theta infinite too, and is dropped first.
 *
 * Numerics: the maximum is subtracted first. Then theta < 0 always, the
 * largest value (now 0) is never dropped, and no division by zero can occur,
 * however small total is beside the values.
 */
void
dp_simplex_project(double *x, uint64_t n, double *work, double total)
{
	double maximum = x[0];
	double theta;
	uint64_t active = n;
	uint64_t before;

	for (uint64_t i = 1; i < n; i++)
		maximum = x[i] > maximum ? x[i] : maximum;
	for (uint64_t i = 0; i < n; i++)
		x[i] -= maximum;
	memcpy(work, x, n * sizeof(*x));
	do
	{
		theta = threshold_for(work, active, total);
		before = active;
		active = keep_above(work, active, theta);
	} while (active < before);
	for (uint64_t i = 0; i < n; i++)
		x[i] = x[i] > theta ? x[i] - theta : 0;
}
