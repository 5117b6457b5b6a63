/*
 * fit_entropic.c -- from tables to a joint distribution by entropy.
 *
 * Input:    noisy tables over any sets of attributes, their variances, the number of rows N
 * Output:   a distribution over all cells, as factors
 * How:      1. dp_anova_clean makes the tables consistent and shrinks them. What they have in
 *              forbidden cells goes to the others in proportion.
 *           2. The start is the product of one-way margins, each from the smallest table that has
 *              the attribute. It is uniform for an attribute in no table.
 *           3. dp_entropic_solve moves towards the clean tables, each weighted by its inverse
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

#include "core/estimate/entropic.h"

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

	if (mask == NULL)
		return DP_ERR_MEMORY;
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
		if (fit->noisy[t] == NULL)
			return DP_ERR_MEMORY;
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
	DpEntropicGoal goal = {.tables = problem->tables,
						   .fitted = fit->clean,
						   .noisy = fit->noisy,
						   .weight = fit->weight};

	if (problem->tables == 0)
		return dp_joint_evaluate(fit->joint, fit->theta, fit->tick);
	goal.residual_max = weigh_tables(fit);
	goal.iterations_max = iterations_for(problem->cells, goal.residual_max);
	return dp_entropic_solve(fit->joint, &goal, fit->theta, NULL, fit->tick);
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
