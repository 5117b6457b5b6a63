/*
 * unit_bound.c -- choosing the contribution bounds of a query.
 *
 * Neighbours:  the dataset's
 * Guarantee:   that of the noise on the numbers of units; the choice is post-processing
 * Why:         docs/methods/sql.md. The size of a unit depends on its own rows and public tables
 *              alone, and is in one class.
 * Departures:  few units exceed a useful bound, and noise hides their number. So the noisy numbers
 *              are used only up to the last class in which the number of larger units, or of those
 *              in a run of classes, is clear of noise. Beyond it the number is extrapolated: it falls exponentially in the size, at
 *              half the rate of the last classes.
 */
#include "core/methods/unit_bound.h"

#include <math.h>

#define CLEAR 3.0     /* standard deviations above which a number is clear of noise */
#define RUN_CLEAR 4.5 /* the same for one of many runs of classes */
#define SLOWER 2.0    /* factor by which the hidden tail is longer than the visible one */

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

/* The number of units above a size: at the ends of classes, and an exponential tail. */
typedef struct Tail
{
	uint32_t n;
	double size[DP_UNIT_CLASSES_MAX + 1];
	double units[DP_UNIT_CLASSES_MAX + 1]; /* the last may be 0: no unit is larger */
	double scale;                          /* beyond it they fall as exp(-size / scale) */
} Tail;

static double
clear_of_noise(const DpUnitFit *fit, uint32_t numbers)
{
	return CLEAR * fit->units_stddev * sqrt(numbers);
}

/* The most units in a run of classes that begins with this one and whose sum is clear of noise. A
 * run finds units of nearly one size, which the noise of all larger classes together would hide. */
static double
units_in_run(const DpUnitFit *fit, uint32_t first)
{
	uint32_t classes = dp_unit_classes(fit->sizes);
	double sum = 0, most = 0;

	for (uint32_t i = first; i < classes; i++)
	{
		sum += fit->units[i];
		if (sum > most && sum > RUN_CLEAR * fit->units_stddev * sqrt(i - first + 1))
			most = sum;
	}
	return most;
}

/* Computes the tail up to the last number that is clear of noise. The numbers are sums over all
 * larger classes, so they are made monotone in the size. */
static Tail
tail_of(const DpUnitFit *fit)
{
	uint32_t classes = dp_unit_classes(fit->sizes);
	double sum = 0, run = 0, more[DP_UNIT_CLASSES_MAX] = {0}, seen[DP_UNIT_CLASSES_MAX] = {0},
		   hidden, last;
	Tail tail = {.n = 0};

	for (uint32_t i = classes; i-- > 0;)
	{
		more[i] = sum += fit->units[i];
		run = fmax(run, units_in_run(fit, i));
		seen[i] = sum > clear_of_noise(fit, classes - i) ? fmax(sum, run) : run;
	}
	for (uint32_t i = 0; i < classes && seen[i] > 0; i++)
	{
		tail.size[tail.n] = i == 0 ? 0 : (double) dp_unit_class_last(fit->sizes, i - 1);
		tail.units[tail.n] = tail.n > 0 ? fmin(seen[i], tail.units[tail.n - 1]) : seen[i];
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
	/* the next number is hidden by noise: it is clamped to values that noise can hide */
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

/* The total amount of units beyond the bound: the area under the tail from there on. */
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
	if (tail.n == 0)
		return clear_of_noise(fit, dp_unit_classes(fit->sizes));
	if (tail.scale <= 0)
		return 0;
	return tail.units[tail.n - 1] * exp(-(at - tail.size[tail.n - 1]) / tail.scale);
}
