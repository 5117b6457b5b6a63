/*
 * unit_joint.h -- joint tables at random, their margins by the definition, and sets of attributes
 * (as bits).
 */
#ifndef UNIT_JOINT_H
#define UNIT_JOINT_H

#include "core/estimate/anova.h"
#include "core/estimate/joint.h"

#include "unit_data.h"

/* The cell of a table over a set in which cell i of the joint table is counted. */
static inline uint64_t
plain_cell(const uint32_t *levels, uint32_t n, uint64_t i, uint32_t mask)
{
	uint64_t cell = 0, step = 1;

	for (uint32_t a = n; a-- > 0; i /= levels[a])
	{
		if ((mask >> a & 1) == 0)
			continue;
		cell += i % levels[a] * step;
		step *= levels[a];
	}
	return cell;
}

/* The margin of a dense array over a set, cell by cell. */
static inline void
plain_margin(const uint32_t *levels, uint32_t n, const double *dense, uint32_t mask, double *out)
{
	uint32_t all = (UINT32_C(1) << n) - 1;
	uint64_t cells = dp_joint_set_cells(levels, all);

	for (uint64_t i = 0; i < dp_joint_set_cells(levels, mask); i++)
		out[i] = 0;
	for (uint64_t i = 0; i < cells; i++)
		out[plain_cell(levels, n, i, mask)] += dense[i];
}

static inline double
largest_difference(const double *a, const double *b, uint64_t n)
{
	double largest = 0;

	for (uint64_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(a[i] - b[i]));
	return largest;
}

static inline double *
random_array(DpArena *arena, DpPrng *prng, uint64_t n, double low, double high)
{
	double *out = dp_alloc(arena, n, sizeof(*out));

	for (uint64_t i = 0; i < n; i++)
		out[i] = low + (high - low) * dp_prng_unit(prng);
	return out;
}

static inline double *
random_joint(DpArena *arena, DpPrng *prng, uint64_t n)
{
	double *out = random_array(arena, prng, n, 0.02, 1);
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += out[i];
	for (uint64_t i = 0; i < n; i++)
		out[i] /= sum;
	return out;
}

static inline DpNoisyTable
table_of(DpArena *arena, const uint32_t *levels, uint32_t n, const double *joint, uint32_t mask,
		 double rows, double variance)
{
	DpNoisyTable table = {
		.mask = mask, .cells = dp_joint_set_cells(levels, mask), .variance = variance};

	table.value = dp_alloc(arena, table.cells, sizeof(double));
	plain_margin(levels, n, joint, mask, table.value);
	for (uint64_t i = 0; i < table.cells; i++)
		table.value[i] *= rows;
	return table;
}

static inline uint32_t
all_of_size(uint32_t n, uint32_t size, uint32_t *mask)
{
	uint32_t sets = 0;

	for (uint32_t m = 1; m >> n == 0; m++)
	{
		if ((uint32_t) __builtin_popcount(m) == size)
			mask[sets++] = m;
	}
	return sets;
}

#endif
