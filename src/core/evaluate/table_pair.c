/*
 * table_pair.c -- the contingency tables of one set in two tables of rows, cell beside cell.
 */
#include "core/evaluate/table_pair.h"

#include <string.h>

#include "core/base/sort.h"

DpStatus
dp_table_pair_make(const DpDistinctCells *distinct, const uint32_t *levels, DpTablePair *pair,
				   DpArena *arena)
{
	int64_t *count[2] = {dp_alloc_uncleared(arena, distinct->cells, sizeof(int64_t)),
						 dp_alloc_uncleared(arena, distinct->cells, sizeof(int64_t))};

	DP_TRY_ALLOC(count[0] && count[1]);
	*pair = (DpTablePair){.n = distinct->set.n,
						  .levels = levels,
						  .cells = distinct->cells,
						  .count = {count[0], count[1]},
						  .key = distinct->key,
						  .words = distinct->words,
						  .field = distinct->field};
	for (int side = 0; side < 2; side++)
	{
		for (uint64_t i = 0; i < distinct->cells; i++)
		{
			count[side][i] = dp_rows_of_side(distinct->rows[i], side);
			pair->total[side] += count[side][i];
		}
	}
	return DP_OK;
}

static bool
key_before(const void *context, uint64_t a, uint64_t b)
{
	const DpTablePair *pair = context;

	return dp_key_before(pair->key + a * pair->words, pair->key + b * pair->words, pair->words);
}

DpStatus
dp_table_pair_order(const DpTablePair *pair, DpTablePair *out, DpArena *arena)
{
	uint64_t *place;
	int64_t *count[2];
	uint64_t *key;

	*out = *pair;
	if (pair->key == NULL)
		return DP_OK;
	place = dp_alloc(arena, pair->cells, sizeof(*place));
	count[0] = dp_alloc(arena, pair->cells, sizeof(int64_t));
	count[1] = dp_alloc(arena, pair->cells, sizeof(int64_t));
	key = dp_alloc(arena, pair->cells * pair->words, sizeof(*key));
	DP_TRY_ALLOC(place && count[0] && count[1] && key);
	for (uint64_t i = 0; i < pair->cells; i++)
		place[i] = i;
	DP_TRY(dp_sort_indexes(place, pair->cells, key_before, pair, arena));
	for (uint64_t i = 0; i < pair->cells; i++)
	{
		count[0][i] = pair->count[0][place[i]];
		count[1][i] = pair->count[1][place[i]];
		memcpy(key + i * pair->words, pair->key + place[i] * pair->words,
			   pair->words * sizeof(*key));
	}
	dp_free(arena, place, pair->cells, sizeof(*place));
	out->count[0] = count[0];
	out->count[1] = count[1];
	out->key = key;
	return DP_OK;
}

uint32_t
dp_table_pair_code(const DpTablePair *pair, uint64_t cell, uint32_t attribute)
{
	if (pair->key != NULL)
		return dp_key_get(&pair->field[attribute], pair->key + cell * pair->words);
	if (pair->place != NULL)
		cell = pair->place[cell];
	for (uint32_t k = pair->n - 1; k > attribute; k--)
		cell /= pair->levels[k];
	return (uint32_t) (cell % pair->levels[attribute]);
}

/* Shares are compared as whole numbers of 1/(N M), so that equal tables are at exactly 0 and tables
 * without a common cell at exactly 1. With N + M < 2^32 no sum is above 2 N M < 2^63. */
DpTableDistance
dp_table_distance(const DpTablePair *pair)
{
	uint64_t n = (uint64_t) pair->total[0];
	uint64_t m = (uint64_t) pair->total[1];
	double whole = (double) n * (double) m;
	uint64_t sum = 0;
	uint64_t largest = 0;

	for (uint64_t i = 0; i < pair->cells; i++)
	{
		uint64_t x = (uint64_t) pair->count[0][i] * m;
		uint64_t z = (uint64_t) pair->count[1][i] * n;
		uint64_t apart = x > z ? x - z : z - x;

		sum += apart;
		largest = apart > largest ? apart : largest;
	}
	return (DpTableDistance){.total_variation = (double) sum / whole / 2,
							 .largest = (double) largest / whole};
}

DpSupport
dp_table_support(const DpTablePair *pair)
{
	double scale = (double) pair->total[0] / (double) pair->total[1];
	DpSupport support = {.chi_square = 0};

	for (uint64_t i = 0; i < pair->cells; i++)
	{
		int64_t x = pair->count[0][i];
		int64_t z = pair->count[1][i];
		double apart = (double) x - (double) z * scale;

		support.cells[0] += x > 0;
		support.cells[1] += z > 0;
		if (x > 0)
			support.chi_square += apart * apart / (double) x;
		if (x > 0 && z > 0)
		{
			support.shared[0] += x;
			support.shared[1] += z;
		}
	}
	return support;
}
