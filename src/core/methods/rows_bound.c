/*
 * rows_bound.c -- choosing how many rows of a unit a query counts.
 *
 * Neighbours:  the dataset's
 * Guarantee:   that of its noise; the choice is post-processing
 * Why:         docs/methods/sql.md. A unit has one number of rows, which its own rows and public
 *              tables alone decide, so it is in one class.
 * Departures:  the number of units beyond a bound is small where bounds are useful, and noise hides it.
 *              So it is taken from the noisy numbers only down to the last class that is clear of
 *              noise, and from there on it falls as it fell before: exponentially in the number of
 *              rows.
 */
#include "core/methods/rows_bound.h"

#include <math.h>

#define CLEAR 3.0  /* standard deviations by which a number is clear of noise */
#define SLOWER 2.0 /* than they fell before, units may fall where noise hides them */

uint32_t
dp_rows_classes(uint32_t rows_max)
{
	uint32_t classes = 1;

	while (classes < DP_ROWS_CLASSES_MAX && (UINT64_C(1) << (classes - 1)) < rows_max)
		classes++;
	return classes;
}

uint32_t
dp_rows_class_last(uint32_t class, uint32_t rows_max)
{
	uint64_t last = UINT64_C(1) << class;

	return last < rows_max && class + 1 < dp_rows_classes(rows_max) ? (uint32_t) last : rows_max;
}

DpLaplace
dp_rows_laplace(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	return (DpLaplace){amount, privacy_measure->unit.neighbours == DP_ADD_REMOVE ? 1 : 2};
}

DpGaussian
dp_rows_gaussian(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	return (DpGaussian){amount, privacy_measure->unit.neighbours == DP_ADD_REMOVE ? 1 : 2};
}

/* ---- how many units have more rows ---- */

/* Units that have more than so many rows: at the ends of classes, and behind them as they fall. */
typedef struct Tail
{
	uint32_t n;
	double rows[DP_ROWS_CLASSES_MAX + 1];
	double units[DP_ROWS_CLASSES_MAX + 1]; /* the last one may be 0: nobody has more */
	double scale;                          /* behind the last one they fall as exp(-rows / scale) */
} Tail;

static double
clear_of_noise(const DpRowsFit *fit, uint32_t numbers)
{
	return CLEAR * fit->units_stddev * sqrt(numbers);
}

/* From all units down to the last number that is clear of noise. Sums from the far end on, which can
 * only grow towards the near one. */
static Tail
tail_of(const DpRowsFit *fit)
{
	uint32_t classes = dp_rows_classes(fit->rows_max);
	double sum = 0, more[DP_ROWS_CLASSES_MAX] = {0}, hidden, last;
	Tail tail = {.n = 0};

	for (uint32_t i = classes; i-- > 0;)
		more[i] = sum += fit->units[i];
	for (uint32_t i = 0; i < classes && more[i] > clear_of_noise(fit, classes - i); i++)
	{
		tail.rows[tail.n] = i == 0 ? 0 : dp_rows_class_last(i - 1, fit->rows_max);
		tail.units[tail.n] =
			tail.n > 0 && more[i] > tail.units[tail.n - 1] ? tail.units[tail.n - 1] : more[i];
		tail.n++;
	}
	if (tail.n == 0)
		return tail;
	if (tail.n == classes)
	{
		tail.rows[tail.n] = fit->rows_max;
		tail.units[tail.n++] = 0;
		return tail;
	}
	/* the next number is hidden by noise: it is taken for what it says, within what noise can hide */
	hidden = clear_of_noise(fit, classes - tail.n);
	hidden = more[tail.n] < hidden / 4 ? hidden / 4 : more[tail.n];
	last = tail.units[tail.n - 1];
	hidden = hidden < last / 2 ? hidden : last / 2;
	tail.rows[tail.n] = dp_rows_class_last(tail.n - 1, fit->rows_max);
	tail.units[tail.n] = hidden;
	if (hidden > 0)
		tail.scale = SLOWER * (tail.rows[tail.n] - tail.rows[tail.n - 1]) / log(last / hidden);
	tail.n++;
	return tail;
}

/* The rows of units beyond the bound: the area under the tail from there on. */
static double
rows_beyond(const Tail *tail, double bound)
{
	double sum = 0, last;

	if (tail->n == 0)
		return 0;
	for (uint32_t i = 0; i + 1 < tail->n; i++)
	{
		double from = tail->rows[i] > bound ? tail->rows[i] : bound;

		if (tail->rows[i + 1] > from)
			sum += (tail->rows[i + 1] - from) * (tail->units[i] + tail->units[i + 1]) / 2;
	}
	last = tail->rows[tail->n - 1];
	if (bound < last)
		return sum + tail->units[tail->n - 1] * tail->scale;
	return sum + tail->units[tail->n - 1] * tail->scale *
					 (tail->scale > 0 ? exp(-(bound - last) / tail->scale) : 0);
}

/* ---- the choice ---- */

uint32_t
dp_rows_bound(const DpRowsFit *fit)
{
	Tail tail = tail_of(fit);
	uint32_t best = fit->rows_max;
	double least = INFINITY;

	for (uint32_t next = 1, bound = 0; bound < fit->rows_max; next += 1 + next / 8)
	{
		double noise, left_out, square;

		bound = next < fit->rows_max ? next : fit->rows_max;
		noise = fit->rows_stddev * bound;
		left_out = rows_beyond(&tail, bound) / sqrt(fit->groups);
		square = noise * noise + left_out * left_out;

		if (square >= least)
			continue;
		least = square;
		best = bound;
	}
	return best;
}
