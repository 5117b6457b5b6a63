/*
 * graphical_measure.c -- counting and releasing for the methods that fit a graphical model.
 */
#include "core/plan/graphical_measure.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/domain/workload.h"
#include "core/graphical/noisy_measurement.h"

#define STDDEV_LEAST 1e-6 /* rows: so that a threshold grows with it */
#define LAST_FIT "fit of the model"
#define TICK_SETS 256                             /* between two ticks */
#define MARGIN_CELLS_MAX (2 * DP_MODEL_CELLS_MAX) /* cells of the exact tables of all sets */

uint64_t
dp_graphical_cells_of(int64_t megabytes)
{
	return ((uint64_t) megabytes << 20) / DP_MODEL_BYTES_A_CELL;
}

/* ---- what is counted ---- */

uint32_t
dp_graphical_feasible(const DpDomain *domain, DpAttributeSet *set, uint32_t n, uint64_t cells_max)
{
	uint64_t total = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t cells = dp_domain_cells(domain, set[i].attribute, set[i].n);

		if (set[i].n > 1 &&
			(cells > cells_max || dp_add_saturated(total, cells) > MARGIN_CELLS_MAX))
			continue;
		total = dp_add_saturated(total, cells);
		set[kept++] = set[i];
	}
	return kept;
}

/* The number of a set among n in the order of dp_attributes_compare; n if it is none of them. */
static uint32_t
find_set(const DpAttributeSet *set, uint32_t n, const DpAttributeSet *wanted)
{
	uint32_t low = 0, high = n;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		int order = dp_attributes_compare(set[middle].attribute, set[middle].n, wanted->attribute,
										  wanted->n);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return n;
}

/*
 * Finds, for each set, a set that is counted and that holds it; that is the set itself if it is
 * counted. The sets ascend, so the loop meets every set after all that hold it. Where a set lies in
 * another, one of the sets has a single attribute more than it and lies in that other one too. So
 * it is enough that each set passes on what holds it to its subsets of one attribute less.
 */
static DpStatus
find_cover(const DpAttributeSet *set, uint32_t n, uint32_t **out, const DpTick *tick,
		   DpArena *arena)
{
	uint32_t *counted = dp_alloc(arena, n, sizeof(*counted));
	uint32_t member[DP_ATTRIBUTES_MAX]; /* all attributes of a set but the one at k */

	DP_TRY_ALLOC(counted);
	for (uint32_t i = 0; i < n; i++)
		counted[i] = n;
	for (uint32_t i = n; i-- > 0;)
	{
		if (i % TICK_SETS == 0)
			dp_tick(tick, -1.0);
		if (counted[i] == n)
			counted[i] = i;
		for (uint32_t k = 1; k < set[i].n; k++)
			member[k - 1] = set[i].attribute[k];
		for (uint32_t k = 0; k < set[i].n && set[i].n > 1; k++)
		{
			uint32_t inside = find_set(set, i, &(DpAttributeSet){set[i].n - 1, member});

			if (inside < i && counted[inside] == n)
				counted[inside] = counted[i];
			member[k] = set[i].attribute[k];
		}
	}
	*out = counted;
	return DP_OK;
}

/* Sets that are too large for the model are left out. The caller checks that all others can be
 * counted. */
DpStatus
dp_graphical_plan_counts(const DpDomain *domain, const DpAttributeSet *set, uint32_t n,
						 uint64_t cells_max, DpGraphicalSizes *sizes, const DpTick *tick,
						 DpArena *arena)
{
	DpAttributeSet *fit = dp_alloc(arena, n, sizeof(*fit));
	uint32_t kept = 0;
	uint32_t *counted;

	DP_TRY_ALLOC(fit);
	for (uint32_t i = 0; i < n; i++)
		if (set[i].n == 1 || dp_domain_cells(domain, set[i].attribute, set[i].n) <= cells_max)
			fit[kept++] = set[i];
	DP_TRY(find_cover(fit, kept, &counted, tick, arena));
	for (uint32_t i = 0; i < kept; i++)
	{
		uint64_t cells = dp_domain_cells(domain, fit[i].attribute, fit[i].n);

		sizes->margin_cells = dp_add_saturated(sizes->margin_cells, cells);
		sizes->largest = cells > sizes->largest ? cells : sizes->largest;
		if (counted[i] != i)
			continue;
		sizes->counted = dp_add_saturated(sizes->counted, cells);
		sizes->members += fit[i].n;
	}
	if (sizes->margin_cells > MARGIN_CELLS_MAX)
		sizes->margin_cells = MARGIN_CELLS_MAX;
	dp_free(arena, counted, kept, sizeof(*counted));
	dp_free(arena, fit, n, sizeof(*fit));
	return DP_OK;
}

/* ---- counting ---- */

static DpStatus
count_exact(const DpMeasurement *m, const DpAttributeSet *set, uint32_t n, const uint32_t *counted,
			DpMarginal *exact, DpError *error)
{
	DpMarginal **table = dp_alloc(m->arena, n, sizeof(*table));
	uint32_t tables = 0;

	DP_TRY_ALLOC(table);
	for (uint32_t i = 0; i < n; i++)
	{
		if (counted[i] != i)
			continue;
		DP_TRY(dp_marginal_init(&exact[i], m->domain, &(DpAttributeSet){set[i].n, set[i].attribute},
								DP_DENSE, m->arena, error));
		table[tables++] = &exact[i];
	}
	DP_TRY(m->counter->count(m->counter->context, m->domain, table, tables, error));
	dp_free(m->arena, table, n, sizeof(*table));
	return DP_OK;
}

static uint32_t *
domain_levels(const DpDomain *domain, DpArena *arena)
{
	uint32_t *levels = dp_alloc(arena, domain->attributes, sizeof(*levels));

	for (uint32_t a = 0; levels != NULL && a < domain->attributes; a++)
		levels[a] = domain->attribute[a].levels;
	return levels;
}

static DpStatus
make_marginals(DpGraphicalMeasure *measure, const DpAttributeSet *set, const uint32_t *counted,
			   const DpMarginal *source)
{
	const DpMeasurement *m = measure->m;
	uint32_t *levels = domain_levels(m->domain, m->arena);

	DP_TRY_ALLOC(levels);
	for (uint32_t i = 0; i < measure->marginals; i++)
	{
		const DpMarginal *from = &source[counted[i]];
		DpExactMarginal *exact = &measure->exact[i];
		DpWalk walk;

		exact->set = set[i];
		exact->cells = dp_domain_cells(m->domain, set[i].attribute, set[i].n);
		measure->largest = exact->cells > measure->largest ? exact->cells : measure->largest;
		exact->count = dp_alloc(m->arena, exact->cells, sizeof(*exact->count));
		DP_TRY_ALLOC(exact->count);
		DP_TRY(dp_walk_init(&walk, levels, &(DpAttributeSet){from->n, from->attribute}, &set[i]));
		dp_walk_sum_counts(&walk, from->dense, exact->count);
		measure->rows = from->total;
	}
	dp_free(m->arena, levels, m->domain->attributes, sizeof(*levels));
	return DP_OK;
}

DpStatus
dp_graphical_open(DpGraphicalMeasure *measure, const DpAttributeSet *set, uint32_t n,
				  DpError *error)
{
	const DpMeasurement *m = measure->m;
	DpModel *model = measure->model;
	DpMarginal *exact = dp_alloc(m->arena, n, sizeof(*exact));
	uint32_t *counted;

	measure->marginals = n;
	measure->table_cells_left = DP_MODEL_CELLS_MAX / m->plan->sets;
	measure->exact = dp_alloc(m->arena, n, sizeof(*measure->exact));
	measure->cost_estimate = dp_alloc(m->arena, n, sizeof(*measure->cost_estimate));
	model->table = dp_alloc(m->arena, measure->tables_capacity, sizeof(*model->table));
	DP_TRY_ALLOC(exact && measure->exact && measure->cost_estimate && model->table);
	DP_TRY(find_cover(set, n, &counted, m->noise.tick, m->arena));
	DP_TRY(count_exact(m, set, n, counted, exact, error));
	DP_TRY(make_marginals(measure, set, counted, exact));
	for (uint32_t i = 0; i < n; i++)
		if (counted[i] == i)
			dp_marginal_free(&exact[i]);
	dp_free(m->arena, counted, n, sizeof(*counted));
	dp_free(m->arena, exact, n, sizeof(*exact));
	return DP_OK;
}

/* ---- releasing ---- */

static uint64_t
level_cells(const DpGraphicalMeasure *measure, const DpAttributeSet *set)
{
	return dp_domain_cells(measure->m->domain, set->attribute, set->n);
}

bool
dp_graphical_can_hold(const DpGraphicalMeasure *measure, uint32_t i)
{
	return measure->model->tables < measure->tables_capacity &&
		   (measure->largest <= measure->table_cells_left ||
			level_cells(measure, &measure->exact[i].set) <= measure->table_cells_left);
}

bool
dp_graphical_has_cliques(DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max)
{
	const DpAttributeSet *set = &measure->exact[i].set;
	DpMarginalEstimate *cost_estimate = &measure->cost_estimate[i];

	if (dp_graph_joins(&measure->graphical.graph, set))
		return true;
	if (cost_estimate->known && cost_estimate->cells > cells_max)
		return false;
	if (!cost_estimate->known || cost_estimate->graphs != measure->graphical.graphs)
		*cost_estimate = (DpMarginalEstimate){
			dp_graphical_cost_estimate(&measure->graphical, set, measure->cells_max + 1),
			measure->graphical.graphs, true};
	return cost_estimate->cells <= cells_max;
}

DpStatus
dp_graphical_query(DpGraphicalMeasure *measure)
{
	if (measure->growth.arena != NULL && measure->grown_graphs == measure->graphical.graphs)
		return DP_OK;
	measure->grown_graphs = measure->graphical.graphs;
	return dp_clique_growth_build(&measure->growth, &measure->graphical.graph,
								  measure->m->noise.tick, measure->m->arena);
}

bool
dp_graphical_grows(const DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max)
{
	const DpAttributeSet *set = &measure->exact[i].set;

	return measure->growth.arena == NULL || dp_graph_joins(&measure->graphical.graph, set) ||
		   dp_clique_growth_cells(&measure->growth, set) <= cells_max;
}

bool
dp_graphical_fits(DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max)
{
	const DpAttributeSet *set = &measure->exact[i].set;

	if (!dp_graphical_can_hold(measure, i) || !dp_graphical_grows(measure, i, cells_max))
		return false;
	return dp_graph_joins(&measure->graphical.graph, set) ||
		   dp_graphical_cost_estimate(&measure->graphical, set, cells_max + 1) <= cells_max;
}

/* Appends a table for a set to the model. Its values are still 0. */
static DpStatus
append_table(DpGraphicalMeasure *measure, const DpAttributeSet *set, int64_t amount, DpTable **out)
{
	DpModel *model = measure->model;
	DpTable *table = &model->table[model->tables];

	if (model->tables >= measure->tables_capacity)
		return DP_ERR_INTERNAL;
	dp_privacy_measure_describe(&measure->privacy_measure, amount, table);
	table->n = set->n;
	table->cells = level_cells(measure, set);
	table->attribute =
		dp_memdup(measure->m->arena, set->attribute, set->n * sizeof(*set->attribute));
	table->value = dp_alloc(measure->m->arena, table->cells, sizeof(*table->value));
	DP_TRY_ALLOC(table->attribute && table->value);
	measure->table_cells_left -=
		table->cells < measure->table_cells_left ? table->cells : measure->table_cells_left;
	model->tables++;
	*out = table;
	return DP_OK;
}

/* The exact of one attribute alone; marginals: there is none. */
static uint32_t
find_one(const DpGraphicalMeasure *measure, uint32_t attribute)
{
	for (uint32_t i = 0; i < measure->marginals; i++)
		if (measure->exact[i].set.n == 1 && measure->exact[i].set.attribute[0] == attribute)
			return i;
	return measure->marginals;
}

/* Turns the exact tables over levels into exact tables over groups. */
static DpStatus
collapse_marginals(DpGraphicalMeasure *measure)
{
	DpArena *arena = measure->m->arena;

	for (uint32_t i = 0; i < measure->marginals; i++)
	{
		DpExactMarginal *exact = &measure->exact[i];
		uint64_t cells = dp_grouping_cells(&measure->grouping, &exact->set);
		int64_t *count;

		if (cells == exact->cells)
			continue;
		count = dp_alloc(arena, cells, sizeof(*count));
		DP_TRY_ALLOC(count);
		DP_TRY(dp_grouping_collapse(&measure->grouping, &exact->set, exact->count, count, arena));
		dp_free(arena, exact->count, exact->cells, sizeof(*exact->count));
		exact->count = count;
		exact->cells = cells;
	}
	return DP_OK;
}

static DpStatus
start_fit(DpGraphicalMeasure *measure)
{
	const DpMeasurement *m = measure->m;
	bool is_public = dp_unit_rows_public(&m->plan->request->unit);

	DP_TRY(dp_graphical_init(
		&measure->graphical,
		&(DpGraphicalStart){.attributes = m->domain->attributes,
							.levels = measure->grouping.levels,
							.total = is_public ? (double) measure->rows : DP_TOTAL_UNKNOWN,
							.cells_max = measure->cells_max,
							.damping = (double) measure->damping,
							.fast = true},
		m->arena));
	for (uint32_t a = 0; a < m->domain->attributes; a++)
		DP_TRY(dp_graphical_add_table(&measure->graphical, &measure->grouping,
									  &measure->model->table[a], m->arena));
	return dp_graphical_add_public(&measure->graphical, &measure->grouping,
								   dp_graphical_total(&measure->graphical));
}

DpStatus
dp_graphical_release_one_way(DpGraphicalMeasure *measure, DpOneAmounts amounts, DpGroupingOf of)
{
	const DpMeasurement *m = measure->m;
	const int32_t *known = m->plan->request->known;
	uint32_t p = m->domain->attributes;
	int64_t **noisy = dp_alloc(m->arena, p, sizeof(*noisy));
	double *stddev = dp_alloc(m->arena, p, sizeof(*stddev));

	DP_TRY_ALLOC(noisy && stddev);
	for (uint32_t a = 0; a < p; a++)
	{
		uint32_t one = find_one(measure, a);
		int64_t amount = known == NULL || known[a] < 0 ? amounts.own : amounts.sibling;
		const DpExactMarginal *exact;
		DpTable *table;

		if (one == measure->marginals)
			return DP_ERR_INTERNAL;
		exact = &measure->exact[one];
		DP_TRY(append_table(measure, &exact->set, amount, &table));
		DP_TRY(dp_privacy_measure_release(&m->noise, &measure->privacy_measure, amount,
										  exact->count, exact->cells, table->value));
		noisy[a] = table->value;
		stddev[a] =
			fmax(dp_privacy_measure_stddev(&measure->privacy_measure, amount), STDDEV_LEAST);
	}
	DP_TRY(dp_grouping_init(&measure->grouping, m->domain, m->arena));
	/* open attributes may have more values than the plan assumed */
	DP_TRY(dp_grouping_merge(
		&measure->grouping, noisy, stddev,
		&(DpGroupingMerge){
			.of = measure->grouping.structure_n > measure->cells_max / 2 ? DP_GROUPING_ALL : of,
			.groups_max = measure->cells_max / 2},
		m->arena));
	DP_TRY(dp_grouping_join_other(&measure->grouping, noisy, stddev, m->arena));
	dp_free(m->arena, noisy, p, sizeof(*noisy));
	dp_free(m->arena, stddev, p, sizeof(*stddev));
	DP_TRY(collapse_marginals(measure));
	return start_fit(measure);
}

DpStatus
dp_graphical_release(DpGraphicalMeasure *measure, uint32_t i, int64_t amount)
{
	const DpMeasurement *m = measure->m;
	const DpExactMarginal *exact = &measure->exact[i];
	int64_t *noisy = dp_alloc(m->arena, exact->cells, sizeof(*noisy));
	DpTable *table;

	DP_TRY_ALLOC(noisy);
	DP_TRY(append_table(measure, &exact->set, amount, &table));
	DP_TRY(dp_privacy_measure_release(&m->noise, &measure->privacy_measure, amount, exact->count,
									  exact->cells, noisy));
	DP_TRY(dp_grouping_expand(&measure->grouping, &exact->set, noisy, table->value, m->arena));
	dp_free(m->arena, noisy, exact->cells, sizeof(*noisy));
	return dp_graphical_add_table(&measure->graphical, &measure->grouping, table, m->arena);
}

/* ---- the model that is kept ---- */

/* Stores the parameters of the model that drawing needs besides the tables. */
static DpStatus
keep_parameters(DpGraphicalMeasure *measure, bool systematic)
{
	const DpRequest *request = measure->m->plan->request;
	DpModel *model = measure->model;

	model->parameters = 0;
	model->parameter = dp_alloc(measure->m->arena, 5, sizeof(*model->parameter));
	DP_TRY_ALLOC(model->parameter);
	model->parameter[model->parameters++] =
		(DpParameter){DP_PARAMETER_CELLS, (int64_t) measure->cells_max};
	model->parameter[model->parameters++] = (DpParameter){DP_PARAMETER_SYSTEMATIC, systematic};
	if (measure->damping > 0)
		model->parameter[model->parameters++] =
			(DpParameter){DP_PARAMETER_DAMPING, measure->damping};
	if (request->full_rows > 1)
		model->parameter[model->parameters++] =
			(DpParameter){DP_MODEL_FULL_ROWS, (int64_t) request->full_rows};
	if (request->ordered)
		model->parameter[model->parameters++] = (DpParameter){DP_MODEL_ORDER, request->order};
	return DP_OK;
}

DpStatus
dp_graphical_close(DpGraphicalMeasure *measure, bool systematic)
{
	DpModel *model = measure->model;
	DpArena *arena = measure->m->arena;
	DpFitRule rule =
		dp_graphical_rule_for(&dp_graphical_final_rule, measure->m->domain->attributes);

	dp_announce(measure->m, LAST_FIT);
	DP_TRY(dp_graphical_fit(&measure->graphical, &rule, measure->m->noise.tick));
	DP_TRY(dp_graphical_keep(&measure->graphical, &measure->grouping,
							 DP_MODEL_STRUCTURE_MAX / measure->m->plan->sets, model, arena));

	for (uint32_t i = 0; i < measure->marginals; i++)
		dp_free(arena, measure->exact[i].count, measure->exact[i].cells, sizeof(int64_t));
	dp_free(arena, measure->exact, measure->marginals, sizeof(*measure->exact));
	dp_free(arena, measure->cost_estimate, measure->marginals, sizeof(*measure->cost_estimate));
	dp_clique_growth_free(&measure->growth);
	DP_TRY(keep_parameters(measure, systematic));
	model->rows = dp_unit_rows_public(&measure->m->plan->request->unit)
					  ? measure->rows
					  : dp_graphical_rows(&measure->graphical);
	dp_graphical_free(&measure->graphical); /* another set may be measured next */
	return DP_OK;
}
