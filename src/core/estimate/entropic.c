/*
 * entropic.c -- mirror descent with backtracking on the margins.
 *
 * dp_entropic_solve
 *
 * Inputs:      tables b_t of proportions, weights w_t, a starting distribution as log-factors
 * Output:      x >= 0 with sum 1 and a smaller f(x) = 1/2 sum_t w_t |M_t x - b_t|^2
 * How:         x <- x exp(-s g) / Z, g = sum_t M_t' w_t (M_t x - b_t), which in log-factors is
 *              theta_t <- theta_t - s w_t (M_t x - b_t): a step on the small tables. The step s is
 *              halved until f has fallen by half of what the slope promises, and grows by a half
 *              after each success.
 * Stop:        as soon as the margins are no farther from the noisy tables than the noise explains
 *              (discrepancy principle), since going on would fit the noise. Also where f no longer
 *              falls, or after iterations_max.
 * Why:         x stays in the exponential family of the start. So with consistent tables it tends
 *              to that distribution with these margins which is nearest to the start in relative
 *              entropy. If the start is the product of one-way margins, this is the distribution
 *              of maximum entropy.
 * Source:      Nemirovsky, Yudin (1983), Beck, Teboulle (2003): mirror descent with the entropy;
 *              this use: docs/methods/cipher.md
 */
#include "core/estimate/entropic.h"

#include <math.h>
#include <string.h>

#define STEP_MIN 1e-8
#define STEP_GROWTH 1.5
#define THETA_CHANGE_MAX 50.0 /* in one step */
#define SLOPE_SHARE 0.5
#define GAIN_MIN 1e-12 /* relative fall of f: less is no progress */

typedef struct Descent
{
	DpJoint *joint;
	const DpEntropicGoal *goal;
	const DpTick *tick;
	double **theta;  /* the present point */
	double **trial;  /* the next point, if it is good */
	double **margin; /* [tables] margins of the present point */
	double loss;
	double step;
} Descent;

static DpStatus
allocate_tables(const DpJoint *joint, uint32_t n, double ***out)
{
	double **table = dp_alloc(joint->arena, n, sizeof(*table));

	if (table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t s = 0; s < n; s++)
	{
		table[s] = dp_alloc(joint->arena, joint->set_cells[s], sizeof(**table));
		if (table[s] == NULL)
			return DP_ERR_MEMORY;
	}
	*out = table;
	return DP_OK;
}

static void
free_tables(const DpJoint *joint, uint32_t n, double **table)
{
	for (uint32_t s = 0; s < n; s++)
		dp_free(joint->arena, table[s], joint->set_cells[s], sizeof(**table));
	dp_free(joint->arena, table, n, sizeof(*table));
}

/* sum_t w_t |margin_t - to_t|^2 */
static double
squared_distance(const Descent *descent, double *const *margin, double *const *to)
{
	double sum = 0;

	for (uint32_t t = 0; t < descent->goal->tables; t++)
	{
		double part = 0;

		for (uint64_t i = 0; i < descent->joint->set_cells[t]; i++)
			part += (margin[t][i] - to[t][i]) * (margin[t][i] - to[t][i]);
		sum += descent->goal->weight[t] * part;
	}
	return sum;
}

static void
keep_margins(Descent *descent)
{
	for (uint32_t t = 0; t < descent->goal->tables; t++)
		memcpy(descent->margin[t], descent->joint->margin[t],
			   descent->joint->set_cells[t] * sizeof(double));
}

static double
clamp(double value)
{
	return fmax(-THETA_CHANGE_MAX, fmin(THETA_CHANGE_MAX, value));
}

static void
make_trial(Descent *descent)
{
	const DpEntropicGoal *goal = descent->goal;

	for (uint32_t t = 0; t < goal->tables; t++)
	{
		double step = descent->step * goal->weight[t];

		for (uint64_t i = 0; i < descent->joint->set_cells[t]; i++)
			descent->trial[t][i] =
				descent->theta[t][i] - clamp(step * (descent->margin[t][i] - goal->fitted[t][i]));
	}
}

/* How far f would fall along a straight line: <g, x - y>, which needs only the margins of both. */
static double
promised(const Descent *descent)
{
	double sum = 0;

	for (uint32_t t = 0; t < descent->goal->tables; t++)
	{
		const double *now = descent->margin[t];
		const double *next = descent->joint->margin[t];
		double part = 0;

		for (uint64_t i = 0; i < descent->joint->set_cells[t]; i++)
			part += (now[i] - descent->goal->fitted[t][i]) * (now[i] - next[i]);
		sum += descent->goal->weight[t] * part;
	}
	return sum;
}

/* Shortens the step until the trial is good. *loss is f of the trial. */
static DpStatus
search_line(Descent *descent, double *loss)
{
	for (;; descent->step *= 0.5)
	{
		DpStatus status;

		make_trial(descent);
		status = dp_joint_evaluate(descent->joint, descent->trial, descent->tick);
		if (status == DP_ERR_RANGE && descent->step >= STEP_MIN)
			continue;
		*loss = INFINITY;
		if (status != DP_OK)
			return status == DP_ERR_RANGE ? DP_OK : status; /* no step is short enough */
		*loss = 0.5 * squared_distance(descent, descent->joint->margin, descent->goal->fitted);
		if (*loss <= descent->loss - SLOPE_SHARE * promised(descent) || descent->step < STEP_MIN)
			return DP_OK;
	}
}

static void
accept(Descent *descent)
{
	double **theta = descent->theta;

	descent->theta = descent->trial;
	descent->trial = theta;
	keep_margins(descent);
	descent->step *= STEP_GROWTH;
}

static DpStatus
descend(Descent *descent, uint32_t *iterations)
{
	const DpEntropicGoal *goal = descent->goal;

	for (*iterations = 0; *iterations < goal->iterations_max; ++*iterations)
	{
		double loss, before = descent->loss;

		dp_tick(descent->tick, (double) *iterations / goal->iterations_max);
		if (squared_distance(descent, descent->margin, goal->noisy) <= goal->residual_max)
			return DP_OK;
		DP_TRY(search_line(descent, &loss));
		if (!(loss < before))
			return DP_OK;
		descent->loss = loss;
		accept(descent);
		if (before - loss < GAIN_MIN * before)
			return DP_OK;
	}
	return DP_OK;
}

/* Moves the result to where the caller has its theta. */
static void
hand_over(const Descent *descent, double **theta)
{
	for (uint32_t t = 0; t < descent->goal->tables; t++)
	{
		if (descent->theta[t] != theta[t])
			memcpy(theta[t], descent->theta[t], descent->joint->set_cells[t] * sizeof(double));
	}
}

DpStatus
dp_entropic_solve(DpJoint *joint, const DpEntropicGoal *goal, double **theta, uint32_t *iterations,
				  const DpTick *tick)
{
	Descent descent = {.joint = joint, .goal = goal, .tick = tick, .theta = theta, .step = 1};
	double **trial, **start;
	uint32_t steps;

	DP_TRY(allocate_tables(joint, joint->sets, &trial));
	DP_TRY(allocate_tables(joint, goal->tables, &descent.margin));
	for (uint32_t s = goal->tables; s < joint->sets; s++)
		memcpy(trial[s], theta[s], joint->set_cells[s] * sizeof(double));
	descent.trial = trial;
	start = dp_memdup(joint->arena, theta, joint->sets * sizeof(*theta));
	if (start == NULL)
		return DP_ERR_MEMORY;
	descent.theta = start;
	DP_TRY(dp_joint_evaluate(joint, descent.theta, tick));
	keep_margins(&descent);
	descent.loss = 0.5 * squared_distance(&descent, descent.margin, goal->fitted);
	DP_TRY(descend(&descent, iterations != NULL ? iterations : &steps));
	hand_over(&descent, theta);
	DP_TRY(dp_joint_evaluate(joint, theta, tick));
	dp_free(joint->arena, start, joint->sets, sizeof(*start));
	free_tables(joint, joint->sets, trial);
	free_tables(joint, goal->tables, descent.margin);
	return DP_OK;
}
