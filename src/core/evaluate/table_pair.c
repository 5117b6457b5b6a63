/*
 * table_pair.c -- the contingency tables of one set in two tables of rows, cell beside cell.
 */
#include "core/evaluate/table_pair.h"

#include <math.h>

#include "core/base/sort.h"
#include "core/exact/marginal_hash.h"

/* Lists the cells of one table that the other one does not have yet in the list: those of the first,
 * and those of the second that the first has not. */
static void
list_cells(const DpMarginal *const table[2], int side, DpTablePair *pair, const uint64_t **key,
		   int64_t *const count[2])
{
	const DpMarginal *own = table[side];

	for (uint64_t slot = 0; slot < own->capacity; slot++)
	{
		const uint64_t *at = own->keys + slot * own->key_words;
		int64_t other;

		if (own->counts[slot] == 0)
			continue;
		other = dp_marginal_hash_count(table[1 - side], at);
		if (side == 1 && other != 0)
			continue;
		count[side][pair->cells] = own->counts[slot];
		count[1 - side][pair->cells] = other;
		key[pair->cells++] = at;
	}
}

/* Both tables have their slots in the order of the same hash, so look-ups go through the other one
 * from its beginning to its end. */
static DpStatus
pair_hashed(const DpMarginal *const table[2], DpTablePair *pair, DpArena *arena)
{
	uint64_t most = table[0]->used + table[1]->used;
	int64_t *const count[2] = {dp_alloc(arena, most, sizeof(int64_t)),
							   dp_alloc(arena, most, sizeof(int64_t))};
	const uint64_t **key = dp_alloc(arena, most, sizeof(*key));

	if (count[0] == NULL || count[1] == NULL || key == NULL)
		return DP_ERR_MEMORY;
	for (int side = 0; side < 2; side++)
		list_cells(table, side, pair, key, count);
	pair->count[0] = count[0];
	pair->count[1] = count[1];
	pair->key = key;
	pair->field = table[0]->field;
	return DP_OK;
}

DpStatus
dp_table_pair_make(const DpMarginal *first, const DpMarginal *second, DpTablePair *pair,
				   DpArena *arena)
{
	*pair = (DpTablePair){.n = first->n, .levels = first->levels};
	pair->total[0] = first->total;
	pair->total[1] = second->total;
	if (first->storage == DP_DENSE)
	{
		pair->cells = first->cells;
		pair->count[0] = first->dense;
		pair->count[1] = second->dense;
		return DP_OK;
	}
	return pair_hashed((const DpMarginal *const[]){first, second}, pair, arena);
}

typedef struct KeyOrder
{
	const DpTablePair *pair;
	uint32_t words;
} KeyOrder;

static bool
key_before(const void *context, uint64_t a, uint64_t b)
{
	const KeyOrder *order = context;

	return dp_key_before(order->pair->key[a], order->pair->key[b], order->words);
}

DpStatus
dp_table_pair_order(const DpTablePair *pair, DpTablePair *out, DpArena *arena)
{
	KeyOrder order = {pair, pair->key == NULL ? 0 : pair->field[pair->n - 1].word + 1};
	uint64_t *place;
	int64_t *count[2];
	const uint64_t **key;

	*out = *pair;
	if (pair->key == NULL)
		return DP_OK;
	place = dp_alloc(arena, pair->cells, sizeof(*place));
	count[0] = dp_alloc(arena, pair->cells, sizeof(int64_t));
	count[1] = dp_alloc(arena, pair->cells, sizeof(int64_t));
	key = dp_alloc(arena, pair->cells, sizeof(*key));
	if (place == NULL || count[0] == NULL || count[1] == NULL || key == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t i = 0; i < pair->cells; i++)
		place[i] = i;
	DP_TRY(dp_sort_indexes(place, pair->cells, key_before, &order, arena));
	for (uint64_t i = 0; i < pair->cells; i++)
	{
		count[0][i] = pair->count[0][place[i]];
		count[1][i] = pair->count[1][place[i]];
		key[i] = pair->key[place[i]];
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
		return dp_key_get(&pair->field[attribute], pair->key[cell]);
	for (uint32_t k = pair->n - 1; k > attribute; k--)
		cell /= pair->levels[k];
	return (uint32_t) (cell % pair->levels[attribute]);
}

double
dp_total_variation(const DpTablePair *pair)
{
	double first = 1 / (double) pair->total[0];
	double second = 1 / (double) pair->total[1];
	double sum = 0;

	for (uint64_t i = 0; i < pair->cells; i++)
		sum += fabs((double) pair->count[0][i] * first - (double) pair->count[1][i] * second);
	return sum / 2;
}

double
dp_largest_difference(const DpTablePair *pair)
{
	double first = 1 / (double) pair->total[0];
	double second = 1 / (double) pair->total[1];
	double largest = 0;

	for (uint64_t i = 0; i < pair->cells; i++)
	{
		double apart =
			fabs((double) pair->count[0][i] * first - (double) pair->count[1][i] * second);

		largest = apart > largest ? apart : largest;
	}
	return largest;
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
