/*
 * exact_conditional.c -- exact counts of an attribute by key.
 */
#include "core/methods/exact_conditional.h"

#include <string.h>

/* Whether cell i has another key than the one before it. */
static bool
begins_key(const uint32_t *codes, uint32_t n, uint64_t i)
{
	return i == 0 || memcmp(codes + (i - 1) * n, codes + i * n, (n - 1) * sizeof(*codes)) != 0;
}

static uint64_t
count_keys(const uint32_t *codes, uint32_t n, uint64_t cells)
{
	uint64_t keys = 0;

	for (uint64_t i = 0; i < cells; i++)
		keys += begins_key(codes, n, i);
	return keys;
}

/* The cells come in ascending order with the attribute last, so those of a key follow each
 * other. */
static DpStatus
gather(const uint32_t *codes, const int64_t *counts, uint64_t cells, uint32_t n,
	   DpExactConditional *out, DpArena *arena)
{
	uint32_t *value = dp_alloc(arena, cells, sizeof(*value));
	int64_t *upto = dp_alloc(arena, cells, sizeof(*upto));
	uint64_t keys = 0;

	if (value == NULL || upto == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < cells; i++)
	{
		DpHistogram *histogram;

		value[i] = codes[i * n + n - 1];
		if (begins_key(codes, n, i))
		{
			memcpy(out->key + keys * out->parents, codes + i * n, out->parents * sizeof(*out->key));
			out->histogram[keys++] = (DpHistogram){.levels = out->none.levels,
												   .code = &value[i],
												   .count = &counts[i],
												   .upto = &upto[i]};
		}
		histogram = &out->histogram[keys - 1];
		histogram->n++;
		histogram->total += counts[i];
		upto[i] = histogram->total;
	}
	return DP_OK;
}

DpStatus
dp_exact_conditional_build(const DpMarginal *exact, DpExactConditional *out, DpArena *arena)
{
	uint32_t n = exact->n;
	uint32_t *codes;
	int64_t *counts;
	uint64_t cells;

	*out = (DpExactConditional){.parents = n - 1};
	out->none.levels = exact->levels[n - 1];
	out->parent = dp_memdup(arena, exact->attribute, (n - 1) * sizeof(*out->parent));
	DP_TRY(dp_marginal_cells(exact, &codes, &counts, &cells, arena));
	out->keys = count_keys(codes, n, cells);
	out->key = dp_alloc(arena, out->keys, out->parents * sizeof(*out->key));
	out->histogram = dp_alloc(arena, out->keys, sizeof(*out->histogram));
	if (out->parent == NULL || out->key == NULL || out->histogram == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(gather(codes, counts, cells, n, out, arena));
	dp_free(arena, codes, cells, n * sizeof(*codes));
	return DP_OK;
}

/* Compares the key and the row's codes, with a result like memcmp's. */
static int
compare(const DpExactConditional *conditional, uint64_t key, const uint32_t *row)
{
	const uint32_t *codes = conditional->key + key * conditional->parents;

	for (uint32_t k = 0; k < conditional->parents; k++)
	{
		uint32_t wanted = row[conditional->parent[k]];

		if (codes[k] != wanted)
			return codes[k] < wanted ? -1 : 1;
	}
	return 0;
}

DpHistogram *
dp_exact_conditional_find(DpExactConditional *conditional, const uint32_t *row)
{
	uint64_t low = 0;
	uint64_t high = conditional->keys;

	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;
		int order = compare(conditional, middle, row);

		if (order == 0)
			return &conditional->histogram[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return &conditional->none;
}
