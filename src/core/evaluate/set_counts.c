/*
 * set_counts.c -- counting many sets of attributes in two tables of coded rows.
 *
 * Input:    the codes of both tables, sets S_1 ... S_m, a bound on memory
 * Output:   the tables of each set, that of the original beside that of the synthetic rows
 * How:      A counter is a word for both tables (table_pair.h), so a set is counted once. Where
 *           a set of all attributes is among them and its cells fit half of the memory, it comes
 *           first, and all others are counted from its cells, which are fewer than rows. Sets of
 *           few cells are margins of blocks (view_selection.h), the others are hashed.
 * Cost:     an increment a block and a distinct row. A chunk of rows, which lies in the nearer
 *           caches, goes through all blocks before the next one comes; so the counters of one
 *           block are in use at a time.
 *
 * The sets are divided into passes, each of which fits memory; a pass reads the codes once.
 */
#include "core/evaluate/set_counts.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/exact/count_kernel.h"
#include "core/exact/view_selection.h"
#include "core/exact/marginal.h"

/* A set of at most so many cells is counted in an array, however few rows there are. */
#define DENSE_CELLS_MIN 65536
/* A set for which an array takes no more than this many times the memory of a hash table is counted
 * in an array, which is faster. */
#define DENSE_WORTH 2
#define PASS_SETS_MAX 20000 /* the selection of more would take long */
#define BLOCK_CELLS_MAX 4096
#define CHUNK_BYTES (1 << 18) /* of codes */
#define CHUNK_BATCHES_MAX 16
#define COUNTER sizeof(uint64_t)
#define LISTED_RUN 8 /* cells that are looked at together */

/* ---- memory ---- */

/* What a margin takes while it is handed over: the word of both tables, and a number of each. So
 * much is enough for the place of a cell that is listed, which has no word. */
#define MARGIN_CELL (COUNTER + 2 * sizeof(int64_t))

static uint64_t
rows_of_both(const DpSetCounting *counting)
{
	return (uint64_t) counting->rows[0].rows + (uint64_t) counting->rows[1].rows;
}

/* The cells of a set that are not empty are no more than these. */
static uint64_t
cells_at_most(const DpSetCounting *counting, const DpAttributeSet *set)
{
	uint64_t cells = dp_domain_cells(counting->domain, set->attribute, set->n);
	uint64_t rows = rows_of_both(counting);

	return cells < rows ? cells : rows;
}

static uint64_t
distinct_bytes(const DpSetCounting *counting, const DpAttributeSet *set)
{
	uint64_t used = cells_at_most(counting, set);

	/* the numbers of both tables side by side, and in order with their keys */
	return dp_add_saturated(dp_distinct_cells_bytes(counting->domain, set, used),
							dp_multiply_saturated(used, 7 * sizeof(int64_t)));
}

static DpStorage
storage_of(const DpSetCounting *counting, const DpAttributeSet *set, uint64_t *bytes)
{
	uint64_t cells = dp_domain_cells(counting->domain, set->attribute, set->n);
	uint64_t dense = dp_multiply_saturated(cells, COUNTER + MARGIN_CELL);
	uint64_t sparse = distinct_bytes(counting, set);

	if (cells <= DENSE_CELLS_MIN || (cells <= DP_DENSE_CELLS_MAX && dense / DENSE_WORTH <= sparse))
	{
		*bytes = dense;
		return DP_DENSE;
	}
	*bytes = sparse;
	return DP_SPARSE;
}

/* ---- one pass ---- */

/* Batches of rows that are counted together. */
typedef struct Chunk
{
	bool is_all; /* all that is counted is one chunk */
	uint32_t batches, batches_max;
	uint32_t *filled;    /* [batches_max] rows of a batch */
	uint64_t *rows;      /* [batches_max][DP_BATCH_ROWS] how many rows each stands for */
	uint16_t **narrow;   /* [attributes][batches_max][DP_BATCH_ROWS] */
	const void **column; /* [attributes] scratch memory */
} Chunk;

/* The margin that is handed over. */
typedef struct Margin
{
	uint64_t *cell;    /* [largest] */
	int64_t *count[2]; /* [largest] */
	uint32_t *place;   /* of cells that are listed */
} Margin;

typedef struct Pass
{
	const DpSetCounting *counting;
	const DpDistinctCells *source; /* what is counted in place of rows, or NULL */
	uint32_t joint; /* the number of its set in the job, which is handed over already */
	DpArena *arena;
	DpSpec spec;
	uint32_t *number; /* [spec.sets] of the set in the job */
	uint64_t bytes_left;
	DpDistinctCells *distinct; /* [spec.sets] of sets that are hashed */
	DpViewSelection selection;
	uint64_t **block; /* [blocks][cells] */
	/* the batch */
	uint32_t n;
	uint32_t **code; /* [attributes][DP_BATCH_ROWS] */
	Chunk chunk;
	Margin handed;
} Pass;

/* Takes sets from *next on while there is memory for them. */
static DpStatus
pass_plan(Pass *pass, uint32_t *next, const DpPairTaker *taker, uint64_t bytes_max)
{
	const DpSetCounting *counting = pass->counting;
	uint32_t sets_max =
		counting->sets - *next < PASS_SETS_MAX ? counting->sets - *next : PASS_SETS_MAX;
	uint64_t counters = 0;
	uint64_t margin = 0;

	pass->spec.domain = *counting->domain;
	pass->spec.set = dp_alloc(pass->arena, sets_max, sizeof(DpSpecSet));
	pass->number = dp_alloc(pass->arena, sets_max, sizeof(uint32_t));
	DP_TRY_ALLOC(pass->spec.set && pass->number);
	for (; *next < counting->sets && pass->spec.sets < sets_max; (*next)++)
	{
		const DpAttributeSet *set = &counting->set[*next];
		uint64_t cells = dp_domain_cells(counting->domain, set->attribute, set->n);
		uint64_t bytes, largest;
		DpStorage storage = storage_of(counting, set, &bytes);

		if (pass->source != NULL && *next == pass->joint)
			continue; /* by its number: the same set may stand in the list again */
		if (bytes > bytes_max)
		{
			taker->leave_out(taker->context, *next, bytes);
			continue;
		}
		largest =
			storage == DP_DENSE && cells * MARGIN_CELL > margin ? cells * MARGIN_CELL : margin;
		bytes = storage == DP_DENSE ? cells * COUNTER : bytes;
		if (counters + bytes + largest > bytes_max)
			break;
		counters += bytes;
		margin = largest;
		pass->number[pass->spec.sets] = *next;
		pass->spec.set[pass->spec.sets++] =
			(DpSpecSet){.n = set->n, .attribute = (uint32_t *) set->attribute, .storage = storage};
	}
	pass->bytes_left = bytes_max - counters - margin;
	return DP_OK;
}

static DpAttributeSet
set_of(const Pass *pass, uint32_t set)
{
	return (DpAttributeSet){pass->spec.set[set].n, pass->spec.set[set].attribute};
}

static uint64_t
counters_planned(const Pass *pass)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < pass->spec.sets; i++)
		if (pass->spec.set[i].storage == DP_DENSE)
			cells += dp_spec_cells(&pass->spec, i);
	return cells;
}

/* Blocks of several sets may have more cells than their sets. Where there is no memory for that, a
 * block has other sets only if they are margins of its first one. */
static DpStatus
make_blocks(Pass *pass)
{
	uint64_t cells_max = counters_planned(pass) + pass->bytes_left / COUNTER;
	const DpTick *tick = pass->counting->tick;

	DP_TRY(dp_view_selection(&pass->spec, BLOCK_CELLS_MAX, &pass->selection, tick, pass->arena));
	if (pass->selection.cells > cells_max)
		DP_TRY(dp_view_selection(&pass->spec, 0, &pass->selection, tick, pass->arena));
	return DP_OK;
}

/* The counters of all blocks; of blocks that are counted one after the other, the same ones. */
static DpStatus
make_counters(Pass *pass)
{
	uint64_t largest = 0;

	pass->block = dp_alloc(pass->arena, pass->selection.blocks, sizeof(*pass->block));
	DP_TRY_ALLOC(pass->block);
	for (uint32_t i = 0; i < pass->selection.blocks; i++)
		largest =
			pass->selection.block[i].cells > largest ? pass->selection.block[i].cells : largest;
	for (uint32_t i = 0; i < pass->selection.blocks; i++)
	{
		uint64_t cells = pass->chunk.is_all ? largest : pass->selection.block[i].cells;

		pass->block[i] =
			pass->chunk.is_all && i > 0 ? pass->block[0] : dp_alloc(pass->arena, cells, COUNTER);
		DP_TRY_ALLOC(pass->block[i]);
	}
	return DP_OK;
}

static DpStatus
make_distinct(Pass *pass)
{
	pass->distinct = dp_alloc(pass->arena, pass->spec.sets, sizeof(*pass->distinct));
	DP_TRY_ALLOC(pass->distinct);
	for (uint32_t i = 0; i < pass->spec.sets; i++)
	{
		DpAttributeSet set = set_of(pass, i);
		uint64_t cells = cells_at_most(pass->counting, &set);

		if (pass->source != NULL && pass->source->cells < cells)
			cells = pass->source->cells;
		if (pass->spec.set[i].storage == DP_SPARSE)
			DP_TRY(dp_distinct_cells_init(&pass->distinct[i], &pass->spec.domain, &set, cells,
										  pass->arena));
	}
	return DP_OK;
}

static bool
is_narrow(const DpBlock *block)
{
	return block->cells <= DP_NARROW_LEVELS_MAX;
}

static bool
has_narrow_levels(const DpBlock *block)
{
	for (uint32_t k = 0; k < block->of.n; k++)
		if (block->levels[k] > DP_NARROW_LEVELS_MAX)
			return false;
	return true;
}

/* How many batches are a chunk. All of them are one where all codes fit 16 bits and that takes no
 * more memory than the counters of all blocks, which are not needed then. */
static void
plan_chunk(Pass *pass)
{
	uint64_t batch = (uint64_t) DP_BATCH_ROWS *
					 (pass->spec.domain.attributes * sizeof(uint16_t) + sizeof(*pass->chunk.rows));
	uint64_t batches = CHUNK_BYTES / batch;

	pass->chunk.batches_max = (uint32_t) (batches < 1                   ? 1
										  : batches > CHUNK_BATCHES_MAX ? CHUNK_BATCHES_MAX
																		: batches);
	if (pass->source == NULL)
		return;
	batches = pass->source->cells / DP_BATCH_ROWS + 1;
	pass->chunk.is_all = batches * batch <= pass->selection.cells * COUNTER;
	for (uint32_t i = 0; i < pass->selection.blocks; i++)
		pass->chunk.is_all = pass->chunk.is_all && has_narrow_levels(&pass->selection.block[i]);
	if (pass->chunk.is_all)
		pass->chunk.batches_max = (uint32_t) batches;
}

static DpStatus
make_chunk(Pass *pass)
{
	DpArena *arena = pass->arena;
	uint32_t attributes = pass->spec.domain.attributes;
	uint32_t batches = pass->chunk.batches_max;

	pass->chunk.filled = dp_alloc(arena, batches, sizeof(*pass->chunk.filled));
	pass->chunk.rows =
		dp_alloc_uncleared(arena, (size_t) batches * DP_BATCH_ROWS, sizeof(*pass->chunk.rows));
	pass->code = dp_alloc(arena, attributes, sizeof(*pass->code));
	pass->chunk.narrow = dp_alloc(arena, attributes, sizeof(*pass->chunk.narrow));
	pass->chunk.column = dp_alloc(arena, attributes, sizeof(*pass->chunk.column));
	DP_TRY_ALLOC(pass->chunk.filled && pass->chunk.rows && pass->code && pass->chunk.narrow &&
				 pass->chunk.column);
	for (uint32_t a = 0; a < attributes; a++)
	{
		pass->code[a] = dp_alloc(arena, DP_BATCH_ROWS, sizeof(**pass->code));
		pass->chunk.narrow[a] =
			dp_alloc_uncleared(arena, (size_t) batches * DP_BATCH_ROWS, sizeof(uint16_t));
		DP_TRY_ALLOC(pass->code[a] && pass->chunk.narrow[a]);
	}
	return DP_OK;
}

/* ---- counting ---- */

static void
count_block(Pass *pass, uint32_t number)
{
	const DpBlock *block = &pass->selection.block[number];
	const uint16_t **column = (const uint16_t **) pass->chunk.column;
	void (*add)(const uint16_t *const *, const uint32_t *, uint32_t, uint32_t, const uint64_t *,
				uint64_t *) = is_narrow(block) ? dp_kernel_add_narrow : dp_kernel_add_widened;

	for (uint32_t batch = 0; batch < pass->chunk.batches; batch++)
	{
		for (uint32_t k = 0; k < block->of.n; k++)
			column[k] = pass->chunk.narrow[block->of.attribute[k]] + (size_t) batch * DP_BATCH_ROWS;
		add(column, block->levels, block->of.n, pass->chunk.filled[batch],
			pass->chunk.rows + (size_t) batch * DP_BATCH_ROWS, pass->block[number]);
	}
}

static void
end_chunk(Pass *pass)
{
	for (uint32_t i = 0; i < pass->selection.blocks; i++)
	{
		dp_tick(pass->counting->tick, -1);
		if (is_narrow(&pass->selection.block[i]))
			count_block(pass, i);
	}
	pass->chunk.batches = 0;
}

static void
count_wide_block(Pass *pass, uint32_t number, const uint64_t *rows)
{
	const DpBlock *block = &pass->selection.block[number];
	const uint32_t **column = (const uint32_t **) pass->chunk.column;

	for (uint32_t k = 0; k < block->of.n; k++)
		column[k] = pass->code[block->of.attribute[k]];
	dp_kernel_add_wide(column, block->levels, block->of.n, pass->n, rows, pass->block[number]);
}

/* Puts the batch into the chunk, and counts it in what needs no chunk. */
static DpStatus
end_batch(Pass *pass)
{
	const DpDomain *domain = &pass->spec.domain;
	size_t at = (size_t) pass->chunk.batches * DP_BATCH_ROWS;
	const uint64_t *rows = pass->chunk.rows + at;

	for (uint32_t a = 0; a < domain->attributes; a++)
		if (!dp_kernel_narrow(pass->code[a], pass->n, domain->attribute[a].levels,
							  pass->chunk.narrow[a] + at))
			return DP_ERR_INTERNAL;
	for (uint32_t i = 0; i < pass->selection.blocks && !pass->chunk.is_all; i++)
		if (!is_narrow(&pass->selection.block[i]))
			count_wide_block(pass, i, rows);
	for (uint32_t i = 0; i < pass->spec.sets; i++)
		if (pass->spec.set[i].storage == DP_SPARSE)
			DP_TRY(dp_distinct_cells_add(&pass->distinct[i], (const uint32_t *const *) pass->code,
										 rows, pass->n));
	pass->chunk.filled[pass->chunk.batches++] = pass->n;
	if (pass->chunk.batches == pass->chunk.batches_max && !pass->chunk.is_all)
		end_chunk(pass);
	return DP_OK;
}

static DpStatus
count_rows(Pass *pass, int side)
{
	const DpCodedRows *rows = &pass->counting->rows[side];

	rows->rewind(rows->context);
	for (;;)
	{
		uint64_t *each = pass->chunk.rows + (size_t) pass->chunk.batches * DP_BATCH_ROWS;

		dp_tick(pass->counting->tick, -1);
		pass->n = rows->next(rows->context, pass->code);
		if (pass->n == 0)
			return DP_OK;
		for (uint32_t i = 0; i < pass->n; i++)
			each[i] = side == 0 ? DP_ONE_ORIGINAL : DP_ONE_SYNTHETIC;
		DP_TRY(end_batch(pass));
	}
}

static DpStatus
count_source(Pass *pass)
{
	const DpDistinctCells *source = pass->source;

	for (uint64_t first = 0; first < source->cells; first += pass->n)
	{
		uint64_t left = source->cells - first;

		pass->n = left < DP_BATCH_ROWS ? (uint32_t) left : DP_BATCH_ROWS;
		dp_distinct_cells_codes(source, first, pass->n, pass->code);
		memcpy(pass->chunk.rows + (size_t) pass->chunk.batches * DP_BATCH_ROWS,
			   source->rows + first, pass->n * sizeof(uint64_t));
		DP_TRY(end_batch(pass));
	}
	return DP_OK;
}

/* ---- handing over ---- */

/* Whether the cells of a set that are not empty are listed: there are fewer of them. */
static bool
is_listed(const Pass *pass, uint64_t cells)
{
	return pass->source != NULL && cells > pass->source->cells;
}

/* Puts the counts of both tables beside each other. */
static void
part_all(Pass *pass, const uint64_t *counted, DpTablePair *pair)
{
	for (int side = 0; side < 2; side++)
		for (uint64_t i = 0; i < pair->cells; i++)
			pass->handed.count[side][i] = dp_rows_of_side(counted[i], side);
}

/* The same of the cells that are not empty. Empty ones mostly come in runs. Within a run that is
 * not empty each cell is written, and the next one over it where it is empty: a branch would often
 * go the wrong way. */
static void
part_listed(Pass *pass, const uint64_t *counted, DpTablePair *pair)
{
	uint64_t listed = 0, end;

	for (uint64_t first = 0; first < pair->cells; first = end)
	{
		uint64_t any = 0;

		end = first + LISTED_RUN < pair->cells ? first + LISTED_RUN : pair->cells;
		for (uint64_t i = first; i < end; i++)
			any |= counted[i];
		for (uint64_t i = first; i < end && any != 0; i++)
		{
			pass->handed.count[0][listed] = dp_rows_of_side(counted[i], 0);
			pass->handed.count[1][listed] = dp_rows_of_side(counted[i], 1);
			pass->handed.place[listed] = (uint32_t) i;
			listed += counted[i] != 0;
		}
	}
	pair->cells = listed;
	pair->place = pass->handed.place;
}

/* Sums a block to one of its sets. */
static void
sum_block(Pass *pass, const DpBlock *block, const uint64_t *counted, const DpTablePair *pair,
		  const DpAttributeSet *of)
{
	uint64_t stride[DP_ATTRIBUTES_MAX];

	dp_set_steps_along(of, pair->levels, &block->of, stride);
	memset(pass->handed.cell, 0, pair->cells * sizeof(*pass->handed.cell));
	dp_kernel_project_added(counted, block->levels, block->of.n, stride, pass->handed.cell);
}

static DpStatus
hand_over(Pass *pass, const DpPairTaker *taker, uint32_t set, const DpBlock *block,
		  const uint64_t *counted)
{
	uint32_t levels[DP_ATTRIBUTES_MAX];
	DpAttributeSet of = set_of(pass, set);
	DpTablePair pair = {.n = of.n,
						.levels = levels,
						.cells = dp_spec_cells(&pass->spec, set),
						.count = {pass->handed.count[0], pass->handed.count[1]},
						.total = {pass->counting->rows[0].rows, pass->counting->rows[1].rows}};

	dp_domain_levels(&pass->spec.domain, of.attribute, of.n, levels);
	/* a block begins with one of its sets, so it is that one if it has no other */
	if (block->sets > 1)
	{
		sum_block(pass, block, counted, &pair, &of);
		counted = pass->handed.cell;
	}
	if (is_listed(pass, pair.cells))
		part_listed(pass, counted, &pair);
	else
		part_all(pass, counted, &pair);
	return taker->take(taker->context, pass->number[set], &pair);
}

static void
raise_to(uint64_t *most, uint64_t n)
{
	*most = n > *most ? n : *most;
}

static DpStatus
make_handed_over(Pass *pass)
{
	uint64_t margin = 0, counts = 0, places = 0;

	for (uint32_t i = 0; i < pass->selection.blocks; i++)
	{
		const DpBlock *block = &pass->selection.block[i];

		for (uint32_t k = 0; k < block->sets; k++)
		{
			uint64_t cells = dp_spec_cells(&pass->spec, block->set[k]);

			if (block->sets > 1)
				raise_to(&margin, cells);
			if (is_listed(pass, cells))
				raise_to(&places, pass->source->cells + 1);
			else
				raise_to(&counts, cells);
		}
	}
	raise_to(&counts, places);
	pass->handed.cell = dp_alloc_uncleared(pass->arena, margin, sizeof(*pass->handed.cell));
	pass->handed.count[0] = dp_alloc_uncleared(pass->arena, counts, sizeof(int64_t));
	pass->handed.count[1] = dp_alloc_uncleared(pass->arena, counts, sizeof(int64_t));
	pass->handed.place = dp_alloc_uncleared(pass->arena, places, sizeof(*pass->handed.place));
	DP_TRY_ALLOC(pass->handed.cell && pass->handed.count[0] && pass->handed.count[1] &&
				 pass->handed.place);
	return DP_OK;
}

static DpStatus
hand_over_blocks(Pass *pass, const DpPairTaker *taker)
{
	DP_TRY(make_handed_over(pass));
	for (uint32_t i = 0; i < pass->selection.blocks; i++)
	{
		const DpBlock *block = &pass->selection.block[i];

		dp_tick(pass->counting->tick, -1);
		if (pass->chunk.is_all)
		{
			memset(pass->block[i], 0, block->cells * COUNTER);
			count_block(pass, i);
		}
		for (uint32_t k = 0; k < block->sets; k++)
			DP_TRY(hand_over(pass, taker, block->set[k], block, pass->block[i]));
	}
	return DP_OK;
}

static DpStatus
hand_over_distinct(Pass *pass, const DpDistinctCells *distinct, uint32_t number,
				   const DpPairTaker *taker)
{
	uint32_t levels[DP_ATTRIBUTES_MAX];
	DpTablePair pair;

	dp_tick(pass->counting->tick, -1);
	dp_domain_levels(&pass->spec.domain, distinct->set.attribute, distinct->set.n, levels);
	DP_TRY(dp_table_pair_make(distinct, levels, &pair, pass->arena));
	DP_TRY(taker->take(taker->context, number, &pair));
	dp_free(pass->arena, (void *) pair.count[0], pair.cells, sizeof(int64_t));
	dp_free(pass->arena, (void *) pair.count[1], pair.cells, sizeof(int64_t));
	return DP_OK;
}

/* ---- passes ---- */

static DpStatus
pass_count(Pass *pass)
{
	plan_chunk(pass);
	DP_TRY(make_counters(pass));
	DP_TRY(make_chunk(pass));
	if (pass->source != NULL)
		DP_TRY(count_source(pass));
	for (int side = 0; side < 2 && pass->source == NULL; side++)
		DP_TRY(count_rows(pass, side));
	if (!pass->chunk.is_all)
		end_chunk(pass);
	return DP_OK;
}

static DpStatus
pass_run(Pass *pass, const DpPairTaker *taker)
{
	DP_TRY(make_blocks(pass));
	DP_TRY(make_distinct(pass));
	DP_TRY(pass_count(pass));
	DP_TRY(hand_over_blocks(pass, taker));
	for (uint32_t i = 0; i < pass->spec.sets; i++)
		if (pass->spec.set[i].storage == DP_SPARSE)
			DP_TRY(hand_over_distinct(pass, &pass->distinct[i], pass->number[i], taker));
	return DP_OK;
}

/* The number of the set that all others are margins of, if its cells fit half of the memory;
 * otherwise that of no set. */
static uint32_t
find_joint(const DpSetCounting *counting)
{
	uint64_t bytes;

	for (uint32_t i = 0; i < counting->sets && counting->sets > 1; i++)
	{
		if (counting->set[i].n == counting->domain->attributes &&
			storage_of(counting, &counting->set[i], &bytes) == DP_SPARSE &&
			bytes <= counting->bytes_max / 2)
			return i;
	}
	return counting->sets;
}

static DpStatus
count_joint(const DpSetCounting *counting, uint32_t joint, const DpPairTaker *taker,
			const DpArenaSource *memory, DpDistinctCells *distinct)
{
	Pass pass = {.counting = counting, .arena = memory->fresh(memory->context)};

	pass.spec =
		(DpSpec){.domain = *counting->domain, .sets = 1, .set = &(DpSpecSet){.storage = DP_SPARSE}};
	pass.distinct = distinct;
	DP_TRY(dp_distinct_cells_init(distinct, counting->domain, &counting->set[joint],
								  cells_at_most(counting, &counting->set[joint]), memory->kept));
	DP_TRY(pass_count(&pass));
	return hand_over_distinct(&pass, distinct, joint, taker);
}

static DpStatus
count_passes(const DpSetCounting *counting, const DpDistinctCells *source, uint32_t joint,
			 uint64_t bytes_max, const DpPairTaker *taker, const DpArenaSource *memory)
{
	uint32_t next = 0;

	while (next < counting->sets)
	{
		Pass pass = {.counting = counting,
					 .source = source,
					 .joint = joint,
					 .arena = memory->fresh(memory->context)};

		DP_TRY(pass_plan(&pass, &next, taker, bytes_max));
		if (pass.spec.sets > 0)
			DP_TRY(pass_run(&pass, taker));
	}
	return DP_OK;
}

DpStatus
dp_count_sets(const DpSetCounting *counting, const DpPairTaker *taker, const DpArenaSource *memory,
			  DpError *error)
{
	uint32_t joint = find_joint(counting);
	uint64_t kept = memory->kept->bytes_used;
	uint64_t bytes_max = counting->bytes_max;
	DpDistinctCells distinct;
	DpStatus status = DP_OK;

	if (rows_of_both(counting) > UINT32_MAX)
		return dp_fail(error, DP_ERR_RANGE, "too many rows");
	if (joint < counting->sets)
	{
		status = count_joint(counting, joint, taker, memory, &distinct);
		bytes_max -= memory->kept->bytes_used - kept;
	}
	if (status == DP_OK)
		status = count_passes(counting, joint < counting->sets ? &distinct : NULL, joint, bytes_max,
							  taker, memory);
	if (status != DP_OK)
		return dp_fail_filled(error, status);
	if (joint < counting->sets)
		dp_distinct_cells_free(&distinct);
	return DP_OK;
}
