/*
 * cells.c -- counting the cells of tables with open attributes, and putting them in an order
 * that depends neither on the order of rows nor on the counter.
 */
#include "core/plan/cells.h"

#include <string.h>

#include "core/base/sort.h"

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

	if (order == NULL || rank == NULL || sorted == NULL || list == NULL)
		return DP_ERR_MEMORY;
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

	if (order == NULL || index == NULL || count == NULL)
		return DP_ERR_MEMORY;
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

	if (table == NULL)
		return DP_ERR_MEMORY;
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
		if (cells->index == NULL)
			return DP_ERR_MEMORY;
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

	if (cells == NULL)
		return DP_ERR_MEMORY;
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

	if (some == NULL)
		return DP_ERR_MEMORY;
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
