/*
 * exact_conditional.c -- exact counts of an attribute by key.
 */
#include "core/methods/exact_conditional.h"

#include <string.h>

#include "core/base/code_key.h"
#include "core/base/sort.h"

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
			memcpy(out->key + keys * (n - 1), codes + i * n, (n - 1) * sizeof(*out->key));
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

/* ---- buckets ---- */

/* The same for the same codes at all times: the hash is public, and has no key. */
static uint32_t
bucket_of(const uint32_t *codes, uint32_t n, uint32_t buckets)
{
	uint64_t hash = 0;

	for (uint32_t k = 0; k < n; k++)
	{
		uint64_t word = hash ^ codes[k];

		hash = dp_key_hash(&word, 1);
	}
	return (uint32_t) ((unsigned __int128) hash * buckets >> 64);
}

typedef struct Cells
{
	uint32_t *codes; /* [capacity x width] */
	int64_t *counts; /* [capacity] */
	uint64_t n;
	uint64_t capacity; /* at least n */
	uint32_t width;
} Cells;

static bool
bucket_before(const void *context, uint64_t a, uint64_t b)
{
	const uint32_t *codes = context;

	return codes[2 * a] != codes[2 * b] ? codes[2 * a] < codes[2 * b]
										: codes[2 * a + 1] < codes[2 * b + 1];
}

/* Copies the cells in order. Those of one bucket and one value become one. */
static void
merge_cells(const uint32_t *hashed, const uint64_t *order, const int64_t *counts, Cells *cells)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < cells->n; i++)
	{
		const uint32_t *code = hashed + 2 * order[i];
		uint32_t *last = cells->codes + 2 * n;

		if (n == 0 || last[-2] != code[0] || last[-1] != code[1])
		{
			memcpy(last, code, 2 * sizeof(*code));
			n++;
		}
		cells->counts[n - 1] += counts[order[i]];
	}
	cells->n = n;
}

/* Replaces the parents' codes of cells by their bucket. */
static DpStatus
put_in_buckets(uint32_t buckets, Cells *cells, DpArena *arena)
{
	uint32_t *hashed = dp_alloc(arena, cells->n, 2 * sizeof(*hashed));
	uint64_t *order = dp_alloc(arena, cells->n, sizeof(*order));
	Cells merged = {.n = cells->n, .capacity = cells->n, .width = 2}; /* it has at most as many */

	merged.codes = dp_alloc(arena, cells->n, 2 * sizeof(*merged.codes));
	merged.counts = dp_alloc(arena, cells->n, sizeof(*merged.counts));
	if (hashed == NULL || order == NULL || merged.codes == NULL || merged.counts == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < cells->n; i++)
	{
		const uint32_t *code = cells->codes + i * cells->width;

		hashed[2 * i] = bucket_of(code, cells->width - 1, buckets);
		hashed[2 * i + 1] = code[cells->width - 1];
		order[i] = i;
	}
	DP_TRY(dp_sort_indexes(order, cells->n, bucket_before, hashed, arena));
	merge_cells(hashed, order, cells->counts, &merged);
	dp_free(arena, hashed, cells->n, 2 * sizeof(*hashed));
	dp_free(arena, order, cells->n, sizeof(*order));
	dp_free(arena, cells->codes, cells->capacity, cells->width * sizeof(*cells->codes));
	dp_free(arena, cells->counts, cells->capacity, sizeof(*cells->counts));
	*cells = merged;
	return DP_OK;
}

DpStatus
dp_exact_conditional_build(const DpMarginal *exact, uint32_t buckets, DpExactConditional *out,
						   DpArena *arena)
{
	uint32_t parents = exact->n - 1;
	Cells cells = {.width = exact->n};

	*out = (DpExactConditional){
		.parents = parents, .buckets = buckets, .key_codes = buckets > 0 ? 1 : parents};
	out->none.levels = exact->levels[parents];
	out->parent = dp_memdup(arena, exact->attribute, parents * sizeof(*out->parent));
	DP_TRY(dp_marginal_cells(exact, &cells.codes, &cells.counts, &cells.n, arena));
	cells.capacity = cells.n;
	if (buckets > 0)
		DP_TRY(put_in_buckets(buckets, &cells, arena));
	out->keys = count_keys(cells.codes, cells.width, cells.n);
	out->key = dp_alloc(arena, out->keys, out->key_codes * sizeof(*out->key));
	out->histogram = dp_alloc(arena, out->keys, sizeof(*out->histogram));
	if (out->parent == NULL || out->key == NULL || out->histogram == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(gather(cells.codes, cells.counts, cells.n, cells.width, out, arena));
	dp_free(arena, cells.codes, cells.capacity, cells.width * sizeof(*cells.codes));
	return DP_OK;
}

/* ---- finding ---- */

/* Compares the key and the one wanted, with a result like memcmp's. */
static int
compare(const DpExactConditional *conditional, uint64_t key, const uint32_t *wanted)
{
	const uint32_t *codes = conditional->key + key * conditional->key_codes;

	for (uint32_t k = 0; k < conditional->key_codes; k++)
	{
		if (codes[k] != wanted[k])
			return codes[k] < wanted[k] ? -1 : 1;
	}
	return 0;
}

DpHistogram *
dp_exact_conditional_find(DpExactConditional *conditional, const uint32_t *row)
{
	uint32_t wanted[DP_ATTRIBUTES_MAX];
	uint64_t low = 0;
	uint64_t high = conditional->keys;

	for (uint32_t k = 0; k < conditional->parents; k++)
		wanted[k] = row[conditional->parent[k]];
	if (conditional->buckets > 0)
		wanted[0] = bucket_of(wanted, conditional->parents, conditional->buckets);
	while (low < high)
	{
		uint64_t middle = low + (high - low) / 2;
		int order = compare(conditional, middle, wanted);

		if (order == 0)
			return &conditional->histogram[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return &conditional->none;
}
