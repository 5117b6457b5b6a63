/*
 * test_count_kernel.c -- a batch of rows added to a table, and a table to its
 * margin, each against the plain loop.
 */
#include "core/base/prng.h"
#include "core/exact/count_kernel.h"

#include "unit.h"

#define COLUMNS_MAX 17
#define CELLS_MAX 200000

typedef struct Batch
{
	uint32_t n, rows;
	uint32_t levels[COLUMNS_MAX];
	uint64_t cells;
	uint32_t code[COLUMNS_MAX][DP_BATCH_ROWS];
	uint16_t narrow[COLUMNS_MAX][DP_BATCH_ROWS];
} Batch;

/* Levels whose product is at most cells_max. Rows crowd in the last cells. */
static void
make_batch(Batch *b, DpPrng *prng, uint64_t cells_max)
{
	b->n = 0;
	b->cells = 1;
	b->rows = 1 + (uint32_t) dp_prng_below(prng, DP_BATCH_ROWS);
	while (b->n == 0 || (b->n < COLUMNS_MAX && dp_prng_below(prng, 6) != 0))
	{
		uint64_t most = cells_max / b->cells;

		most = dp_prng_below(prng, 3) != 0 && most > 9 ? 9 : most;
		b->levels[b->n] = 1 + (uint32_t) dp_prng_below(prng, most);
		b->cells *= b->levels[b->n];
		for (uint32_t i = 0; i < b->rows; i++)
			b->code[b->n][i] = dp_prng_below(prng, 4) == 0
								   ? b->levels[b->n] - 1
								   : (uint32_t) dp_prng_below(prng, b->levels[b->n]);
		b->n++;
	}
}

static uint64_t
cell_of(const Batch *b, uint32_t row)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < b->n; k++)
		cell = cell * b->levels[k] + b->code[k][row];
	return cell;
}

/* Counts are added to what is there. */
static bool
count_agrees(Batch *b, bool narrow)
{
	static uint32_t got[CELLS_MAX], want[CELLS_MAX];
	const uint32_t *column[COLUMNS_MAX];
	const uint16_t *narrow_column[COLUMNS_MAX];

	for (uint64_t i = 0; i < b->cells; i++)
		got[i] = want[i] = (uint32_t) (i % 7);
	for (uint32_t i = 0; i < b->rows; i++)
		want[cell_of(b, i)]++;
	for (uint32_t k = 0; k < b->n; k++)
	{
		column[k] = b->code[k];
		narrow_column[k] = b->narrow[k];
		if (narrow && !dp_kernel_narrow(b->code[k], b->rows, b->levels[k], b->narrow[k]))
			return false;
	}
	if (narrow)
		dp_kernel_count_narrow(narrow_column, b->levels, b->n, b->rows, got);
	else
		dp_kernel_count_wide(column, b->levels, b->n, b->rows, got);
	return memcmp(got, want, b->cells * sizeof(*got)) == 0;
}

/* Rows that stand for several, in both halves of a word. The columns are those of count_agrees. */
static bool
add_agrees(Batch *b, bool narrow, DpPrng *prng)
{
	static uint64_t got[CELLS_MAX], want[CELLS_MAX];
	const uint32_t *column[COLUMNS_MAX];
	const uint16_t *narrow_column[COLUMNS_MAX];
	uint64_t rows_of[DP_BATCH_ROWS];

	for (uint64_t i = 0; i < b->cells; i++)
		got[i] = want[i] = i % 7;
	for (uint32_t i = 0; i < b->rows; i++)
	{
		rows_of[i] = dp_prng_below(prng, 1000) << 32 | dp_prng_below(prng, 1000);
		want[cell_of(b, i)] += rows_of[i];
	}
	for (uint32_t k = 0; k < b->n; k++)
	{
		column[k] = b->code[k];
		narrow_column[k] = b->narrow[k];
	}
	if (narrow)
		dp_kernel_add_narrow(narrow_column, b->levels, b->n, b->rows, rows_of, got);
	else
		dp_kernel_add_wide(column, b->levels, b->n, b->rows, rows_of, got);
	if (memcmp(got, want, b->cells * sizeof(*got)) != 0)
		return false;
	for (uint64_t i = 0; i < b->cells; i++)
		got[i] = i % 7;
	for (uint32_t k = 0; k < b->n; k++)
	{
		if (b->levels[k] > DP_NARROW_LEVELS_MAX)
			return true;
		(void) dp_kernel_narrow(b->code[k], b->rows, b->levels[k], b->narrow[k]);
	}
	dp_kernel_add_widened(narrow_column, b->levels, b->n, b->rows, rows_of, got);
	return memcmp(got, want, b->cells * sizeof(*got)) == 0;
}

static void
test_counts(void)
{
	static Batch b;
	unsigned wrong_narrow = 0, wrong_wide = 0, full = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){31, 0, 0});
	for (int round = 0; round < 1000; round++)
	{
		make_batch(&b, &prng, DP_NARROW_LEVELS_MAX);
		wrong_narrow += !count_agrees(&b, true) || !add_agrees(&b, true, &prng);
		full += b.cells > DP_NARROW_LEVELS_MAX / 2;
		make_batch(&b, &prng, CELLS_MAX);
		wrong_wide += !count_agrees(&b, false) || !add_agrees(&b, false, &prng);
	}
	CHECK_I64(wrong_narrow, 0, "1000 batches with codes of 16 bits");
	CHECK(full > 50, "some with more cells than 15 bits tell");
	CHECK_I64(wrong_wide, 0, "1000 batches with codes of 32");
	b = (Batch){.n = 1, .rows = 1, .levels = {DP_NARROW_LEVELS_MAX}, .cells = 65536};
	b.code[0][0] = 65535;
	CHECK(count_agrees(&b, true), "the last of 65536 levels");
}

static void
test_narrow(void)
{
	const uint32_t good[] = {0, 9, 3}, edge[] = {0, 10, 3}, far[] = {0, 3, 65536 + 3};
	uint16_t narrow[3];

	CHECK(dp_kernel_narrow(good, 3, 10, narrow) && narrow[1] == 9, "levels are taken");
	CHECK(!dp_kernel_narrow(edge, 3, 10, narrow), "the number of levels is none");
	CHECK(!dp_kernel_narrow(far, 3, 10, narrow), "nor is a code that 16 bits would cut to one");
	CHECK(dp_kernel_narrow(edge, 1, 10, narrow), "of rows that are not there nothing is read");
}

/* ---- margins ---- */

/* A table of up to 36 attributes, most of them with one level, and strides of a margin in any
 * order. */
static bool
project_agrees(DpPrng *prng)
{
	static uint32_t count[5000];
	static uint64_t added[5000];
	static int64_t got[5000], want[5000];
	static uint64_t got_added[5000];
	uint32_t levels[36], n = 1 + (uint32_t) dp_prng_below(prng, 36);
	uint64_t stride[36], cells = 1, margin = 1;

	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t most = cells < 1000 && dp_prng_below(prng, 4) == 0 ? 5 : 1;

		levels[k] = 1 + (uint32_t) dp_prng_below(prng, most);
		cells *= levels[k];
		stride[k] = 0;
	}
	for (uint32_t i = 0, k = (uint32_t) dp_prng_below(prng, n); i < n; i++, k = (k + 1) % n)
	{
		if (dp_prng_below(prng, 2) == 0)
			continue;
		stride[k] = margin;
		margin *= levels[k];
	}
	for (uint64_t i = 0; i < margin; i++)
	{
		got[i] = want[i] = (int64_t) dp_prng_u64(prng) / 4;
		got_added[i] = (uint64_t) got[i];
	}
	for (uint64_t i = 0; i < cells; i++)
	{
		uint64_t rest = i, at = 0;

		added[i] = count[i] = (uint32_t) dp_prng_u64(prng);
		for (uint32_t k = n; k-- > 0; rest /= levels[k])
			at += rest % levels[k] * stride[k];
		want[at] += count[i];
	}
	dp_kernel_project(count, levels, n, stride, got);
	dp_kernel_project_added(added, levels, n, stride, got_added);
	return memcmp(got, want, margin * sizeof(*got)) == 0 &&
		   memcmp(got_added, want, margin * sizeof(*got)) == 0;
}

static void
test_project(void)
{
	unsigned wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){32, 0, 0});
	for (int round = 0; round < 1000; round++)
		wrong += !project_agrees(&prng);
	CHECK_I64(wrong, 0, "1000 tables are added to margins, counts over 2^31 too");
}

int
main(void)
{
	test_counts();
	test_narrow();
	test_project();
	return unit_finish();
}
