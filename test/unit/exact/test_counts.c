/*
 * test_counts.c -- counting rows into tables, beside plain loops: limits, merging, memory.
 */

#include <setjmp.h>

#include "unit_counts.h"

static const uint32_t few[] = {3, 1, 7, 2, 16};
static const uint32_t wide[] = {70000, 3, 300, 400};
static const uint32_t many[] = {5, 9, 2, 14, 3, 6, 1, 8, 4, 12, 7, 2, 10, 3};

static void
check_against_plain(const char *name, const uint32_t *levels, uint32_t n, uint32_t rows)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, levels, n);
	DpMarginal *reference = unit_reference(&arena, &spec);
	DpPrng prng;
	DpCounts counts;

	dp_prng_seed(&prng, (DpStream){rows, n, 0});
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	MUST(unit_add_rows(&counts, reference, &prng, rows, NULL));
	CHECK_I64(dp_counts_rows(&counts), rows, "%s: %u rows, pending ones too", name, rows);
	MUST(dp_counts_finalize(&counts, NULL));
	CHECK_I64(dp_counts_rows(&counts), rows, "%s: %u rows, settled", name, rows);
	CHECK(unit_same_tables(counts.table, reference, spec.sets, &arena),
		  "%s: every cell of %u sets is that of the plain way", name, spec.sets);
	/* on from there */
	MUST(unit_add_rows(&counts, reference, &prng, DP_BATCH_ROWS + 1, NULL));
	MUST(dp_counts_finalize(&counts, NULL));
	CHECK(unit_same_tables(counts.table, reference, spec.sets, &arena), "%s: and later, too", name);
	dp_arena_malloc_free(&arena);
}

static void
check_flush_before_overflow(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, few, 5);
	DpPrng prng;
	DpCounts counts;

	dp_prng_seed(&prng, (DpStream){1, 0, 0});
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	MUST(unit_add_rows(&counts, NULL, &prng, DP_BATCH_ROWS, NULL));
	CHECK_I64(counts.block_rows, DP_BATCH_ROWS, "a full batch is in the blocks");
	/* as after 2^32 rows of the same cell: the next batch empties the blocks */
	counts.block_rows = UINT32_MAX - DP_BATCH_ROWS - 1;
	MUST(unit_add_rows(&counts, NULL, &prng, DP_BATCH_ROWS, NULL));
	CHECK_I64(counts.block_rows, 0, "they are emptied before 32 bits overflow");
	dp_arena_malloc_free(&arena);
}

static void
check_limits_of_rows(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, few, 5);
	DpPrng prng;
	DpCounts counts;

	dp_prng_seed(&prng, (DpStream){1, 0, 0});
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	counts.table[0].total = INT64_MAX - 5;
	CHECK_STATUS(unit_add_rows(&counts, NULL, &prng, DP_BATCH_ROWS, NULL), DP_ERR_RANGE,
				 "more than 2^63 rows are refused");
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	for (uint32_t a = 0; a < 5; a++)
		dp_counts_put(&counts, a, a == 2 ? 7 : 0);
	counts.rows = DP_BATCH_ROWS;
	CHECK_STATUS(dp_counts_batch(&counts, NULL), DP_ERR_ARGUMENT, "a code that is no level");
	CHECK_STATUS(dp_counts_finalize(&counts, NULL), DP_ERR_INTERNAL,
				 "after an error nothing more is counted");
	spec.clamps = true;
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	for (uint32_t a = 0; a < 5; a++)
		dp_counts_put(&counts, a, a == 2 ? 7 : 0);
	counts.rows = DP_BATCH_ROWS;
	CHECK_STATUS(dp_counts_batch(&counts, NULL), DP_ERR_INTERNAL,
				 "where values are clamped it is a bug");
	dp_arena_malloc_free(&arena);
}

static void
check_outside(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, few, 5);
	DpCounts counts;
	DpError error = {0};

	CHECK_I64(dp_code_outside(&spec, 0), spec.domain.attribute[0].levels, "outside: no level");
	spec.domain.attribute[0].has_other = true;
	CHECK_I64(dp_code_outside(&spec, 0), spec.domain.attribute[0].levels - 1,
			  "the level \"other\"");
	spec.domain.attribute[0].has_other = false;
	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	for (uint32_t a = 0; a < 5; a++)
		dp_counts_put(&counts, a, a == 3 ? dp_code_outside(&spec, a) : 0);
	counts.rows = 1;
	CHECK_STATUS(dp_counts_finalize(&counts, &error), DP_ERR_ARGUMENT, "it is an error");
	CHECK_STRING(error.message, "column \"c3\" holds a value outside its domain",
				 "which names the column");
	spec.clamps = true;
	CHECK_I64(dp_code_outside(&spec, 0), 0, "or the first level");
	dp_arena_malloc_free(&arena);
}

/* What is said of sizes before rows are seen holds once they are. */
static void
check_bounds(void)
{
	for (uint32_t rows = 1; rows <= 100000; rows *= 10)
	{
		DpArena arena = dp_arena_malloc();
		DpSpec spec = unit_spec(&arena, few, 5);
		uint64_t before;
		DpPrng prng;
		DpCounts counts;
		UnitBytes bytes;

		dp_prng_seed(&prng, (DpStream){rows, 0, 0});
		before = arena.bytes_used;
		MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
		counts.block_tried = true; /* blocks take what is left */
		MUST(unit_add_rows(&counts, NULL, &prng, rows, NULL));
		MUST(dp_counts_finalize(&counts, NULL));
		CHECK(arena.bytes_used - before <= dp_spec_memory_max(&spec, rows), "memory, %u rows",
			  rows);
		bytes = unit_bytes(&counts, &arena);
		CHECK(bytes.length - bytes.spec_length <= dp_spec_bytes_max(&spec, rows), "bytes, %u rows",
			  rows);
		CHECK(dp_spec_bytes_max(&spec, rows) <= dp_spec_bytes_max(&spec, UINT64_MAX),
			  "whatever the number of rows");
		dp_arena_malloc_free(&arena);
	}
}

typedef struct Leaver
{
	jmp_buf back;
	uint32_t calls;
	uint32_t leave; /* at that call; 0: never */
} Leaver;

static void
count_or_leave(void *context, double share_done)
{
	Leaver *leaver = context;

	(void) share_done;
	if (++leaver->calls == leaver->leave)
		longjmp(leaver->back, 1);
}

/* How often each long step answers, and what is left where one does not come back. */
static void
check_ticks(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, few, 5);
	Leaver leaver = {.leave = 0};
	DpTick tick = {count_or_leave, &leaver};
	DpPrng prng;
	DpCounts counts, part;

	dp_prng_seed(&prng, (DpStream){1, 0, 0});
	MUST(dp_counts_init(&counts, &spec, &tick, &arena, NULL));
	CHECK(leaver.calls >= spec.sets, "a tick for each set that is made");
	MUST(dp_counts_init(&part, &spec, NULL, &arena, NULL));
	MUST(unit_add_rows(&counts, NULL, &prng, DP_BATCH_ROWS, NULL));
	MUST(unit_add_rows(&part, NULL, &prng, 100, NULL));
	MUST(dp_counts_finalize(&part, NULL));
	leaver.calls = 0;
	(void) unit_bytes(&part, &arena);
	CHECK_I64(leaver.calls, 0, "without a tick there is none");
	MUST(dp_counts_finalize(&counts, NULL));
	leaver.calls = 0;
	(void) unit_bytes(&counts, &arena);
	CHECK(leaver.calls >= 2 * spec.sets, "for each set, twice, that is written");
	leaver.calls = 0;
	MUST(dp_counts_merge(&counts, &part, NULL));
	CHECK(leaver.calls >= spec.sets, "for each set that is merged");
	leaver.calls = 0;
	leaver.leave = spec.sets / 2;
	if (setjmp(leaver.back) == 0)
		MUST(dp_counts_merge(&counts, &part, NULL));
	CHECK_I64(leaver.calls, leaver.leave, "a tick may leave");
	leaver.leave = 0;
	CHECK_STATUS(dp_counts_finalize(&counts, NULL), DP_ERR_INTERNAL,
				 "what it left half done is not used");
	CHECK_STATUS(dp_counts_merge(&part, &counts, NULL), DP_ERR_INTERNAL, "nor merged");
	dp_arena_malloc_free(&arena);
}

static bool
is_inside(const DpSpecSet *set, const DpBlock *block)
{
	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t i = 0;

		while (i < block->of.n && block->of.attribute[i] != set->attribute[k])
			i++;
		if (i == block->of.n)
			return false;
	}
	return true;
}

static void
check_cover(const uint32_t *levels, uint32_t n, uint64_t cells_max, uint32_t blocks_max)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, levels, n);
	uint32_t *times = dp_alloc(&arena, spec.sets, sizeof(*times));
	bool inside = true;
	bool bounded = true;
	bool once = true;
	DpViewSelection cover;

	MUST(dp_view_selection(&spec, cells_max, &cover, NULL, &arena));
	for (uint32_t i = 0; i < cover.blocks; i++)
	{
		const DpBlock *block = &cover.block[i];

		bounded &= block->cells <= cells_max || block->of.n == 2;
		for (uint32_t k = 0; k < block->sets; k++)
		{
			inside &= is_inside(&spec.set[block->set[k]], block);
			times[block->set[k]]++;
		}
	}
	for (uint32_t s = 0; s < spec.sets; s++)
		once &= times[s] == (spec.set[s].storage == DP_DENSE);
	CHECK(inside && once, "each dense set is in one block, %u attributes", n);
	CHECK(bounded, "no block grows beyond %" PRIu64 " cells", cells_max);
	CHECK(cover.blocks <= blocks_max, "%u blocks for %u sets", cover.blocks, spec.sets);
	dp_arena_malloc_free(&arena);
}

#define CROWD 210        /* columns: 21,945 pairs */
#define CROWD_LARGE 300  /* levels of the last two, whose pair has too many cells for a block */
#define CROWD_ROWS 17000 /* more than wait in columns at a time, and part of a batch */

static uint32_t
crowd_code(uint32_t row, uint32_t attribute, uint32_t levels)
{
	return (row * (attribute + 1) + row / 97 * attribute) % levels;
}

/* A single column comes first, hashed or dense: the number of rows is read off it. */
static DpSpec
crowd_spec(DpStorage first, DpArena *arena)
{
	uint32_t levels[CROWD], none = 0;
	DpSpec spec;

	for (uint32_t a = 0; a < CROWD; a++)
		levels[a] = a + 2 < CROWD ? 2 + a % 3 : CROWD_LARGE;
	spec = (DpSpec){.domain = unit_domain(arena, levels, CROWD)};
	spec.set = dp_alloc(arena, CROWD * CROWD, sizeof(*spec.set));
	unit_add_set(&spec, arena, first, 1, &none);
	for (uint32_t a = 0; a < CROWD; a++)
		for (uint32_t b = a + 1; b < CROWD; b++)
			unit_add_set(&spec, arena, DP_DENSE, 2, (const uint32_t[]){a, b});
	return spec;
}

/* Adds rows from one on, as they are read, and says whether their number is known all along. */
static bool
add_crowd(DpCounts *counts, uint32_t from, uint32_t to)
{
	bool known = true;

	for (uint32_t row = from; row < to; row++)
	{
		for (uint32_t a = 0; a < CROWD; a++)
			dp_counts_put(counts, a, crowd_code(row, a, counts->spec->domain.attribute[a].levels));
		if (++counts->rows == DP_BATCH_ROWS)
			MUST(dp_counts_batch(counts, NULL));
		known &= dp_counts_rows(counts) == row + 1 - from;
	}
	return known;
}

static DpMarginal *
count_crowd_plainly(const DpSpec *spec, DpArena *arena)
{
	DpMarginal *reference = unit_reference(arena, spec);
	const uint32_t *column[CROWD];

	for (uint32_t a = 0; a < CROWD; a++)
	{
		uint32_t *code = dp_alloc(arena, CROWD_ROWS, sizeof(*code));

		for (uint32_t row = 0; row < CROWD_ROWS; row++)
			code[row] = crowd_code(row, a, spec->domain.attribute[a].levels);
		column[a] = code;
	}
	for (uint32_t s = 0; s < spec->sets; s++)
		MUST(dp_marginal_add(&reference[s], column, CROWD_ROWS));
	return reference;
}

static void
check_crowd(DpStorage first, const DpMarginal *reference)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = crowd_spec(first, &arena);
	DpCounts counts, part;

	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	MUST(dp_counts_init(&part, &spec, NULL, &arena, NULL));
	CHECK(add_crowd(&counts, 0, CROWD_ROWS - 600) && add_crowd(&part, CROWD_ROWS - 600, CROWD_ROWS),
		  "%u sets: the number of rows is known at each row", spec.sets);
	CHECK(counts.waits && counts.selection.blocks < spec.sets / 3, "they are counted in %u blocks",
		  counts.selection.blocks);
	MUST(dp_counts_finalize(&part, NULL));
	MUST(dp_counts_merge(&counts, &part, NULL));
	CHECK(unit_same_tables(counts.table, reference, spec.sets, &arena),
		  "the tables are those that are counted plainly");
	dp_arena_malloc_free(&arena);
}

static void
check_crowds(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = crowd_spec(DP_DENSE, &arena);
	const DpMarginal *reference = count_crowd_plainly(&spec, &arena);

	check_crowd(DP_DENSE, reference);
	check_crowd(DP_SPARSE, reference);
	dp_arena_malloc_free(&arena);
}

/* Three parts, merged as (a + b) + c and as c + (b + a): equal bytes, those of all rows at once. */
static void
check_merge(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, many, 14);
	DpMarginal *reference = unit_reference(&arena, &spec);
	const uint32_t rows[3] = {1, 5000, DP_BATCH_ROWS};
	DpCounts part[2][3];
	UnitBytes bytes[2];
	DpPrng prng;

	for (int i = 0; i < 2; i++)
	{
		for (int k = 0; k < 3; k++)
		{
			dp_prng_seed(&prng, (DpStream){(uint64_t) k, 0, 0});
			MUST(dp_counts_init(&part[i][k], &spec, NULL, &arena, NULL));
			MUST(unit_add_rows(&part[i][k], i == 0 ? reference : NULL, &prng, rows[k], NULL));
		}
	}
	CHECK_STATUS(dp_counts_merge(&part[0][0], &part[0][1], NULL), DP_ERR_INTERNAL,
				 "what is not settled is not merged");
	MUST(dp_counts_finalize(&part[0][1], NULL));
	MUST(dp_counts_finalize(&part[0][2], NULL));
	MUST(dp_counts_finalize(&part[1][0], NULL));
	MUST(dp_counts_merge(&part[0][0], &part[0][1], NULL));
	MUST(dp_counts_merge(&part[0][0], &part[0][2], NULL));
	MUST(dp_counts_merge(&part[1][1], &part[1][0], NULL));
	MUST(dp_counts_merge(&part[1][2], &part[1][1], NULL));
	bytes[0] = unit_bytes(&part[0][0], &arena);
	bytes[1] = unit_bytes(&part[1][2], &arena);
	CHECK(bytes[0].length == bytes[1].length &&
			  memcmp(bytes[0].at, bytes[1].at, bytes[0].length) == 0,
		  "merging associates and commutes");
	CHECK(unit_same_tables(part[0][0].table, reference, spec.sets, &arena),
		  "merged parts are the whole");
	dp_arena_malloc_free(&arena);
}

/* With any bound it counts right or says which set is too large; never anything else. */
static void
check_memory(void)
{
	unsigned right = 0;
	unsigned refused = 0;
	bool named = true;

	for (uint64_t limit = 1000; limit < 3000000; limit += limit / 7)
	{
		DpArena arena = dp_arena_malloc();
		DpArena bounded = dp_arena_malloc();
		const uint32_t levels[] = {40, 50, 6, 3};
		DpSpec spec = unit_spec(&arena, levels, 4);
		DpMarginal *reference = unit_reference(&arena, &spec);
		DpPrng prng;
		DpCounts counts;
		DpError error = {0};
		DpStatus status;

		bounded.bytes_max = limit;
		dp_prng_seed(&prng, (DpStream){9, 0, 0});
		status = dp_counts_init(&counts, &spec, NULL, &bounded, &error);
		if (status == DP_OK)
			status = unit_add_rows(&counts, reference, &prng, 4 * DP_BATCH_ROWS, &error);
		if (status == DP_OK)
			status = dp_counts_finalize(&counts, &error);
		if (status == DP_OK)
			right += unit_same_tables(counts.table, reference, spec.sets, &arena);
		else
		{
			named &= status == DP_ERR_MEMORY ||
					 (status == DP_ERR_LIMIT && strstr(error.message, "the table over (c") != NULL);
			refused++;
		}
		dp_arena_malloc_free(&arena);
		dp_arena_malloc_free(&bounded);
	}
	CHECK(right > 10 && refused > 10, "%u bounds suffice, %u do not", right, refused);
	CHECK(named, "where it does not fit, the error names a set");
}

int
main(void)
{
	check_against_plain("few columns", few, 5, 2000);
	check_against_plain("few rows", few, 5, 3);
	check_against_plain("no rows", few, 5, 0);
	check_against_plain("one column", few, 1, DP_BATCH_ROWS);
	check_against_plain("wide columns", wide, 3, 1500);
	check_against_plain("large pairs", wide + 1, 3, 2048);
	check_against_plain("many columns", many, 14, 3 * DP_BATCH_ROWS);
	check_flush_before_overflow();
	check_limits_of_rows();
	check_outside();
	check_bounds();
	check_ticks();
	check_cover(many, 14, 4096, 20);
	check_cover(many, 14, 0, 105);
	check_cover(wide, 3, 4096, 4);
	check_crowds();
	check_merge();
	check_memory();
	return unit_finish();
}
