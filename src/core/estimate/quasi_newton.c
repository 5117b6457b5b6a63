/*
 * quasi_newton.c -- limited-memory BFGS with a backtracking line search.
 */
#include "core/estimate/quasi_newton.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/estimate/dot.h"

#define DECREASE 1e-4     /* Armijo's constant */
#define SLOPE_LEFT 0.9    /* of the approximate Wolfe conditions, near the minimum */
#define VALUE_NOISE 1e-13 /* relative error of a value: a smaller fall may as well be a rise */
#define STEP_LEAST 1e-10
#define PAIR_LEAST 1e-12 /* a pair with less curvature is not kept */

typedef struct Newton
{
	const DpObjective *objective;
	uint64_t n;
	double *gradient, *curvature, *direction;
	double *next, *next_gradient, *next_curvature;
	double *step[DP_NEWTON_PAIRS_MAX],
		*change[DP_NEWTON_PAIRS_MAX];    /* changes of x and of the gradient */
	double inverse[DP_NEWTON_PAIRS_MAX]; /* 1 / (step . change) */
	uint32_t pairs_max, pairs, newest;
	double gamma; /* the diagonal is scaled by it */
} Newton;

static void
add_scaled(double *a, double scale, const double *b, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		a[i] += scale * b[i];
}

uint64_t
dp_newton_bytes(uint64_t n)
{
	return dp_multiply_saturated(n, (6 + 2 * DP_NEWTON_PAIRS) * sizeof(double));
}

static uint32_t
pair_at(const Newton *newton, uint32_t age)
{
	return (newton->newest + newton->pairs_max - age) % newton->pairs_max;
}

/* Sets direction = - H gradient, where the last pairs give H, the inverse of the second
 * derivative. */
static void
find_direction(Newton *newton)
{
	double *d = newton->direction;
	double alpha[DP_NEWTON_PAIRS_MAX];
	uint64_t n = newton->n;

	for (uint64_t i = 0; i < n; i++)
		d[i] = -newton->gradient[i];
	for (uint32_t age = 0; age < newton->pairs; age++)
	{
		uint32_t k = pair_at(newton, age);

		alpha[k] = newton->inverse[k] * dp_dot(newton->step[k], d, n);
		add_scaled(d, -alpha[k], newton->change[k], n);
	}
	for (uint64_t i = 0; i < n; i++)
		d[i] *= newton->gamma / newton->curvature[i];
	if (newton->objective->project != NULL)
		newton->objective->project(newton->objective->context, d);
	for (uint32_t age = newton->pairs; age-- > 0;)
	{
		uint32_t k = pair_at(newton, age);
		double beta = newton->inverse[k] * dp_dot(newton->change[k], d, n);

		add_scaled(d, alpha[k] - beta, newton->step[k], n);
	}
}

/* Keeps the pair of changes, and scales the diagonal to fit it. */
static void
learn(Newton *newton, const double *x)
{
	uint32_t k = (newton->newest + 1) % newton->pairs_max;
	double *step = newton->step[k], *change = newton->change[k];
	double curved = 0, both, steps, changes;

	for (uint64_t i = 0; i < newton->n; i++)
	{
		step[i] = newton->next[i] - x[i];
		change[i] = newton->next_gradient[i] - newton->gradient[i];
		curved += change[i] * change[i] / newton->next_curvature[i];
	}
	both = dp_dot(step, change, newton->n);
	steps = dp_dot(step, step, newton->n);
	changes = dp_dot(change, change, newton->n);
	if (!(both > PAIR_LEAST * sqrt(steps) * sqrt(changes)) || !(curved > 0))
		return;
	newton->inverse[k] = 1 / both;
	newton->gamma = both / curved;
	newton->newest = k;
	newton->pairs += newton->pairs < newton->pairs_max;
}

/*
 * Finds a point along the direction that is low enough. Near the minimum, values differ by less
 * than their rounding; there the slope decides (Hager and Zhang 2005).
 */
static bool
search(Newton *newton, const double *x, double value, uint32_t *left, double *next_value)
{
	double slope = dp_dot(newton->gradient, newton->direction, newton->n);
	double noise = VALUE_NOISE * (fabs(value) + 1);

	if (!(slope < 0))
		return false;
	for (double t = 1; t > STEP_LEAST && *left > 0;)
	{
		double next_slope, curve;

		for (uint64_t i = 0; i < newton->n; i++)
			newton->next[i] = x[i] + t * newton->direction[i];
		*next_value = newton->objective->value(newton->objective->context, newton->next,
											   newton->next_gradient, newton->next_curvature);
		(*left)--;
		next_slope = dp_dot(newton->next_gradient, newton->direction, newton->n);
		if (*next_value <= value + DECREASE * t * slope ||
			(*next_value <= value + noise && fabs(next_slope) <= SLOPE_LEFT * fabs(slope)))
			return true;
		/* the minimum of the parabola through both slopes, which bracket it */
		curve = next_slope - slope;
		t *= curve > 0 && isfinite(curve) ? fmin(0.5, fmax(0.1, -slope / curve)) : 0.2;
	}
	return false;
}

static void
swap(double **a, double **b)
{
	double *c = *a;

	*a = *b;
	*b = c;
}

static void
release_all(Newton *newton, DpArena *arena)
{
	double *all[] = {newton->gradient, newton->curvature,     newton->direction,
					 newton->next,     newton->next_gradient, newton->next_curvature};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		dp_free(arena, all[i], newton->n, sizeof(double));
	for (uint32_t k = 0; k < newton->pairs_max; k++)
	{
		dp_free(arena, newton->step[k], newton->n, sizeof(double));
		dp_free(arena, newton->change[k], newton->n, sizeof(double));
	}
}

static bool
allocate_all(Newton *newton, DpArena *arena)
{
	double **all[] = {&newton->gradient, &newton->curvature,     &newton->direction,
					  &newton->next,     &newton->next_gradient, &newton->next_curvature};
	bool complete = true;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		complete &= (*all[i] = dp_alloc(arena, newton->n, sizeof(double))) != NULL;
	for (uint32_t k = 0; k < newton->pairs_max; k++)
	{
		complete &= (newton->step[k] = dp_alloc(arena, newton->n, sizeof(double))) != NULL;
		complete &= (newton->change[k] = dp_alloc(arena, newton->n, sizeof(double))) != NULL;
	}
	return complete;
}

DpStatus
dp_newton_minimise(const DpObjective *objective, double *x, uint32_t evaluations_max,
				   uint32_t *evaluations, const DpTick *tick, DpArena *arena)
{
	Newton newton = {.objective = objective,
					 .n = objective->n,
					 .pairs_max = objective->pairs > 0 ? objective->pairs : DP_NEWTON_PAIRS,
					 .gamma = 1};
	uint32_t left = evaluations_max;
	double value, next_value;
	bool moved = true;

	if (!allocate_all(&newton, arena))
		return DP_ERR_MEMORY;
	value = objective->value(objective->context, x, newton.gradient, newton.curvature);
	left -= left > 0;
	while (left > 0 && moved && !objective->done(objective->context, newton.gradient))
	{
		dp_tick(tick, -1.0);
		find_direction(&newton);
		moved = search(&newton, x, value, &left, &next_value);
		if (!moved && newton.pairs > 0) /* the pairs mislead: once more without them */
		{
			newton.pairs = 0;
			find_direction(&newton);
			moved = search(&newton, x, value, &left, &next_value);
		}
		if (!moved)
			break;
		learn(&newton, x);
		memcpy(x, newton.next, newton.n * sizeof(*x));
		swap(&newton.gradient, &newton.next_gradient);
		swap(&newton.curvature, &newton.next_curvature);
		value = next_value;
	}
	if (!moved) /* so that the function was last evaluated at x */
		(void) objective->value(objective->context, x, newton.gradient, newton.curvature);
	*evaluations = evaluations_max - left;
	release_all(&newton, arena);
	return DP_OK;
}
