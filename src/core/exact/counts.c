/*
 * counts.c -- counting all sets of a spec in one pass.
 */
#include "core/exact/counts.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/exact/count_kernel.h"

/* Cells of a block of several sets: 16 kB of 32-bit counters, half of a small first-level cache.
 * By measurement, a block of four times as many costs more misses than it saves increments. */
#define BLOCK_CELLS_MAX 4096
/* The most sets for which blocks are sought; that takes some tenths of a second. With more, blocks
 * are runs of the list. They are so many that their tables would take too much memory: rows wait in
 * columns, and then go through one table of a block after the other. */
#define COVER_SETS_MAX 20000
#define RUN_CELLS_MAX 1024
#define WAIT_ROWS (32 * DP_BATCH_ROWS)
/* Rows after which the 32-bit counters of blocks are emptied. */
#define BLOCK_ROWS_MAX UINT32_MAX

/* ---- memory ---- */

static uint64_t
set_bytes(const DpCounts *counts, uint32_t set)
{
	const DpMarginal *table = &counts->table[set];

	if (table->storage == DP_DENSE || table->n == 0)
		return dp_multiply_saturated(dp_spec_cells(counts->spec, set), sizeof(int64_t));
	return table->capacity * (table->key_words + 1) * sizeof(uint64_t);
}

/* The set to name where memory does not suffice. It is the largest set, and not the one that
 * came last. A hashed set that could not double counts with the size that it wanted. */
static uint32_t
largest_set(const DpCounts *counts, uint32_t failed)
{
	uint64_t bytes_most = 0;
	uint32_t largest = 0;

	for (uint32_t i = 0; i < counts->spec->sets; i++)
	{
		bool doubles = i == failed && counts->spec->set[i].storage == DP_SPARSE;
		uint64_t bytes = dp_multiply_saturated(set_bytes(counts, i), doubles ? 2 : 1);

		if (bytes > bytes_most)
		{
			bytes_most = bytes;
			largest = i;
		}
	}
	return largest;
}

/* The message does not say how much a hashed set holds, since that comes from the data. */
DpStatus
dp_counts_too_large(const DpCounts *counts, uint32_t failed, DpError *error)
{
	const DpSpec *spec = counts->spec;
	uint32_t set = largest_set(counts, failed);
	unsigned long long limit_kb = counts->arena->bytes_max / 1024;
	unsigned long long set_kb = dp_add_saturated(set_bytes(counts, set), 1023) / 1024;
	char name[160];

	dp_spec_set_name(spec, set, name, sizeof(name));
	(void) dp_fail(error, DP_ERR_LIMIT, "the table over %s does not fit in memory", name);
	if (spec->set[set].storage == DP_SPARSE)
		dp_fail_detail(error,
					   "The limit for all tables together is %llu kB; this one, hashed, is the "
					   "largest.",
					   limit_kb);
	else
		dp_fail_detail(error, "It needs %llu kB; the limit for all tables together is %llu kB.",
					   set_kb, limit_kb);
	dp_fail_hint(error, "Raise the limit, or count fewer or smaller sets%s.",
				 spec->set[set].storage == DP_SPARSE ? "" : ", or this one hashed");
	return DP_ERR_LIMIT;
}

/* ---- beginning ---- */

static DpStatus
init_tables(DpCounts *counts, DpError *error)
{
	const DpSpec *spec = counts->spec;
	uint64_t bytes_dense = counts->arena->bytes_used;

	for (uint32_t i = 0; i < spec->sets; i++)
	{
		counts->table[i] = (DpMarginal){.storage = spec->set[i].storage};
		if (spec->set[i].storage == DP_DENSE)
			bytes_dense = dp_add_saturated(bytes_dense, set_bytes(counts, i));
	}
	/* This comes before any table is allocated, so that one message has the whole truth. */
	if (counts->arena->bytes_max > 0 && bytes_dense > counts->arena->bytes_max)
		return dp_counts_too_large(counts, 0, error);
	for (uint32_t i = 0; i < spec->sets; i++)
	{
		const DpSpecSet *set = &spec->set[i];
		DpStatus status;

		dp_tick(counts->tick, -1.0);
		status = dp_marginal_init(&counts->table[i], &spec->domain,
								  &(DpAttributeSet){set->n, set->attribute}, set->storage,
								  counts->arena, error);

		if (status == DP_ERR_MEMORY)
			return dp_counts_too_large(counts, i, error);
		DP_TRY(status);
	}
	return DP_OK;
}

DpStatus
dp_counts_init(DpCounts *counts, const DpSpec *spec, const DpTick *tick, DpArena *arena,
			   DpError *error)
{
	uint32_t attributes = spec->domain.attributes;

	*counts = (DpCounts){.arena = arena, .tick = tick, .spec = spec};
	counts->table = dp_alloc(arena, spec->sets, sizeof(*counts->table));
	if (counts->table == NULL)
		return dp_fail(error, DP_ERR_MEMORY, "no memory for a spec of %u sets", spec->sets);
	DP_TRY(init_tables(counts, error));
	if (spec->keep.bytes_max > 0 && dp_code_cache_init(&counts->kept, spec, arena) != DP_OK)
		return dp_counts_too_large(counts, 0, error);
	counts->code = dp_alloc(arena, attributes, sizeof(*counts->code));
	for (uint32_t a = 0; counts->code != NULL && a < attributes; a++)
	{
		counts->code[a] = dp_alloc(arena, DP_BATCH_ROWS, sizeof(**counts->code));
		if (counts->code[a] == NULL)
			return dp_counts_too_large(counts, 0, error);
	}
	return counts->code == NULL ? dp_counts_too_large(counts, 0, error) : DP_OK;
}

/* ---- blocks ---- */

static bool
block_is_narrow(const DpBlock *block)
{
	return block->cells <= DP_NARROW_LEVELS_MAX;
}

/* Whether the rows of a dense table come by way of a block. */
static bool
is_in_block(const DpCounts *counts, uint32_t set)
{
	if (counts->selection.blocks == 0 || counts->table[set].storage != DP_DENSE)
		return false;
	return !counts->waits || dp_view_selection_is_run(counts->spec, set, DP_NARROW_LEVELS_MAX);
}

/* The columns of the blocks, for so many rows. */
static bool
allocate_columns(DpCounts *counts, uint32_t rows)
{
	DpArena *arena = counts->arena;
	uint32_t attributes = counts->spec->domain.attributes;

	counts->narrow = dp_alloc(arena, attributes, sizeof(*counts->narrow));
	counts->column = dp_alloc(arena, attributes, sizeof(*counts->column));
	if (counts->narrow == NULL || counts->column == NULL)
		return false;
	for (uint32_t i = 0; i < counts->selection.blocks; i++)
	{
		const DpBlock *block = &counts->selection.block[i];

		for (uint32_t k = 0; k < block->of.n && block_is_narrow(block); k++)
		{
			uint16_t **narrow = &counts->narrow[block->of.attribute[k]];

			if (*narrow == NULL)
				*narrow = dp_alloc(arena, rows, sizeof(**narrow));
			if (*narrow == NULL)
				return false;
		}
	}
	return true;
}

/* The result is false without memory for the blocks. What was allocated stays, unused. */
static bool
allocate_blocks(DpCounts *counts)
{
	uint32_t tables = counts->waits ? 1 : counts->selection.blocks;

	counts->block_count = dp_alloc(counts->arena, tables, sizeof(*counts->block_count));
	if (counts->block_count == NULL)
		return false;
	for (uint32_t i = 0; i < tables; i++)
	{
		uint64_t cells = counts->waits ? DP_NARROW_LEVELS_MAX : counts->selection.block[i].cells;

		counts->block_count[i] = dp_alloc(counts->arena, cells, sizeof(**counts->block_count));
		if (counts->block_count[i] == NULL)
			return false;
	}
	return allocate_columns(counts, counts->waits ? WAIT_ROWS : DP_BATCH_ROWS);
}

static DpStatus
find_blocks(DpCounts *counts)
{
	if (counts->waits)
		return dp_view_selection_runs(counts->spec, RUN_CELLS_MAX, DP_NARROW_LEVELS_MAX,
									  &counts->selection, counts->tick, counts->arena);
	return dp_view_selection(counts->spec, BLOCK_CELLS_MAX, &counts->selection, counts->tick,
							 counts->arena);
}

/* Bytes of the columns, or of the tables, whichever are large. */
static uint64_t
block_bytes(const DpCounts *counts)
{
	if (counts->waits)
		return (uint64_t) counts->spec->domain.attributes * WAIT_ROWS * sizeof(uint16_t);
	return dp_multiply_saturated(counts->selection.cells, sizeof(uint32_t));
}

/* Blocks serve speed alone. If they do not fit, rows go to the tables directly. */
static void
make_blocks(DpCounts *counts)
{
	uint64_t left = counts->arena->bytes_max == 0
						? UINT64_MAX
						: counts->arena->bytes_max - counts->arena->bytes_used;

	counts->block_tried = true;
	counts->waits = counts->spec->sets > COVER_SETS_MAX;
	if (find_blocks(counts) != DP_OK || block_bytes(counts) > left || !allocate_blocks(counts))
		counts->selection.blocks = 0;
}

/* Writes the batch to the columns of the blocks: behind the rows that wait there, else at their
 * start, since the batch before has been counted. */
static bool
narrow_columns(DpCounts *counts)
{
	const DpDomain *domain = &counts->spec->domain;
	uint64_t from = counts->waits ? counts->block_rows : 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		if (counts->narrow[a] != NULL &&
			!dp_kernel_narrow(counts->code[a], counts->rows, domain->attribute[a].levels,
							  counts->narrow[a] + from))
			return false;
	}
	return true;
}

static bool
codes_are_levels(const uint32_t *code, uint32_t rows, uint32_t levels)
{
	uint32_t invalid = 0;

	for (uint32_t i = 0; i < rows; i++)
		invalid |= code[i] >= levels;
	return !invalid;
}

static DpStatus
count_wide_block(DpCounts *counts, const DpBlock *block, uint32_t *count)
{
	const uint32_t **column = (const uint32_t **) counts->column;

	for (uint32_t k = 0; k < block->of.n; k++)
	{
		column[k] = counts->code[block->of.attribute[k]];
		if (!codes_are_levels(column[k], counts->rows, block->levels[k]))
			return DP_ERR_INTERNAL;
	}
	dp_kernel_count_wide(column, block->levels, block->of.n, counts->rows, count);
	return DP_OK;
}

/* Adds rows of the narrow columns, from one on, to the table of a block. */
static void
count_narrow_block(DpCounts *counts, const DpBlock *block, uint64_t from, uint32_t rows,
				   uint32_t *count)
{
	for (uint32_t k = 0; k < block->of.n; k++)
		counts->column[k] = counts->narrow[block->of.attribute[k]] + from;
	dp_kernel_count_narrow(counts->column, block->levels, block->of.n, rows, count);
}

static DpStatus
count_blocks(DpCounts *counts)
{
	if (!narrow_columns(counts))
		return DP_ERR_INTERNAL;
	for (uint32_t i = 0; i < counts->selection.blocks && !counts->waits; i++)
	{
		const DpBlock *block = &counts->selection.block[i];

		dp_tick(counts->tick, -1.0);
		if (block_is_narrow(block))
			count_narrow_block(counts, block, 0, counts->rows, counts->block_count[i]);
		else
			DP_TRY(count_wide_block(counts, block, counts->block_count[i]));
	}
	counts->block_rows += counts->rows;
	return DP_OK;
}

static void
empty_block(DpCounts *counts, const DpBlock *block, uint32_t *count)
{
	uint64_t stride[DP_ATTRIBUTES_MAX];

	for (uint32_t i = 0; i < block->sets; i++)
	{
		DpMarginal *table = &counts->table[block->set[i]];

		dp_set_steps_along(&(DpAttributeSet){table->n, table->attribute}, table->levels, &block->of,
						   stride);
		dp_kernel_project(count, block->levels, block->of.n, stride, table->dense);
		table->total += (int64_t) counts->block_rows;
	}
	memset(count, 0, block->cells * sizeof(*count));
}

/* Counts the rows that wait. */
static void
count_waiting(DpCounts *counts, const DpBlock *block, uint32_t *count)
{
	for (uint64_t from = 0; from < counts->block_rows; from += DP_BATCH_ROWS)
	{
		uint64_t left = counts->block_rows - from;

		count_narrow_block(counts, block, from,
						   left < DP_BATCH_ROWS ? (uint32_t) left : DP_BATCH_ROWS, count);
	}
}

static void
empty_blocks(DpCounts *counts)
{
	if (counts->block_rows == 0)
		return;
	for (uint32_t i = 0; i < counts->selection.blocks; i++)
	{
		const DpBlock *block = &counts->selection.block[i];
		uint32_t *count = counts->block_count[counts->waits ? 0 : i];

		dp_tick(counts->tick, -1.0);
		if (counts->waits)
			count_waiting(counts, block, count);
		empty_block(counts, block, count);
	}
	counts->block_rows = 0;
}

/* ---- rows ---- */

/* Counts the batch straight into the tables of the sets that are in no block. */
static DpStatus
count_tables(DpCounts *counts, DpError *error)
{
	for (uint32_t i = 0; i < counts->spec->sets; i++)
	{
		DpStatus status;

		if (is_in_block(counts, i))
			continue;
		dp_tick(counts->tick, -1.0);
		status = dp_marginal_add(&counts->table[i], (const uint32_t *const *) counts->code,
								 counts->rows);
		if (status == DP_ERR_MEMORY)
			return dp_counts_too_large(counts, i, error);
		if (status != DP_OK)
			return dp_fail(error, status, "%s", dp_status_text(status));
	}
	return DP_OK;
}

int64_t
dp_counts_rows(const DpCounts *counts)
{
	int64_t flushed = counts->table[0].total;

	/* A set that is in no block has the rows of the blocks already. */
	if (is_in_block(counts, 0))
		flushed += (int64_t) counts->block_rows;
	return flushed + counts->rows;
}

/* A complete domain has no level for other values. The error does not say which value it was. */
static DpStatus
check_inside(const DpCounts *counts, DpError *error)
{
	const DpDomain *domain = &counts->spec->domain;

	for (uint32_t a = 0; a < domain->attributes && !counts->spec->clamps; a++)
	{
		const DpAttribute *attribute = &domain->attribute[a];

		if (attribute->has_other ||
			codes_are_levels(counts->code[a], counts->rows, attribute->levels))
			continue;
		(void) dp_fail(error, DP_ERR_ARGUMENT, "column \"%.64s\" holds a value outside its domain",
					   attribute->name);
		dp_fail_detail(error, "The domain is complete: it has no level for NULL and other values.");
		dp_fail_hint(error, "Count with a domain that has one.");
		return DP_ERR_ARGUMENT;
	}
	return DP_OK;
}

/* A tick may leave for good in the middle of a change, or memory may end there. Then some tables
 * have rows that others lack. */
static DpStatus
change_begin(DpCounts *counts, DpError *error)
{
	if (counts->changing)
		return dp_fail(error, DP_ERR_INTERNAL, "counts that an error left incomplete");
	counts->changing = true;
	return DP_OK;
}

static DpStatus
count_pending(DpCounts *counts, DpError *error)
{
	/* One check serves all: what can be pending at most still fits every table's total. */
	if (counts->table[0].total > INT64_MAX - (int64_t) BLOCK_ROWS_MAX - DP_BATCH_ROWS)
		return dp_fail(error, DP_ERR_RANGE, "too many rows");
	DP_TRY(check_inside(counts, error));
	if (!counts->block_tried && counts->rows == DP_BATCH_ROWS)
		make_blocks(counts);
	DP_TRY(count_tables(counts, error));
	if (counts->spec->keep.bytes_max > 0)
		dp_code_cache_add(&counts->kept, (const uint32_t *const *) counts->code, counts->rows);
	if (counts->selection.blocks > 0)
	{
		if (count_blocks(counts) != DP_OK)
			return dp_fail(error, DP_ERR_INTERNAL, "a code is not a level");
		if (counts->block_rows >= (counts->waits ? WAIT_ROWS : BLOCK_ROWS_MAX) - DP_BATCH_ROWS)
			empty_blocks(counts);
	}
	counts->rows = 0;
	return DP_OK;
}

static DpStatus
flush(DpCounts *counts, DpError *error)
{
	if (counts->rows > 0)
		DP_TRY(count_pending(counts, error));
	empty_blocks(counts);
	return DP_OK;
}

static DpStatus
merge(DpCounts *into, const DpCounts *from, DpError *error)
{
	DP_TRY(flush(into, error));
	for (uint32_t i = 0; i < into->spec->sets; i++)
	{
		DpStatus status;

		dp_tick(into->tick, -1.0);
		status = dp_marginal_merge(&into->table[i], &from->table[i]);
		if (status == DP_ERR_MEMORY)
			return dp_counts_too_large(into, i, error);
		if (status != DP_OK)
			return dp_fail(error, status, "%s", dp_status_text(status));
	}
	if (into->spec->keep.bytes_max > 0)
		dp_code_cache_append(&into->kept, &from->kept);
	return DP_OK;
}

DpStatus
dp_counts_batch(DpCounts *counts, DpError *error)
{
	DP_TRY(change_begin(counts, error));
	DP_TRY(count_pending(counts, error));
	counts->changing = false;
	return DP_OK;
}

DpStatus
dp_counts_finalize(DpCounts *counts, DpError *error)
{
	DP_TRY(change_begin(counts, error));
	DP_TRY(flush(counts, error));
	counts->changing = false;
	return DP_OK;
}

DpStatus
dp_counts_merge(DpCounts *into, const DpCounts *from, DpError *error)
{
	if (into->spec->sets != from->spec->sets || from->rows > 0 || from->block_rows > 0 ||
		from->changing)
		return dp_fail(error, DP_ERR_INTERNAL, "counts that cannot be merged");
	DP_TRY(change_begin(into, error));
	DP_TRY(merge(into, from, error));
	into->changing = false;
	return DP_OK;
}

DpStatus
dp_counts_add_cache(DpCounts *counts, const DpCodeCache *kept, const DpCachedColumn *column,
					DpError *error)
{
	DpCodeCacheReader reader = {.kept = kept};

	for (;;)
	{
		counts->rows =
			dp_code_cache_next(&reader, column, counts->spec->domain.attributes, counts->code);
		if (counts->rows == 0)
			return dp_counts_finalize(counts, error);
		DP_TRY(dp_counts_batch(counts, error));
	}
}
