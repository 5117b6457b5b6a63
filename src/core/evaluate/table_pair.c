/*
 * table_pair.c -- the contingency tables of one set in two tables of rows, cell beside cell.
 */
#include "core/evaluate/table_pair.h"

#include <math.h>
#include <string.h>

/* The non-empty cells of a hashed table, in ascending order of codes. */
typedef struct Listed
{
	uint32_t *code;
	int64_t *count;
	uint64_t n;
} Listed;

/* < 0, 0, > 0: which of two cells comes first. A list that is at its end comes last. */
static int
cell_order(const Listed *first, uint64_t i, const Listed *second, uint64_t j, uint32_t n)
{
	if (i == first->n || j == second->n)
		return (int) (i == first->n) - (int) (j == second->n);
	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t a = first->code[i * n + k];
		uint32_t b = second->code[j * n + k];

		if (a != b)
			return a < b ? -1 : 1;
	}
	return 0;
}

static DpStatus
merge_lists(const Listed *first, const Listed *second, DpTablePair *pair, DpArena *arena)
{
	uint64_t most = first->n + second->n;
	int64_t *count[2] = {dp_alloc(arena, most, sizeof(int64_t)),
						 dp_alloc(arena, most, sizeof(int64_t))};
	uint32_t *code = dp_alloc(arena, most, pair->n * sizeof(uint32_t));
	uint64_t i = 0, j = 0;

	if (count[0] == NULL || count[1] == NULL || code == NULL)
		return DP_ERR_MEMORY;
	while (i < first->n || j < second->n)
	{
		int order = cell_order(first, i, second, j, pair->n);
		const uint32_t *from = order <= 0 ? first->code + i * pair->n : second->code + j * pair->n;

		memcpy(code + pair->cells * pair->n, from, pair->n * sizeof(*code));
		count[0][pair->cells] = order <= 0 ? first->count[i++] : 0;
		count[1][pair->cells] = order >= 0 ? second->count[j++] : 0;
		pair->cells++;
	}
	pair->count[0] = count[0];
	pair->count[1] = count[1];
	pair->code = code;
	return DP_OK;
}

DpStatus
dp_table_pair_make(const DpMarginal *first, const DpMarginal *second, DpTablePair *pair,
				   DpArena *arena)
{
	Listed listed[2];

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
	DP_TRY(dp_marginal_cells(first, &listed[0].code, &listed[0].count, &listed[0].n, arena));
	DP_TRY(dp_marginal_cells(second, &listed[1].code, &listed[1].count, &listed[1].n, arena));
	return merge_lists(&listed[0], &listed[1], pair, arena);
}

uint32_t
dp_table_pair_code(const DpTablePair *pair, uint64_t cell, uint32_t attribute)
{
	if (pair->code != NULL)
		return pair->code[cell * pair->n + attribute];
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
