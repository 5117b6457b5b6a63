/*
 * cells.c -- counting the cells of tables with open attributes, and putting
 * them in an order that neither rows nor the counter decide.
 */
#include "cells.h"

#include <string.h>

#include "saturate.h"
#include "sort.h"

uint64_t
dp_attribute_size(const DpAttribute *attribute)
{
	if (!attribute->open)
		return attribute->levels;
	return attribute->universe != NULL ? attribute->universe->size : UINT64_MAX;
}

uint64_t
dp_cells_size(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	uint64_t size = 1;

	for (uint32_t k = 0; k < n; k++)
		size = dp_multiply_saturated(size, dp_attribute_size(&domain->attribute[attributes[k]]));
	return size;
}

bool
dp_cells_any_open(const DpDomain *domain, const uint32_t *attributes, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (domain->attribute[attributes[k]].open)
			return true;
	return false;
}

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

/* Numbers values by their bytes instead of by the order in which they were seen. */
static DpStatus
settle_seen(const DpMeasurement *m, DpCells *cells, uint32_t k, const DpUniverse **universe)
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
	DP_TRY(dp_sort_indexes(m->arena, order, n, seen_before, &seen));
	for (uint64_t i = 0; i < n; i++)
	{
		rank[order[i]] = i;
		sorted[i] = cells->seen[k][order[i]];
	}
	for (uint64_t i = 0; i < cells->cells; i++)
	{
		uint64_t *index = &cells->index[i * cells->n + k];

		if (*index != DP_CELL_REST && *index >= n)
			return DP_ERR_INTERNAL;
		*index = *index == DP_CELL_REST ? DP_CELL_REST : rank[*index];
	}
	dp_free(m->arena, order, n, sizeof(*order));
	dp_free(m->arena, rank, n, sizeof(*rank));
	/* No limit of a list that somebody wrote is theirs: how many there are is a fact of the data. */
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
sort_cells(DpArena *arena, DpCells *cells)
{
	uint64_t *order = dp_alloc(arena, cells->cells, sizeof(*order));
	uint64_t *index = dp_alloc(arena, cells->cells, cells->n * sizeof(*index));
	int64_t *count = dp_alloc(arena, cells->cells, sizeof(*count));

	if (order == NULL || index == NULL || count == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < cells->cells; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(arena, order, cells->cells, cell_before, cells));
	for (uint64_t i = 0; i < cells->cells; i++)
	{
		memcpy(index + i * cells->n, cells->index + order[i] * cells->n, cells->n * sizeof(*index));
		count[i] = cells->count[order[i]];
	}
	dp_free(arena, order, cells->cells, sizeof(*order));
	cells->index = index; /* what the counter handed over is its own to give back */
	cells->count = count;
	return DP_OK;
}

static DpStatus
settle(const DpMeasurement *m, DpSettledCells *set)
{
	for (uint32_t k = 0; k < set->cells.n; k++)
	{
		const DpAttribute *attribute = &m->domain->attribute[set->cells.attribute[k]];

		if (attribute->open && attribute->universe != NULL)
			set->universe[k] = attribute->universe;
		else if (attribute->open)
			DP_TRY(settle_seen(m, &set->cells, k, &set->universe[k]));
	}
	return sort_cells(m->arena, &set->cells);
}

/* ---- counting ---- */

/* Tables of levels alone: the counter for those is parallel and fast. */
static DpStatus
count_closed(const DpMeasurement *m, DpSettledCells *const *sets, uint32_t n, DpError *error)
{
	DpMarginal *table = dp_alloc(m->arena, n, sizeof(*table));
	DpMarginal **tables = dp_alloc(m->arena, n, sizeof(*tables));

	if (table == NULL || tables == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
	{
		tables[i] = &table[i];
		DP_TRY(dp_marginal_init(&table[i], m->arena, m->domain, sets[i]->cells.attribute,
								sets[i]->cells.n, DP_SPARSE, error));
	}
	DP_TRY(m->counter->count(m->counter->context, m->domain, tables, n, error));
	for (uint32_t i = 0; i < n; i++)
	{
		DpCells *cells = &sets[i]->cells;
		uint32_t *codes;

		cells->rows = table[i].total;
		DP_TRY(dp_marginal_cells(&table[i], m->arena, &codes, &cells->count, &cells->cells));
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
count_open(const DpMeasurement *m, DpSettledCells *const *sets, uint32_t n, DpError *error)
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
		DP_TRY(settle(m, sets[i]));
	}
	return DP_OK;
}

static DpStatus
prepare_set(const DpMeasurement *m, DpSettledCells *set)
{
	set->universe = dp_alloc(m->arena, set->cells.n, sizeof(*set->universe));
	set->cells.seen_n = dp_alloc(m->arena, set->cells.n, sizeof(*set->cells.seen_n));
	set->cells.seen = dp_alloc(m->arena, set->cells.n, sizeof(*set->cells.seen));
	return set->universe == NULL || set->cells.seen_n == NULL || set->cells.seen == NULL
			   ? DP_ERR_MEMORY
			   : DP_OK;
}

DpStatus
dp_cells_count(const DpMeasurement *m, DpSettledCells *sets, uint32_t n, DpError *error)
{
	DpSettledCells **some = dp_alloc(m->arena, n, sizeof(DpSettledCells *));

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
