/*
 * fit_problem.c -- noisy tables, made into the problem that solvers work on.
 */
#include "core/sample/fit_entropic.h"

#include <math.h>

#include "core/base/saturate.h"
#include "core/domain/priors.h"
#include "core/domain/zeros.h"

#define PRIORS_MAX 64                   /* each prior is one more pass over the cells */
#define ZERO_CELLS_MAX UINT64_C(100000) /* cells of a set of zeros that gets a factor */
#define VARIANCE_MIN 1e-20              /* rows^2, where there is no noise; only ratios matter */

static DpStatus
fail_cells(const DpFitInput *input, uint64_t cells, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the joint table of these columns has too many cells");
	if (cells == UINT64_MAX)
		dp_fail_detail(error, "It has more than 1.8e19 cells; option \"cell_limit\" is %llu.",
					   (unsigned long long) input->cell_limit);
	else
		dp_fail_detail(error, "It has %llu cells; option \"cell_limit\" is %llu.",
					   (unsigned long long) cells, (unsigned long long) input->cell_limit);
	dp_fail_hint(error,
				 "Take fewer columns or coarser bins, or raise \"cell_limit\", to at most %llu.",
				 (unsigned long long) DP_JOINT_CELLS_MAX);
	return DP_ERR_LIMIT;
}

/* Chooses the attributes with more than one level; the first one if none has. */
static DpStatus
choose_attributes(const DpFitInput *input, DpFitProblem *problem, DpError *error)
{
	const DpDomain *domain = input->domain;
	uint64_t cells = 1;

	for (uint32_t a = 0; a < domain->attributes; a++)
		cells = dp_multiply_saturated(cells, domain->attribute[a].levels);
	if (domain->attributes < 1 || cells < 1)
		return dp_fail(error, DP_ERR_ARGUMENT, "there is nothing to fit");
	if (cells > input->cell_limit || cells > DP_JOINT_CELLS_MAX)
		return fail_cells(input, cells, error);
	problem->cells = cells;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		if (domain->attribute[a].levels < 2)
			continue;
		problem->index[problem->attributes] = a;
		problem->levels[problem->attributes++] = domain->attribute[a].levels;
	}
	if (problem->attributes == 0)
		problem->levels[problem->attributes++] = 1;
	return DP_OK;
}

DpNoisyTables
dp_fit_tables(const DpFitProblem *problem)
{
	return (DpNoisyTables){.attributes = problem->attributes,
						   .levels = problem->levels,
						   .tables = problem->tables,
						   .table = problem->table,
						   .rows = problem->rows};
}

uint32_t
dp_fit_mask(const DpFitProblem *problem, const DpFitTable *table)
{
	uint32_t mask = 0;

	for (uint32_t k = 0; k < table->of.n; k++)
	{
		for (uint32_t a = 0; a < problem->attributes; a++)
		{
			if (problem->index[a] == table->of.attribute[k] && problem->levels[a] > 1)
				mask |= UINT32_C(1) << a;
		}
	}
	return mask;
}

static bool
table_fits(const DpFitTable *table, const DpDomain *domain)
{
	for (uint32_t k = 0; k < table->of.n; k++)
	{
		if (table->of.attribute[k] >= domain->attributes ||
			(k > 0 && table->of.attribute[k] <= table->of.attribute[k - 1]))
			return false;
	}
	return table->variance >= 0 && isfinite(table->variance) &&
		   table->cells == dp_domain_cells(domain, table->of.attribute, table->of.n);
}

static DpNoisyTable *
find_table(DpFitProblem *problem, uint32_t mask)
{
	for (uint32_t t = 0; t < problem->tables; t++)
	{
		if (problem->table[t].mask == mask)
			return &problem->table[t];
	}
	return NULL;
}

/* Averages a table with another one over the same set, by inverse variance. */
static void
pool_values(DpNoisyTable *table, double variance, const DpFitTable *given)
{
	double sum = table->variance + variance;
	double share = isfinite(table->variance) ? table->variance / sum : 1;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		double value = given->count != NULL ? (double) given->count[i] : given->value[i];

		table->value[i] += share * (value - table->value[i]);
	}
}

static DpStatus
add_table(DpFitProblem *problem, const DpFitTable *given, bool values, DpArena *arena)
{
	uint32_t mask = dp_fit_mask(problem, given);
	double variance = fmax(given->variance, VARIANCE_MIN);
	DpNoisyTable *table = find_table(problem, mask);

	if (mask == 0)
		return DP_OK;
	if (table == NULL)
	{
		table = &problem->table[problem->tables++];
		*table = (DpNoisyTable){.mask = mask, .cells = given->cells, .variance = INFINITY};
		table->value = values ? dp_alloc(arena, table->cells, sizeof(*table->value)) : NULL;
		if (values && table->value == NULL)
			return DP_ERR_MEMORY;
	}
	if (values)
		pool_values(table, variance, given);
	table->variance = 1 / (1 / table->variance + 1 / variance);
	return DP_OK;
}

static uint32_t
priors_used(const DpFitInput *input)
{
	uint32_t n = input->domain->priors;

	if (input->solver != DP_SOLVER_ENTROPIC)
		return 0;
	return n < PRIORS_MAX ? n : PRIORS_MAX;
}

DpStatus
dp_fit_check_tables(const DpFitInput *input, DpError *error)
{
	for (uint32_t t = 0; t < input->tables; t++)
		if (!table_fits(&input->table[t], input->domain))
			return dp_fail(error, DP_ERR_ARGUMENT, "a table does not fit the columns");
	return DP_OK;
}

/* Adds priors as tables. Only the entropic solver takes them: the ridge equations know no noise,
 * and the centred ones hold to measured tables. */
static DpStatus
add_priors(const DpFitInput *input, DpFitProblem *problem, bool values, DpArena *arena)
{
	const DpDomain *domain = input->domain;

	for (uint32_t i = 0; i < priors_used(input); i++)
	{
		const DpPrior *prior = &domain->prior[i];
		DpFitTable table = {.of = {prior->n, prior->attribute},
							.cells = prior->cells,
							.variance = dp_prior_variance(prior, problem->rows)};
		double *expected = dp_alloc(arena, values ? prior->cells : 0, sizeof(*expected));

		if (values && expected == NULL)
			return DP_ERR_MEMORY;
		if (values)
			dp_prior_expected(prior, problem->rows, expected);
		table.value = expected;
		DP_TRY(add_table(problem, &table, values, arena));
		dp_free(arena, expected, values ? prior->cells : 0, sizeof(*expected));
	}
	return DP_OK;
}

DpStatus
dp_fit_problem(const DpFitInput *input, bool values, DpFitProblem *problem, DpArena *arena,
			   DpError *error)
{
	*problem = (DpFitProblem){.rows = fmax(input->rows, 1),
							  .residual = input->residual > 0 ? input->residual : DP_FIT_RESIDUAL,
							  .domain = input->domain};
	DP_TRY(choose_attributes(input, problem, error));
	DP_TRY(dp_fit_check_tables(input, error));
	problem->tables_capacity = input->tables + (uint32_t) priors_used(input);
	problem->table = dp_alloc(arena, problem->tables_capacity, sizeof(*problem->table));
	DP_TRY_ALLOC(problem->table);
	for (uint32_t t = 0; t < input->tables; t++)
		DP_TRY(add_table(problem, &input->table[t], values, arena));
	return add_priors(input, problem, values, arena);
}

/* ---- zeros ---- */

bool
dp_fit_zeros_fill(const DpFitProblem *problem, uint32_t mask, double *cells, double value)
{
	const DpDomain *domain = problem->domain;
	uint32_t attribute[DP_ATTRIBUTES_MAX];
	uint32_t n = 0;

	for (uint32_t a = 0; a < problem->attributes; a++)
		if ((mask >> a & 1) && problem->levels[a] > 1)
			attribute[n++] = problem->index[a];
	/* attributes of one level add no cells, but zeros may name them */
	for (uint32_t a = 0; a < domain->attributes; a++)
		if (domain->attribute[a].levels == 1)
			attribute[n++] = a;
	if (!dp_zeros_within(domain, attribute, n))
		return false;
	dp_zeros_fill(domain, attribute, n, value, cells);
	return true;
}

static bool
holds(const uint32_t *mask, uint32_t n, uint32_t wanted)
{
	for (uint32_t i = 0; i < n; i++)
		if ((wanted & ~mask[i]) == 0)
			return true;
	return false;
}

uint32_t
dp_fit_zero_masks(const DpFitProblem *problem, uint32_t n, uint32_t *mask, uint32_t capacity)
{
	const DpZeros *zeros = &problem->domain->zeros;

	/* wide sets first, since they hold others */
	for (uint32_t s = zeros->sets; s-- > 0 && capacity > 0;)
	{
		const DpFitTable shape = {.of = {zeros->set[s].n, zeros->set[s].attribute}};
		uint32_t wanted = dp_fit_mask(problem, &shape);

		if (wanted == 0 || holds(mask, n, wanted) ||
			dp_joint_set_cells(problem->levels, wanted) > ZERO_CELLS_MAX)
			continue;
		mask[n++] = wanted;
		capacity--;
	}
	return n;
}

void
dp_fit_problem_free(DpFitProblem *problem, DpArena *arena)
{
	for (uint32_t t = 0; t < problem->tables; t++)
		dp_free(arena, problem->table[t].value, problem->table[t].cells, sizeof(double));
	dp_free(arena, problem->table, problem->tables_capacity, sizeof(*problem->table));
	problem->table = NULL;
	problem->tables = problem->tables_capacity = 0;
}
