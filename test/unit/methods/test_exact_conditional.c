/*
 * test_exact_conditional.c -- counts of an attribute by the values of its parents,
 * looked up by a row, against counting all rows again.
 */
#include "core/methods/pegs_counts.h"

#include "unit_data.h"

#define ROWS 300
#define ATTRIBUTES 4

static const uint32_t levels[ATTRIBUTES] = {4, 3, 5, 6};

/* Rows with the parents' codes of row, by the code of the child. */
static int64_t
count_rows(uint32_t (*code)[ROWS], const uint32_t *table, uint32_t n, const uint32_t *row,
		   uint32_t child_code)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		bool same = code[table[n - 1]][i] == child_code;

		for (uint32_t k = 0; k + 1 < n; k++)
			same &= code[table[k]][i] == row[table[k]];
		count += same;
	}
	return count;
}

/* All non-empty cells of the histogram, ascending, and no other; sums as far as each. */
static bool
histogram_agrees(uint32_t (*code)[ROWS], const uint32_t *table, uint32_t n, const uint32_t *row,
				 const DpHistogram *histogram)
{
	int64_t total = 0;
	uint64_t at = 0;

	if (histogram->levels != levels[table[n - 1]])
		return false;
	for (uint32_t value = 0; value < levels[table[n - 1]]; value++)
	{
		int64_t count = count_rows(code, table, n, row, value);

		if (count == 0)
			continue;
		total += count;
		if (at == histogram->n || histogram->code[at] != value || histogram->count[at] != count ||
			histogram->upto[at] != total)
			return false;
		at++;
	}
	return at == histogram->n && histogram->total == total;
}

static bool
next_row(uint32_t *row)
{
	for (uint32_t a = ATTRIBUTES; a-- > 0;)
	{
		if (++row[a] < levels[a])
			return true;
		row[a] = 0;
	}
	return false;
}

static void
test_table(const uint32_t *table, uint32_t n, DpStorage storage, const char *what)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	static uint32_t code[ATTRIBUTES][ROWS];
	const uint32_t *column[ATTRIBUTES];
	uint32_t row[ATTRIBUTES] = {0};
	unsigned wrong = 0, empty = 0;
	DpExactConditional conditional;
	DpMarginal exact;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){111, n, 0});
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		column[a] = code[a];
		for (uint32_t i = 0; i < ROWS; i++)
			code[a][i] = (uint32_t) dp_prng_below(&prng, 1 + dp_prng_below(&prng, levels[a]));
	}
	MUST(dp_marginal_init(&exact, &domain, &(DpAttributeSet){n, table}, storage, &arena, NULL));
	MUST(dp_marginal_add(&exact, column, ROWS));
	MUST(dp_exact_conditional_build(&exact, 0, &conditional, &arena));
	dp_marginal_free(&exact); /* it is not needed any more */
	do
	{
		const DpHistogram *histogram = dp_exact_conditional_find(&conditional, row);

		wrong += !histogram_agrees(code, table, n, row, histogram);
		empty += histogram->total == 0;
	} while (next_row(row));
	CHECK_I64(wrong, 0, "%s: the histogram of each row is what counting says", what);
	CHECK((n == 4) == (empty > 0), "%s: that of parents which do not occur is empty", what);
	dp_arena_malloc_free(&arena);
}

/* Counts by bucket: those of rows in the same bucket together. Which rows meet is read off the
 * histograms that they find, and must be a function of the parents alone. */
static void
test_buckets(uint32_t buckets, const char *what)
{
	const uint32_t table[] = {3, 0, 2, 1};
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	static uint32_t code[ATTRIBUTES][ROWS];
	const uint32_t *column[ATTRIBUTES];
	int64_t total = 0;
	uint64_t largest = 0, cells, merged = 0, bytes;
	unsigned wrong = 0;
	DpExactConditional conditional;
	DpMarginal exact;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){112, 0, 0});
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		column[a] = code[a];
		for (uint32_t i = 0; i < ROWS; i++)
			code[a][i] = (uint32_t) dp_prng_below(&prng, levels[a]);
	}
	MUST(dp_marginal_init(&exact, &domain, &(DpAttributeSet){4, table}, DP_SPARSE, &arena, NULL));
	MUST(dp_marginal_add(&exact, column, ROWS));
	cells = exact.used;
	bytes = arena.bytes_used;
	MUST(dp_exact_conditional_build(&exact, buckets, &conditional, &arena));
	bytes = arena.bytes_used - bytes;
	dp_marginal_free(&exact);
	for (uint64_t k = 0; k < conditional.keys; k++)
	{
		const DpHistogram *histogram = &conditional.histogram[k];
		int64_t want[8] = {0}, sum = 0;

		for (uint32_t i = 0; i < ROWS; i++)
		{
			uint32_t row[ATTRIBUTES] = {code[0][i], 0, code[2][i], code[3][i]};

			if (dp_exact_conditional_find(&conditional, row) == histogram)
				want[code[1][i]]++;
		}
		for (uint64_t i = 0; i < histogram->n; i++)
		{
			wrong += histogram->count[i] != want[histogram->code[i]];
			sum += histogram->count[i];
			wrong += histogram->upto[i] != sum;
		}
		merged += histogram->n;
		wrong += histogram->total != sum || conditional.key[k] >= buckets;
		total += sum;
		largest = (uint64_t) sum > largest ? (uint64_t) sum : largest;
	}
	CHECK_I64(wrong, 0, "%s: a bucket counts the rows that find it", what);
	CHECK_I64(total, ROWS, "%s: each row is in one", what);
	CHECK_I64(bytes,
			  conditional.parents * sizeof(uint32_t) +
				  conditional.keys * (sizeof(uint32_t) + sizeof(DpHistogram)) +
				  cells * sizeof(int64_t) + merged * (sizeof(uint32_t) + sizeof(int64_t)),
			  "%s: the arena counts what is kept", what);
	CHECK(conditional.keys <= buckets && (buckets > 1 || largest == ROWS) &&
			  (buckets < 100 || conditional.keys > 30),
		  "%s: there are %u of %u, and rows are spread", what, (unsigned) conditional.keys,
		  buckets);
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	const uint32_t all[] = {3, 0, 2, 1}, one[] = {2, 0}, none[] = {3};

	test_table(all, 4, DP_DENSE, "three parents");
	test_table(all, 4, DP_SPARSE, "three parents, hashed");
	test_table(one, 2, DP_DENSE, "one parent");
	test_table(none, 1, DP_DENSE, "no parents");
	test_buckets(1, "one bucket");
	test_buckets(7, "seven buckets");
	test_buckets(10000000, "ten million buckets");
	return unit_finish();
}
