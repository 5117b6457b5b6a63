/*
 * test_code_cache.c -- rows that are kept are counted again as they were, merged and as bytes, and
 * are all lost where they do not fit.
 */
#include "unit_counts.h"

#define ROWS 140000 /* more than two chunks */

static const uint32_t levels[] = {3, 300, 70000};
static const uint32_t coarse[] = {3, 300, 8};
#define COLUMNS 3
#define ROW_BYTES (1 + 2 + 3)

/* Pairs of the small attributes, and each attribute alone. */
static DpSpec
spec_of(DpArena *arena, const uint32_t *of, DpKeep keep)
{
	DpSpec spec = {.domain = unit_domain(arena, of, COLUMNS), .keep = keep};

	spec.collation = dp_alloc(arena, COLUMNS, sizeof(*spec.collation));
	spec.set = dp_alloc(arena, COLUMNS + 1, sizeof(*spec.set));
	for (uint32_t a = 0; a < COLUMNS; a++)
		unit_add_set(&spec, arena, DP_DENSE, 1, &a);
	unit_add_set(&spec, arena, DP_SPARSE, 2, (uint32_t[]){1, 0});
	return spec;
}

/* Rows first..end-1, which follow from their numbers. */
static void
add_rows(DpCounts *counts, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
	{
		for (uint32_t a = 0; a < COLUMNS; a++)
		{
			uint32_t code = (uint32_t) (i * UINT64_C(2654435761) % 70000) % levels[a];

			dp_counts_put(counts, a,
						  counts->spec->domain.attribute[a].levels == 8 ? code / 10000 : code);
		}
		if (++counts->rows == DP_BATCH_ROWS)
			MUST(dp_counts_batch(counts, NULL));
	}
	MUST(dp_counts_finalize(counts, NULL));
}

static void
check_counted_again(const char *name, const DpCodeCache *kept, uint32_t rows)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = spec_of(&arena, coarse, (DpKeep){0, 0});
	uint32_t *map = dp_alloc(&arena, levels[2], sizeof(*map));
	DpCachedColumn column[] = {{0, NULL}, {1, NULL}, {2, map}};
	DpCounts straight, again;

	for (uint32_t i = 0; i < levels[2]; i++)
		map[i] = i / 10000;
	MUST(dp_counts_init(&straight, &spec, NULL, &arena, NULL));
	MUST(dp_counts_init(&again, &spec, NULL, &arena, NULL));
	add_rows(&straight, 0, rows);
	CHECK_I64(kept->rows, rows, "%s: all rows are kept", name);
	MUST(dp_counts_add_cache(&again, kept, column, NULL));
	CHECK(unit_same_tables(again.table, straight.table, spec.sets, &arena),
		  "%s: cached rows are counted as the rows were, in coarser levels", name);
	dp_arena_malloc_free(&arena);
}

static void
check_merged(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = spec_of(&arena, levels, (DpKeep){UINT64_C(1) << 30, 3});
	DpCounts all, part, read;
	DpCountsView view;
	UnitBytes bytes;

	MUST(dp_counts_init(&all, &spec, NULL, &arena, NULL));
	MUST(dp_counts_init(&part, &spec, NULL, &arena, NULL));
	MUST(dp_counts_init(&read, &spec, NULL, &arena, NULL));
	add_rows(&all, 0, 1000);
	add_rows(&part, 1000, ROWS);
	MUST(dp_counts_merge(&all, &part, NULL));
	check_counted_again("merged", &all.kept, ROWS);
	bytes = unit_bytes(&all, &arena);
	MUST(dp_counts_view(bytes.at, bytes.length, &view, NULL));
	MUST(dp_counts_add_bytes(&read, &view, NULL));
	check_counted_again("as bytes", &read.kept, ROWS);
	MUST(dp_counts_add_bytes(&read, &view, NULL));
	CHECK_I64(read.kept.rows, 2 * ROWS, "bytes are added to rows that are there");
	dp_code_cache_take(&part.kept, &all.kept);
	CHECK(part.kept.rows == 2 * ROWS - 1000 && all.kept.first == NULL, "rows are taken over");
	dp_arena_malloc_free(&arena);
}

static void
check_spec_bytes(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = spec_of(&arena, levels, (DpKeep){12345678, 3}), read;
	unsigned char *bytes;
	size_t length;

	spec.memory_max = UINT64_C(1) << 41;
	MUST(dp_spec_serialise(&spec, &bytes, &length, NULL, &arena, NULL));
	MUST(dp_spec_parse(bytes, length, &read, NULL, &arena, NULL));
	CHECK(read.keep.bytes_max == 12345678 && read.keep.parts == 3,
		  "a spec says how many rows are kept");
	CHECK(read.memory_max == UINT64_C(1) << 41, "and how much memory its tables may take");
	dp_arena_malloc_free(&arena);
}

/* Of rows that do not fit none is kept; the counts are those of all rows. */
static void
check_lost(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = spec_of(&arena, levels, (DpKeep){1024 * ROW_BYTES, 1});
	DpSpec halves = spec_of(&arena, levels, (DpKeep){1024 * ROW_BYTES, 2});
	DpCounts counts, half;
	DpCountsView view;
	UnitBytes bytes;

	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	add_rows(&counts, 0, 1024);
	CHECK(counts.kept.rows == 1024 && !counts.kept.lost, "as many rows as fit are kept");
	add_rows(&counts, 1024, 1025);
	CHECK(counts.kept.lost && counts.kept.rows == 0 && counts.kept.first == NULL,
		  "with one more all are lost");
	CHECK_I64(dp_counts_rows(&counts), 1025, "and all are counted");
	bytes = unit_bytes(&counts, &arena);
	MUST(dp_counts_view(bytes.at, bytes.length, &view, NULL));
	MUST(dp_counts_init(&half, &spec, NULL, &arena, NULL));
	MUST(dp_counts_add_bytes(&half, &view, NULL));
	CHECK(half.kept.lost, "bytes without rows say that they are lost");
	MUST(dp_counts_init(&half, &halves, NULL, &arena, NULL));
	add_rows(&half, 0, 512);
	CHECK(!half.kept.lost, "a part keeps its part");
	add_rows(&half, 512, 513);
	CHECK(half.kept.lost, "and no more");
	MUST(dp_counts_init(&counts, &halves, NULL, &arena, NULL));
	MUST(dp_counts_merge(&counts, &half, NULL));
	CHECK(counts.kept.lost, "what a part has lost is lost for all");
	dp_arena_malloc_free(&arena);
}

static void
check_forged(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = spec_of(&arena, levels, (DpKeep){1 << 20, 1});
	DpCounts counts, read;
	DpCountsView view;
	UnitBytes bytes;

	MUST(dp_counts_init(&counts, &spec, NULL, &arena, NULL));
	add_rows(&counts, 0, 100);
	bytes = unit_bytes(&counts, &arena);
	MUST(dp_counts_view(bytes.at, bytes.length, &view, NULL));
	bytes.at[bytes.length - 100 * ROW_BYTES] = 3; /* the first attribute has levels 0 to 2 */
	MUST(dp_counts_init(&read, &spec, NULL, &arena, NULL));
	CHECK_STATUS(dp_counts_add_bytes(&read, &view, NULL), DP_ERR_CORRUPT,
				 "a kept code that is no level is refused");
	CHECK_STATUS(dp_counts_view(bytes.at, bytes.length - 1, &view, NULL), DP_ERR_CORRUPT,
				 "so are bytes that are cut short");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	check_spec_bytes();
	check_merged();
	check_lost();
	check_forged();
	return unit_finish();
}
