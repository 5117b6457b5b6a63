/*
 * dependence.c -- how far a two-way table is from independence.
 */
#include "core/select/pairs.h"

#include "core/exact/strided_iterator.h"

/* Sums over the non-empty cells: |n t - r c|, and r c. The latter is the mass that the product
 * of margins puts on the support of the table. */
static void
sum_cells(const DpMarginal *pair, const int64_t *row, const int64_t *column,
		  unsigned __int128 *difference, unsigned __int128 *support)
{
	uint64_t end = dp_cell_end(pair);

	for (uint64_t i = 0; i < end; i++)
	{
		int64_t count = dp_cell_count(pair, i);
		unsigned __int128 observed;
		unsigned __int128 product;
		uint32_t codes[2];

		if (count == 0)
			continue;
		dp_cell_codes(pair, i, codes);
		observed = (unsigned __int128) pair->total * (uint64_t) count;
		product = (unsigned __int128) row[codes[0]] * (uint64_t) column[codes[1]];
		*difference += observed > product ? observed - product : product - observed;
		*support += product;
	}
}

/*
 * dp_marginal_dependence -- integer score of the dependence of two attributes
 *
 * Inputs:      pair, a two-way table of n = total rows
 * Output:      floor(1024 S / (2 n)), S = sum over all cells of |n t - r c|
 * Neighbours:  n R = S/(2n) moves by at most 2 a row under add/remove and 3 under replace, by
 *              a bound of the derivative along the segment that joins the two tables. Since
 *              1024 x 2 and 1024 x 3 are integers, rounding down keeps these bounds.
 * Why:         empty cells need no visit. There |n t - r c| = r c, and r c sums to n^2 over
 *              all cells, so empty cells add n^2 minus the mass of the support
 * Numerics:    S <= 2 n^2, so n < 2^57 keeps 1024 S within 128 bits
 * Source:      Zhang et al., PrivBayes (2014), score R
 */
DpStatus
dp_marginal_dependence(const DpMarginal *pair, int64_t *score, DpArena *arena)
{
	const uint32_t first = 0;
	const uint32_t second = 1;
	unsigned __int128 difference = 0;
	unsigned __int128 support = 0;
	unsigned __int128 n = (unsigned __int128) pair->total;
	DpMarginal row;
	DpMarginal column;

	if (pair->n != 2)
		return DP_ERR_ARGUMENT;
	if (pair->total < 0 || pair->total >= INT64_C(1) << 52)
		return DP_ERR_RANGE; /* 1024 n must fit the result too */
	if (pair->total == 0)
	{
		*score = 0;
		return DP_OK;
	}
	DP_TRY(dp_marginal_project(pair, &first, 1, &row, arena));
	DP_TRY(dp_marginal_project(pair, &second, 1, &column, arena));
	sum_cells(pair, row.dense, column.dense, &difference, &support);
	dp_marginal_free(&row);
	dp_marginal_free(&column);
	*score = (int64_t) (DP_DEPENDENCE_UNIT * (difference + n * n - support) / (2 * n));
	return DP_OK;
}

int64_t
dp_dependence_sensitivity(const DpUnit *unit)
{
	int64_t one_row = unit->neighbours == DP_REPLACE_ONE ? 3 : 2;

	return DP_DEPENDENCE_UNIT * one_row * (int64_t) unit->rows_max;
}
