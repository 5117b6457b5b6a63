/*
 * test_exact_conditional.c -- counts of an attribute by the values of its parents,
 * looked up by a row, against counting all rows again.
 */
#include "core/methods/exact_conditional.h"

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
	MUST(dp_exact_conditional_build(&exact, &conditional, &arena));
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

int
main(void)
{
	const uint32_t all[] = {3, 0, 2, 1}, one[] = {2, 0}, none[] = {3};

	test_table(all, 4, DP_DENSE, "three parents");
	test_table(all, 4, DP_SPARSE, "three parents, hashed");
	test_table(one, 2, DP_DENSE, "one parent");
	test_table(none, 1, DP_DENSE, "no parents");
	return unit_finish();
}
