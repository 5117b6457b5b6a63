/*
 * regression.c -- Newton's method on the normal equations.
 *
 * Both families take the same steps: a pass over the rows gives the gradient X'W(y - mu) and the
 * matrix X'VX, which is factored to solve for a step. A linear model has V = W and is done after
 * one step; a second one, which solves for what is left, takes the rounding of the first away.
 *
 * Separation. Where terms tell the outcome of some rows for certain, coefficients go to infinity
 * while the likelihood converges. Then those rows have a variance of nearly 0, and what they alone
 * determine has no finite estimate. In the limit they say nothing about the other coefficients
 * (Albert and Anderson 1984). So these rows are put aside, every term that the others do not
 * determine is said to be separated, and the others are fitted again to the rows that are left.
 */
#include "core/evaluate/regression.h"

#include <math.h>
#include <string.h>

#include "core/estimate/combine.h"
#include "core/estimate/quasi_newton.h"
#include "core/evaluate/normal_equations.h"

#define TOLERANCE 1e-10 /* of a column's square: what is left of a collinear one */
#define TOLERANCE_WEIGHTED 1e-14
#define DECREMENT 1e-21 /* a step that promises less than this times the rows is the last */
#define STEPS_MAX 60
#define HALVINGS_MAX 30
#define VARIANCE_LEAST 1e-9 /* of an outcome that is not certain */
#define ETA_MAX 700
#define INVOLVED 1e-7
#define NEWTON_TERMS_MAX 500 /* with a ridge: beyond, by quasi-Newton steps */
#define EVALUATIONS_MAX 1000
#define GRADIENT_LEAST 1e-9 /* of the rows */
#define PROGRESS_STEPS 20   /* over which a fit must make progress, if the model asks for any */
#define TICK_ROWS 4096

/* Where a row is. */
typedef enum Place
{
	IN = 0,
	ASIDE,   /* for good */
	CERTAIN, /* as good as certain: to be put aside, if that makes a difference */
} Place;

typedef struct Fit
{
	const DpRegressionModel *model;
	const DpObservations *rows;
	const DpTick *tick;
	DpDesign *design;
	DpDesignRow row;
	DpFactor factor;
	double total;     /* of the weights */
	uint8_t *place;   /* [rows] a Place */
	double *fitted;   /* [rows] */
	double *beta;     /* [terms] of the standardised design */
	double *gradient; /* [terms] upwards */
	double *step, *tried;
	double loss[PROGRESS_STEPS]; /* quasi-Newton: of the last steps, round and round */
	uint32_t steps;
	double now; /* and the last one */
} Fit;

/* ---- passes over the rows ---- */

static double
predictor_of(const DpDesignRow *row, const double *beta)
{
	double eta = 0;

	for (uint32_t k = 0; k < row->n; k++)
		eta += row->x[k] * beta[row->term[k]];
	return eta;
}

static void
add_square(DpFactor *factor, const DpDesignRow *row, double weight)
{
	for (uint32_t a = 0; a < row->n; a++)
	{
		double *into = factor->l + (size_t) row->term[a] * factor->n;
		double times = weight * row->x[a];

		for (uint32_t b = 0; b <= a; b++)
			into[row->term[b]] += times * row->x[b];
	}
}

/* ln(1 + e^x) without overflow. */
static double
log1p_exp(double x)
{
	return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* The loss of one row; sets the mean, and the variance per row. */
static double
row_loss(DpFamily family, double y, double eta, double *mean, double *variance)
{
	if (family == DP_FAMILY_LINEAR)
	{
		*mean = eta;
		*variance = 1;
		return (y - eta) * (y - eta) / 2;
	}
	eta = fmax(-ETA_MAX, fmin(ETA_MAX, eta));
	*mean = 1 / (1 + exp(-eta));
	*variance = *mean * (1 / (1 + exp(eta)));
	return log1p_exp(eta) - y * eta;
}

/* The loss at beta; sets the gradient and, with the matrix, the second derivative. */
static double
pass(Fit *fit, const double *beta, double *gradient, bool matrix)
{
	const DpObservations *rows = fit->rows;
	double loss = 0;

	memset(gradient, 0, sizeof(double) * fit->design->terms);
	if (matrix)
		dp_factor_clear(&fit->factor);
	for (uint64_t r = 0; r < rows->rows; r++)
	{
		double weight = rows->weight[r], mean, variance, left;

		if (r % TICK_ROWS == 0)
			dp_tick(fit->tick, -1);
		if (fit->place[r] != IN)
			continue;
		dp_design_row(fit->design, rows->value + r * rows->predictors, &fit->row);
		loss += weight * row_loss(fit->model->family, rows->outcome[r],
								  predictor_of(&fit->row, beta), &mean, &variance);
		left = weight * (rows->outcome[r] - mean);
		for (uint32_t k = 0; k < fit->row.n; k++)
			gradient[fit->row.term[k]] += left * fit->row.x[k];
		if (matrix)
			add_square(&fit->factor, &fit->row, weight * variance);
		fit->fitted[r] = mean;
	}
	for (uint32_t t = 1; fit->model->ridge > 0 && t < fit->design->terms; t++)
	{
		loss += fit->model->ridge * beta[t] * beta[t] / 2;
		gradient[t] -= fit->model->ridge * beta[t];
		if (matrix)
			fit->factor.l[(size_t) t * fit->factor.n + t] += fit->model->ridge;
	}
	return loss;
}

/* X'WX of the rows that are not aside. */
static void
pass_plain(Fit *fit)
{
	dp_factor_clear(&fit->factor);
	for (uint64_t r = 0; r < fit->rows->rows; r++)
	{
		if (r % TICK_ROWS == 0)
			dp_tick(fit->tick, -1);
		if (fit->place[r] != IN)
			continue;
		dp_design_row(fit->design, fit->rows->value + r * fit->rows->predictors, &fit->row);
		add_square(&fit->factor, &fit->row, fit->rows->weight[r]);
	}
}

/* ---- what can be estimated ---- */

static void
find_collinear(Fit *fit, DpTermState *state)
{
	uint32_t n = fit->design->terms;

	pass_plain(fit);
	for (uint32_t t = 0; t < n; t++)
	{
		if (fit->model->left_out != NULL && fit->model->left_out[t])
			state[t] = DP_TERM_LEFT_OUT;
		else if (!(fit->factor.l[(size_t) t * n + t] > 0))
			state[t] = DP_TERM_ABSENT;
		fit->factor.kept[t] = state[t] == DP_TERM_FITTED;
	}
	(void) dp_factor_make(&fit->factor, TOLERANCE, fit->tick);
	for (uint32_t t = 0; t < n; t++)
		if (state[t] == DP_TERM_FITTED && !fit->factor.kept[t])
			state[t] = DP_TERM_COLLINEAR;
}

static uint32_t
count_kept(const bool *kept, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t t = 0; t < n; t++)
		sum += kept[t];
	return sum;
}

static void
keep_fitted(Fit *fit, const DpTermState *state)
{
	for (uint32_t t = 0; t < fit->design->terms; t++)
		fit->factor.kept[t] = state[t] == DP_TERM_FITTED;
}

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
find_step(Fit *fit, const bool *kept)
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
take_step(Fit *fit, double *loss)
{
	uint32_t n = fit->design->terms;
	double length = 1, allowed = *loss + 1e-13 * (fabs(*loss) + 1);

	for (int i = 0; i < HALVINGS_MAX; i++, length /= 2)
	{
		double next;

		for (uint32_t t = 0; t < n; t++)
			fit->tried[t] = fit->beta[t] + length * fit->step[t];
		next = pass(fit, fit->tried, fit->gradient, true);
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
climb(Fit *fit, const bool *kept)
{
	double loss, promise = INFINITY;

	memset(fit->beta, 0, sizeof(double) * fit->design->terms);
	loss = pass(fit, fit->beta, fit->gradient, true);
	for (int i = 0; i < STEPS_MAX; i++)
	{
		bool last;

		promise = find_step(fit, kept);
		last = promise <= DECREMENT * fit->total;
		if (!take_step(fit, &loss))
		{
			/* beta stays: the matrix is made there again */
			loss = pass(fit, fit->beta, fit->gradient, true);
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
find_certain(Fit *fit)
{
	bool found = false;

	for (uint64_t r = 0; r < fit->rows->rows; r++)
		if (fit->place[r] == IN && fit->fitted[r] * (1 - fit->fitted[r]) < VARIANCE_LEAST)
		{
			fit->place[r] = CERTAIN;
			found = true;
		}
	return found;
}

static void
move_certain(Fit *fit, Place to)
{
	for (uint64_t r = 0; r < fit->rows->rows; r++)
		if (fit->place[r] == CERTAIN)
			fit->place[r] = (uint8_t) to;
}

static bool
is_number(const DpDesign *design, uint32_t term)
{
	return term > 0 && design->predictor[dp_design_predictor(design, term)].levels == 0;
}

/* Marks the column, and all before it that give it together. */
static void
mark_separated(Fit *fit, uint32_t column, DpTermState *state)
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
find_separated(Fit *fit, bool *kept, DpTermState *state)
{
	uint32_t n = fit->design->terms;
	bool found = false;

	pass_plain(fit);
	memcpy(fit->factor.kept, kept, sizeof(bool) * n);
	(void) dp_factor_make(&fit->factor, TOLERANCE, fit->tick);
	for (uint32_t t = 0; t < n; t++)
		if (kept[t] && !fit->factor.kept[t])
		{
			mark_separated(fit, t, state);
			found = true;
		}
	memcpy(kept, fit->factor.kept, sizeof(bool) * n);
	return found;
}

/* Fits; what is separated is put aside, until nothing is. */
static DpFitState
climb_logistic(Fit *fit, bool *kept, DpTermState *state)
{
	for (;;)
	{
		DpFitState end = climb(fit, kept);

		if (fit->model->ridge > 0 || !find_certain(fit))
			return end;
		if (find_separated(fit, kept, state))
		{
			move_certain(fit, ASIDE);
			if (count_kept(kept, fit->design->terms) == 0)
				return DP_FIT_SEPARATED;
			continue;
		}
		move_certain(fit, IN);
		(void) pass(fit, fit->beta, fit->gradient, true);
		(void) find_step(fit, kept);
		return end;
	}
}

/* ---- many terms: quasi-Newton steps ---- */

static double
objective_value(void *context, const double *x, double *gradient, double *curvature)
{
	Fit *fit = context;
	double loss = pass(fit, x, gradient, false);

	for (uint32_t t = 0; t < fit->design->terms; t++)
	{
		gradient[t] = -gradient[t];
		curvature[t] = fit->step[t];
	}
	fit->now = loss;
	return loss;
}

static bool
objective_done(void *context, const double *gradient)
{
	Fit *fit = context;
	double *before = &fit->loss[fit->steps % PROGRESS_STEPS];
	bool slow = fit->steps >= PROGRESS_STEPS && fit->model->progress > 0 &&
				*before - fit->now <= fit->model->progress * fit->total;
	double most = 0;

	*before = fit->now;
	fit->steps++;
	for (uint32_t t = 0; t < fit->design->terms; t++)
		most = fmax(most, fabs(gradient[t]));
	return slow || most <= GRADIENT_LEAST * fit->total;
}

/* The diagonal of the second derivative where all rows have the probability 1/2. */
static void
set_curvature(Fit *fit)
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
minimise(Fit *fit, DpRegression *out, DpArena *arena)
{
	DpObjective objective = {.context = fit,
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

/* ---- results ---- */

/* Coefficients of numbers as they are, from those of numbers that were moved and divided. */
static void
set_coefficients(Fit *fit, DpRegression *out)
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
set_errors(Fit *fit, double dispersion, DpRegression *out)
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
fit_linear(Fit *fit, DpRegression *out)
{
	uint32_t n = fit->design->terms, kept;
	bool *terms = fit->factor.kept;
	double loss;

	(void) pass(fit, fit->beta, fit->gradient, true);
	kept = dp_factor_make(&fit->factor, 0, fit->tick);
	for (int i = 0; i < 2; i++)
	{
		memcpy(fit->step, fit->gradient, sizeof(double) * n);
		dp_factor_solve(&fit->factor, fit->step);
		for (uint32_t t = 0; t < n; t++)
			fit->beta[t] += terms[t] ? fit->step[t] : 0;
		loss = pass(fit, fit->beta, fit->gradient, false);
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
fit_logistic(Fit *fit, DpRegression *out, DpArena *arena)
{
	uint32_t n = fit->design->terms;
	bool *kept = dp_alloc(arena, n, sizeof(bool));

	if (kept == NULL)
		return DP_ERR_MEMORY;
	memcpy(kept, fit->factor.kept, sizeof(bool) * n);
	out->df = INFINITY;
	if (count_kept(kept, n) >= fit->total && fit->model->ridge == 0)
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
fit_init(Fit *fit, DpRegression *out, DpArena *arena)
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
	if (out->coefficient == NULL || out->standard_error == NULL || out->term_state == NULL ||
		fit->fitted == NULL || fit->place == NULL || fit->beta == NULL || fit->gradient == NULL ||
		fit->step == NULL || fit->tried == NULL)
		return DP_ERR_MEMORY;
	fit->design = &out->design;
	return dp_design_row_init(&fit->row, fit->design, arena);
}

static void
fit_free(Fit *fit, DpArena *arena)
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
fit_by_matrix(Fit *fit, DpRegression *out, DpArena *arena)
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
	Fit fit = {.model = model, .rows = rows, .tick = tick};
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
