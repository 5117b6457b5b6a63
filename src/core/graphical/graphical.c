/*
 * graphical.c -- fitting a graphical model to noisy tables.
 *
 * dp_graphical_fit
 *
 * Inputs:      tables r over sets of attributes with observed counts y_r, rows, and independent
 *              noise of variance v_r in each cell; the number N of rows; impossible cells
 * Output:      expected counts N p of each clique of a junction tree of the sets. p is the
 *              distribution that minimises
 *                  1/2 sum_r |N p_r - a_r|^2 / (s_r v_r) + lambda N KL(p || uniform),
 *              where the p_r are its margins, and the a_r are the tables that agree and are
 *              nearest to the y_r (interactions.c). s_r is 1 for a single attribute. For several it
 *              is what the model starts with: where it is large, what these tables would add to a
 * cell of few rows is taken for noise, and left out. lambda = ridge / (largest standard deviation
 * of noise): as
 *              ridge falls to 0, p tends to the distribution of largest entropy among the
 *              minimisers of the sum alone.
 * Why:         the dual problem has a variable theta_r for each cell of each table and no
 *              constraint:
 *                  minimise N ln sum_x exp(sum_r theta_r(x_r)) - sum_r <theta_r, a_r>
 *                           + lambda/2 sum_r s_r v_r |theta_r|^2.
 *              p is proportional to exp(sum_r theta_r), which is a graphical model. The gradient
 *              is N p_r - a_r + lambda s_r v_r theta_r, which one run of belief propagation gives.
 *              The curvature along one variable is about N p_r + lambda s_r v_r, so that a Newton
 *              step in the variables of one table is nearly a step of iterative proportional
 *              fitting. Tables that contradict each other would send the variables far in
 *              directions that do not change p at all: hence a_r (docs/methods/graphical.md).
 * Source:      McKenna, Sheldon, Miklau, "Graphical-model based estimation and inference for
 *              differential privacy" (2019), for the model and the problem. They minimise the
 *              primal by mirror descent, which took some hundred runs of belief propagation
 *              where this takes some ten.
 * Errors:      DP_ERR_MEMORY, DP_ERR_LIMIT
 */
#include "core/graphical/graphical.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/estimate/quasi_newton.h"
#include "core/graphical/potentials.h"

#define ZEROS_RETRIES 2
#define ZEROS_EASIER 100
#define MISFIT_ENOUGH 1 /* where a fit that has not ended is near enough to its tables */

#define QUERY_FACTOR 2 /* tables on the way across cliques have at most so many times cells_max */

DpStatus
dp_graphical_init(DpGraphical *model, const DpGraphicalStart *start, DpArena *arena)
{
	*model = (DpGraphical){.attributes = start->attributes,
						   .levels = start->levels,
						   .total = start->total,
						   .cells_max = start->cells_max,
						   .damping = start->damping > 0 ? start->damping : DP_DAMPING_SEVERAL,
						   .arena = arena,
						   .changed = true};
	if (start->fast)
		DP_TRY(dp_renumbering_init(&model->renumbering, start->levels, start->attributes, arena));
	else
		dp_renumbering_keep(&model->renumbering, start->levels, start->attributes);
	return dp_graph_init(&model->graph, start->levels, start->attributes, arena);
}

/* Allocates space for `more` elements of size bytes behind n of them, doubling. */
static DpStatus
grow(void **block, uint64_t n, uint64_t more, uint64_t *capacity, size_t size, DpArena *arena)
{
	uint64_t wanted = *capacity > 0 ? *capacity : 16;
	void *larger;

	if (n + more <= *capacity)
		return DP_OK;
	while (wanted < n + more)
		wanted *= 2;
	larger = dp_alloc(arena, wanted, size);
	DP_TRY_ALLOC(larger);
	if (n > 0)
		memcpy(larger, *block, n * size);
	dp_free(arena, *block, *capacity, size);
	*block = larger;
	*capacity = wanted;
	return DP_OK;
}

static void
note_set(DpGraphical *model, const DpAttributeSet *set)
{
	if (dp_graph_joins(&model->graph, set))
		return;
	dp_graph_join(&model->graph, set);
	model->changed = true;
	model->graphs++;
}

static DpNoisyMeasurement *
find_measurement(const DpGraphical *model, const DpAttributeSet *set)
{
	for (uint32_t i = 0; i < model->measured.n; i++)
		if (dp_set_equal(&model->measured.table[i]->set, set))
			return model->measured.table[i];
	return NULL;
}

/* Averages two measurements of one table, weighted by inverse variance. */
static void
pool(DpNoisyMeasurement *measurement, const double *observed, double variance)
{
	double *mean = (double *) (uintptr_t) measurement->observed;
	double share = measurement->variance / (measurement->variance + variance); /* of the new one */

	for (uint64_t i = 0; i < measurement->cells; i++)
		mean[i] += share * (observed[i] - mean[i]);
	measurement->variance *= 1 - share;
}

/* Adds a measurement whose tables are to be filled, over a set that is copied. */
static DpStatus
new_measurement(DpGraphical *model, const DpRenumberedSet *within, DpNoisyMeasurement **added)
{
	const DpAttributeSet *set = &within->set;
	DpNoisyMeasurement *measurement = dp_alloc(model->arena, 1, sizeof(*measurement));
	uint64_t capacity = model->measured.capacity, cells = within->cells;

	DP_TRY_ALLOC(measurement);
	measurement->cells = cells;
	measurement->damping = set->n > 1 ? model->damping : 1;
	measurement->set.n = set->n;
	measurement->set.attribute = dp_memdup(model->arena, set->attribute, set->n * sizeof(uint32_t));
	measurement->observed = dp_alloc(model->arena, cells, sizeof(double));
	measurement->agreed = dp_alloc(model->arena, cells, sizeof(double));
	DP_TRY_ALLOC(measurement->set.attribute && measurement->observed && measurement->agreed);
	DP_TRY(grow((void **) &model->measured.table, model->measured.n, 1, &capacity,
				sizeof(DpNoisyMeasurement *), model->arena));
	model->measured.capacity = (uint32_t) capacity;
	DP_TRY(grow((void **) &model->potentials.value, model->potentials.n, cells,
				&model->potentials.capacity, sizeof(double), model->arena));
	memset(model->potentials.value + model->potentials.n, 0, cells * sizeof(double));
	model->measured.table[model->measured.n++] = measurement;
	model->potentials.n += cells;
	*added = measurement;
	return DP_OK;
}

static DpStatus
add_within(DpGraphical *model, const DpRenumberedSet *within, const double *observed,
		   double variance)
{
	DpNoisyMeasurement *measurement = find_measurement(model, &within->set);

	if (measurement != NULL)
	{
		pool(measurement, observed, variance);
		return DP_OK;
	}
	DP_TRY(new_measurement(model, within, &measurement));
	memcpy((double *) (uintptr_t) measurement->observed, observed, within->cells * sizeof(double));
	measurement->variance = variance;
	return DP_OK;
}

DpStatus
dp_graphical_add_shares(DpGraphical *model, const DpAttributeSet *set, const double *observed,
						double variance)
{
	double *laid_out;
	DpRenumberedSet within;

	DP_TRY(dp_renumbered_set_init(&within, &model->renumbering, set, model->arena));
	laid_out = dp_alloc(model->arena, within.cells, sizeof(*laid_out));
	DP_TRY_ALLOC(laid_out);
	dp_renumbered_set_enter(&within, observed, laid_out);
	DP_TRY(add_within(model, &within, laid_out, variance));
	note_set(model, set);
	dp_free(model->arena, laid_out, within.cells, sizeof(*laid_out));
	dp_renumbered_set_free(&within, model->arena);
	return DP_OK;
}

DpStatus
dp_graphical_add(DpGraphical *model, const DpAttributeSet *set, const double *observed,
				 double variance)
{
	double weight, total = 0;
	uint64_t cells = dp_set_cells(set, model->levels);

	for (uint64_t k = 0; k < cells; k++)
		total += observed[k];
	weight = 1 / ((double) cells * variance);
	model->measured.totals += weight * total;
	model->measured.total_weights += weight;
	return dp_graphical_add_shares(model, set, observed, variance);
}

DpStatus
dp_graphical_forbid(DpGraphical *model, const DpAttributeSet *set, const uint64_t *cell, uint64_t n)
{
	uint64_t capacity = model->impossible.capacity;
	double *potential;
	DpForbidden forbidden;
	DpRenumberedSet within;

	DP_TRY(dp_renumbered_set_init(&within, &model->renumbering, set, model->arena));
	potential = dp_alloc(model->arena, within.cells, sizeof(*potential));
	forbidden = (DpForbidden){.cells = within.cells};
	forbidden.potential = dp_alloc(model->arena, within.cells, sizeof(*forbidden.potential));
	forbidden.set = (DpAttributeSet){
		set->n, dp_memdup(model->arena, within.set.attribute, set->n * sizeof(uint32_t))};
	DP_TRY_ALLOC(potential && forbidden.potential && forbidden.set.attribute);
	for (uint64_t i = 0; i < n; i++)
	{
		if (cell[i] >= within.cells)
			return DP_ERR_ARGUMENT;
		potential[cell[i]] = DP_LOG_ZERO;
	}
	dp_renumbered_set_enter(&within, potential, forbidden.potential);
	DP_TRY(grow((void **) &model->impossible.table, model->impossible.n, 1, &capacity,
				sizeof(forbidden), model->arena));
	model->impossible.capacity = (uint32_t) capacity;
	model->impossible.table[model->impossible.n++] = forbidden;
	note_set(model, set);
	dp_free(model->arena, potential, within.cells, sizeof(*potential));
	dp_renumbered_set_free(&within, model->arena);
	return DP_OK;
}

uint64_t
dp_graphical_cost_estimate(DpGraphical *model, const DpAttributeSet *more, uint64_t stop)
{
	if (!model->changed && (more == NULL || dp_graph_joins(&model->graph, more)))
		return model->tree.cells < stop ? model->tree.cells : stop;
	return dp_graph_cost_estimate(&model->graph, more, stop);
}

uint64_t
dp_graphical_bytes(uint64_t clique_cells, uint64_t table_cells)
{
	/* observed, agreed and parameters with space to grow, and the arrays of the solver */
	uint64_t tables = dp_add_saturated(dp_multiply_saturated(table_cells, 5 * sizeof(double)),
									   dp_newton_bytes(table_cells));

	/* and tables that stand between a clique and its margins */
	tables = dp_add_saturated(tables, dp_multiply_saturated(clique_cells, sizeof(double)));
	return dp_add_saturated(dp_belief_bytes(clique_cells), tables);
}

/* Memory of a query in cells: a table and the one that it is multiplied by, and the messages that
 * are cached. */
uint64_t
dp_graphical_query_cells(uint64_t clique_cells)
{
	return dp_multiply_saturated(clique_cells, 2 * QUERY_FACTOR + 1);
}

double
dp_graphical_total(const DpGraphical *model)
{
	if (model->total >= 0)
		return model->total;
	return model->measured.total_weights > 0
			   ? model->measured.totals / model->measured.total_weights
			   : 0;
}

void
dp_graphical_free(DpGraphical *model)
{
	DpArena *arena = model->arena;

	for (uint32_t i = 0; i < model->measured.n; i++)
	{
		DpNoisyMeasurement *table = model->measured.table[i];

		dp_free(arena, (void *) (uintptr_t) table->set.attribute, table->set.n, sizeof(uint32_t));
		dp_free(arena, (void *) (uintptr_t) table->observed, table->cells, sizeof(double));
		dp_free(arena, table->agreed, table->cells, sizeof(double));
		dp_free(arena, table, 1, sizeof(*table));
	}
	dp_free(arena, model->measured.table, model->measured.capacity, sizeof(DpNoisyMeasurement *));
	dp_free(arena, model->potentials.value, model->potentials.capacity, sizeof(double));
	if (model->belief.clique != NULL)
	{
		dp_belief_free(&model->belief, arena);
		dp_junction_tree_free(&model->tree, arena);
	}
	dp_renumbering_free(&model->renumbering, arena);
	*model = (DpGraphical){.arena = arena};
}

/* ---- the objective ---- */

typedef struct Fit
{
	DpGraphical *model;
	const DpFitRule *rule;
	DpPotentials potentials;
	double lambda;
	DpInteractions *interactions;
} Fit;

/* A potential of 1 may be missed by so many rows. */
static double
ridge_of(const Fit *fit, const DpNoisyMeasurement *table)
{
	return fit->lambda * table->variance * table->damping;
}

/*
 * The part of one table in the objective, the gradient and the diagonal of the second derivative.
 * Where the count of a cell has far to go, its curvature is taken along the way, not only at the
 * present point.
 */
static double
table_terms(const DpNoisyMeasurement *table, double ridge, const double *x, const double *expected,
			double *gradient, double *curvature)
{
	double value = 0;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		double now = expected[i];
		double target = table->agreed[i] - ridge * x[i];
		double least = target > ridge ? target : ridge;

		value += x[i] * (0.5 * ridge * x[i] - table->agreed[i]);
		curvature[i] = (2.0 / 3) * sqrt(now * least) + (now + least) / 6 + ridge;
		gradient[i] = now - target;
	}
	return value;
}

static double
evaluate(void *context, const double *x, double *gradient, double *curvature)
{
	Fit *fit = context;
	DpGraphical *model = fit->model;
	double value = model->belief.total * dp_potentials_expect(&fit->potentials, x, gradient);
	uint64_t at = 0;

	for (uint32_t i = 0; i < model->measured.n; at += model->measured.table[i++]->cells)
		value += table_terms(model->measured.table[i], ridge_of(fit, model->measured.table[i]),
							 x + at, gradient + at, gradient + at, curvature + at);
	return value;
}

static bool
is_done(void *context, const double *gradient)
{
	const Fit *fit = context;
	double sum = 0;
	uint64_t at = 0;

	for (uint32_t i = 0; i < fit->model->measured.n; i++)
	{
		const DpNoisyMeasurement *table = fit->model->measured.table[i];
		double squares = 0;

		for (uint64_t k = 0; k < table->cells; k++)
			squares += gradient[at + k] * gradient[at + k];
		sum += squares / table->variance;
		at += table->cells;
	}
	return sum <= fit->rule->tolerance * fit->rule->tolerance * (double) at;
}

/* Different potentials can stand for the same distribution. Takes the smallest ones
 * (dp_interactions_share). */
static void
project(void *context, double *direction)
{
	const Fit *fit = context;

	dp_interactions_share(fit->interactions, direction);
}

/* ---- starting ---- */

/*
 * The t with mu exp(t) + ridge t = y: where one cell would go if the others stood still. The left
 * side is convex and rises, so that Newton's method from above falls to t without overshooting.
 */
static double
solve_cell(double mu, double ridge, double y)
{
	double t = y > mu && mu > 0 ? log(y / mu) : 0;

	for (int i = 0; i < 60; i++)
	{
		double power = mu * exp(t), step = (power + ridge * t - y) / (power + ridge);

		t -= step;
		if (!(fabs(step) > 1e-6 * (1 + fabs(t))))
			break;
	}
	return isfinite(t) ? t : 0;
}

/* Whether a table comes after tables of single attributes, on which its expected counts mostly
 * depend. */
static bool
is_first_of_several(const DpGraphical *model, uint32_t i)
{
	return i > 0 && model->measured.table[i]->set.n > 1 && model->measured.table[i - 1]->set.n == 1;
}

/* Whether a table shares two attributes with an earlier one, from `first` on. */
static bool
overlaps(const DpGraphical *model, uint32_t first, uint32_t table)
{
	for (uint32_t i = first; i < table; i++)
		if (dp_set_shared(&model->measured.table[i]->set, &model->measured.table[table]->set) > 1)
			return true;
	return false;
}

/* Fits each new table once by iterative proportional fitting. Tables that share at most one
 * attribute hardly affect each other, so they start from the same expected counts. */
static void
start_new(Fit *fit, double *expected, const DpTick *tick)
{
	DpGraphical *model = fit->model;
	uint32_t first =
		model->measured.fitted; /* first of the tables that start from the same counts */
	uint64_t at = 0;

	for (uint32_t i = 0; i < model->measured.n; at += model->measured.table[i++]->cells)
	{
		DpNoisyMeasurement *table = model->measured.table[i];
		double ridge = ridge_of(fit, table);

		if (i < model->measured.fitted)
			continue;
		dp_tick(tick, -1.0);
		if (i == model->measured.fitted || is_first_of_several(model, i) ||
			overlaps(model, first, i))
		{
			(void) dp_potentials_expect(&fit->potentials, model->potentials.value, expected);
			first = i;
		}
		for (uint64_t k = 0; k < table->cells; k++)
			model->potentials.value[at + k] = solve_cell(expected[at + k], ridge, table->agreed[k]);
	}
	model->measured.fitted = model->measured.n;
}

/* ---- the fit ---- */

/* Gives the cliques the numbers within. Which they are does not depend on these. */
static void
renumber_tree(const DpRenumbering *renumbering, DpJunctionTree *tree, uint32_t *scratch)
{
	for (uint32_t i = 0; i < tree->cliques; i++)
	{
		DpAttributeSet *set[2] = {&tree->clique[i].set, &tree->clique[i].separator};

		for (int k = 0; k < 2; k++)
		{
			dp_renumbering_set(renumbering, set[k], scratch);
			memcpy((uint32_t *) (uintptr_t) set[k]->attribute, scratch,
				   set[k]->n * sizeof(*scratch));
		}
	}
}

static DpStatus
rebuild(DpGraphical *model, const DpTick *tick)
{
	uint32_t *scratch;

	if (!model->changed)
		return DP_OK;
	if (model->belief.clique != NULL)
	{
		dp_belief_free(&model->belief, model->arena);
		dp_junction_tree_free(&model->tree, model->arena);
	}
	DP_TRY(
		dp_junction_tree_build(&model->graph, model->cells_max, &model->tree, tick, model->arena));
	scratch = dp_alloc(model->arena, model->attributes, sizeof(*scratch));
	DP_TRY_ALLOC(scratch);
	renumber_tree(&model->renumbering, &model->tree, scratch);
	dp_free(model->arena, scratch, model->attributes, sizeof(*scratch));
	DP_TRY(
		dp_belief_init(&model->belief, &model->tree, model->renumbering.levels, 1, model->arena));
	model->changed = false;
	return DP_OK;
}

static double
largest_deviation(const DpGraphical *model)
{
	double most = 0;

	for (uint32_t i = 0; i < model->measured.n; i++)
		most = fmax(most, model->measured.table[i]->variance);
	return sqrt(most);
}

static DpStatus
minimise(Fit *fit, const DpTick *tick)
{
	DpGraphical *model = fit->model;
	uint64_t n = model->potentials.n;
	DpObjective objective = {
		.context = fit, .n = n, .value = evaluate, .project = project, .done = is_done};
	double *work = dp_alloc(model->arena, n, sizeof(*work));

	DP_TRY_ALLOC(work);
	start_new(fit, work, tick);
	dp_free(model->arena, work, n, sizeof(*work));
	project(fit, model->potentials.value);
	return dp_newton_minimise(&objective, model->potentials.value, fit->rule->evaluations_max,
							  &model->evaluations, tick, model->arena);
}

/* How far expected counts are from tables: a root mean square, in standard deviations of noise. */
static double
misfit(Fit *fit, double *expected)
{
	const DpGraphical *model = fit->model;
	double sum = 0;
	uint64_t at = 0;

	(void) dp_potentials_expect(&fit->potentials, model->potentials.value, expected);
	for (uint32_t i = 0; i < model->measured.n; at += model->measured.table[i++]->cells)
	{
		const DpNoisyMeasurement *table = model->measured.table[i];
		double squares = 0;

		for (uint64_t k = 0; k < table->cells; k++)
		{
			double gap = expected[at + k] - table->agreed[k];

			squares += gap * gap;
		}
		sum += squares / table->variance;
	}
	return sqrt(sum / (double) at);
}

/*
 * Some tables contradict impossible cells only together, as single columns whose pair is forbidden
 * do. They call for potentials as large as the contradiction is in standard deviations. Where these
 * are not reached, the fit is tried again with a larger lambda, by which tables may be missed by
 * more. Of all tries the one counts that misses them least.
 */
static DpStatus
minimise_with_zeros(Fit *fit, const DpTick *tick)
{
	DpGraphical *model = fit->model;
	uint64_t n = model->potentials.n;
	double *best = dp_alloc(model->arena, n, sizeof(*best));
	double *expected = dp_alloc(model->arena, n, sizeof(*expected));
	double least = INFINITY, now = INFINITY;

	DP_TRY_ALLOC(best && expected);
	for (int retries = ZEROS_RETRIES;; retries--)
	{
		DP_TRY(minimise(fit, tick));
		if (model->impossible.n == 0 || fit->rule->evaluations_max == 1)
			break;
		now = misfit(fit, expected);
		if (now < least)
		{
			least = now;
			memcpy(best, model->potentials.value, n * sizeof(*best));
		}
		if (retries == 0 || least <= MISFIT_ENOUGH ||
			model->evaluations < fit->rule->evaluations_max)
			break;
		fit->lambda *= ZEROS_EASIER;
		model->measured.fitted = 0;
		memset(model->potentials.value, 0, n * sizeof(*model->potentials.value));
	}
	if (now > least)
	{
		memcpy(model->potentials.value, best, n * sizeof(*best));
		(void) dp_potentials_expect(&fit->potentials, model->potentials.value, expected);
	}
	dp_free(model->arena, best, n, sizeof(*best));
	dp_free(model->arena, expected, n, sizeof(*expected));
	return DP_OK;
}

DpStatus
dp_graphical_fit(DpGraphical *model, const DpFitRule *rule, const DpTick *tick)
{
	Fit fit = {.model = model, .rule = rule};

	DP_TRY(rebuild(model, tick));
	model->belief.total = fmax(dp_graphical_total(model), 1);
	DP_TRY(dp_interactions_init(&fit.interactions, model->measured.table, model->measured.n,
								model->renumbering.levels, model->arena));
	DP_TRY(dp_graphical_consistency(model, fit.interactions, model->belief.total, tick));
	fit.lambda = model->measured.n > 0 ? rule->ridge / largest_deviation(model) : 1;
	DP_TRY(dp_potentials_init(&fit.potentials, model));
	DP_TRY(minimise_with_zeros(&fit, tick));
	dp_potentials_free(&fit.potentials);
	dp_interactions_free(fit.interactions);
	return dp_belief_keep(&model->belief, model->cells_max, model->arena);
}

DpStatus
dp_graphical_marginal(const DpGraphical *model, const DpAttributeSet *set, double *out)
{
	uint64_t most = dp_multiply_saturated(model->cells_max, QUERY_FACTOR);
	DpArena *arena = model->arena;
	DpStatus status;
	DpRenumberedSet within;
	double *counts;

	DP_TRY(dp_renumbered_set_init(&within, &model->renumbering, set, arena));
	counts = dp_alloc_uncleared(arena, within.cells, sizeof(*counts));
	status = counts == NULL ? DP_ERR_MEMORY
							: dp_belief_marginal(&model->belief, &within.set, most, counts, arena);
	if (status == DP_OK)
		dp_renumbered_set_leave(&within, counts, out);
	dp_free(arena, counts, within.cells, sizeof(*counts));
	dp_renumbered_set_free(&within, arena);
	return status;
}

DpStatus
dp_graphical_potentials(const DpGraphical *model, double *potential)
{
	const double *from = model->potentials.value;
	DpRenumbering back;

	DP_TRY(dp_renumbering_invert(&model->renumbering, &back, model->arena));
	for (uint32_t i = 0; i < model->measured.n; i++)
	{
		DpRenumberedSet outside;

		DP_TRY(
			dp_renumbered_set_init(&outside, &back, &model->measured.table[i]->set, model->arena));
		dp_renumbered_set_enter(&outside, from, potential);
		from += outside.cells;
		potential += outside.cells;
		dp_renumbered_set_free(&outside, model->arena);
	}
	dp_renumbering_free(&back, model->arena);
	return DP_OK;
}
