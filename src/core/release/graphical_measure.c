/*
 * graphical_measure.c -- counting, releasing and scoring for the methods that fit
 * a graphical model.
 */
#include "graphical_measure.h"

#include <math.h>
#include <string.h>

#include "graphical_prepare.h"
#include "graphical_public.h"
#include "release_table.h"
#include "saturate.h"

#define STDDEV_LEAST 1e-6                    /* rows: so that a threshold grows with it */
#define TALLIED_MAX (2 * DP_MODEL_CELLS_MAX) /* cells of the exact tables of all sets */

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

		if (set[i].n > 1 && (cells > cells_max || dp_add_saturated(total, cells) > TALLIED_MAX))
			continue;
		total = dp_add_saturated(total, cells);
		set[kept++] = set[i];
	}
	return kept;
}

/* Of each set one that is counted and holds it. Sets that are counted are found by their attributes. */
typedef struct Cover
{
	uint32_t *counted; /* [n] the number of a set; itself, if it is counted */
	uint32_t *next;    /* [n x most attributes] lists of counted sets by attribute */
	uint32_t *head;    /* [attributes] entry in next + 1 */
	uint32_t most;
	uint32_t n, attributes;
} Cover;

static bool
find_counted(const Cover *cover, const DpAttributeSet *set, uint32_t i, uint32_t *out)
{
	for (uint32_t at = cover->head[set[i].attribute[0]]; at != 0; at = cover->next[at - 1])
	{
		*out = (at - 1) / cover->most;
		if (dp_set_within(&set[i], &set[*out]))
			return true;
	}
	return false;
}

static void
list_counted(Cover *cover, const DpAttributeSet *set, uint32_t i)
{
	for (uint32_t k = 0; k < set[i].n; k++)
	{
		uint32_t at = i * cover->most + k;

		cover->next[at] = cover->head[set[i].attribute[k]];
		cover->head[set[i].attribute[k]] = at + 1;
	}
}

/* Larger sets first: what lies within another then lies within one that is counted. */
static DpStatus
find_cover(const DpAttributeSet *set, uint32_t n, uint32_t attributes, DpArena *arena, Cover *cover)
{
	*cover = (Cover){.n = n, .attributes = attributes, .most = 1};
	for (uint32_t i = 0; i < n; i++)
		cover->most = set[i].n > cover->most ? set[i].n : cover->most;
	cover->counted = dp_alloc(arena, n, sizeof(uint32_t));
	cover->next = dp_alloc(arena, (size_t) n * cover->most, sizeof(uint32_t));
	cover->head = dp_alloc(arena, attributes, sizeof(uint32_t));
	if (cover->counted == NULL || cover->next == NULL || cover->head == NULL)
		return DP_ERR_MEMORY;
	if ((uint64_t) n * cover->most >= UINT32_MAX)
		return DP_ERR_LIMIT;
	for (uint32_t size = cover->most; size > 0; size--)
	{
		for (uint32_t i = 0; i < n; i++)
			if (set[i].n == size && !find_counted(cover, set, i, &cover->counted[i]))
				cover->counted[i] = i;
		/* only now: sets of one size do not hold each other */
		for (uint32_t i = 0; i < n; i++)
			if (set[i].n == size && cover->counted[i] == i)
				list_counted(cover, set, i);
	}
	return DP_OK;
}

static void
free_cover(Cover *cover, DpArena *arena)
{
	dp_free(arena, cover->counted, cover->n, sizeof(uint32_t));
	dp_free(arena, cover->next, (size_t) cover->n * cover->most, sizeof(uint32_t));
	dp_free(arena, cover->head, cover->attributes, sizeof(uint32_t));
}

/* Sets that are too large for the model are left out; that all of the others can be counted is checked by
 * the caller. */
DpStatus
dp_graphical_plan_counts(const DpDomain *domain, const DpAttributeSet *set, uint32_t n,
						 uint64_t cells_max, DpArena *arena, DpGraphicalSizes *sizes)
{
	DpAttributeSet *fit = dp_alloc(arena, n, sizeof(*fit));
	uint32_t kept = 0;
	Cover cover;

	if (fit == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		if (set[i].n == 1 || dp_domain_cells(domain, set[i].attribute, set[i].n) <= cells_max)
			fit[kept++] = set[i];
	DP_TRY(find_cover(fit, kept, domain->attributes, arena, &cover));
	for (uint32_t i = 0; i < kept; i++)
	{
		uint64_t cells = dp_domain_cells(domain, fit[i].attribute, fit[i].n);

		sizes->tallied = dp_add_saturated(sizes->tallied, cells);
		sizes->largest = cells > sizes->largest ? cells : sizes->largest;
		if (cover.counted[i] == i)
			sizes->counted = dp_add_saturated(sizes->counted, cells);
	}
	if (sizes->tallied > TALLIED_MAX)
		sizes->tallied = TALLIED_MAX;
	free_cover(&cover, arena);
	dp_free(arena, fit, n, sizeof(*fit));
	return DP_OK;
}

/* ---- counting ---- */

static DpStatus
count_exact(const DpMeasurement *m, const DpAttributeSet *set, uint32_t n, const Cover *cover,
			DpMarginal *exact, DpError *error)
{
	DpMarginal **table = dp_alloc(m->arena, n, sizeof(*table));
	uint32_t tables = 0;

	if (table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
	{
		if (cover->counted[i] != i)
			continue;
		DP_TRY(dp_marginal_init(&exact[i], m->arena, m->domain, set[i].attribute, set[i].n,
								DP_DENSE, error));
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
make_tallies(DpGraphicalMeasure *measure, const DpAttributeSet *set, const Cover *cover,
			 const DpMarginal *exact)
{
	const DpMeasurement *m = measure->m;
	uint32_t *levels = domain_levels(m->domain, m->arena);

	if (levels == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < measure->tallies; i++)
	{
		const DpMarginal *from = &exact[cover->counted[i]];
		DpTally *tally = &measure->tally[i];
		DpWalk walk;

		tally->set = set[i];
		tally->cells = dp_domain_cells(m->domain, set[i].attribute, set[i].n);
		tally->count = dp_alloc(m->arena, tally->cells, sizeof(*tally->count));
		if (tally->count == NULL)
			return DP_ERR_MEMORY;
		DP_TRY(dp_walk_init(&walk, levels, from->attribute, from->n, set[i].attribute, set[i].n));
		dp_walk_sum_counts(&walk, from->dense, tally->count);
		measure->rows = from->total;
	}
	dp_free(m->arena, levels, m->domain->attributes, sizeof(*levels));
	return DP_OK;
}

DpStatus
dp_graphical_open(DpGraphicalMeasure *measure, const DpMeasurement *m, const DpCurrency *currency,
				  const DpAttributeSet *set, uint32_t n, uint64_t cells_max, uint32_t tables_max,
				  DpModel *model, DpError *error)
{
	DpMarginal *exact = dp_alloc(m->arena, n, sizeof(*exact));
	Cover cover;

	*measure = (DpGraphicalMeasure){.m = m,
									.currency = *currency,
									.cells_max = cells_max,
									.tallies = n,
									.model = model,
									.tables_capacity = tables_max};
	measure->table_cells_left = DP_MODEL_CELLS_MAX / m->plan->sets;
	measure->tally = dp_alloc(m->arena, n, sizeof(*measure->tally));
	model->table = dp_alloc(m->arena, tables_max, sizeof(*model->table));
	if (exact == NULL || measure->tally == NULL || model->table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(find_cover(set, n, m->domain->attributes, m->arena, &cover));
	DP_TRY(count_exact(m, set, n, &cover, exact, error));
	DP_TRY(make_tallies(measure, set, &cover, exact));
	for (uint32_t i = 0; i < n; i++)
		if (cover.counted[i] == i)
			dp_marginal_free(&exact[i]);
	free_cover(&cover, m->arena);
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
dp_graphical_has_room(const DpGraphicalMeasure *measure, uint32_t i)
{
	return measure->model->tables < measure->tables_capacity &&
		   level_cells(measure, &measure->tally[i].set) <= measure->table_cells_left;
}

bool
dp_graphical_has_cliques(DpGraphicalMeasure *measure, uint32_t i, uint64_t cells_max)
{
	const DpAttributeSet *set = &measure->tally[i].set;

	return dp_graph_joins(&measure->graphical.graph, set) ||
		   dp_graphical_forecast(&measure->graphical, set, cells_max + 1) <= cells_max;
}

/* A table of the model for a set, its values still 0. */
static DpStatus
append_table(DpGraphicalMeasure *measure, const DpAttributeSet *set, int64_t amount, DpTable **out)
{
	DpModel *model = measure->model;
	DpTable *table = &model->table[model->tables];

	if (model->tables >= measure->tables_capacity)
		return DP_ERR_INTERNAL;
	dp_currency_describe(&measure->currency, amount, table);
	table->n = set->n;
	table->cells = level_cells(measure, set);
	table->attribute =
		dp_memdup(measure->m->arena, set->attribute, set->n * sizeof(*set->attribute));
	table->value = dp_alloc(measure->m->arena, table->cells, sizeof(*table->value));
	if (table->attribute == NULL || table->value == NULL)
		return DP_ERR_MEMORY;
	measure->table_cells_left -=
		table->cells < measure->table_cells_left ? table->cells : measure->table_cells_left;
	model->tables++;
	*out = table;
	return DP_OK;
}

static uint32_t
find_one(const DpGraphicalMeasure *measure, uint32_t attribute)
{
	for (uint32_t i = 0; i < measure->tallies; i++)
		if (measure->tally[i].set.n == 1 && measure->tally[i].set.attribute[0] == attribute)
			return i;
	return measure->tallies;
}

/* Exact tables over levels become exact tables over groups. */
static DpStatus
collapse_tallies(DpGraphicalMeasure *measure)
{
	DpArena *arena = measure->m->arena;

	for (uint32_t i = 0; i < measure->tallies; i++)
	{
		DpTally *tally = &measure->tally[i];
		uint64_t cells = dp_grouping_cells(&measure->grouping, &tally->set);
		int64_t *count;

		if (cells == tally->cells)
			continue;
		count = dp_alloc(arena, cells, sizeof(*count));
		if (count == NULL)
			return DP_ERR_MEMORY;
		DP_TRY(dp_grouping_collapse(&measure->grouping, &tally->set, tally->count, arena, count));
		dp_free(arena, tally->count, tally->cells, sizeof(*tally->count));
		tally->count = count;
		tally->cells = cells;
	}
	return DP_OK;
}

static DpStatus
start_fit(DpGraphicalMeasure *measure)
{
	const DpMeasurement *m = measure->m;
	bool is_public = dp_unit_rows_public(&m->plan->request->unit);

	DP_TRY(dp_graphical_init(&measure->graphical, measure->grouping.levels, m->domain->attributes,
							 is_public ? (double) measure->rows : DP_TOTAL_UNKNOWN,
							 measure->cells_max, m->arena));
	for (uint32_t a = 0; a < m->domain->attributes; a++)
		DP_TRY(dp_graphical_add_table(&measure->graphical, &measure->grouping,
									  &measure->model->table[a], m->arena));
	return dp_graphical_add_public(&measure->graphical, &measure->grouping,
								   dp_graphical_total(&measure->graphical));
}

DpStatus
dp_graphical_release_ones(DpGraphicalMeasure *measure, int64_t amount, bool group)
{
	const DpMeasurement *m = measure->m;
	uint32_t p = m->domain->attributes;
	int64_t **noisy = dp_alloc(m->arena, p, sizeof(*noisy));
	double *stddev = dp_alloc(m->arena, p, sizeof(*stddev));

	if (noisy == NULL || stddev == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < p; a++)
	{
		const DpTally *tally = &measure->tally[find_one(measure, a)];
		DpTable *table;

		DP_TRY(append_table(measure, &tally->set, amount, &table));
		DP_TRY(dp_currency_release(m, &measure->currency, tally->count, tally->cells, amount,
								   table->value));
		noisy[a] = table->value;
		stddev[a] = fmax(dp_currency_stddev(&measure->currency, amount), STDDEV_LEAST);
	}
	DP_TRY(dp_grouping_init(&measure->grouping, m->domain, m->arena));
	/* of open attributes more values may be found than a plan reckons with */
	if (group || measure->grouping.structure_n > measure->cells_max / 2)
		DP_TRY(dp_grouping_merge(&measure->grouping, noisy, stddev, measure->cells_max / 2));
	dp_free(m->arena, noisy, p, sizeof(*noisy));
	dp_free(m->arena, stddev, p, sizeof(*stddev));
	DP_TRY(collapse_tallies(measure));
	return start_fit(measure);
}

DpStatus
dp_graphical_release(DpGraphicalMeasure *measure, uint32_t i, int64_t amount)
{
	const DpMeasurement *m = measure->m;
	const DpTally *tally = &measure->tally[i];
	int64_t *noisy = dp_alloc(m->arena, tally->cells, sizeof(*noisy));
	DpTable *table;

	if (noisy == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(append_table(measure, &tally->set, amount, &table));
	DP_TRY(dp_currency_release(m, &measure->currency, tally->count, tally->cells, amount, noisy));
	DP_TRY(dp_grouping_expand(&measure->grouping, &tally->set, noisy, m->arena, table->value));
	dp_free(m->arena, noisy, tally->cells, sizeof(*noisy));
	return dp_graphical_add_table(&measure->graphical, &measure->grouping, table, m->arena);
}

/* ---- scores ---- */

DpStatus
dp_graphical_distance(const DpGraphicalMeasure *measure, uint32_t i, double *expected,
					  int64_t *distance)
{
	const DpTally *tally = &measure->tally[i];
	int64_t sum = 0;

	DP_TRY(dp_graphical_marginal(&measure->graphical, &tally->set, expected));
	for (uint64_t k = 0; k < tally->cells; k++)
	{
		/* rounded first: from here on only integers meet exact counts */
		int64_t rounded = expected[k] < 0x1p50 ? (int64_t) (expected[k] * DP_SCORE_UNIT + 0.5) : 0;
		int64_t gap = tally->count[k] * DP_SCORE_UNIT - rounded;

		sum += gap < 0 ? -gap : gap;
		sum = sum < DP_DISTANCE_MAX ? sum : DP_DISTANCE_MAX;
	}
	*distance = sum;
	return DP_OK;
}

/* Groups, and behind them the potentials of the last fit, unless they are very many or of no use: then
 * whoever draws fits again. */
static DpStatus
keep_structure(DpGraphicalMeasure *measure)
{
	const DpGraphical *graphical = &measure->graphical;
	uint32_t groups = measure->grouping.structure_n;
	uint64_t n = groups + graphical->parameters;
	DpModel *model = measure->model;

	if (n > DP_MODEL_STRUCTURE_MAX / measure->m->plan->sets || !dp_potentials_fit(graphical))
		n = groups;
	model->structure_n = (uint32_t) n;
	model->structure = dp_alloc(measure->m->arena, n, sizeof(*model->structure));
	if (model->structure == NULL)
		return DP_ERR_MEMORY;
	memcpy(model->structure, measure->grouping.structure, groups * sizeof(*model->structure));
	for (uint64_t i = groups; i < n; i++)
		model->structure[i] = dp_potential_pack(graphical->parameter[i - groups]);
	return DP_OK;
}

DpStatus
dp_graphical_close(DpGraphicalMeasure *measure, bool systematic)
{
	DpModel *model = measure->model;
	DpArena *arena = measure->m->arena;

	DP_TRY(dp_graphical_fit(&measure->graphical, &dp_graphical_final_rule, measure->m->tick));
	DP_TRY(keep_structure(measure));

	for (uint32_t i = 0; i < measure->tallies; i++)
		dp_free(arena, measure->tally[i].count, measure->tally[i].cells, sizeof(int64_t));
	dp_free(arena, measure->tally, measure->tallies, sizeof(*measure->tally));
	model->parameters = 2;
	model->parameter = dp_alloc(arena, model->parameters, sizeof(*model->parameter));
	if (model->parameter == NULL)
		return DP_ERR_MEMORY;
	model->parameter[0] = (DpParameter){DP_PARAMETER_CELLS, (int64_t) measure->cells_max};
	model->parameter[1] = (DpParameter){DP_PARAMETER_SYSTEMATIC, systematic};
	model->rows = dp_unit_rows_public(&measure->m->plan->request->unit)
					  ? measure->rows
					  : dp_graphical_rows(&measure->graphical);
	dp_graphical_free(&measure->graphical); /* another set may be measured next */
	return DP_OK;
}
