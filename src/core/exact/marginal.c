/*
 * marginal.c -- exact contingency tables: count, merge, project, list.
 */
#include "core/exact/marginal.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/exact/marginal_hash.h"
#include "core/exact/strided_iterator.h"

#define BATCH_ROWS 512

static DpStatus
init_dense(DpMarginal *marginal, DpError *error)
{
	marginal->cells = dp_product_saturated(marginal->levels, marginal->n);
	if (marginal->cells > DP_DENSE_CELLS_MAX)
	{
		(void) dp_fail(error, DP_ERR_LIMIT, "a dense table of %u attributes is too large",
					   marginal->n);
		dp_fail_detail(error, "The limit is %llu cells.", (unsigned long long) DP_DENSE_CELLS_MAX);
		return DP_ERR_LIMIT;
	}
	marginal->dense = dp_alloc(marginal->arena, marginal->cells, sizeof(*marginal->dense));
	return marginal->dense == NULL ? DP_ERR_MEMORY : DP_OK;
}

/* Copies attribute and levels. */
static DpStatus
init_from_levels(DpMarginal *marginal, const DpAttributeSet *set, const uint32_t *levels,
				 DpStorage storage, DpArena *arena, DpError *error)
{
	*marginal = (DpMarginal){.arena = arena, .n = set->n, .storage = storage};
	marginal->attribute = dp_memdup(arena, set->attribute, set->n * sizeof(*set->attribute));
	marginal->levels = dp_memdup(arena, levels, set->n * sizeof(*levels));
	if (marginal->attribute == NULL || marginal->levels == NULL)
		return DP_ERR_MEMORY;
	return storage == DP_DENSE ? init_dense(marginal, error) : dp_marginal_hash_init(marginal);
}

static DpStatus
check_attributes(const DpDomain *domain, const DpAttributeSet *set, DpError *error)
{
	const uint32_t *attributes = set->attribute;
	uint32_t n = set->n;

	if (n == 0 || n > domain->attributes)
		return dp_fail(error, DP_ERR_ARGUMENT, "a table needs 1 to %u attributes",
					   domain->attributes);
	for (uint32_t k = 0; k < n; k++)
	{
		if (attributes[k] >= domain->attributes || domain->attribute[attributes[k]].levels == 0)
			return dp_fail(error, DP_ERR_ARGUMENT, "a table over an attribute without levels");
		for (uint32_t i = 0; i < k; i++)
		{
			if (attributes[i] == attributes[k])
				return dp_fail(error, DP_ERR_ARGUMENT, "a table has an attribute twice");
		}
	}
	return DP_OK;
}

DpStatus
dp_marginal_init(DpMarginal *marginal, const DpDomain *domain, const DpAttributeSet *set,
				 DpStorage storage, DpArena *arena, DpError *error)
{
	uint32_t levels[DP_ATTRIBUTES_MAX] = {0};

	*marginal = (DpMarginal){.arena = arena};
	if (set->n > DP_ATTRIBUTES_MAX)
		return dp_fail(error, DP_ERR_LIMIT, "a table has more than %d attributes",
					   DP_ATTRIBUTES_MAX);
	DP_TRY(check_attributes(domain, set, error));
	dp_domain_levels(domain, set->attribute, set->n, levels);
	return init_from_levels(marginal, set, levels, storage, arena, error);
}

void
dp_marginal_free(DpMarginal *marginal)
{
	if (marginal->arena == NULL)
		return;
	if (marginal->storage == DP_DENSE)
		dp_free(marginal->arena, marginal->dense, marginal->cells, sizeof(*marginal->dense));
	else
		dp_marginal_hash_free(marginal);
	dp_free(marginal->arena, marginal->attribute, marginal->n * sizeof(*marginal->attribute), 1);
	dp_free(marginal->arena, marginal->levels, marginal->n * sizeof(*marginal->levels), 1);
	*marginal = (DpMarginal){.arena = NULL};
}

/* Rows are taken in batches, column by column, so that the index arithmetic runs in vector
 * registers. All codes are checked before the first counter of the batch moves. */
static DpStatus
add_dense(DpMarginal *marginal, const uint32_t *const *codes, uint32_t rows)
{
	uint32_t cell[BATCH_ROWS]; /* 32 bits suffice, since DP_DENSE_CELLS_MAX is 2^31 */

	for (uint32_t first = 0; first < rows; first += BATCH_ROWS)
	{
		uint32_t n = rows - first < BATCH_ROWS ? rows - first : BATCH_ROWS;
		uint32_t invalid = 0;

		memset(cell, 0, sizeof(cell));
		for (uint32_t k = 0; k < marginal->n; k++)
		{
			const uint32_t *column = codes[marginal->attribute[k]] + first;
			uint32_t levels = marginal->levels[k];

			for (uint32_t i = 0; i < n; i++)
			{
				invalid |= column[i] >= levels;
				cell[i] = cell[i] * levels + column[i];
			}
		}
		if (invalid)
			return DP_ERR_INTERNAL;
		for (uint32_t i = 0; i < n; i++)
			marginal->dense[cell[i]]++;
	}
	return DP_OK;
}

DpStatus
dp_marginal_add(DpMarginal *marginal, const uint32_t *const *codes, uint32_t rows)
{
	int64_t total;

	if (__builtin_add_overflow(marginal->total, (int64_t) rows, &total))
		return DP_ERR_RANGE;
	if (marginal->storage == DP_DENSE)
		DP_TRY(add_dense(marginal, codes, rows));
	else
		DP_TRY(dp_marginal_hash_add(marginal, codes, rows));
	marginal->total = total;
	return DP_OK;
}

static bool
same_shape(const DpMarginal *a, const DpMarginal *b)
{
	return a->n == b->n && a->storage == b->storage &&
		   memcmp(a->attribute, b->attribute, a->n * sizeof(*a->attribute)) == 0 &&
		   memcmp(a->levels, b->levels, a->n * sizeof(*a->levels)) == 0;
}

static DpStatus
merge_sparse(DpMarginal *into, const DpMarginal *from)
{
	for (uint64_t i = 0; i < from->capacity; i++)
	{
		if (from->counts[i] != 0)
			DP_TRY(dp_marginal_hash_bump(into, from->keys + i * from->key_words, from->counts[i]));
	}
	return DP_OK;
}

DpStatus
dp_marginal_merge(DpMarginal *into, const DpMarginal *from)
{
	int64_t total;

	if (!same_shape(into, from))
		return DP_ERR_ARGUMENT;
	/* No cell exceeds its table's total, so this check covers every cell. */
	if (__builtin_add_overflow(into->total, from->total, &total))
		return DP_ERR_RANGE;
	if (into->storage == DP_SPARSE)
		DP_TRY(merge_sparse(into, from));
	else
	{
		for (uint64_t i = 0; i < into->cells; i++)
			into->dense[i] += from->dense[i];
	}
	into->total = total;
	return DP_OK;
}

static void
project_cells(const DpMarginal *marginal, const uint32_t *positions, uint32_t n, DpMarginal *out)
{
	uint32_t codes[DP_ATTRIBUTES_MAX];
	uint64_t end = dp_cell_end(marginal);

	for (uint64_t i = 0; i < end; i++)
	{
		int64_t count = dp_cell_count(marginal, i);
		uint64_t cell = 0;

		if (count == 0)
			continue;
		dp_cell_codes(marginal, i, codes);
		for (uint32_t k = 0; k < n; k++)
			cell = cell * out->levels[k] + codes[positions[k]];
		out->dense[cell] += count;
	}
}

DpStatus
dp_marginal_project(const DpMarginal *marginal, const uint32_t *positions, uint32_t n,
					DpMarginal *out, DpArena *arena)
{
	uint32_t attribute[DP_ATTRIBUTES_MAX];
	uint32_t levels[DP_ATTRIBUTES_MAX];

	if (n == 0 || n > marginal->n)
		return DP_ERR_ARGUMENT;
	for (uint32_t k = 0; k < n; k++)
	{
		if (positions[k] >= marginal->n)
			return DP_ERR_ARGUMENT;
		attribute[k] = marginal->attribute[positions[k]];
		levels[k] = marginal->levels[positions[k]];
	}
	DP_TRY(init_from_levels(out, &(DpAttributeSet){n, attribute}, levels, DP_DENSE, arena, NULL));
	out->total = marginal->total;
	project_cells(marginal, positions, n, out);
	return DP_OK;
}

/* Lists the positions of the non-empty cells in ascending order of codes. */
static DpStatus
ordered_positions(const DpMarginal *marginal, uint64_t **out, uint64_t *used, DpArena *arena)
{
	uint64_t n = 0;

	if (marginal->storage == DP_SPARSE)
	{
		*used = marginal->used;
		return dp_marginal_hash_order(marginal, out, arena);
	}
	for (uint64_t i = 0; i < marginal->cells; i++)
		n += marginal->dense[i] != 0;
	*used = n;
	*out = dp_alloc(arena, n, sizeof(**out));
	if (*out == NULL)
		return DP_ERR_MEMORY;
	n = 0;
	for (uint64_t i = 0; i < marginal->cells; i++)
	{
		if (marginal->dense[i] != 0)
			(*out)[n++] = i;
	}
	return DP_OK;
}

DpStatus
dp_marginal_cells(const DpMarginal *marginal, uint32_t **codes_out, int64_t **counts_out,
				  uint64_t *used_out, DpArena *arena)
{
	uint64_t *positions;
	uint64_t used;
	uint32_t *codes;
	int64_t *counts;

	DP_TRY(ordered_positions(marginal, &positions, &used, arena));
	codes = dp_alloc(arena, used, marginal->n * sizeof(*codes));
	counts = dp_alloc(arena, used, sizeof(*counts));
	if (codes == NULL || counts == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < used; i++)
	{
		dp_cell_codes(marginal, positions[i], codes + i * marginal->n);
		counts[i] = dp_cell_count(marginal, positions[i]);
	}
	dp_free(arena, positions, used, sizeof(*positions));
	*codes_out = codes;
	*counts_out = counts;
	*used_out = used;
	return DP_OK;
}

static uint64_t
sparse_table_bytes(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
				   uint64_t cells_used)
{
	uint32_t levels[DP_ATTRIBUTES_MAX];
	DpKeyField field[DP_ATTRIBUTES_MAX];

	if (n == 0 || n > DP_ATTRIBUTES_MAX)
		return 0;
	dp_domain_levels(domain, attributes, n, levels);
	return dp_add_saturated(n * sizeof(DpKeyField),
							dp_marginal_hash_bytes(dp_marginal_hash_capacity(cells_used),
												   dp_key_layout(levels, n, field)));
}

uint64_t
dp_marginal_bytes(const DpDomain *domain, const uint32_t *attributes, uint32_t n, DpStorage storage,
				  uint64_t cells_used)
{
	uint64_t header = (uint64_t) n * 2 * sizeof(uint32_t);

	if (storage == DP_SPARSE)
		return dp_add_saturated(header, sparse_table_bytes(domain, attributes, n, cells_used));
	return dp_add_saturated(
		header, dp_multiply_saturated(dp_domain_cells(domain, attributes, n), sizeof(int64_t)));
}
