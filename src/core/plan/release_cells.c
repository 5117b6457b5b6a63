/*
 * release_cells.c -- histograms with open attributes: their cells are counted, put in order, and
 * released as tables of the model.
 */
#include "core/plan/release_cells.h"

#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/saturate.h"
#include "core/base/sort.h"
#include "core/mechanism/mechanism.h"
#include "core/mechanism/sparse_histogram.h"
#include "core/plan/refuse.h"
#include "core/plan/release_table.h"

/*
 * Counting the cells of tables with open attributes, in an order that depends neither on that of
 * rows nor on the counter.
 */

/* ---- values that were seen ---- */

typedef struct SeenOrder
{
	const char *const *value;
} SeenOrder;

static bool
seen_before(const void *context, uint64_t a, uint64_t b)
{
	const SeenOrder *seen = context;

	return strcmp(seen->value[a], seen->value[b]) < 0;
}

/* Numbers values by their bytes, whatever the order in which they were seen. */
static DpStatus
finalize_seen(const DpMeasurement *m, DpCells *cells, uint32_t k, const DpUniverse **universe)
{
	SeenOrder seen = {cells->seen[k]};
	uint64_t n = cells->seen_n[k];
	uint64_t *order = dp_alloc(m->arena, n, sizeof(*order));
	uint64_t *rank = dp_alloc(m->arena, n, sizeof(*rank));
	const char **sorted = dp_alloc(m->arena, n, sizeof(*sorted));
	DpUniverse *list = dp_alloc(m->arena, 1, sizeof(*list));

	DP_TRY_ALLOC(order && rank && sorted && list);
	for (uint64_t i = 0; i < n; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, n, seen_before, &seen, m->arena));
	for (uint64_t i = 0; i < n; i++)
	{
		rank[order[i]] = i;
		sorted[i] = cells->seen[k][order[i]];
	}
	for (uint64_t i = 0; i < cells->cells; i++)
	{
		uint64_t *index = &cells->index[i * cells->n + k];

		if (*index != DP_CELL_OTHER && *index >= n)
			return DP_ERR_INTERNAL;
		*index = *index == DP_CELL_OTHER ? DP_CELL_OTHER : rank[*index];
	}
	dp_free(m->arena, order, n, sizeof(*order));
	dp_free(m->arena, rank, n, sizeof(*rank));
	/* The limits of a written list do not hold here: how many values there are is a fact of the
	 * data. */
	*list = (DpUniverse){.kind = DP_UNIVERSE_LIST, .size = n, .value = sorted};
	for (uint64_t i = 0; i < n; i++)
	{
		size_t bytes = strlen(sorted[i]);

		list->text_bytes = bytes > list->text_bytes ? bytes : list->text_bytes;
	}
	*universe = list;
	return DP_OK;
}

/* ---- order ---- */

static bool
cell_before(const void *context, uint64_t a, uint64_t b)
{
	const DpCells *cells = context;
	const uint64_t *x = cells->index + a * cells->n;
	const uint64_t *y = cells->index + b * cells->n;

	for (uint32_t k = 0; k < cells->n; k++)
		if (x[k] != y[k])
			return x[k] < y[k];
	return false;
}

static DpStatus
sort_cells(DpCells *cells, DpArena *arena)
{
	uint64_t *order = dp_alloc(arena, cells->cells, sizeof(*order));
	uint64_t *index = dp_alloc(arena, cells->cells, cells->n * sizeof(*index));
	int64_t *count = dp_alloc(arena, cells->cells, sizeof(*count));

	DP_TRY_ALLOC(order && index && count);
	for (uint64_t i = 0; i < cells->cells; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, cells->cells, cell_before, cells, arena));
	for (uint64_t i = 0; i < cells->cells; i++)
	{
		memcpy(index + i * cells->n, cells->index + order[i] * cells->n, cells->n * sizeof(*index));
		count[i] = cells->count[order[i]];
	}
	dp_free(arena, order, cells->cells, sizeof(*order));
	cells->index = index; /* the arrays of the counter are left for it to free */
	cells->count = count;
	return DP_OK;
}

static DpStatus
finalize(const DpMeasurement *m, DpFinalCells *set)
{
	for (uint32_t k = 0; k < set->cells.n; k++)
	{
		const DpAttribute *attribute = &m->domain->attribute[set->cells.attribute[k]];

		if (attribute->open && attribute->universe != NULL)
			set->universe[k] = attribute->universe;
		else if (attribute->open)
			DP_TRY(finalize_seen(m, &set->cells, k, &set->universe[k]));
	}
	return sort_cells(&set->cells, m->arena);
}

/* ---- counting ---- */

/* Counts tables without open attributes, for which the counter is parallel and fast. */
static DpStatus
count_closed(const DpMeasurement *m, DpFinalCells *const *sets, uint32_t n, DpError *error)
{
	DpMarginal *table = dp_alloc(m->arena, n, sizeof(*table));

	DP_TRY_ALLOC(table);
	for (uint32_t i = 0; i < n; i++)
		DP_TRY(dp_marginal_init(&table[i], m->domain,
								&(DpAttributeSet){sets[i]->cells.n, sets[i]->cells.attribute},
								DP_SPARSE, m->arena, error));
	DP_TRY(dp_count_marginals(m, table, n, error));
	for (uint32_t i = 0; i < n; i++)
	{
		DpCells *cells = &sets[i]->cells;
		uint32_t *codes;

		cells->rows = table[i].total;
		DP_TRY(dp_marginal_cells(&table[i], &codes, &cells->count, &cells->cells, m->arena));
		dp_marginal_free(&table[i]);
		cells->index = dp_alloc(m->arena, cells->cells, cells->n * sizeof(*cells->index));
		DP_TRY_ALLOC(cells->index);
		for (uint64_t c = 0; c < cells->cells * cells->n; c++)
			cells->index[c] = codes[c];
		dp_free(m->arena, codes, cells->cells, cells->n * sizeof(*codes));
	}
	return DP_OK;
}

static DpStatus
count_open(const DpMeasurement *m, DpFinalCells *const *sets, uint32_t n, DpError *error)
{
	DpCells *cells = dp_alloc(m->arena, n, sizeof(*cells));

	DP_TRY_ALLOC(cells);
	if (m->counter->cells == NULL)
		return dp_fail(error, DP_ERR_INTERNAL, "open attributes cannot be counted here");
	for (uint32_t i = 0; i < n; i++)
		cells[i] = sets[i]->cells;
	DP_TRY(m->counter->cells(m->counter->context, m->domain, cells, n, error));
	for (uint32_t i = 0; i < n; i++)
	{
		sets[i]->cells = cells[i];
		DP_TRY(finalize(m, sets[i]));
	}
	return DP_OK;
}

static DpStatus
prepare_set(const DpMeasurement *m, DpFinalCells *set)
{
	set->universe = dp_alloc(m->arena, set->cells.n, sizeof(*set->universe));
	set->cells.seen_n = dp_alloc(m->arena, set->cells.n, sizeof(*set->cells.seen_n));
	set->cells.seen = dp_alloc(m->arena, set->cells.n, sizeof(*set->cells.seen));
	return set->universe == NULL || set->cells.seen_n == NULL || set->cells.seen == NULL
			   ? DP_ERR_MEMORY
			   : DP_OK;
}

DpStatus
dp_cells_count(const DpMeasurement *m, DpFinalCells *sets, uint32_t n, DpError *error)
{
	DpFinalCells **some = dp_alloc(m->arena, n, sizeof(DpFinalCells *));

	DP_TRY_ALLOC(some);
	for (uint32_t i = 0; i < n; i++)
		DP_TRY(prepare_set(m, &sets[i]));
	for (int open = 0; open < 2; open++)
	{
		uint32_t found = 0;

		for (uint32_t i = 0; i < n; i++)
			if (dp_cells_any_open(m->domain, sets[i].cells.attribute, sets[i].cells.n) == open)
				some[found++] = &sets[i];
		if (found > 0)
			DP_TRY(open ? count_open(m, some, found, error) : count_closed(m, some, found, error));
	}
	return DP_OK;
}

/* ---- planning ---- */

static DpStatus
no_size(const DpPlan *plan, const uint32_t *attributes, uint32_t n, DpError *error)
{
	const DpDomain *domain = plan->request->domain;

	for (uint32_t k = 0; k < n; k++)
	{
		const DpAttribute *attribute = &domain->attribute[attributes[k]];

		if (dp_attribute_size(attribute) != UINT64_MAX)
			continue;
		(void) dp_fail(error, DP_ERR_ARGUMENT, "column \"%.64s\" has no domain", attribute->name);
		dp_fail_detail(error, "This mechanism gives every value that there could be a chance.");
		dp_fail_hint(error, "Give a domain, or use mechanism stability, with a delta.");
		return DP_ERR_ARGUMENT;
	}
	return DP_OK;
}

/* "sparse histogram, no false positives at 0.9" */
static const char *
mechanism_text(int64_t no_false_positives_nano, DpArena *arena)
{
	char probability[DP_DECIMAL_BYTES];
	char text[DP_DECIMAL_BYTES + 48];

	snprintf(text, sizeof(text), "sparse histogram, no false positives at %s",
			 dp_decimal_print(no_false_positives_nano, 9, probability));
	return dp_strdup(arena, text);
}

DpStatus
dp_plan_cathist(DpPlan *plan, const DpCellRelease *release, const uint64_t *sizes, uint32_t n,
				DpArena *arena, DpError *error)
{
	DpStage stage = {.name = release->stage,
					 .mechanism = mechanism_text(release->no_false_positives_nano, arena),
					 .tables = n,
					 .each = release->cost};
	DpSparseHistogram histogram = {release->cost.epsilon_nano, plan->request->unit, 0};
	DpSparseRule rule;

	DP_TRY_ALLOC(stage.mechanism);
	for (uint32_t i = 0; i < n; i++)
	{
		if (sizes[i] > DP_UNIVERSE_SIZE_MAX)
			return dp_refuse_cells(release->stage, DP_UNIVERSE_SIZE_MAX, "smaller domains of them",
								   error);
		histogram.cells = sizes[i];
		if (histogram.epsilon_nano < 1 ||
			dp_sparse_histogram_plan(&histogram, release->no_false_positives_nano, &rule) != DP_OK)
			return dp_refuse_budget(release->stage, error);
		stage.cells = dp_add_saturated(stage.cells, sizes[i]);
		stage.false_positives += rule.false_positives;
		if (rule.threshold_rows > stage.threshold_rows)
			stage.threshold_rows = rule.threshold_rows;
	}
	return n == 0 ? DP_OK : dp_plan_noisy(plan, &stage, error);
}

/* The memory of cells as counted, sorted and released; or of all cells. */
static uint64_t
cells_memory(uint64_t size, uint32_t n)
{
	uint64_t cells = size < DP_PLAN_SPARSE_CELLS ? size : DP_PLAN_SPARSE_CELLS;

	return dp_multiply_saturated(cells, 3 * (n + 2) * sizeof(uint64_t));
}

/* The bytes of the labels if all values of open attributes are named. */
static uint64_t
label_bytes(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < n; k++)
		if (domain->attribute[attributes[k]].universe != NULL)
			bytes = dp_add_saturated(
				bytes, dp_universe_all_bytes(domain->attribute[attributes[k]].universe));
	return bytes;
}

static DpStatus
labels_too_long(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT, "the domain of the histogram has too long values");
	dp_fail_detail(error, "All values together may have %llu bytes.",
				   (unsigned long long) DP_CELLS_LABEL_BYTES_MAX);
	dp_fail_hint(error, "Use mechanism cathist for large domains.");
	return DP_ERR_LIMIT;
}

static DpStatus
plan_laplace(DpPlan *plan, const DpCellRelease *release, const uint32_t *attributes, uint32_t n,
			 DpError *error)
{
	uint64_t size = dp_cells_size(plan->request->domain, attributes, n);
	uint64_t labels = label_bytes(plan->request->domain, attributes, n);

	if (size > DP_CELLS_LAPLACE_MAX)
		return dp_refuse_cells(release->stage, DP_CELLS_LAPLACE_MAX, "use mechanism cathist",
							   error);
	if (labels > DP_CELLS_LABEL_BYTES_MAX)
		return labels_too_long(error);
	plan->memory_bytes =
		dp_add_saturated(plan->memory_bytes, 2 * sizeof(int64_t) * size + 3 * labels);
	return dp_plan_laplace(plan, release->stage, 1, release->cost, size, error);
}

void
dp_plan_cells_memory(DpPlan *plan, const uint32_t *attributes, uint32_t n)
{
	const DpDomain *domain = plan->request->domain;
	uint64_t bytes = cells_memory(dp_cells_size(domain, attributes, n), n);

	/* a third of it is cells as counted; all tables may be counted together */
	dp_plan_counts(plan, dp_add_saturated(plan->scan_bytes, bytes / 3));
	for (uint32_t k = 0; k < n; k++)
		if (domain->attribute[attributes[k]].universe != NULL)
			bytes = dp_add_saturated(bytes,
									 2 * domain->attribute[attributes[k]].universe->memory_bytes);
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, bytes);
}

DpStatus
dp_plan_cells(DpPlan *plan, const DpCellRelease *release, const uint32_t *attributes, uint32_t n,
			  DpArena *arena, DpError *error)
{
	const char *name = release->stage;
	uint64_t size = dp_cells_size(plan->request->domain, attributes, n);

	dp_plan_cells_memory(plan, attributes, n);
	if (release->mechanism == DP_CELLS_STABILITY && release->cost.delta_atto < 1)
		return dp_refuse_delta(name, "use mechanism cathist with a domain", error);
	if (release->mechanism == DP_CELLS_STABILITY)
		return dp_plan_stability(plan, name, "stability histogram", 1, release->cost, error);
	DP_TRY(no_size(plan, attributes, n, error));
	if (release->mechanism == DP_CELLS_LAPLACE)
		return plan_laplace(plan, release, attributes, n, error);
	return dp_plan_cathist(plan, release, &size, 1, arena, error);
}

/* ---- released cells ---- */

/* Cells by their indexes, one for each attribute. */
typedef struct Released
{
	uint64_t n;
	uint64_t capacity; /* cells that were allocated; n of them are used */
	uint64_t *index;   /* [capacity x attributes] */
	int64_t *value;    /* [capacity] */
} Released;

static uint64_t
size_of(const DpMeasurement *m, const DpFinalCells *exact, uint32_t k)
{
	return dp_attribute_size(&m->domain->attribute[exact->cells.attribute[k]]);
}

/* The row-major number of a cell. The size of the whole table fits 64 bits, as planning has
 * checked. */
static uint64_t
number_of(const DpMeasurement *m, const DpFinalCells *exact, const uint64_t *index)
{
	uint64_t number = 0;

	for (uint32_t k = 0; k < exact->cells.n; k++)
		number = number * size_of(m, exact, k) + index[k];
	return number;
}

static DpStatus
release_cathist(const DpMeasurement *m, const DpFinalCells *exact, const DpCellRelease *release,
				DpTable *out, Released *released)
{
	uint32_t n = exact->cells.n;
	uint64_t size = dp_cells_size(m->domain, exact->cells.attribute, n);
	DpSparseHistogram histogram = {release->cost.epsilon_nano, m->plan->request->unit, size};
	uint64_t *number = dp_alloc(m->arena, exact->cells.cells, sizeof(*number));
	DpSparseCells cells;
	DpSparseRule rule;

	DP_TRY_ALLOC(number);
	DP_TRY(dp_sparse_histogram_plan(&histogram, release->no_false_positives_nano, &rule));
	for (uint64_t i = 0; i < exact->cells.cells; i++)
		number[i] = number_of(m, exact, exact->cells.index + i * n);
	DP_TRY(dp_sparse_histogram_release(
		&m->noise, &rule, &(DpOccupiedCells){exact->cells.cells, number, exact->cells.count},
		&cells, m->arena));
	dp_free(m->arena, number, exact->cells.cells, sizeof(*number));
	out->noise = DP_NOISE_SPARSE;
	out->threshold_rows = rule.threshold_rows;
	*released = (Released){.n = cells.n,
						   .capacity = cells.n,
						   .index = dp_alloc(m->arena, cells.n, n * sizeof(*released->index)),
						   .value = cells.value};
	DP_TRY_ALLOC(released->index);
	for (uint64_t i = 0; i < cells.n; i++)
		for (uint32_t k = n; k-- > 0; cells.index[i] /= size_of(m, exact, k))
			released->index[i * n + k] = cells.index[i] % size_of(m, exact, k);
	return DP_OK;
}

static DpStatus
release_stability(const DpMeasurement *m, const DpFinalCells *exact, const DpCellRelease *release,
				  DpTable *out, Released *released)
{
	const DpCells *cells = &exact->cells;

	released->capacity = cells->cells;
	released->index = dp_alloc(m->arena, cells->cells, cells->n * sizeof(*released->index));
	released->value = dp_alloc(m->arena, cells->cells, sizeof(*released->value));
	DP_TRY_ALLOC(released->index && released->value);
	DP_TRY(dp_stability_release(&m->noise, &(DpStability){release->cost, m->plan->request->unit},
								cells->count, cells->cells, released->value, &out->threshold_rows));
	out->noise = DP_NOISE_STABILITY;
	released->n = 0;
	for (uint64_t i = 0; i < cells->cells; i++)
	{
		if (released->value[i] == 0)
			continue;
		memcpy(released->index + released->n * cells->n, cells->index + i * cells->n,
			   cells->n * sizeof(*released->index));
		released->value[released->n++] = released->value[i];
	}
	return DP_OK;
}

/* ---- levels of what was released ---- */

DpStatus
dp_universe_labels(const DpUniverse *universe, const uint64_t *index, uint64_t n,
				   const char ***labels, DpArena *arena)
{
	char *text = dp_alloc(arena, universe->text_bytes + 1, 1);

	*labels = dp_alloc(arena, n, sizeof(**labels));
	DP_TRY_ALLOC(text && *labels);
	for (uint64_t i = 0; i < n; i++)
	{
		(void) dp_universe_value(universe, index == NULL ? i : index[i], text);
		(*labels)[i] = dp_strdup(arena, text);
		DP_TRY_ALLOC((*labels)[i]);
	}
	dp_free(arena, text, universe->text_bytes + 1, 1);
	return DP_OK;
}

/* Lists the distinct indexes of attribute k among released cells, ascending, without
 * DP_CELL_OTHER. */
static DpStatus
distinct_indexes(const Released *released, uint32_t attributes, uint32_t k, uint64_t **distinct,
				 uint64_t *n, DpArena *arena)
{
	uint64_t *all = dp_alloc(arena, released->n, sizeof(*all));
	uint64_t *order = dp_alloc(arena, released->n, sizeof(*order));

	*distinct = dp_alloc(arena, released->n, sizeof(**distinct));
	*n = 0;
	DP_TRY_ALLOC(all && order && *distinct);
	for (uint64_t i = 0; i < released->n; i++)
		all[i] = released->index[i * attributes + k];
	DP_TRY(dp_sort_numbers(all, released->n, order, arena));
	for (uint64_t i = 0; i < released->n && all[order[i]] != DP_CELL_OTHER; i++)
		if (*n == 0 || (*distinct)[*n - 1] != all[order[i]])
			(*distinct)[(*n)++] = all[order[i]];
	dp_free(arena, all, released->n, sizeof(*all));
	dp_free(arena, order, released->n, sizeof(*order));
	return DP_OK;
}

/* The place of an index; n, the level "other", if it is not in the list. */
static uint32_t
place_of(const uint64_t *distinct, uint64_t n, uint64_t index)
{
	uint64_t place = dp_first_at_least(distinct, n, index);

	return (uint32_t) (place < n && distinct[place] == index ? place : n);
}

/* Makes the levels of an open attribute, and replaces its indexes in released cells by codes. */
static DpStatus
name_levels(const DpMeasurement *m, const DpUniverse *universe, Released *released,
			uint32_t attributes, uint32_t k, DpAttribute *attribute)
{
	uint64_t *distinct;
	uint64_t n;

	DP_TRY(distinct_indexes(released, attributes, k, &distinct, &n, m->arena));
	DP_TRY(dp_universe_labels(universe, distinct, n, &attribute->labels, m->arena));
	attribute->labels_n = (uint32_t) n;
	attribute->open = false;
	attribute->universe = NULL;
	attribute->has_other = true;
	dp_attribute_count_levels(attribute);
	for (uint64_t i = 0; i < released->n; i++)
		released->index[i * attributes + k] =
			place_of(distinct, n, released->index[i * attributes + k]);
	dp_free(m->arena, distinct, released->n, sizeof(*distinct));
	return DP_OK;
}

static bool
larger_before(const void *context, uint64_t a, uint64_t b)
{
	const int64_t *value = context;

	return value[a] > value[b];
}

DpStatus
dp_cells_keep_largest(uint64_t *index, int64_t *value, uint32_t attributes, uint64_t *n,
					  uint64_t most, DpArena *arena)
{
	uint64_t *order = dp_alloc(arena, *n, sizeof(*order));
	bool *keep = dp_alloc(arena, *n, sizeof(*keep));
	uint64_t kept = 0;

	DP_TRY_ALLOC(order && keep);
	for (uint64_t i = 0; i < *n; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, *n, larger_before, value, arena));
	for (uint64_t i = 0; i < *n && i < most; i++)
		keep[order[i]] = true;
	for (uint64_t i = 0; i < *n; i++)
	{
		if (!keep[i])
			continue;
		memmove(index + kept * attributes, index + i * attributes, attributes * sizeof(*index));
		value[kept++] = value[i];
	}
	dp_free(arena, order, *n, sizeof(*order));
	dp_free(arena, keep, *n, sizeof(*keep));
	*n = kept;
	return DP_OK;
}

/*
 * Limits the levels. No attribute may have more levels than a domain allows, one of which is for
 * the rest. That there are more is known only now, when they have been paid for. So those with the
 * largest noisy counts are kept, as a larger threshold would keep them.
 */
static DpStatus
fit_levels(const DpMeasurement *m, const DpFinalCells *exact, Released *released)
{
	for (uint32_t k = 0; k < exact->cells.n && released->n >= DP_LEVELS_MAX; k++)
	{
		uint64_t *distinct;
		uint64_t n;

		if (exact->universe[k] == NULL)
			continue;
		DP_TRY(distinct_indexes(released, exact->cells.n, k, &distinct, &n, m->arena));
		dp_free(m->arena, distinct, released->n, sizeof(*distinct));
		if (n >= DP_LEVELS_MAX)
			DP_TRY(dp_cells_keep_largest(released->index, released->value, exact->cells.n,
										 &released->n, DP_LEVELS_MAX - 1, m->arena));
	}
	return DP_OK;
}

static DpStatus
keep_sparse(const DpMeasurement *m, const DpFinalCells *exact, Released *released, DpDomain *domain,
			DpTable *out)
{
	uint32_t n = exact->cells.n;

	DP_TRY(fit_levels(m, exact, released));
	for (uint32_t k = 0; k < n; k++)
		if (exact->universe[k] != NULL)
			DP_TRY(name_levels(m, exact->universe[k], released, n, k,
							   &domain->attribute[exact->cells.attribute[k]]));
	out->storage = DP_SPARSE;
	out->cells = released->n;
	out->value = released->value;
	out->code = dp_alloc(m->arena, released->n, n * sizeof(*out->code));
	DP_TRY_ALLOC(out->code);
	for (uint64_t i = 0; i < released->n * n; i++)
		out->code[i] = (uint32_t) released->index[i];
	dp_free(m->arena, released->index, released->capacity, n * sizeof(*released->index));
	return DP_OK;
}

/* ---- noise on every cell ---- */

static DpStatus
release_laplace(const DpMeasurement *m, const DpFinalCells *exact, const DpCellRelease *release,
				DpDomain *domain, DpTable *out)
{
	const DpCells *cells = &exact->cells;

	out->noise = DP_NOISE_LAPLACE;
	out->storage = DP_DENSE;
	out->cells = dp_cells_size(m->domain, cells->attribute, cells->n);
	out->value = dp_alloc(m->arena, out->cells, sizeof(*out->value));
	DP_TRY_ALLOC(out->value);
	for (uint64_t i = 0; i < cells->cells; i++)
		out->value[number_of(m, exact, cells->index + i * cells->n)] = cells->count[i];
	DP_TRY(dp_laplace_release(&m->noise,
							  dp_unit_laplace(&m->plan->request->unit, release->cost.epsilon_nano),
							  out->value, out->cells, out->value));
	for (uint32_t k = 0; k < cells->n; k++)
	{
		DpAttribute *attribute = &domain->attribute[cells->attribute[k]];

		if (exact->universe[k] == NULL)
			continue;
		DP_TRY(dp_universe_labels(exact->universe[k], NULL, exact->universe[k]->size,
								  &attribute->labels, m->arena));
		attribute->labels_n = (uint32_t) exact->universe[k]->size;
		attribute->open = attribute->has_other = false; /* there is no other value */
		attribute->other = NULL;
		attribute->universe = NULL;
		dp_attribute_count_levels(attribute);
	}
	return DP_OK;
}

/*
 * dp_cells_release -- one histogram over a domain that need not be listed
 *
 * Inputs:      exact, the final non-empty cells, where each row counts in at most one cell;
 *              release, with a cost that the meter pays
 * Output:      out, and levels for the open attributes of domain (see the header)
 * Neighbours:  the dataset's, by its unit: a row is in one cell, or in none if it has a value
 *              outside a universe, so the L1 sensitivity is that of one histogram
 * Guarantee:   CatHist is (epsilon, 0)-DP by dp_sparse_histogram_release; noise on every cell is
 *              (epsilon, 0)-DP by dp_laplace_release; stability is (epsilon, delta)-DP by
 *              dp_stability_release. Sizes, thresholds and odds follow from public numbers; labels
 *              follow from released cells.
 * Errors:      those of the mechanisms; out is not to be used then
 */
DpStatus
dp_cells_release(const DpMeasurement *m, const DpFinalCells *exact, const DpCellRelease *release,
				 DpDomain *domain, DpTable *out)
{
	Released released = {.n = 0};

	*out = (DpTable){.n = exact->cells.n,
					 .cost = release->cost,
					 .sensitivity_l1 = dp_unit_l1(&m->plan->request->unit)};
	out->attribute = dp_memdup(m->arena, exact->cells.attribute,
							   exact->cells.n * sizeof(*exact->cells.attribute));
	DP_TRY_ALLOC(out->attribute);
	if (release->mechanism == DP_CELLS_LAPLACE)
		return release_laplace(m, exact, release, domain, out);
	if (release->mechanism == DP_CELLS_STABILITY)
		DP_TRY(release_stability(m, exact, release, out, &released));
	else
		DP_TRY(release_cathist(m, exact, release, out, &released));
	return keep_sparse(m, exact, &released, domain, out);
}
