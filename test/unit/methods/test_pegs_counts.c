/*
 * test_pegs_counts.c -- the counts that the perturbed Gibbs sampler draws from: of each
 * attribute by the values of its parents, from one scan, in the memory that was planned.
 */
#include "core/methods/pegs_counts.h"

#include "unit_data.h"

#define ATTRIBUTES 4
#define ROWS 200

static const uint32_t levels[ATTRIBUTES] = {3, 4, 2, 5};

static int64_t
count_rows(const UnitTable *table, const DpParents *parents, uint32_t child, const uint32_t *row,
		   uint32_t value)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		bool same = table->code[child][i] == value;

		for (uint32_t k = 0; parents != NULL && k < parents->n; k++)
			same &= table->code[parents->index[k]][i] == row[parents->index[k]];
		n += same;
	}
	return n;
}

static bool
agrees(const UnitTable *table, const DpParents *parents, uint32_t child, const uint32_t *row,
	   DpExactConditional *conditional)
{
	const DpHistogram *histogram = dp_exact_conditional_find(conditional, row);
	int64_t total = 0;

	for (uint32_t value = 0, at = 0; value < levels[child]; value++)
	{
		int64_t want = count_rows(table, parents, child, row, value), got = 0;

		if (at < histogram->n && histogram->code[at] == value)
			got = histogram->count[at++];
		if (got != want)
			return false;
		total += want;
	}
	return histogram->total == total;
}

static void
test_count(const DpParents *parents, const char *what)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	UnitTable table = unit_table(&arena, &domain, ROWS);
	DpCounter counter = unit_counter(&table);
	DpMeasurement m = {.domain = &domain, .counter = &counter, .arena = &arena};
	DpExactConditional conditional[ATTRIBUTES];
	uint64_t planned, before;
	unsigned wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){221, 0, 0});
	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			table.code[a][i] = (uint32_t) dp_prng_below(&prng, 1 + dp_prng_below(&prng, levels[a]));
	MUST(dp_pegs_memory(&domain, parents, 0, &planned, &arena));
	before = arena.bytes_used;
	MUST(dp_pegs_count(&m, &(DpPegsShape){.parents = parents}, conditional, NULL));
	CHECK(arena.bytes_used - before <= planned + 4096, "%s: in the memory that was planned", what);
	for (uint32_t i = 0; i < ROWS; i++)
	{
		uint32_t row[ATTRIBUTES];

		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			row[a] = (uint32_t) dp_prng_below(&prng, levels[a]);
		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			wrong += !agrees(&table, parents != NULL ? &parents[a] : NULL, a, row, &conditional[a]);
	}
	CHECK_I64(wrong, 0, "%s: each attribute is counted by the values of its parents", what);
	CHECK_I64(table.scans, 1, "%s: in one scan", what);
	dp_arena_malloc_free(&arena);
}

static void
test_memory(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	uint32_t index[ATTRIBUTES][2] = {{3, 1}, {3, 0}, {3, 1}, {1, 0}};
	DpParents largest[ATTRIBUTES];
	uint64_t given, selected, none;

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		largest[a] = (DpParents){2, index[a]};
	MUST(dp_pegs_memory(&domain, largest, 2, &given, &arena));
	MUST(dp_pegs_memory(&domain, NULL, 2, &selected, &arena));
	MUST(dp_pegs_memory(&domain, NULL, 0, &none, &arena));
	CHECK(selected >= given && none < given,
		  "parents that are to be selected may be the largest there are");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	uint32_t index[ATTRIBUTES][3] = {{1, 3}, {0, 2, 3}, {3}};
	const DpParents parents[ATTRIBUTES] = {{2, index[0]}, {3, index[1]}, {1, index[2]}, {0, NULL}};

	test_count(parents, "parents");
	test_count(NULL, "no parents");
	test_memory();
	return unit_finish();
}
