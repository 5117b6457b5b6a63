/*
 * outward.h -- sums, products and quotients of doubles that bound what they stand for.
 *
 * Each is rounded down where it is a lower end, and up where it is an upper one, unless it is exact. So
 * no value of an exact type lies outside of a range that is computed so.
 */
#ifndef DPSYN_OUTWARD_H
#define DPSYN_OUTWARD_H

#include <math.h>
#include <stdbool.h>

/* What a decimal, or a numeric of 16 digits, may differ from the nearest double, relatively. */
#define DP_DECIMAL_ERROR 1e-15
#define DP_EXACT_LARGEST 9007199254740992.0 /* 2^53: integers up to here are doubles */

static inline double
dp_toward(double value, double error, bool down)
{
	if (down ? error < 0 : error > 0)
		return nextafter(value, down ? -INFINITY : INFINITY);
	return value;
}

/* The end of a range that is known as the nearest double, or not much worse. */
static inline double
dp_outward(double value, bool down)
{
	double error = fabs(value) * DP_DECIMAL_ERROR;

	return down ? value - error : value + error;
}

/* The same, unless it is an integer that a double holds. */
static inline double
dp_outward_unless_whole(double value, bool down)
{
	return fabs(value) <= DP_EXACT_LARGEST && value == rint(value) ? value
																   : dp_outward(value, down);
}

static inline double
dp_sum(double a, double b, bool down)
{
	double sum = a + b, part = sum - a;

	return dp_toward(sum, (a - (sum - part)) + (b - part), down);
}

static inline double
dp_product(double a, double b, bool down)
{
	double product = a * b, error = fma(a, b, -product);

	if (a != 0 && b != 0 && fabs(product) < 1e-290) /* the error itself is no double */
		error = down ? -1 : 1;
	return dp_toward(product, error, down);
}

/* divisor is not 0. */
static inline double
dp_quotient(double a, double divisor, bool down)
{
	double quotient = a / divisor, rest = fma(-quotient, divisor, a);

	if (a != 0 && fabs(quotient) < 1e-290)
		return nextafter(quotient, down ? -INFINITY : INFINITY);
	return dp_toward(quotient, divisor < 0 ? -rest : rest, down);
}

#endif
