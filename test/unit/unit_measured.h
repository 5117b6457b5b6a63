/*
 * unit_measured.h -- noisy tables at random over three attributes, from which groups are answered.
 */
#ifndef UNIT_MEASURED_H
#define UNIT_MEASURED_H

#include "core/estimate/measured.h"

#include "unit_data.h"

#define P 3

static const uint32_t sizes[P] = {2, 3, 2};

/* A noisy table over some attributes, with random counts. */
static inline DpTable
random_table(DpArena *arena, const uint32_t *attribute, uint32_t n, int64_t epsilon_nano,
			 DpPrng *prng)
{
	DpTable table = {.n = n,
					 .attribute = dp_memdup(arena, attribute, n * sizeof(*attribute)),
					 .storage = DP_DENSE,
					 .cells = 1,
					 .noise = DP_NOISE_LAPLACE,
					 .cost = {.epsilon_nano = epsilon_nano},
					 .sensitivity_l1 = 1};

	for (uint32_t k = 0; k < n; k++)
		table.cells *= sizes[attribute[k]];
	table.value = dp_alloc(arena, table.cells, sizeof(*table.value));
	for (uint64_t i = 0; i < table.cells; i++)
		table.value[i] = (int64_t) dp_prng_below(prng, 1000);
	return table;
}

static inline DpMeasuredTable *
measured(DpArena *arena, const DpTable *table, uint32_t n)
{
	DpMeasuredTable *out = dp_alloc(arena, n, sizeof(*out));

	for (uint32_t t = 0; t < n; t++)
		out[t].table = &table[t];
	return out;
}

#endif
