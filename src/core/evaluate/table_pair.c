/*
 * table_pair.c -- the contingency tables of one set in two tables of rows, cell beside cell.
 */
#include "core/evaluate/table_pair.h"

#include <math.h>

#include "core/exact/marginal_hash.h"

/* The non-empty cells of a hashed table, in ascending order of codes. */
typedef struct Listed
{
	const DpMarginal *table;
	uint64_t *slot; /* [table->used] */
	uint64_t next;
} Listed;

static const uint64_t *
key_of(const Listed *listed)
{
	if (listed->next == listed->table->used)
		return NULL;
	return listed->table->keys + listed->slot[listed->next] * listed->table->key_words;
}

static int64_t
take_count(Listed *listed)
{
	return listed->table->counts[listed->slot[listed->next++]];
}

/* The first key of two, of which one may be NULL. */
static const uint64_t *
first_key(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	if (a == NULL || b == NULL)
		return a == NULL ? b : a;
	return dp_key_before(b, a, words) ? b : a;
}

static DpStatus
merge_lists(Listed listed[2], DpTablePair *pair, DpArena *arena)
{
	uint64_t most = listed[0].table->used + listed[1].table->used;
	uint32_t words = listed[0].table->key_words;
	int64_t *count[2] = {dp_alloc(arena, most, sizeof(int64_t)),
						 dp_alloc(arena, most, sizeof(int64_t))};
	const uint64_t **key = dp_alloc(arena, most, sizeof(*key));

	if (count[0] == NULL || count[1] == NULL || key == NULL)
		return DP_ERR_MEMORY;
	while (key_of(&listed[0]) != NULL || key_of(&listed[1]) != NULL)
	{
		const uint64_t *next = first_key(key_of(&listed[0]), key_of(&listed[1]), words);

		for (int side = 0; side < 2; side++)
		{
			const uint64_t *own = key_of(&listed[side]);

			if (own != NULL && dp_key_equal(own, next, words))
				count[side][pair->cells] = take_count(&listed[side]);
		}
		key[pair->cells++] = next;
	}
	pair->count[0] = count[0];
	pair->count[1] = count[1];
	pair->key = key;
	pair->field = listed[0].table->field;
	return DP_OK;
}

DpStatus
dp_table_pair_make(const DpMarginal *first, const DpMarginal *second, DpTablePair *pair,
				   DpArena *arena)
{
	Listed listed[2] = {{.table = first}, {.table = second}};

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
	for (int side = 0; side < 2; side++)
		DP_TRY(dp_marginal_hash_order(listed[side].table, &listed[side].slot, arena));
	return merge_lists(listed, pair, arena);
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
