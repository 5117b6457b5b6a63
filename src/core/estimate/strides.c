/*
 * strides.c -- the innermost loops of estimation: sums and products along the
 * strides of tables, and exp over whole arrays.
 *
 * Where the compiler can, each loop is also built for wider vectors and chosen at run time. No
 * operations are contracted and sums keep their order, so that a stored model gives the same rows
 * on every machine.
 */
#include "core/estimate/strides.h"

#include <math.h>
#include <string.h>

#include "core/base/row_major.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&       \
	defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define DP_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define DP_WIDE
#endif

#define WALK_CELLS_MAX (UINT64_C(1) << 40)

static uint64_t
product(const uint32_t *levels, const uint32_t *attribute, uint32_t n)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < n; k++)
	{
		if (cells > WALK_CELLS_MAX / levels[attribute[k]])
			return WALK_CELLS_MAX;
		cells *= levels[attribute[k]];
	}
	return cells;
}

DpStatus
dp_walk_init(DpWalk *walk, const uint32_t *levels, const DpAttributeSet *outer,
			 const DpAttributeSet *inner)
{
	uint64_t step;
	uint32_t k = 0;

	walk->axes = 0;
	walk->cells = product(levels, outer->attribute, outer->n);
	walk->margin_cells = product(levels, inner->attribute, inner->n);
	if (walk->cells >= WALK_CELLS_MAX || walk->margin_cells >= WALK_CELLS_MAX)
		return DP_ERR_LIMIT;
	step = walk->margin_cells;
	for (uint32_t i = 0; i < outer->n; i++)
	{
		bool kept = k < inner->n && inner->attribute[k] == outer->attribute[i];

		if (kept)
			step /= levels[inner->attribute[k++]];
		walk->axes = dp_row_major_append(walk->size, walk->step, walk->axes,
										 levels[outer->attribute[i]], kept ? step : 0);
	}
	return k == inner->n ? DP_OK : DP_ERR_ARGUMENT;
}

double
dp_walk_seconds(const DpWalk *walk)
{
	uint32_t last = walk->axes > 0 ? walk->size[walk->axes - 1] : 1;

	return (double) walk->cells * (DP_SECONDS_A_WALKED_CELL + DP_SECONDS_A_RUN / last);
}

/* ---- the driver: an odometer over all but the last two axes ---- */

typedef struct Runs
{
	size_t lines; /* length of the last axis but one */
	size_t line_step;
	size_t run; /* length of the last axis */
	size_t run_step;
} Runs;

typedef void (*Kernel)(double *table, double *margin, const Runs *runs);

static Runs
runs_of(const DpWalk *walk)
{
	Runs runs = {1, 0, 1, 0};

	if (walk->axes >= 1)
	{
		runs.run = walk->size[walk->axes - 1];
		runs.run_step = walk->step[walk->axes - 1];
	}
	if (walk->axes >= 2)
	{
		runs.lines = walk->size[walk->axes - 2];
		runs.line_step = walk->step[walk->axes - 2];
	}
	return runs;
}

static void
drive(const DpWalk *walk, double *table, double *margin, Kernel kernel)
{
	uint32_t digit[DP_WALK_AXES_MAX] = {0};
	uint32_t axes = walk->axes > 2 ? walk->axes - 2 : 0;
	Runs runs = runs_of(walk);
	uint64_t at = 0;

	do
	{
		kernel(table, margin + at, &runs);
		table += runs.lines * runs.run;
	} while (dp_row_major_follow(walk->size, walk->step, axes, digit, &at));
}

/* ---- kernels ---- */

#define BROADCAST(name, op)                                                                        \
	DP_WIDE static void name(double *restrict table, double *restrict margin, const Runs *runs)    \
	{                                                                                              \
		for (size_t i = 0; i < runs->lines; i++, table += runs->run, margin += runs->line_step)    \
		{                                                                                          \
			if (runs->run_step != 0)                                                               \
				for (size_t k = 0; k < runs->run; k++)                                             \
					table[k] op margin[k];                                                         \
			else                                                                                   \
				for (size_t k = 0; k < runs->run; k++)                                             \
					table[k] op *margin;                                                           \
		}                                                                                          \
	}

BROADCAST(kernel_copy, =)
BROADCAST(kernel_add, +=)
BROADCAST(kernel_subtract, -=)
BROADCAST(kernel_multiply, *=)

/* Four sums side by side: a fixed order, which vectors can keep. */
static inline double
sum_run(const double *x, size_t n)
{
	double sum[4] = {0, 0, 0, 0};
	size_t k = 0;

	for (; k + 4 <= n; k += 4)
		for (size_t lane = 0; lane < 4; lane++)
			sum[lane] += x[k + lane];
	for (; k < n; k++)
		sum[0] += x[k];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline double
maximum_run(const double *x, size_t n)
{
	double most = x[0];

	for (size_t k = 1; k < n; k++)
		most = x[k] > most ? x[k] : most;
	return most;
}

DP_WIDE static void
kernel_sum(double *restrict table, double *restrict margin, const Runs *runs)
{
	for (size_t i = 0; i < runs->lines; i++, table += runs->run, margin += runs->line_step)
	{
		if (runs->run_step != 0)
			for (size_t k = 0; k < runs->run; k++)
				margin[k] += table[k];
		else
			*margin += sum_run(table, runs->run);
	}
}

DP_WIDE static void
kernel_maximum(double *restrict table, double *restrict margin, const Runs *runs)
{
	for (size_t i = 0; i < runs->lines; i++, table += runs->run, margin += runs->line_step)
	{
		if (runs->run_step != 0)
			for (size_t k = 0; k < runs->run; k++)
				margin[k] = table[k] > margin[k] ? table[k] : margin[k];
		else
		{
			double most = maximum_run(table, runs->run);

			*margin = most > *margin ? most : *margin;
		}
	}
}

/* ---- short runs: many axes at a time ---- */

#define RUN_LEAST 24   /* shorter runs of the last axis are taken together with other axes */
#define BLOCK_LEAST 48 /* cells of a block, where there are so many */
#define BLOCK_MOST 1024
#define BLOCKS_LEAST 3 /* blocks of a table for which it pays to list their cells */

/* A block is the cells of the last axes. */
typedef struct Blocks
{
	uint32_t axes; /* that go before those of a block */
	size_t cells;
	uint32_t at[BLOCK_MOST]; /* [cells] the place in the margin, from that of the first */
	double value[BLOCK_MOST];
	/* the axes before a block: first those that the margin has, then the others */
	uint32_t kept, order[DP_WALK_AXES_MAX];
	size_t stride[DP_WALK_AXES_MAX];
} Blocks;

static void
list_places(const DpWalk *walk, Blocks *blocks)
{
	size_t n = 1;

	blocks->at[0] = 0;
	for (uint32_t k = blocks->axes; k < walk->axes; k++)
	{
		/* from the last cell on, so that nothing is overwritten before it is read */
		for (size_t i = n; i-- > 0;)
			for (size_t j = walk->size[k]; j-- > 0;)
				blocks->at[i * walk->size[k] + j] = blocks->at[i] + (uint32_t) (j * walk->step[k]);
		n *= walk->size[k];
	}
}

/* Divides a table into blocks; false: where runs are long enough, or tables too small. */
static bool
find_blocks(const DpWalk *walk, Blocks *blocks)
{
	size_t cells = 1;

	if (walk->axes < 3 || walk->size[walk->axes - 1] >= RUN_LEAST ||
		walk->margin_cells > UINT32_MAX)
		return false;
	blocks->axes = walk->axes;
	while (blocks->axes > 0 && cells < BLOCK_LEAST &&
		   cells * walk->size[blocks->axes - 1] <= BLOCK_MOST)
		cells *= walk->size[--blocks->axes];
	if (cells < RUN_LEAST || cells * BLOCKS_LEAST > walk->cells)
		return false;
	blocks->cells = cells;
	blocks->kept = 0;
	for (uint32_t k = 0; k < blocks->axes; k++)
		if (walk->step[k] != 0)
			blocks->order[blocks->kept++] = k;
	for (uint32_t k = 0, n = blocks->kept; k < blocks->axes; k++)
		if (walk->step[k] == 0)
			blocks->order[n++] = k;
	for (uint32_t k = blocks->axes; k-- > 0; cells *= walk->size[k])
		blocks->stride[k] = cells;
	list_places(walk, blocks);
	return true;
}

/* Goes to the next block along the axes order[from..to-1]; false after the last. */
static bool
next_block(const DpWalk *walk, const Blocks *blocks, uint32_t from, uint32_t to, uint32_t *digit,
		   size_t *table, size_t *margin)
{
	for (uint32_t n = to; n-- > from;)
	{
		uint32_t k = blocks->order[n];

		*table += blocks->stride[k];
		*margin += walk->step[k];
		if (++digit[n] < walk->size[k])
			return true;
		*table -= blocks->stride[k] * walk->size[k];
		*margin -= walk->step[k] * walk->size[k];
		digit[n] = 0;
	}
	return false;
}

static void
gather(Blocks *blocks, const double *margin)
{
	for (size_t i = 0; i < blocks->cells; i++)
		blocks->value[i] = margin[blocks->at[i]];
}

/* Does what a kernel does, for whole blocks. */
static bool
spread_blocks(const DpWalk *walk, double *table, double *margin, Kernel kernel)
{
	uint32_t digit[DP_WALK_AXES_MAX] = {0};
	size_t at = 0, from = 0;
	Blocks blocks;

	if (!find_blocks(walk, &blocks))
		return false;
	do
	{
		Runs runs = {1, 0, blocks.cells, 1};

		gather(&blocks, margin + from);
		do
			kernel(table + at, blocks.value, &runs);
		while (next_block(walk, &blocks, blocks.kept, blocks.axes, digit, &at, &from));
	} while (next_block(walk, &blocks, 0, blocks.kept, digit, &at, &from));
	return true;
}

/* First adds up the blocks that belong to the same cells of the margin, then sums what they
 * hold. */
static bool
sum_blocks(const DpWalk *walk, const double *table, double *margin)
{
	uint32_t digit[DP_WALK_AXES_MAX] = {0};
	size_t at = 0, from = 0;
	Blocks blocks;

	if (!find_blocks(walk, &blocks))
		return false;
	do
	{
		Runs runs = {1, 0, blocks.cells, 1};

		memset(blocks.value, 0, blocks.cells * sizeof(double));
		do
			kernel_sum((double *) (uintptr_t) table + at, blocks.value, &runs);
		while (next_block(walk, &blocks, blocks.kept, blocks.axes, digit, &at, &from));
		for (size_t i = 0; i < blocks.cells; i++)
			margin[from + blocks.at[i]] += blocks.value[i];
	} while (next_block(walk, &blocks, 0, blocks.kept, digit, &at, &from));
	return true;
}

/* ---- walks ---- */

static void
spread(const DpWalk *walk, double *table, const double *margin, Kernel kernel)
{
	double *from = (double *) (uintptr_t) margin;

	if (!spread_blocks(walk, table, from, kernel))
		drive(walk, table, from, kernel);
}

void
dp_walk_copy(const DpWalk *walk, double *table, const double *margin)
{
	spread(walk, table, margin, kernel_copy);
}

void
dp_walk_add(const DpWalk *walk, double *table, const double *margin)
{
	spread(walk, table, margin, kernel_add);
}

void
dp_walk_subtract(const DpWalk *walk, double *table, const double *margin)
{
	spread(walk, table, margin, kernel_subtract);
}

void
dp_walk_multiply(const DpWalk *walk, double *table, const double *margin)
{
	spread(walk, table, margin, kernel_multiply);
}

void
dp_walk_sum(const DpWalk *walk, const double *table, double *margin)
{
	memset(margin, 0, walk->margin_cells * sizeof(*margin));
	dp_walk_sum_more(walk, table, margin);
}

void
dp_walk_sum_more(const DpWalk *walk, const double *table, double *margin)
{
	if (!sum_blocks(walk, table, margin))
		drive(walk, (double *) (uintptr_t) table, margin, kernel_sum);
}

void
dp_walk_maximum(const DpWalk *walk, const double *table, double *margin)
{
	for (uint64_t i = 0; i < walk->margin_cells; i++)
		margin[i] = -INFINITY;
	drive(walk, (double *) (uintptr_t) table, margin, kernel_maximum);
}

void
dp_walk_sum_counts(const DpWalk *walk, const int64_t *table, int64_t *margin)
{
	uint32_t digit[DP_WALK_AXES_MAX] = {0};
	uint32_t axes = walk->axes > 1 ? walk->axes - 1 : 0;
	Runs runs = runs_of(walk);
	uint64_t at = 0;

	memset(margin, 0, walk->margin_cells * sizeof(*margin));
	do
	{
		for (size_t k = 0; k < runs.run; k++)
			margin[at + k * runs.run_step] += table[k];
		table += runs.run;
	} while (dp_row_major_follow(walk->size, walk->step, axes, digit, &at));
}

/* ---- products ---- */

DP_WIDE void
dp_product_rows(const double *restrict a, const double *restrict b, double *restrict out,
				DpProductShape shape)
{
	const size_t rows = shape.rows, terms = shape.terms, run = shape.columns;

	for (size_t i = 0; i < rows; i++)
		for (size_t t = 0; t < terms; t++)
		{
			double factor = a[i * terms + t];

			for (size_t k = 0; k < run; k++)
				out[i * run + k] += factor * b[t * run + k];
		}
}

DP_WIDE void
dp_product_cells(const double *restrict a, const double *restrict b, double *restrict out,
				 DpProductShape shape)
{
	const size_t rows = shape.rows, terms = shape.terms, columns = shape.columns, run = shape.run;

	for (size_t i = 0; i < rows; i++)
		for (size_t t = 0; t < terms; t++)
			for (size_t j = 0; j < columns; j++)
			{
				const double *x = a + (i * terms + t) * run, *y = b + (t * columns + j) * run;
				double *z = out + (i * columns + j) * run;

				for (size_t k = 0; k < run; k++)
					z[k] += x[k] * y[k];
			}
}

/* ---- exp ---- */

#define EXP_LEAST_BITS INT64_C(0x4086200000000000) /* of 708 */
#define LOG2_E 0x1.71547652b82fep0
#define LN2_HIGH 0x1.62e42fefa0000p-1 /* its last 20 bits are 0: k times it is exact */
#define LN2_LOW 0x1.cf79abc9e3b39p-40
#define ROUND_SHIFT 0x1.8p52 /* adding it leaves the nearest integer in the last bits */

/*
 * exp(x) = 2^k exp(r), with k = round(x / ln 2) and |r| <= ln(2)/2. exp(r) is its Taylor series to
 * r^13, whose rest is below 2^-57. There are no branches, so that it can be done in vectors.
 */
DP_WIDE void
dp_exp_all(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		double v = x[i], p = 1.0 / 6227020800.0;
		double shifted, k, r, power;
		int64_t bits, below;

		/* Taken as integers, doubles without their sign compare as their sizes do, and no
		 * comparison can trap. */
		memcpy(&bits, &v, sizeof(bits));
		bits &= INT64_MAX;
		below = bits > EXP_LEAST_BITS ? 0 : -1;
		bits = bits > EXP_LEAST_BITS ? EXP_LEAST_BITS : bits;
		memcpy(&v, &bits, sizeof(v));
		shifted = v * -LOG2_E + ROUND_SHIFT;
		k = shifted - ROUND_SHIFT;
		r = -v - k * LN2_HIGH - k * LN2_LOW;

		p = p * r + 1.0 / 479001600.0;
		p = p * r + 1.0 / 39916800.0;
		p = p * r + 1.0 / 3628800.0;
		p = p * r + 1.0 / 362880.0;
		p = p * r + 1.0 / 40320.0;
		p = p * r + 1.0 / 5040.0;
		p = p * r + 1.0 / 720.0;
		p = p * r + 1.0 / 120.0;
		p = p * r + 1.0 / 24.0;
		p = p * r + 1.0 / 6.0;
		p = p * r + 0.5;
		p = p * r + 1.0;
		p = p * r + 1.0;
		memcpy(&bits, &shifted, sizeof(bits));
		bits = (int64_t) ((uint64_t) (bits + 1023) << 52) & below; /* ROUND_SHIFT falls out */
		memcpy(&power, &bits, sizeof(power));
		x[i] = p * power;
	}
}
