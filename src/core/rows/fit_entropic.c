/*
 * fit_entropic.c -- tables to a joint distribution by entropy.
 *
 * Input:    noisy tables over any sets of attributes, their variances, the number of rows N
 * Output:   a distribution over all cells, as factors
 * How:      1. dp_anova_clean: consistent, shrunken tables; what they have in forbidden cells goes to
 *              the others in proportion
 *           2. start at the product of their one-way margins, of the smallest table that has each;
 *              uniform for an attribute in no table
 *           3. dp_entropic_solve towards the clean tables, each weighted by its inverse variance, until the
 *              noisy ones are as near as 0.85 of what noise explains: sum of w x cells x
 *              variance / N^2
 * Zeros:    log-factors of forbidden cells are FORBIDDEN, which no step moves: their exp is 0. Sets of
 *           zeros that no table holds are factors of their own, a few of them.
 * Source:   docs/methods/cipher.md
 */
#include "fit_entropic.h"

#include <math.h>
#include <string.h>

#include "entropic.h"

#define WEIGHT_RATIO_MAX 1e4 /* no table counts more than so many times another */
#define MARGIN_MIN 1e-12
#define FORBIDDEN (-1e300)
#define ZERO_SETS_MAX 32    /* that are in no table: each is one more pass over the cells */
#define ITERATIONS 300      /* with noise: what is left then is below it */
#define NOISELESS 1e-12     /* of the residual that noise explains */
#define ITERATIONS_MAX 4000 /* without, but as many cells as this: */
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

/* The place of a set in the list, put at its end if it is not there. */
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

/* The sets that the joint distribution has factors over: tables, others, single attributes, zeros. */
static DpStatus
make_joint(const DpFitProblem *problem, const uint32_t *other, uint32_t others, uint32_t *set_of,
		   DpArena *arena, DpJoint *joint)
{
	uint64_t room = (uint64_t) problem->tables + others + problem->attributes + ZERO_SETS_MAX;
	uint32_t *mask = dp_alloc(arena, room, sizeof(*mask));
	uint32_t sets = 0;

	if (mask == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t t = 0; t < problem->tables; t++)
		mask[sets++] = problem->table[t].mask;
	for (uint32_t i = 0; i < others; i++)
		set_of[i] = other[i] == 0 ? UINT32_MAX : place_of(mask, &sets, other[i]);
	for (uint32_t a = 0; a < problem->attributes; a++)
		(void) place_of(mask, &sets, UINT32_C(1) << a);
	sets = dp_fit_zero_masks(problem, mask, sets, ZERO_SETS_MAX);
	DP_TRY(dp_joint_init(joint, arena, problem->levels, problem->attributes, mask, sets));
	dp_free(arena, mask, room, sizeof(*mask));
	return DP_OK;
}

/* ---- the start ---- */

/* Bits of mask that stand before attribute a. */
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

/* The margin of attribute a in the smallest clean table that has it. */
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

/* The start: one-way margins, and nothing said by the other factors. */
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
 * Where zeros leave only cells that are too small for a number, or none (no plan allows that, but a stored model
 * may say anything), factors do without; whoever draws rejects.
 */
static DpStatus
forbid(Fit *fit)
{
	const DpJoint *joint = fit->joint;
	bool any = false;
	DpStatus status;

	for (uint32_t s = 0; s < joint->sets; s++)
		any |= dp_fit_zeros_fill(fit->problem, joint->mask[s], FORBIDDEN, fit->theta[s]);
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
	if (fit->theta == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t s = 0; s < joint->sets; s++)
	{
		fit->theta[s] = dp_alloc(fit->arena, joint->set_cells[s], sizeof(double));
		if (fit->theta[s] == NULL)
			return DP_ERR_MEMORY;
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

/* What tables have in forbidden cells, noise or not, goes to the others in proportion. */
static void
drop_forbidden(Fit *fit)
{
	const DpFitProblem *problem = fit->problem;

	for (uint32_t t = 0; t < problem->tables; t++)
	{
		double sum = 0;

		if (!dp_fit_zeros_fill(problem, problem->table[t].mask, 0, fit->clean[t]))
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
		if (fit->noisy[t] == NULL)
			return DP_ERR_MEMORY;
		for (uint64_t i = 0; i < table->cells; i++)
			fit->noisy[t][i] = table->value[i] / problem->rows;
	}
	return DP_OK;
}

/* Weights, and what is left of the noisy tables' distance when only noise is left. */
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
	DpEntropicGoal goal = {.tables = problem->tables,
						   .fitted = fit->clean,
						   .noisy = fit->noisy,
						   .weight = fit->weight};

	if (problem->tables == 0)
		return dp_joint_evaluate(fit->joint, fit->theta, fit->tick);
	goal.residual_max = weigh_tables(fit);
	goal.iterations_max = iterations_for(problem->cells, goal.residual_max);
	return dp_entropic_solve(fit->joint, &goal, fit->theta, fit->tick, NULL);
}

DpStatus
dp_fit_entropic(const DpFitProblem *problem, const uint32_t *other, uint32_t others,
				uint32_t *set_of, DpArena *arena, const DpTick *tick, DpJoint *joint)
{
	Fit fit = {.problem = problem, .arena = arena, .tick = tick, .joint = joint};

	DP_TRY(make_joint(problem, other, others, set_of, arena, joint));
	DP_TRY(dp_joint_ready(joint));
	DP_TRY(allocate_goal(&fit));
	if (problem->tables > 0)
		DP_TRY(dp_anova_clean(problem->levels, problem->table, problem->tables, problem->rows, true,
							  arena, tick, fit.clean));
	drop_forbidden(&fit);
	DP_TRY(make_noisy(&fit));
	DP_TRY(start_theta(&fit));
	DP_TRY(solve(&fit));
	free_fit(&fit);
	return DP_OK;
}

/* The joint's plan and its tables, and of each given one: value, clean, noisy, margin, and theta twice. */
DpStatus
dp_fit_entropic_memory(const DpFitProblem *problem, DpArena *arena, uint64_t *bytes)
{
	uint64_t before = arena->bytes_used;
	DpJoint joint;

	DP_TRY(make_joint(problem, NULL, 0, NULL, arena, &joint));
	*bytes = joint.buffer_cells;
	for (uint32_t s = 0; s < joint.sets; s++)
		*bytes += 6 * joint.set_cells[s];
	*bytes *= sizeof(double);
	*bytes += arena->bytes_used - before; /* where sets are many and small, more than their cells */
	dp_joint_free(&joint);
	return DP_OK;
}
