/*
 * fit_entropic.c -- from tables to a joint distribution by entropy.
 *
 * Input:    noisy tables over any sets of attributes, their variances, the number of rows N
 * Output:   a distribution over all cells, as factors
 * How:      1. dp_anova_clean makes the tables consistent and shrinks them. What they have in
 *              forbidden cells goes to the others in proportion.
 *           2. The start is the product of one-way margins, each from the smallest table that has
 *              the attribute. It is uniform for an attribute in no table.
 *           3. entropic_solve moves towards the clean tables, each weighted by its inverse
 *              variance. It stops when the noisy tables are as near as 0.85 of what noise explains,
 *              sum of w x cells x variance / N^2.
 * Zeros:    log-factors of forbidden cells are FORBIDDEN. Their exp is 0, and no step moves them.
 *           Sets of zeros that no table holds are factors of their own, up to ZERO_SETS_MAX of
 *           them.
 * Source:   docs/methods/cipher.md
 */
#include "core/sample/fit_entropic.h"

#include <math.h>
#include <string.h>

/*
 * entropic_solve -- mirror descent with backtracking on the margins
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

/* What is to be fitted. The tables are over the first sets of the joint, in order. */
typedef struct EntropicGoal
{
	uint32_t tables;
	double *const *fitted; /* [tables][set_cells] proportions that the margins are drawn to */
	double *const *noisy;  /* [tables][set_cells] proportions as they were measured */
	const double *weight;  /* [tables] in (0, 1] */
	double residual_max;   /* stop as soon as sum weight |margin - noisy|^2 is no more than this */
	uint32_t iterations_max;
} EntropicGoal;

#define STEP_MIN 1e-8
#define STEP_GROWTH 1.5
#define THETA_CHANGE_MAX 50.0 /* in one step */
#define SLOPE_SHARE 0.5
#define GAIN_MIN 1e-12 /* relative fall of f: less is no progress */

typedef struct Descent
{
	DpJoint *joint;
	const EntropicGoal *goal;
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

	DP_TRY_ALLOC(table);
	for (uint32_t s = 0; s < n; s++)
	{
		table[s] = dp_alloc(joint->arena, joint->set_cells[s], sizeof(**table));
		DP_TRY_ALLOC(table[s]);
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
	const EntropicGoal *goal = descent->goal;

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
	const EntropicGoal *goal = descent->goal;

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

/* theta[s][set_cells], for every set s of the joint, is the start and becomes the result. The
 * joint must be ready (dp_joint_ready). Its margins are those of the result. *iterations (may be
 * NULL): steps taken. */
static DpStatus
entropic_solve(DpJoint *joint, const EntropicGoal *goal, double **theta, uint32_t *iterations,
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
	DP_TRY_ALLOC(start);
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

#define WEIGHT_RATIO_MAX 1e4 /* no table weighs more than so many times another */
#define MARGIN_MIN 1e-12
#define FORBIDDEN (-1e300)
#define ZERO_SETS_MAX 32    /* sets of zeros in no table: each is one more pass */
#define ITERATIONS 300      /* with noise: what is then left is below the noise */
#define NOISELESS 1e-12     /* residual explained by noise that counts as none */
#define ITERATIONS_MAX 4000 /* without noise, if there are few cells: */
#define NOISELESS_CELLS 3e8

typedef struct Fit
{
	const DpFitProblem *problem;
	DpArena *arena;
	const DpTick *tick;
	DpJoint *joint;
	double **clean; /* [tables] proportions */
	double **noisy; /* [tables] */
	double *weight; /* [tables] */
	double **theta; /* [sets] */
} Fit;

/* The place of a set in the list. It is appended if it is not there. */
static uint32_t
place_of(uint32_t *mask, uint32_t *sets, uint32_t wanted)
{
	uint32_t s = 0;

	while (s < *sets && mask[s] != wanted)
		s++;
	if (s == *sets)
		mask[(*sets)++] = wanted;
	return s;
}

/* Prepares the joint distribution with its factors: over the sets of tables, extra sets, single
 * attributes and zeros. */
static DpStatus
make_joint(const DpFitProblem *problem, const DpExtraSets *extra, DpJoint *joint, DpArena *arena)
{
	uint32_t others = extra == NULL ? 0 : extra->n;
	uint64_t capacity = (uint64_t) problem->tables + others + problem->attributes + ZERO_SETS_MAX;
	uint32_t *mask = dp_alloc(arena, capacity, sizeof(*mask));
	uint32_t sets = 0;

	DP_TRY_ALLOC(mask);
	for (uint32_t t = 0; t < problem->tables; t++)
		mask[sets++] = problem->table[t].mask;
	for (uint32_t i = 0; i < others; i++)
		extra->set_of[i] = extra->mask[i] == 0 ? UINT32_MAX : place_of(mask, &sets, extra->mask[i]);
	for (uint32_t a = 0; a < problem->attributes; a++)
		(void) place_of(mask, &sets, UINT32_C(1) << a);
	sets = dp_fit_zero_masks(problem, sets, mask, ZERO_SETS_MAX);
	DP_TRY(dp_joint_init(joint, problem->levels, problem->attributes, mask, sets, arena));
	dp_free(arena, mask, capacity, sizeof(*mask));
	return DP_OK;
}

/* ---- the start ---- */

/* The number of bits of mask below attribute a. */
static uint32_t
rank_in(uint32_t mask, uint32_t a)
{
	return (uint32_t) __builtin_popcount(mask & ((UINT32_C(1) << a) - 1));
}

static uint32_t
levels_of(const DpFitProblem *problem, uint32_t mask, uint32_t *levels)
{
	uint32_t n = 0;

	for (uint32_t a = 0; a < problem->attributes; a++)
	{
		if (mask >> a & 1)
			levels[n++] = problem->levels[a];
	}
	return n;
}

/* Finds the margin of attribute a in the smallest clean table that has it. */
static void
one_way(const Fit *fit, uint32_t a, double *margin)
{
	const DpFitProblem *problem = fit->problem;
	uint32_t levels[DP_JOINT_ATTRIBUTES_MAX], n;
	uint32_t best = problem->tables;

	for (uint32_t t = 0; t < problem->tables; t++)
	{
		if ((problem->table[t].mask >> a & 1) &&
			(best == problem->tables || problem->table[t].cells < problem->table[best].cells))
			best = t;
	}
	for (uint32_t i = 0; i < problem->levels[a]; i++)
		margin[i] = 1.0 / problem->levels[a];
	if (best == problem->tables)
		return;
	n = levels_of(problem, problem->table[best].mask, levels);
	dp_joint_project(levels, n, fit->clean[best],
					 UINT32_C(1) << rank_in(problem->table[best].mask, a), margin);
}

/* Sets the start: the one-way margins, and 0 in the other factors. */
static void
set_theta(Fit *fit)
{
	const DpJoint *joint = fit->joint;

	for (uint32_t s = 0; s < joint->sets; s++)
	{
		uint32_t mask = joint->mask[s];

		memset(fit->theta[s], 0, joint->set_cells[s] * sizeof(double));
		if ((mask & (mask - 1)) != 0)
			continue;
		one_way(fit, (uint32_t) __builtin_ctz(mask), fit->theta[s]);
		for (uint64_t i = 0; i < joint->set_cells[s]; i++)
			fit->theta[s][i] = log(fmax(fit->theta[s][i], MARGIN_MIN));
	}
}

/*
 * Forbids cells by the zeros. If only cells are left whose probability is too small for a number,
 * or none, factors do without zeros, and whoever draws rejects. No plan allows that none is left,
 * but a stored model may say anything.
 */
static DpStatus
forbid(Fit *fit)
{
	const DpJoint *joint = fit->joint;
	bool any = false;
	DpStatus status;

	for (uint32_t s = 0; s < joint->sets; s++)
		any |= dp_fit_zeros_fill(fit->problem, joint->mask[s], fit->theta[s], FORBIDDEN);
	if (!any)
		return DP_OK;
	status = dp_joint_evaluate(fit->joint, fit->theta, fit->tick);
	if (status != DP_ERR_RANGE)
		return status;
	set_theta(fit);
	return DP_OK;
}

static DpStatus
start_theta(Fit *fit)
{
	const DpJoint *joint = fit->joint;

	fit->theta = dp_alloc(fit->arena, joint->sets, sizeof(*fit->theta));
	DP_TRY_ALLOC(fit->theta);
	for (uint32_t s = 0; s < joint->sets; s++)
	{
		fit->theta[s] = dp_alloc(fit->arena, joint->set_cells[s], sizeof(double));
		DP_TRY_ALLOC(fit->theta[s]);
	}
	set_theta(fit);
	return forbid(fit);
}

/* ---- the goal ---- */

static double
smallest_variance(const DpFitProblem *problem)
{
	double smallest = INFINITY;

	for (uint32_t t = 0; t < problem->tables; t++)
		smallest = fmin(smallest, problem->table[t].variance);
	return smallest;
}

/* Moves what tables have in forbidden cells, noise or not, to the others in proportion. */
static void
drop_forbidden(Fit *fit)
{
	const DpFitProblem *problem = fit->problem;

	for (uint32_t t = 0; t < problem->tables; t++)
	{
		double sum = 0;

		if (!dp_fit_zeros_fill(problem, problem->table[t].mask, fit->clean[t], 0))
			continue;
		for (uint64_t i = 0; i < problem->table[t].cells; i++)
			sum += fit->clean[t][i];
		for (uint64_t i = 0; i < problem->table[t].cells && sum > 0; i++)
			fit->clean[t][i] /= sum;
	}
}

static DpStatus
make_noisy(Fit *fit)
{
	const DpFitProblem *problem = fit->problem;

	for (uint32_t t = 0; t < problem->tables; t++)
	{
		const DpNoisyTable *table = &problem->table[t];

		fit->noisy[t] = dp_alloc(fit->arena, table->cells, sizeof(double));
		DP_TRY_ALLOC(fit->noisy[t]);
		for (uint64_t i = 0; i < table->cells; i++)
			fit->noisy[t][i] = table->value[i] / problem->rows;
	}
	return DP_OK;
}

/* Sets the weights. Returns the distance of the noisy tables that is left when only noise is. */
static double
weigh_tables(Fit *fit)
{
	const DpFitProblem *problem = fit->problem;
	double smallest = smallest_variance(problem);
	double residual = 0;

	for (uint32_t t = 0; t < problem->tables; t++)
	{
		const DpNoisyTable *table = &problem->table[t];

		fit->weight[t] = fmax(smallest / table->variance, 1 / WEIGHT_RATIO_MAX);
		residual += fit->weight[t] * (double) table->cells * table->variance /
					(problem->rows * problem->rows);
	}
	return problem->residual * residual;
}

static uint32_t
iterations_for(uint64_t cells, double residual_max)
{
	double most = fmin(ITERATIONS_MAX, NOISELESS_CELLS / (double) cells);

	return residual_max < NOISELESS ? (uint32_t) fmax(ITERATIONS, most) : ITERATIONS;
}

static DpStatus
allocate_goal(Fit *fit)
{
	uint32_t n = fit->problem->tables;

	fit->clean = dp_alloc(fit->arena, n, sizeof(*fit->clean));
	fit->noisy = dp_alloc(fit->arena, n, sizeof(*fit->noisy));
	fit->weight = dp_alloc(fit->arena, n, sizeof(*fit->weight));
	return fit->clean == NULL || fit->noisy == NULL || fit->weight == NULL ? DP_ERR_MEMORY : DP_OK;
}

static void
free_fit(Fit *fit)
{
	for (uint32_t t = 0; t < fit->problem->tables; t++)
	{
		dp_free(fit->arena, fit->clean[t], fit->problem->table[t].cells, sizeof(double));
		dp_free(fit->arena, fit->noisy[t], fit->problem->table[t].cells, sizeof(double));
	}
	for (uint32_t s = 0; s < fit->joint->sets; s++)
		dp_free(fit->arena, fit->theta[s], fit->joint->set_cells[s], sizeof(double));
	dp_free(fit->arena, fit->clean, fit->problem->tables, sizeof(*fit->clean));
	dp_free(fit->arena, fit->noisy, fit->problem->tables, sizeof(*fit->noisy));
	dp_free(fit->arena, fit->weight, fit->problem->tables, sizeof(*fit->weight));
	dp_free(fit->arena, fit->theta, fit->joint->sets, sizeof(*fit->theta));
}

static DpStatus
solve(Fit *fit)
{
	const DpFitProblem *problem = fit->problem;
	EntropicGoal goal = {.tables = problem->tables,
						 .fitted = fit->clean,
						 .noisy = fit->noisy,
						 .weight = fit->weight};

	if (problem->tables == 0)
		return dp_joint_evaluate(fit->joint, fit->theta, fit->tick);
	goal.residual_max = weigh_tables(fit);
	goal.iterations_max = iterations_for(problem->cells, goal.residual_max);
	return entropic_solve(fit->joint, &goal, fit->theta, NULL, fit->tick);
}

DpStatus
dp_fit_entropic(const DpFitProblem *problem, const DpExtraSets *extra, DpJoint *joint,
				const DpTick *tick, DpArena *arena)
{
	Fit fit = {.problem = problem, .arena = arena, .tick = tick, .joint = joint};
	const DpNoisyTables given = dp_fit_tables(problem);

	DP_TRY(make_joint(problem, extra, joint, arena));
	DP_TRY(dp_joint_ready(joint));
	DP_TRY(allocate_goal(&fit));
	if (problem->tables > 0)
		DP_TRY(dp_anova_clean(&given, true, fit.clean, tick, arena));
	drop_forbidden(&fit);
	DP_TRY(make_noisy(&fit));
	DP_TRY(start_theta(&fit));
	DP_TRY(solve(&fit));
	free_fit(&fit);
	return DP_OK;
}

/* Adds up the plan and the tables of the joint distribution, and for each given table: value,
 * clean, noisy, margin, and theta twice. */
DpStatus
dp_fit_entropic_memory(const DpFitProblem *problem, uint64_t *bytes, DpArena *arena)
{
	uint64_t before = arena->bytes_used;
	DpJoint joint;

	DP_TRY(make_joint(problem, NULL, &joint, arena));
	*bytes = joint.buffer_cells;
	for (uint32_t s = 0; s < joint.sets; s++)
		*bytes += 6 * joint.set_cells[s];
	*bytes *= sizeof(double);
	*bytes += arena->bytes_used - before; /* more than the cells if sets are many and small */
	dp_joint_free(&joint);
	return DP_OK;
}
