/*
 * regression_logistic.c -- steps to the maximum of a logistic likelihood, and what has none.
 *
 * Separation. Where terms tell the outcome of some rows for certain, coefficients go to infinity
 * while the likelihood converges. Then those rows have a variance of nearly 0, and what they alone
 * determine has no finite estimate. In the limit they say nothing about the other coefficients
 * (Albert and Anderson 1984). So these rows are put aside, every term that the others do not
 * determine is said to be separated, and the others are fitted again to the rows that are left.
 */
#include "core/evaluate/regression_logistic.h"

#include <math.h>
#include <string.h>

#define TOLERANCE_WEIGHTED 1e-14
#define DECREMENT 1e-21 /* a step that promises less than this times the rows is the last */
#define STEPS_MAX 60
#define HALVINGS_MAX 30
#define VARIANCE_LEAST 1e-9 /* of an outcome that is not certain */
#define INVOLVED 1e-7

/* ---- steps ---- */

static double
product(const double *a, const double *b, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Factors the matrix, and sets the step. Returns what it promises. */
static double
find_step(DpFit *fit, const bool *kept)
{
	uint32_t n = fit->design->terms;

	memcpy(fit->factor.kept, kept, sizeof(bool) * n);
	(void) dp_factor_make(&fit->factor, TOLERANCE_WEIGHTED, fit->tick);
	memcpy(fit->step, fit->gradient, sizeof(double) * n);
	dp_factor_solve(&fit->factor, fit->step);
	return product(fit->step, fit->gradient, n);
}

/* Goes along the step until the loss does not rise. False: it always does. */
static bool
take_step(DpFit *fit, double *loss)
{
	uint32_t n = fit->design->terms;
	double length = 1, allowed = *loss + 1e-13 * (fabs(*loss) + 1);

	for (int i = 0; i < HALVINGS_MAX; i++, length /= 2)
	{
		double next;

		for (uint32_t t = 0; t < n; t++)
			fit->tried[t] = fit->beta[t] + length * fit->step[t];
		next = dp_fit_pass(fit, fit->tried, fit->gradient, true);
		if (next <= allowed)
		{
			memcpy(fit->beta, fit->tried, sizeof(double) * n);
			*loss = next;
			return true;
		}
	}
	return false;
}

/* At the end the factor is that of the second derivative at beta. */
static DpFitState
climb(DpFit *fit, const bool *kept)
{
	double loss, promise = INFINITY;

	memset(fit->beta, 0, sizeof(double) * fit->design->terms);
	loss = dp_fit_pass(fit, fit->beta, fit->gradient, true);
	for (int i = 0; i < STEPS_MAX; i++)
	{
		bool last;

		promise = find_step(fit, kept);
		last = promise <= DECREMENT * fit->total;
		if (!take_step(fit, &loss))
		{
			/* beta stays: the matrix is made there again */
			loss = dp_fit_pass(fit, fit->beta, fit->gradient, true);
			last = true;
			if (promise > 1e-9 * fit->total)
				return DP_FIT_NOT_CONVERGED;
		}
		if (last)
		{
			(void) find_step(fit, kept);
			return DP_FIT_DONE;
		}
	}
	return DP_FIT_NOT_CONVERGED;
}

/* ---- separation ---- */

static bool
find_certain(DpFit *fit)
{
	bool found = false;

	for (uint64_t r = 0; r < fit->rows->rows; r++)
		if (fit->place[r] == DP_ROW_IN && fit->fitted[r] * (1 - fit->fitted[r]) < VARIANCE_LEAST)
		{
			fit->place[r] = DP_ROW_CERTAIN;
			found = true;
		}
	return found;
}

static void
move_certain(DpFit *fit, DpRowPlace to)
{
	for (uint64_t r = 0; r < fit->rows->rows; r++)
		if (fit->place[r] == DP_ROW_CERTAIN)
			fit->place[r] = (uint8_t) to;
}

static bool
is_number(const DpDesign *design, uint32_t term)
{
	return term > 0 && design->predictor[dp_design_predictor(design, term)].levels == 0;
}

/* Marks the column, and all before it that give it together. */
static void
mark_separated(DpFit *fit, uint32_t column, DpTermState *state)
{
	bool number = is_number(fit->design, column);

	dp_factor_combination(&fit->factor, column, fit->tried);
	for (uint32_t t = 0; t < column; t++)
		if (fabs(fit->tried[t]) > INVOLVED)
		{
			state[t] = DP_TERM_SEPARATED;
			number |= is_number(fit->design, t);
		}
	state[column] = DP_TERM_SEPARATED;
	if (number) /* numbers were moved by their means, which the intercept takes back */
		state[0] = DP_TERM_SEPARATED;
}

/* Whether the other rows determine less than all did. Then kept becomes what they do. */
static bool
find_separated(DpFit *fit, bool *kept, DpTermState *state)
{
	uint32_t n = fit->design->terms;
	bool found = false;

	dp_fit_pass_plain(fit);
	memcpy(fit->factor.kept, kept, sizeof(bool) * n);
	(void) dp_factor_make(&fit->factor, DP_COLLINEAR_TOLERANCE, fit->tick);
	for (uint32_t t = 0; t < n; t++)
		if (kept[t] && !fit->factor.kept[t])
		{
			mark_separated(fit, t, state);
			found = true;
		}
	memcpy(kept, fit->factor.kept, sizeof(bool) * n);
	return found;
}

DpFitState
dp_logistic_climb(DpFit *fit, bool *kept, DpTermState *state)
{
	for (;;)
	{
		DpFitState end = climb(fit, kept);

		if (fit->model->ridge > 0 || !find_certain(fit))
			return end;
		if (find_separated(fit, kept, state))
		{
			move_certain(fit, DP_ROW_ASIDE);
			if (dp_fit_kept(kept, fit->design->terms) == 0)
				return DP_FIT_SEPARATED;
			continue;
		}
		move_certain(fit, DP_ROW_IN);
		(void) dp_fit_pass(fit, fit->beta, fit->gradient, true);
		(void) find_step(fit, kept);
		return end;
	}
}
