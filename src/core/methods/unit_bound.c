/*
 * unit_bound.c -- choosing how much of a unit a query counts.
 *
 * Neighbours:  the dataset's
 * Guarantee:   that of its noise; the choice is post-processing
 * Why:         docs/methods/sql.md. A unit has one size, which its own rows and public tables alone
 *              decide, so it is in one class.
 * Departures:  the number of units beyond a bound is small where bounds are useful, and noise hides it.
 *              So it is taken from the noisy numbers only down to the last class that is clear of
 *              noise, and from there on it falls as it fell before: exponentially in the size.
 */
#include "core/methods/unit_bound.h"

#include <math.h>

#define CLEAR 3.0  /* standard deviations by which a number is clear of noise */
#define SLOWER 2.0 /* than they fell before, units may fall where noise hides them */

DpLaplace
dp_units_laplace(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	return (DpLaplace){amount, privacy_measure->unit.neighbours == DP_ADD_REMOVE ? 1 : 2};
}

DpGaussian
dp_units_gaussian(const DpPrivacyMeasure *privacy_measure, int64_t amount)
{
	return (DpGaussian){amount, privacy_measure->unit.neighbours == DP_ADD_REMOVE ? 1 : 2};
}

/* ---- how many units are larger ---- */

/* Units that are larger than a size: at the ends of classes, and behind them as they fall. */
typedef struct Tail
{
	uint32_t n;
	double size[DP_UNIT_CLASSES_MAX + 1];
	double units[DP_UNIT_CLASSES_MAX + 1]; /* the last one may be 0: nobody has more */
	double scale;                          /* behind the last one they fall as exp(-size / scale) */
} Tail;

static double
clear_of_noise(const DpUnitFit *fit, uint32_t numbers)
{
	return CLEAR * fit->units_stddev * sqrt(numbers);
}

/* From all units down to the last number that is clear of noise. Sums from the far end on, which can
 * only grow towards the near one. */
static Tail
tail_of(const DpUnitFit *fit)
{
	uint32_t classes = dp_unit_classes(fit->sizes);
	double sum = 0, more[DP_UNIT_CLASSES_MAX] = {0}, hidden, last;
	Tail tail = {.n = 0};

	for (uint32_t i = classes; i-- > 0;)
		more[i] = sum += fit->units[i];
	for (uint32_t i = 0; i < classes && more[i] > clear_of_noise(fit, classes - i); i++)
	{
		tail.size[tail.n] = i == 0 ? 0 : (double) dp_unit_class_last(fit->sizes, i - 1);
		tail.units[tail.n] =
			tail.n > 0 && more[i] > tail.units[tail.n - 1] ? tail.units[tail.n - 1] : more[i];
		tail.n++;
	}
	if (tail.n == 0)
		return tail;
	if (tail.n == classes)
	{
		tail.size[tail.n] = (double) fit->sizes.most;
		tail.units[tail.n++] = 0;
		return tail;
	}
	/* the next number is hidden by noise: it is taken for what it says, within what noise can hide */
	hidden = clear_of_noise(fit, classes - tail.n);
	hidden = more[tail.n] < hidden / 4 ? hidden / 4 : more[tail.n];
	last = tail.units[tail.n - 1];
	hidden = hidden < last / 2 ? hidden : last / 2;
	tail.size[tail.n] = (double) dp_unit_class_last(fit->sizes, tail.n - 1);
	tail.units[tail.n] = hidden;
	if (hidden > 0)
		tail.scale = SLOWER * (tail.size[tail.n] - tail.size[tail.n - 1]) / log(last / hidden);
	tail.n++;
	return tail;
}

/* What units have beyond the bound: the area under the tail from there on. */
static double
size_beyond(const Tail *tail, double bound)
{
	double sum = 0, last;

	if (tail->n == 0)
		return 0;
	for (uint32_t i = 0; i + 1 < tail->n; i++)
	{
		double from = tail->size[i] > bound ? tail->size[i] : bound;

		if (tail->size[i + 1] > from)
			sum += (tail->size[i + 1] - from) * (tail->units[i] + tail->units[i + 1]) / 2;
	}
	last = tail->size[tail->n - 1];
	if (bound < last)
		return sum + tail->units[tail->n - 1] * tail->scale;
	return sum + tail->units[tail->n - 1] * tail->scale *
					 (tail->scale > 0 ? exp(-(bound - last) / tail->scale) : 0);
}

/* ---- the choice ---- */

int64_t
dp_unit_bound(const DpUnitFit *fit)
{
	Tail tail = tail_of(fit);
	int64_t best = fit->sizes.most, bound = 0;
	double least = INFINITY;

	if (tail.n == 0)
		return fit->hidden;
	for (__int128 next = fit->sizes.least; bound < fit->sizes.most; next += 1 + next / 8)
	{
		double noise, cut_off, square;

		bound = next < fit->sizes.most ? (int64_t) next : fit->sizes.most;
		noise = fit->noise_stddev * (double) bound;
		cut_off = fit->cut_weight * size_beyond(&tail, (double) bound) / sqrt(fit->groups);
		square = noise * noise + cut_off * cut_off;

		if (square >= least)
			continue;
		least = square;
		best = bound;
	}
	return best;
}

double
dp_units_over(const DpUnitFit *fit, int64_t bound)
{
	Tail tail = tail_of(fit);
	double at = (double) bound;

	for (uint32_t i = 0; i + 1 < tail.n; i++)
		if (at <= tail.size[i + 1])
			return tail.units[i] + (tail.units[i + 1] - tail.units[i]) * (at - tail.size[i]) /
									   (tail.size[i + 1] - tail.size[i]);
	if (tail.n == 0 || tail.scale <= 0)
		return 0;
	return tail.units[tail.n - 1] * exp(-(at - tail.size[tail.n - 1]) / tail.scale);
}
