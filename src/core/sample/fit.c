/*
 * fit.c -- the list of solvers, and drawing from what they find.
 *
 * All solvers but the graphical one end in a dense joint table. Rows are drawn from its running
 * sums: a guide says between which two cells to look for a number, and a bisection finds it. That
 * takes 8 bytes a cell, where building an alias table would take 24.
 */
#include "core/sample/fit.h"

#include <math.h>
#include <string.h>

#include "core/base/row_major.h"
#include "core/base/saturate.h"
#include "core/estimate/joint.h"
#include "core/estimate/lifting.h"
#include "core/graphical/noisy_measurement.h"
#include "core/sample/fit_entropic.h"
#include "core/sample/fit_input.h"
#include "core/sample/graphical_fit.h"
#include "core/sample/model_query.h"

#define GUIDE_MAX (UINT64_C(1) << 20)
#define TICK_CELLS 65536

typedef struct Sampler
{
	/* set by the graphical solver, which sets nothing else */
	DpGraphicalFit *fit;
	DpGraphicalSampler *graphical;
	uint32_t domain_attributes;
	DpFitProblem problem; /* without its tables */
	double *sum;          /* [cells] running sums of the probabilities */
	uint64_t guides;      /* a power of two */
	uint32_t *guide;      /* [guides + 1] the first cell whose running sum is over i / guides */
} Sampler;

typedef struct Solver
{
	const char *name;
	/* Checks the largest number of cells that it holds at once. */
	DpStatus (*check)(const DpFitInput *input, const DpFitProblem *problem, DpError *error);
	DpStatus (*memory)(const DpFitProblem *problem, uint64_t *bytes, DpArena *arena);
	/* out[cells]: probabilities */
	DpStatus (*solve)(const DpFitInput *input, const DpFitProblem *problem, double *out,
					  const DpTick *tick, DpArena *arena);
} Solver;

/* ---- entropic ---- */

static DpStatus
entropic_check(const DpFitInput *input, const DpFitProblem *problem, DpError *error)
{
	(void) input;
	(void) problem;
	(void) error;
	return DP_OK;
}

static DpStatus
entropic_solve(const DpFitInput *input, const DpFitProblem *problem, double *out,
			   const DpTick *tick, DpArena *arena)
{
	DpJoint joint;

	(void) input;
	DP_TRY(dp_fit_entropic(problem, NULL, &joint, tick, arena));
	dp_joint_fill(&joint, out, tick);
	dp_joint_free(&joint);
	return DP_OK;
}

/* ---- step up ---- */

/* All tables on the way count, and not only the joint table. */
static DpStatus
lifting_check(const DpFitInput *input, const DpFitProblem *problem, DpError *error)
{
	uint64_t cells = dp_lifting_cells(problem->levels, problem->attributes);
	uint64_t limit =
		input->cell_limit < DP_JOINT_CELLS_MAX ? input->cell_limit : DP_JOINT_CELLS_MAX;

	if (cells <= limit && problem->attributes <= DP_LIFTING_ATTRIBUTES_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "the step-up equations go through too many cells");
	dp_fail_detail(error,
				   "All tables on the way have %llu cells, of %u columns; the limits are %llu "
				   "(option \"cell_limit\") and %d.",
				   (unsigned long long) cells, problem->attributes, (unsigned long long) limit,
				   DP_LIFTING_ATTRIBUTES_MAX);
	dp_fail_hint(error,
				 "Use solver entropic, which needs the joint table alone, or fewer columns.");
	return DP_ERR_LIMIT;
}

static DpStatus
lifting_memory(const DpFitProblem *problem, uint64_t *bytes, DpArena *arena)
{
	(void) arena;
	*bytes = dp_lifting_memory(problem->levels, problem->attributes);
	return DP_OK;
}

static DpStatus
ridge_solve(const DpFitInput *input, const DpFitProblem *problem, double *out, const DpTick *tick,
			DpArena *arena)
{
	const DpNoisyTables given = dp_fit_tables(problem);

	return dp_lifting_joint(&given, (DpLiftingRule){.lambda = input->lambda, .centred = false}, out,
							tick, arena);
}

/* Solves with clean tables, so that it divides by probabilities. */
static DpStatus
centred_solve(const DpFitInput *input, const DpFitProblem *problem, double *out, const DpTick *tick,
			  DpArena *arena)
{
	DpNoisyTable *clean =
		dp_memdup(arena, problem->table, problem->tables * sizeof(*problem->table));
	double **value = dp_alloc(arena, problem->tables, sizeof(*value));
	DpNoisyTables given = dp_fit_tables(problem);

	DP_TRY_ALLOC(clean && value);
	if (problem->tables > 0)
		DP_TRY(dp_anova_clean(&given, true, value, tick, arena));
	for (uint32_t t = 0; t < problem->tables; t++)
		clean[t].value = value[t];
	given.table = clean;
	DP_TRY(dp_lifting_joint(&given, (DpLiftingRule){.lambda = input->lambda, .centred = true}, out,
							tick, arena));
	for (uint32_t t = 0; t < problem->tables; t++)
		dp_free(arena, value[t], clean[t].cells, sizeof(double));
	return DP_OK;
}

/* In the order of DpSolver, without the last, graphical. */
static const Solver solvers[] = {
	{"entropic", entropic_check, dp_fit_entropic_memory, entropic_solve},
	{"centred", lifting_check, lifting_memory, centred_solve},
	{"ridge", lifting_check, lifting_memory, ridge_solve},
};

static const Solver *
solver_of(const DpFitInput *input)
{
	return (size_t) input->solver < sizeof(solvers) / sizeof(solvers[0]) ? &solvers[input->solver]
																		 : &solvers[0];
}

/* ---- sizes ---- */

/*
 * The solver "graphical": noisy tables to rows by a graphical model. It has no joint table, so
 * there may be as many attributes as the cliques of the tables can hold.
 */

#define VARIANCE_LEAST 1e-6 /* rows^2: noise that is all but absent */

static uint64_t
cells_limit(const DpFitInput *input)
{
	return input->cell_limit < DP_JOINT_CELLS_MAX ? input->cell_limit : DP_JOINT_CELLS_MAX;
}

static DpStatus
fail_cells(const DpFitInput *input, DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the cliques of these tables have too many cells");
	dp_fail_detail(error, "Option \"cell_limit\" is %llu.", (unsigned long long) input->cell_limit);
	dp_fail_hint(error,
				 "Take smaller sets of columns, or fewer that overlap, coarser bins, or raise "
				 "\"cell_limit\", to at most %llu.",
				 (unsigned long long) DP_JOINT_CELLS_MAX);
	return DP_ERR_LIMIT;
}

/* The parts into which a fit takes the tables apart (interactions.h). */
static uint64_t
parts_of(const DpFitInput *input)
{
	uint64_t parts = dp_graphical_public_parts(input->domain);

	for (uint32_t t = 0; t < input->tables; t++)
		parts += dp_interactions_parts(input->table[t].of.n);
	return parts;
}

static DpStatus
check_parts(const DpFitInput *input, DpError *error)
{
	uint64_t parts = parts_of(input);

	if (parts <= DP_INTERACTION_PARTS_MAX)
		return DP_OK;
	(void) dp_fail(error, DP_ERR_LIMIT, "there are too many tables over sets so large");
	dp_fail_detail(error, "Their columns have %llu subsets, and the limit is %d.",
				   (unsigned long long) parts, DP_INTERACTION_PARTS_MAX);
	dp_fail_hint(error, "Take fewer or smaller sets of columns, or another solver.");
	return DP_ERR_LIMIT;
}

/* Counts the cells of all cliques, up to one more than the limit. */
static DpStatus
clique_cells(const DpFitInput *input, const uint32_t *levels, uint64_t *cells, DpArena *arena)
{
	DpGraph graph;

	DP_TRY(dp_graph_init(&graph, levels, input->domain->attributes, arena));
	for (uint32_t t = 0; t < input->tables; t++)
	{
		const DpAttributeSet set = input->table[t].of;

		dp_graph_join(&graph, &set);
	}
	*cells = dp_graph_cost_estimate(&graph, NULL, cells_limit(input) + 1);
	return DP_OK;
}

/* Compares the cells of all cliques with input->cell_limit. DP_ERR_LIMIT: they are more. */
static DpStatus
fit_graphical_check(const DpFitInput *input, DpArena *arena, DpError *error)
{
	DpGrouping grouping;
	uint64_t cells;

	if (input->domain->attributes < 1)
		return dp_fail(error, DP_ERR_ARGUMENT, "there is nothing to fit");
	DP_TRY(check_parts(input, error));
	DP_TRY(dp_grouping_init(&grouping, input->domain, arena));
	DP_TRY(clique_cells(input, grouping.levels, &cells, arena));
	return cells > cells_limit(input) ? fail_cells(input, error) : DP_OK;
}

/*
 * The bytes that fit and sampler need, for a checked input. Public sets may add a share of the
 * limit to the cliques, but never exceed it.
 */
static DpStatus
fit_graphical_memory(const DpFitInput *input, uint64_t *bytes, DpArena *arena)
{
	uint64_t more =
		dp_graphical_public_cells(dp_graphical_is_connected(input->domain), cells_limit(input));
	uint64_t cells, tables = more;
	DpGrouping grouping;

	DP_TRY(dp_grouping_init(&grouping, input->domain, arena));
	DP_TRY(clique_cells(input, grouping.levels, &cells, arena));
	for (uint32_t t = 0; t < input->tables; t++)
		tables = dp_add_saturated(tables, input->table[t].cells);
	*bytes = dp_graphical_bytes(cells + more, tables);
	*bytes = dp_add_saturated(*bytes, dp_multiply_saturated(cells + more, sizeof(double)));
	/* each table also has a place in its clique and one between, neither larger than a part */
	*bytes = dp_add_saturated(*bytes,
							  dp_interactions_bytes(parts_of(input) + UINT64_C(2) * input->tables));
	return DP_OK;
}

/* ---- the fit ---- */

static DpStatus
add_table(DpGraphical *model, const DpFitTable *table, DpArena *arena)
{
	const DpAttributeSet set = table->of;
	double *observed = dp_alloc(arena, table->cells, sizeof(*observed));

	DP_TRY_ALLOC(observed);
	for (uint64_t i = 0; i < table->cells; i++)
		observed[i] = table->count != NULL ? (double) table->count[i] : table->value[i];
	DP_TRY(dp_graphical_add(model, &set, observed, fmax(table->variance, VARIANCE_LEAST)));
	dp_free(arena, observed, table->cells, sizeof(*observed));
	return DP_OK;
}

static DpStatus
fit_graphical(const DpFitInput *input, DpGraphicalFit **out, const DpTick *tick, DpArena *arena,
			  DpError *error)
{
	DpGraphicalFit *fit = dp_alloc(arena, 1, sizeof(*fit));
	double rows = fmax(input->rows, 1);
	DpGrouping grouping;
	DpStatus status;

	DP_TRY_ALLOC(fit);
	DP_TRY(fit_graphical_check(input, arena, error));
	DP_TRY(dp_grouping_init(&grouping, input->domain, arena));
	DP_TRY(dp_graphical_init(&fit->graphical,
							 &(DpGraphicalStart){.attributes = input->domain->attributes,
												 .levels = grouping.levels,
												 .total = rows,
												 .cells_max = cells_limit(input)},
							 arena));
	for (uint32_t t = 0; t < input->tables; t++)
	{
		dp_tick(tick, -1.0);
		if (input->table[t].of.n > 0)
			DP_TRY(add_table(&fit->graphical, &input->table[t], arena));
	}
	DP_TRY(dp_graphical_add_public(&fit->graphical, &grouping, rows));
	status = dp_graphical_fit(&fit->graphical, &dp_graphical_final_rule, tick);
	if (status != DP_OK)
		return status == DP_ERR_LIMIT ? fail_cells(input, error) : status;
	dp_belief_forget(&fit->graphical.belief);
	fit->domain = input->domain;
	fit->rows = (uint64_t) rows;
	DP_TRY(dp_graphical_single_splits(fit->domain, &fit->split, arena));
	*out = fit;
	return DP_OK;
}

DpStatus
dp_fit_check(const DpFitInput *input, DpArena *arena, DpError *error)
{
	DpFitProblem problem;

	if (input->solver == DP_SOLVER_GRAPHICAL)
	{
		DP_TRY(dp_fit_check_tables(input, error));
		return fit_graphical_check(input, arena, error);
	}
	DP_TRY(dp_fit_problem(input, false, &problem, arena, error));
	return solver_of(input)->check(input, &problem, error);
}

DpStatus
dp_fit_memory(const DpFitInput *input, uint64_t *bytes, DpArena *arena)
{
	DpFitProblem problem;

	if (input->solver == DP_SOLVER_GRAPHICAL)
		return fit_graphical_memory(input, bytes, arena);
	DP_TRY(dp_fit_problem(input, false, &problem, arena, NULL));
	DP_TRY(solver_of(input)->memory(&problem, bytes, arena));
	*bytes = dp_add_saturated(*bytes, problem.cells * sizeof(double) + GUIDE_MAX * 4);
	return DP_OK;
}

/* ---- drawing ---- */

/* Turns probabilities into running sums. What is negative or not finite counts as 0. */
static double
add_up(double *p, uint64_t cells, const DpTick *tick)
{
	double sum = 0;

	for (uint64_t i = 0; i < cells; i++)
	{
		if (i % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		sum += p[i] > 0 && isfinite(p[i]) ? p[i] : 0;
		p[i] = sum;
	}
	return sum;
}

static void
make_uniform(double *p, uint64_t cells)
{
	for (uint64_t i = 0; i < cells; i++)
		p[i] = 1;
}

static bool
add_allowed(Sampler *sampler, const DpTick *tick)
{
	(void) dp_fit_zeros_fill(&sampler->problem, UINT32_MAX, sampler->sum, 0);
	return add_up(sampler->sum, sampler->problem.cells, tick) > 0;
}

/* Makes the running sums over the allowed cells. If no allowed cell has a share, all allowed
 * cells get the same; if no cell is allowed, all cells do. */
static void
make_sums(Sampler *sampler, const DpTick *tick)
{
	uint64_t cells = sampler->problem.cells;

	if (add_allowed(sampler, tick))
		return;
	make_uniform(sampler->sum, cells);
	if (add_allowed(sampler, tick))
		return;
	make_uniform(sampler->sum, cells);
	(void) add_up(sampler->sum, cells, tick);
}

/* Builds the guide. Its last entry is the last cell that can be drawn. */
static void
make_guide(Sampler *sampler)
{
	uint64_t cells = sampler->problem.cells;
	double total = sampler->sum[cells - 1];
	uint32_t cell = 0;

	for (uint64_t g = 0; g < sampler->guides; g++)
	{
		double bound = (double) g / (double) sampler->guides * total;

		while (sampler->sum[cell] <= bound && cell + 1 < cells)
			cell++;
		sampler->guide[g] = cell;
	}
	cell = (uint32_t) (cells - 1);
	while (cell > 0 && sampler->sum[cell - 1] >= total)
		cell--;
	sampler->guide[sampler->guides] = cell;
}

static DpStatus
start_guide(Sampler *sampler, DpArena *arena)
{
	uint64_t cells = sampler->problem.cells;

	sampler->guides = 1;
	while (sampler->guides < cells && sampler->guides < GUIDE_MAX)
		sampler->guides *= 2;
	sampler->guide = dp_alloc(arena, sampler->guides + 1, sizeof(*sampler->guide));
	DP_TRY_ALLOC(sampler->guide);
	make_guide(sampler);
	return DP_OK;
}

static DpStatus
make_sampler(Sampler *sampler, const DpTick *tick, DpArena *arena)
{
	make_sums(sampler, tick);
	return start_guide(sampler, arena);
}

static DpStatus
prepare_graphical(const DpFitInput *input, Sampler *sampler, const DpTick *tick, DpArena *arena,
				  DpError *error)
{
	void *built;

	DP_TRY(dp_fit_check_tables(input, error));
	DP_TRY(fit_graphical(input, &sampler->fit, tick, arena, error));
	DP_TRY(dp_graphical_fit_compile(sampler->fit, NULL, &built, tick, arena, error));
	sampler->graphical = built;
	return DP_OK;
}

DpStatus
dp_fit_prepare(const DpFitInput *input, void **out, const DpTick *tick, DpArena *arena,
			   DpError *error)
{
	Sampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	const Solver *solver = solver_of(input);

	DP_TRY_ALLOC(sampler);
	*out = sampler;
	if (input->solver == DP_SOLVER_GRAPHICAL)
		return prepare_graphical(input, sampler, tick, arena, error);
	sampler->domain_attributes = input->domain->attributes;
	DP_TRY(dp_fit_problem(input, true, &sampler->problem, arena, error));
	DP_TRY(solver->check(input, &sampler->problem, error));
	sampler->sum = dp_alloc(arena, sampler->problem.cells, sizeof(*sampler->sum));
	DP_TRY_ALLOC(sampler->sum);
	DP_TRY(solver->solve(input, &sampler->problem, sampler->sum, tick, arena));
	dp_fit_problem_free(&sampler->problem, arena);
	return make_sampler(sampler, tick, arena);
}

/* Draws a number uniform in [0, total) and finds the first cell whose running sum is over it. */
static uint64_t
draw_cell(const Sampler *sampler, DpPrng *prng)
{
	double unit = dp_prng_unit(prng);
	double wanted = unit * sampler->sum[sampler->problem.cells - 1];
	uint64_t g = (uint64_t) (unit * (double) sampler->guides);
	uint64_t low = sampler->guide[g];
	uint64_t high = sampler->guide[g + 1];

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;

		if (sampler->sum[middle] > wanted)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void
dp_fit_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const Sampler *sampler = sampler_in;
	const DpFitProblem *problem = &sampler->problem;
	uint32_t cell;

	if (sampler->graphical != NULL)
	{
		dp_graphical_draw(sampler->graphical, prng, codes);
		return;
	}
	cell = (uint32_t) draw_cell(sampler, prng);
	memset(codes, 0, sampler->domain_attributes * sizeof(*codes));
	for (uint32_t a = problem->attributes; a-- > 0; cell /= problem->levels[a])
		codes[problem->index[a]] = cell % problem->levels[a];
}

/* ---- queries ---- */

/* The probability of one cell, from the running sums. */
static double
cell_share(const Sampler *sampler, uint64_t cell)
{
	return sampler->sum[cell] - (cell > 0 ? sampler->sum[cell - 1] : 0);
}

/* The step of each attribute of the problem in a table over a set of the domain's attributes.
 * Those of one level, which the problem lacks, take no step. */
static uint64_t
find_steps(const DpFitProblem *problem, const DpAttributeSet *set, uint64_t *step)
{
	uint64_t cells = 1;

	memset(step, 0, sizeof(*step) * DP_JOINT_ATTRIBUTES_MAX);
	for (uint32_t k = set->n; k-- > 0;)
		for (uint32_t a = 0; a < problem->attributes; a++)
			if (problem->index[a] == set->attribute[k])
			{
				step[a] = cells;
				cells *= problem->levels[a];
			}
	return cells;
}

DpStatus
dp_fit_marginal(const void *sampler_in, const DpAttributeSet *set, double *out, const DpTick *tick,
				DpArena *arena)
{
	const Sampler *sampler = sampler_in;
	const DpFitProblem *problem = &sampler->problem;
	uint64_t step[DP_JOINT_ATTRIBUTES_MAX];
	uint32_t code[DP_JOINT_ATTRIBUTES_MAX] = {0};
	uint64_t at = 0, cells;
	double total;

	if (sampler->fit != NULL)
		return dp_graphical_fit_marginal(sampler->fit, set, out, tick, arena);
	total = sampler->sum[problem->cells - 1];
	cells = find_steps(problem, set, step);
	memset(out, 0, cells * sizeof(*out));
	for (uint64_t i = 0; i < problem->cells; i++)
	{
		if (i % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		out[at] += cell_share(sampler, i) / total;
		(void) dp_row_major_follow(problem->levels, step, problem->attributes, code, &at);
	}
	return DP_OK;
}

/* Copies the sampler with each cell times the weight of its levels. */
static DpStatus
weigh_cells(const Sampler *from, const DpGiven *given, Sampler *to, const DpTick *tick,
			DpArena *arena, DpError *error)
{
	const DpFitProblem *problem = &from->problem;
	uint32_t code[DP_JOINT_ATTRIBUTES_MAX] = {0};

	to->sum = dp_alloc(arena, problem->cells, sizeof(*to->sum));
	DP_TRY_ALLOC(to->sum);
	for (uint64_t i = 0; i < problem->cells; i++)
	{
		if (i % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		to->sum[i] = cell_share(from, i);
		for (uint32_t a = 0; a < problem->attributes; a++)
			to->sum[i] *= dp_given_weight(given, problem->index[a], code[a]);
		(void) dp_row_major_next(problem->levels, problem->attributes, code);
	}
	for (uint32_t a = 0; a < problem->domain->attributes; a++)
		if (problem->domain->attribute[a].levels == 1 && dp_given_weight(given, a, 0) <= 0)
			return dp_fail_impossible(error);
	if (add_up(to->sum, problem->cells, tick) <= 0)
		return dp_fail_impossible(error);
	return start_guide(to, arena);
}

/* The joint table has no share in a forbidden cell; cliques may not know all of them. */
bool
dp_fit_keeps_zeros(const void *sampler)
{
	return ((const Sampler *) sampler)->fit == NULL;
}

DpStatus
dp_fit_compile(const void *from_in, const DpGiven *given, void **state, const DpTick *tick,
			   DpArena *arena, DpError *error)
{
	const Sampler *from = from_in;
	Sampler *sampler = dp_memdup(arena, from, sizeof(*sampler));
	void *built;

	DP_TRY_ALLOC(sampler);
	*state = sampler;
	if (given == NULL)
		return DP_OK; /* such a sampler is read-only */
	if (from->fit == NULL)
		return weigh_cells(from, given, sampler, tick, arena, error);
	DP_TRY(dp_graphical_fit_compile(from->fit, given, &built, tick, arena, error));
	sampler->graphical = built;
	return DP_OK;
}

/* ---- margins ---- */

static DpStatus
copy_margins(const DpJoint *joint, const DpFitWanted *wanted, const uint32_t *set_of,
			 DpArena *arena)
{
	for (uint32_t i = 0; i < wanted->n; i++)
	{
		const double one = 1;
		const double *from = set_of[i] == UINT32_MAX ? &one : joint->margin[set_of[i]];

		wanted->margin[i] = dp_memdup(arena, from, wanted->table[i].cells * sizeof(double));
		DP_TRY_ALLOC(wanted->margin[i]);
	}
	return DP_OK;
}

DpStatus
dp_fit_margins(const DpFitInput *input, const DpFitWanted *wanted, const DpTick *tick,
			   DpArena *arena, DpError *error)
{
	uint32_t n = wanted->n;
	uint32_t *mask = dp_alloc(arena, n, sizeof(*mask));
	uint32_t *set_of = dp_alloc(arena, n, sizeof(*set_of));
	DpFitProblem problem;
	DpJoint joint;

	DP_TRY_ALLOC(mask && set_of);
	DP_TRY(dp_fit_problem(input, true, &problem, arena, error));
	for (uint32_t i = 0; i < n; i++)
		mask[i] = dp_fit_mask(&problem, &wanted->table[i]);
	DP_TRY(dp_fit_entropic(&problem, &(DpExtraSets){n, mask, set_of}, &joint, tick, arena));
	DP_TRY(copy_margins(&joint, wanted, set_of, arena));
	dp_joint_free(&joint);
	dp_fit_problem_free(&problem, arena);
	dp_free(arena, mask, n, sizeof(*mask));
	dp_free(arena, set_of, n, sizeof(*set_of));
	return DP_OK;
}
