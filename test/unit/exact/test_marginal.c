/*
 * test_marginal.c -- contingency tables, beside counting by hand.
 */
#include "core/base/code_key.h"
#include "core/base/sort.h"
#include "core/exact/marginal.h"

#include "unit_dependence.h"

/* Random rows, skewed so that cells repeat. */
static UnitTable
random_table(DpArena *arena, const DpDomain *domain, uint32_t rows, uint64_t seed)
{
	UnitTable table = unit_table(arena, domain, rows);
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){seed, 0, 0});
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		for (uint32_t i = 0; i < rows; i++)
		{
			double u = dp_prng_unit(&prng);

			table.code[a][i] = (uint32_t) (u * u * u * domain->attribute[a].levels);
		}
	}
	return table;
}

static DpMarginal
counted(DpArena *arena, UnitTable *table, const uint32_t *attributes, uint32_t n, DpStorage storage)
{
	DpMarginal marginal;

	MUST(dp_marginal_init(&marginal, table->domain, &(DpAttributeSet){n, attributes}, storage,
						  arena, NULL));
	MUST(dp_marginal_add(&marginal, (const uint32_t *const *) table->code, table->rows));
	return marginal;
}

/* How many rows hold these codes. */
static int64_t
naive_count(const UnitTable *table, const uint32_t *attributes, uint32_t n, const uint32_t *codes)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < table->rows; i++)
	{
		bool equal = true;

		for (uint32_t k = 0; k < n; k++)
			equal &= table->code[attributes[k]][i] == codes[k];
		count += equal;
	}
	return count;
}

typedef struct Cells
{
	uint32_t *codes;
	int64_t *counts;
	uint64_t used;
} Cells;

static Cells
cells_of(DpArena *arena, const DpMarginal *marginal)
{
	Cells cells;

	MUST(dp_marginal_cells(marginal, &cells.codes, &cells.counts, &cells.used, arena));
	return cells;
}

static bool
ascending(const Cells *cells, uint32_t n)
{
	for (uint64_t i = 1; i < cells->used; i++)
	{
		const uint32_t *a = cells->codes + (i - 1) * n;
		const uint32_t *b = a + n;
		uint32_t k = 0;

		while (k < n && a[k] == b[k])
			k++;
		if (k == n || a[k] > b[k])
			return false;
	}
	return true;
}

static bool
same_cells(const Cells *a, const Cells *b, uint32_t n)
{
	return a->used == b->used && memcmp(a->codes, b->codes, a->used * n * sizeof(uint32_t)) == 0 &&
		   memcmp(a->counts, b->counts, a->used * sizeof(int64_t)) == 0;
}

static bool
cells_match_rows(const Cells *cells, const UnitTable *table, const uint32_t *attributes, uint32_t n)
{
	int64_t total = 0;

	for (uint64_t i = 0; i < cells->used; i++)
	{
		if (cells->counts[i] != naive_count(table, attributes, n, cells->codes + i * n))
			return false;
		total += cells->counts[i];
	}
	return total == table->rows;
}

static void
test_counts(DpArena *arena)
{
	const uint32_t levels[] = {2, 7, 1, 13, 5, 3};
	const uint32_t choice[][3] = {{0, 1, 2}, {5, 3, 0}, {4, 1, 3}, {2, 0, 5}};
	DpDomain domain = unit_domain(arena, levels, 6);
	UnitTable table = random_table(arena, &domain, 3001, 1);

	for (uint32_t i = 0; i < 4; i++)
	{
		for (uint32_t n = 1; n <= 3; n++)
		{
			DpMarginal dense = counted(arena, &table, choice[i], n, DP_DENSE);
			DpMarginal sparse = counted(arena, &table, choice[i], n, DP_SPARSE);
			Cells a = cells_of(arena, &dense);
			Cells b = cells_of(arena, &sparse);

			CHECK(cells_match_rows(&a, &table, choice[i], n), "dense counts rows, case %u/%u", i,
				  n);
			CHECK(same_cells(&a, &b, n), "sparse gives the same cells");
			CHECK(ascending(&a, n) && ascending(&b, n), "in ascending order");
			CHECK_I64(dense.total, sparse.total, "and the same total");
		}
	}
}

/* 70 attributes of up to 1000 levels: keys of a dozen words; most rows are cells of their own. */
static void
test_many_words(DpArena *arena)
{
	uint32_t levels[70];
	uint32_t attributes[70];
	DpDomain domain;
	UnitTable table;
	DpMarginal marginal;
	Cells cells;

	for (uint32_t i = 0; i < 70; i++)
	{
		levels[i] = i % 5 == 0 ? 1 : 1 + i * 14;
		attributes[i] = 69 - i;
	}
	domain = unit_domain(arena, levels, 70);
	table = random_table(arena, &domain, 2500, 2);
	for (uint32_t a = 0; a < 70; a++)
		for (uint32_t i = 2000; i < 2500; i++) /* so that some cells are not alone */
			table.code[a][i] = table.code[a][i % 100];
	marginal = counted(arena, &table, attributes, 70, DP_SPARSE);
	cells = cells_of(arena, &marginal);
	CHECK(marginal.key_words >= 8, "the key has %u words", marginal.key_words);
	CHECK_I64(cells.used, 2000, "every different row is a cell");
	CHECK(ascending(&cells, 70), "cells ascend across words");
	CHECK(cells_match_rows(&cells, &table, attributes, 70), "every count is right");
}

/* The widest key that there can be must fit the batch. */
static void
test_widest_key(DpArena *arena)
{
	uint32_t n = DP_ATTRIBUTES_MAX;
	uint32_t *levels = dp_alloc(arena, n, sizeof(*levels));
	DpKeyField *field = dp_alloc(arena, n, sizeof(*field));
	uint32_t *attributes = dp_alloc(arena, n, sizeof(*attributes));
	const uint32_t **codes = dp_alloc(arena, n, sizeof(*codes));
	const uint32_t column[] = {DP_LEVELS_MAX - 1, 0, DP_LEVELS_MAX - 1};
	DpDomain domain = {.attributes = n, .attribute = dp_alloc(arena, n, sizeof(DpAttribute))};
	DpMarginal marginal;
	Cells cells;

	for (uint32_t i = 0; i < n; i++)
	{
		levels[i] = domain.attribute[i].levels = DP_LEVELS_MAX;
		attributes[i] = i;
		codes[i] = column;
	}
	CHECK_I64(dp_key_layout(levels, n, field), 800, "two codes of 24 bits a word");
	MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){n, attributes}, DP_SPARSE, arena,
						  NULL));
	CHECK_OK(dp_marginal_add(&marginal, codes, 3), "1600 attributes of 10^7 levels are counted");
	cells = cells_of(arena, &marginal);
	CHECK(cells.used == 2 && cells.counts[0] == 1 && cells.counts[1] == 2 &&
			  cells.codes[n - 1] == 0 && cells.codes[2 * n - 1] == DP_LEVELS_MAX - 1,
		  "and come back");
}

static void
test_layout(void)
{
	const uint32_t levels[] = {1, UINT32_MAX, 3, UINT32_MAX, 1, 2};
	DpKeyField field[6];
	uint64_t key[2] = {0, 0};

	CHECK_I64(dp_key_layout(levels, 6, field), 2, "66 + 1 bits take two words");
	CHECK(field[0].bits == 0 && field[1].word == 0 && field[1].shift == 32 &&
			  field[2].shift == 30 && field[3].word == 1 && field[3].shift == 32 &&
			  field[5].shift == 31,
		  "first is most significant, none across words");
	dp_key_put(&field[1], UINT32_MAX - 1, key);
	dp_key_put(&field[2], 2, key);
	CHECK(dp_key_get(&field[1], key) == UINT32_MAX - 1 && dp_key_get(&field[2], key) == 2 &&
			  dp_key_get(&field[0], key) == 0 && dp_key_get(&field[4], key) == 0,
		  "codes come back");
}

/* Two tables whose parts overlap, in both storages; growth on the way. */
static void
test_merge(DpArena *arena)
{
	const uint32_t levels[] = {40, 50, 9};
	const uint32_t attributes[] = {2, 0, 1};
	const uint32_t other[] = {2, 1, 0};
	DpDomain domain = unit_domain(arena, levels, 3);
	UnitTable both = random_table(arena, &domain, 9000, 3);
	UnitTable first = both;
	UnitTable second = both;

	first.rows = 4000;
	second.rows = 5000;
	for (uint32_t a = 0; a < 3; a++)
		second.code[a] += 4000;
	for (int storage = DP_DENSE; storage <= DP_SPARSE; storage++)
	{
		DpMarginal a = counted(arena, &first, attributes, 3, (DpStorage) storage);
		DpMarginal b = counted(arena, &second, attributes, 3, (DpStorage) storage);
		DpMarginal whole = counted(arena, &both, attributes, 3, (DpStorage) storage);
		DpMarginal strange = counted(arena, &both, other, 3, (DpStorage) storage);
		DpMarginal kind = counted(arena, &both, attributes, 3, (DpStorage) !storage);
		Cells merged;
		Cells expected = cells_of(arena, &whole);

		CHECK_STATUS(dp_marginal_merge(&a, &strange), DP_ERR_ARGUMENT, "another order is refused");
		CHECK_STATUS(dp_marginal_merge(&a, &kind), DP_ERR_ARGUMENT, "another storage is refused");
		MUST(dp_marginal_merge(&a, &b));
		merged = cells_of(arena, &a);
		CHECK(same_cells(&merged, &expected, 3) && a.total == 9000, "parts merge to the whole");
		MUST(dp_marginal_merge(&a, &a));
		merged = cells_of(arena, &a);
		CHECK(merged.counts[0] == 2 * expected.counts[0] && a.total == 18000,
			  "a table merges with itself");
		b.total = INT64_MAX;
		CHECK_STATUS(dp_marginal_merge(&a, &b), DP_ERR_RANGE, "overflow is seen");
		dp_marginal_free(&a);
	}
}

static void
test_project(DpArena *arena)
{
	const uint32_t levels[] = {4, 6, 3, 5};
	const uint32_t attributes[] = {3, 1, 0, 2};
	const uint32_t positions[][3] = {{2, 0, 3}, {3, 1, 0}, {1, 2, 3}};
	DpDomain domain = unit_domain(arena, levels, 4);
	UnitTable table = random_table(arena, &domain, 2000, 4);
	DpMarginal dense = counted(arena, &table, attributes, 4, DP_DENSE);
	DpMarginal sparse = counted(arena, &table, attributes, 4, DP_SPARSE);

	for (uint32_t i = 0; i < 3; i++)
	{
		for (uint32_t n = 1; n <= 3; n++)
		{
			uint32_t kept[3];
			DpMarginal direct;
			DpMarginal a;
			DpMarginal b;

			for (uint32_t k = 0; k < n; k++)
				kept[k] = attributes[positions[i][k]];
			direct = counted(arena, &table, kept, n, DP_DENSE);
			MUST(dp_marginal_project(&dense, positions[i], n, &a, arena));
			MUST(dp_marginal_project(&sparse, positions[i], n, &b, arena));
			CHECK(a.cells == direct.cells && a.total == direct.total &&
					  memcmp(a.dense, direct.dense, a.cells * sizeof(int64_t)) == 0 &&
					  memcmp(b.dense, direct.dense, a.cells * sizeof(int64_t)) == 0,
				  "margins of both storages are the direct counts, case %u/%u", i, n);
		}
	}
	CHECK_STATUS(dp_marginal_project(&dense, positions[0], 0, &sparse, arena), DP_ERR_ARGUMENT,
				 "no position is refused");
}

static void
test_refusals(DpArena *arena)
{
	const uint32_t levels[] = {1 << 16, 1 << 16, 3};
	const uint32_t pair[] = {0, 1};
	const uint32_t twice[] = {2, 2};
	const uint32_t absent[] = {3};
	uint32_t good[] = {2, 1, 0};
	uint32_t bad[] = {2, 3, 0};
	const uint32_t *codes[] = {NULL, NULL, good};
	DpDomain domain = unit_domain(arena, levels, 3);
	DpMarginal marginal;
	uint64_t before = arena->bytes_used;
	DpError error;

	CHECK_STATUS(
		dp_marginal_init(&marginal, &domain, &(DpAttributeSet){2, pair}, DP_DENSE, arena, &error),
		DP_ERR_LIMIT, "2^32 dense cells are too many");
	dp_marginal_free(&marginal);
	CHECK_STATUS(
		dp_marginal_init(&marginal, &domain, &(DpAttributeSet){2, twice}, DP_SPARSE, arena, &error),
		DP_ERR_ARGUMENT, "an attribute twice is refused");
	CHECK_STATUS(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){1, absent}, DP_SPARSE,
								  arena, &error),
				 DP_ERR_ARGUMENT, "an unknown attribute is refused");
	for (int storage = DP_DENSE; storage <= DP_SPARSE; storage++)
	{
		MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){1, twice}, (DpStorage) storage,
							  arena, &error));
		codes[2] = bad;
		CHECK_STATUS(dp_marginal_add(&marginal, codes, 3), DP_ERR_INTERNAL,
					 "a code that is no level is refused");
		codes[2] = good;
		CHECK_OK(dp_marginal_add(&marginal, codes, 3), "good ones are not");
		CHECK_I64(dp_marginal_bytes(&domain, twice, 1, (DpStorage) storage, 3),
				  arena->bytes_used - before, "the bytes are as foretold");
		dp_marginal_free(&marginal);
		CHECK_I64(arena->bytes_used, before, "freed without a rest");
	}
}

/* Growth that finds no room leaves the table as it was. */
static void
test_no_room(DpArena *arena)
{
	const uint32_t levels[] = {1 << 16, 1 << 16};
	const uint32_t pair[] = {0, 1};
	DpDomain domain = unit_domain(arena, levels, 2);
	UnitTable table = unit_table(arena, &domain, 1000);
	uint64_t before = arena->bytes_used;
	DpMarginal marginal;
	Cells cells;

	for (uint32_t i = 0; i < 1000; i++)
		table.code[0][i] = table.code[1][i] = i;
	MUST(dp_marginal_init(&marginal, &domain, &(DpAttributeSet){2, pair}, DP_SPARSE, arena, NULL));
	arena->bytes_max = before + dp_marginal_bytes(&domain, pair, 2, DP_SPARSE, 1) + 100;
	CHECK_STATUS(dp_marginal_add(&marginal, (const uint32_t *const *) table.code, 1000),
				 DP_ERR_MEMORY, "a table that cannot grow says so");
	arena->bytes_max = 0;
	cells = cells_of(arena, &marginal);
	CHECK(cells.used == 170 && cells.codes[2 * 169] == 169, "what it has is whole");
}

static bool
descending(const void *context, uint64_t a, uint64_t b)
{
	const uint32_t *value = context;

	return value[a] > value[b];
}

static void
test_sort(DpArena *arena)
{
	bool sorted = true;

	for (uint32_t n = 0; n < 200; n++)
	{
		uint32_t value[200];
		uint64_t index[200];
		DpPrng prng;

		dp_prng_seed(&prng, (DpStream){n, 0, 0});
		for (uint32_t i = 0; i < n; i++)
		{
			value[i] = (uint32_t) dp_prng_below(&prng, 20);
			index[i] = i;
		}
		MUST(dp_sort_indexes(index, n, descending, value, arena));
		for (uint32_t i = 1; i < n; i++)
			sorted &= value[index[i - 1]] > value[index[i]] ||
					  (value[index[i - 1]] == value[index[i]] && index[i - 1] < index[i]);
	}
	CHECK(sorted, "indexes of 0 to 199 values are sorted, stably");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_layout();
	test_counts(&arena);
	test_many_words(&arena);
	test_widest_key(&arena);
	test_merge(&arena);
	test_project(&arena);
	test_refusals(&arena);
	test_no_room(&arena);
	test_sort(&arena);
	brute_force(&arena, 2, 2, 8);
	brute_force(&arena, 2, 3, 8);
	brute_force(&arena, 3, 3, 4);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
