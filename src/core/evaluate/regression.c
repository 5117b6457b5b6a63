/*
 * regression.c -- Newton's method on the normal equations.
 *
 * Both families take the same steps: a pass over the rows gives the gradient X'W(y - mu) and the
 * matrix X'VX, which is factored to solve for a step. A linear model has V = W and is done after
 * one step; a second one, which solves for what is left, takes the rounding of the first away.
 */
#include "core/evaluate/regression.h"

#include <math.h>
#include <string.h>

#include "core/estimate/combine.h"
#include "core/estimate/quasi_newton.h"

#define NEWTON_TERMS_MAX 500 /* with a ridge: beyond, by quasi-Newton steps */
#define EVALUATIONS_MAX 1000
#define GRADIENT_LEAST 1e-9 /* of the rows */
#define PROGRESS_STEPS 20   /* steps within which a fit must make progress */
#define TOLERANCE_WEIGHTED 1e-14
#define DECREMENT 1e-21 /* a step that promises less than this times the rows is the last */
#define STEPS_MAX 60
#define HALVINGS_MAX 30
#define VARIANCE_LEAST 1e-9 /* of an outcome that is not certain */
#define INVOLVED 1e-7

/* ---- logistic regression ---- */

/*
 * Steps to the maximum of a logistic likelihood. Where terms tell the outcome of some rows for
 * certain, coefficients go to infinity while the likelihood converges. Then those rows have a variance
 * of nearly 0, and what they alone determine has no finite estimate. In the limit they say nothing
 * about the other coefficients (Albert and Anderson 1984). So these rows are put aside, every term
 * that the others do not determine is said to be separated, and the others are fitted again to the
 * rows that are left.
 */

/* ---- steps ---- */

static double
product(const double *a, const double *b, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/*
 * Factors the matrix, and sets the step. Returns the decrease of the loss that the step predicts.
 */
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

/* Marks the column, and all earlier columns of which it is a linear combination. */
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

/* Sets beta, of the terms that are kept. What is separated is put aside, until nothing is: it is no
 * longer kept, and state says so. At the end the factor is that of the second derivative at
 * beta. */
static DpFitState
climb_logistic(DpFit *fit, bool *kept, DpTermState *state)
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

/* ---- what can be estimated ---- */

static void
find_collinear(DpFit *fit, DpTermState *state)
{
	uint32_t n = fit->design->terms;

	dp_fit_pass_plain(fit);
	for (uint32_t t = 0; t < n; t++)
	{
		if (fit->model->left_out != NULL && fit->model->left_out[t])
			state[t] = DP_TERM_LEFT_OUT;
		else if (!(fit->factor.l[(size_t) t * n + t] > 0))
			state[t] = DP_TERM_ABSENT;
		fit->factor.kept[t] = state[t] == DP_TERM_FITTED;
	}
	(void) dp_factor_make(&fit->factor, DP_COLLINEAR_TOLERANCE, fit->tick);
	for (uint32_t t = 0; t < n; t++)
		if (state[t] == DP_TERM_FITTED && !fit->factor.kept[t])
			state[t] = DP_TERM_COLLINEAR;
}

static void
keep_fitted(DpFit *fit, const DpTermState *state)
{
	for (uint32_t t = 0; t < fit->design->terms; t++)
		fit->factor.kept[t] = state[t] == DP_TERM_FITTED;
}

/* ---- many terms: quasi-Newton steps ---- */

/* The progress of the last steps. */
typedef struct Descent
{
	DpFit *fit;
	double loss[PROGRESS_STEPS]; /* of these steps, round and round */
	uint32_t steps;
	double now; /* the last one */
} Descent;

static double
objective_value(void *context, const double *x, double *gradient, double *curvature)
{
	Descent *descent = context;
	DpFit *fit = descent->fit;

	descent->now = dp_fit_pass(fit, x, gradient, false);

	for (uint32_t t = 0; t < fit->design->terms; t++)
	{
		gradient[t] = -gradient[t];
		curvature[t] = fit->step[t];
	}
	return descent->now;
}

static bool
objective_done(void *context, const double *gradient)
{
	Descent *descent = context;
	const DpFit *fit = descent->fit;
	double *before = &descent->loss[descent->steps % PROGRESS_STEPS];
	bool slow = descent->steps >= PROGRESS_STEPS && fit->model->progress > 0 &&
				*before - descent->now <= fit->model->progress * fit->total;
	double most = 0;

	*before = descent->now;
	descent->steps++;
	for (uint32_t t = 0; t < fit->design->terms; t++)
		most = fmax(most, fabs(gradient[t]));
	return slow || most <= GRADIENT_LEAST * fit->total;
}

/* The diagonal of the second derivative where all rows have the probability 1/2. */
static void
set_curvature(DpFit *fit)
{
	for (uint32_t t = 0; t < fit->design->terms; t++)
		fit->step[t] = fit->model->ridge;
	for (uint64_t r = 0; r < fit->rows->rows; r++)
	{
		dp_design_row(fit->design, fit->rows->value + r * fit->rows->predictors, &fit->row);
		for (uint32_t k = 0; k < fit->row.n; k++)
			fit->step[fit->row.term[k]] += fit->rows->weight[r] * fit->row.x[k] * fit->row.x[k] / 4;
	}
}

static DpStatus
minimise(DpFit *fit, DpRegression *out, DpArena *arena)
{
	Descent descent = {.fit = fit};
	DpObjective objective = {.context = &descent,
							 .n = fit->design->terms,
							 .pairs = DP_NEWTON_PAIRS_MAX,
							 .value = objective_value,
							 .done = objective_done};
	uint32_t evaluations;

	set_curvature(fit);
	DP_TRY(
		dp_newton_minimise(&objective, fit->beta, EVALUATIONS_MAX, &evaluations, fit->tick, arena));
	memcpy(out->coefficient, fit->beta, sizeof(double) * fit->design->terms);
	out->state = DP_FIT_DONE;
	return DP_OK;
}

/* Coefficients of the original numbers, from those of the centred and scaled ones. */

/* Coefficients of numbers as they are, from those of numbers that were moved and divided. */
static void
set_coefficients(DpFit *fit, DpRegression *out)
{
	const DpDesign *design = fit->design;

	memcpy(out->coefficient, fit->beta, sizeof(double) * design->terms);
	for (uint32_t i = 0; i < design->predictors; i++)
		if (design->predictor[i].levels == 0)
		{
			uint32_t t = design->first[i];

			out->coefficient[t] = fit->beta[t] / design->scale[i];
			out->coefficient[0] -= out->coefficient[t] * design->centre[i];
		}
}

/* The variance of a coefficient is a' (X'VX)^-1 a, where a says how it is made of those that were
 * fitted. */
static void
set_errors(DpFit *fit, double dispersion, DpRegression *out)
{
	const DpDesign *design = fit->design;

	for (uint32_t t = 0; t < design->terms; t++)
	{
		double *a = fit->step;

		if (out->term_state[t] != DP_TERM_FITTED)
			continue;
		dp_tick(fit->tick, -1);
		memset(a, 0, sizeof(double) * design->terms);
		a[t] = 1;
		for (uint32_t i = 0; i < design->predictors; i++)
			if (design->predictor[i].levels == 0)
			{
				uint32_t of = design->first[i];

				if (of == t)
					a[t] = 1 / design->scale[i];
				if (t == 0 && fit->factor.kept[of])
					a[of] = -design->centre[i] / design->scale[i];
			}
		out->standard_error[t] = sqrt(dispersion * dp_factor_square(&fit->factor, a));
	}
}

/* Two steps: the second one is small. */
static void
fit_linear(DpFit *fit, DpRegression *out)
{
	uint32_t n = fit->design->terms, kept;
	bool *terms = fit->factor.kept;
	double loss;

	(void) dp_fit_pass(fit, fit->beta, fit->gradient, true);
	kept = dp_factor_make(&fit->factor, 0, fit->tick);
	for (int i = 0; i < 2; i++)
	{
		memcpy(fit->step, fit->gradient, sizeof(double) * n);
		dp_factor_solve(&fit->factor, fit->step);
		for (uint32_t t = 0; t < n; t++)
			fit->beta[t] += terms[t] ? fit->step[t] : 0;
		loss = dp_fit_pass(fit, fit->beta, fit->gradient, false);
	}
	out->df = fit->total - kept;
	if (out->df < 1)
	{
		out->state = DP_FIT_FEW_ROWS;
		return;
	}
	set_coefficients(fit, out);
	set_errors(fit, 2 * loss / out->df, out);
}

static DpStatus
fit_logistic(DpFit *fit, DpRegression *out, DpArena *arena)
{
	uint32_t n = fit->design->terms;
	bool *kept = dp_alloc(arena, n, sizeof(bool));

	DP_TRY_ALLOC(kept);
	memcpy(kept, fit->factor.kept, sizeof(bool) * n);
	out->df = INFINITY;
	if (dp_fit_kept(kept, n) >= fit->total && fit->model->ridge == 0)
		out->state = DP_FIT_FEW_ROWS;
	else
		out->state = climb_logistic(fit, kept, out->term_state);
	dp_free(arena, kept, n, sizeof(bool));
	if (out->state != DP_FIT_DONE)
		return DP_OK;
	set_coefficients(fit, out);
	if (fit->model->ridge == 0)
		set_errors(fit, 1, out);
	return DP_OK;
}

/* ---- before and after ---- */

/* An outcome between 0 and 1 of a logistic model stands for rows of both kinds. */
static bool
outcome_varies(const DpObservations *rows, DpFamily family)
{
	for (uint64_t r = 0; r < rows->rows; r++)
		if (rows->outcome[r] != rows->outcome[0] ||
			(family == DP_FAMILY_LOGISTIC && rows->outcome[r] > 0 && rows->outcome[r] < 1))
			return true;
	return false;
}

static DpStatus
fit_init(DpFit *fit, DpRegression *out, DpArena *arena)
{
	uint32_t n = out->design.terms;

	out->coefficient = dp_alloc(arena, n, sizeof(double));
	out->standard_error = dp_alloc(arena, n, sizeof(double));
	out->term_state = dp_alloc(arena, n, sizeof(DpTermState));
	out->fitted = fit->fitted = dp_alloc(arena, fit->rows->rows, sizeof(double));
	fit->place = dp_alloc(arena, fit->rows->rows, sizeof(uint8_t));
	fit->beta = dp_alloc(arena, n, sizeof(double));
	fit->gradient = dp_alloc(arena, n, sizeof(double));
	fit->step = dp_alloc(arena, n, sizeof(double));
	fit->tried = dp_alloc(arena, n, sizeof(double));
	DP_TRY_ALLOC(out->coefficient && out->standard_error && out->term_state && fit->fitted &&
				 fit->place && fit->beta && fit->gradient && fit->step && fit->tried);
	fit->design = &out->design;
	return dp_design_row_init(&fit->row, fit->design, arena);
}

static void
fit_free(DpFit *fit, DpArena *arena)
{
	uint32_t n = fit->design->terms;

	dp_free(arena, fit->place, fit->rows->rows, sizeof(uint8_t));
	dp_free(arena, fit->beta, n, sizeof(double));
	dp_free(arena, fit->gradient, n, sizeof(double));
	dp_free(arena, fit->step, n, sizeof(double));
	dp_free(arena, fit->tried, n, sizeof(double));
	dp_free(arena, fit->row.term, fit->design->widest, sizeof(uint32_t));
	dp_free(arena, fit->row.x, fit->design->widest, sizeof(double));
}

/* With the matrix of the normal equations. */
static DpStatus
fit_by_matrix(DpFit *fit, DpRegression *out, DpArena *arena)
{
	DpStatus status = DP_OK;

	DP_TRY(dp_factor_init(&fit->factor, fit->design->terms, arena));
	if (fit->model->ridge == 0)
		find_collinear(fit, out->term_state);
	keep_fitted(fit, out->term_state);
	if (!outcome_varies(fit->rows, fit->model->family))
		out->state = DP_FIT_CONSTANT;
	else if (fit->model->family == DP_FAMILY_LINEAR)
		fit_linear(fit, out);
	else
		status = fit_logistic(fit, out, arena);
	dp_factor_free(&fit->factor, arena);
	return status;
}

DpStatus
dp_regression_fit(const DpRegressionModel *model, const DpObservations *rows, DpRegression *out,
				  const DpTick *tick, DpArena *arena)
{
	uint64_t terms = dp_design_terms(model->predictor, model->predictors, model->pairs);
	DpFit fit = {.model = model, .rows = rows, .tick = tick};
	DpStatus status;

	*out = (DpRegression){.state = DP_FIT_DONE};
	if (terms > DP_REGRESSION_TERMS_MAX * (model->ridge > 0 ? 10u : 1u))
		return DP_ERR_LIMIT;
	DP_TRY(dp_design_init(&out->design, model->predictor, model->predictors, model->pairs, arena));
	dp_design_standardise(&out->design, rows);
	DP_TRY(fit_init(&fit, out, arena));
	for (uint64_t r = 0; r < rows->rows; r++)
		fit.total += rows->weight[r];
	out->rows = fit.total;
	if (rows->rows == 0)
		out->state = DP_FIT_EMPTY;
	else if (model->ridge > 0 && terms > NEWTON_TERMS_MAX)
	{
		status = minimise(&fit, out, arena);
		fit_free(&fit, arena);
		return status;
	}
	status = rows->rows == 0 ? DP_OK : fit_by_matrix(&fit, out, arena);
	fit_free(&fit, arena);
	return status;
}

double
dp_regression_width(const DpRegression *regression, double confidence)
{
	return dp_student_two_sided(confidence, regression->df);
}
