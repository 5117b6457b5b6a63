/*
 * information.c -- mutual information of the attributes of an exact two-way table.
 */
#include "core/select/information.h"

#include <math.h>

#include "core/exact/strided_iterator.h"

#define LINEAR_FROM (INT64_C(1) << 32)
#define FRACTION_BITS 20          /* behind the binary point */
#define SENSITIVITY_ONE_ROW 23739 /* 1024 (32 ln 2 + 1), rounded up, and 1 for rounding */

/* f(x) = x ln x up to 2^32 and its tangent from there on, in 2^-20. */
static __int128
entropy_term(int64_t count)
{
	const double linear_from = (double) LINEAR_FROM;
	double below = (double) (count < LINEAR_FROM ? count : LINEAR_FROM);
	__int128 slope = llround(ldexp(log(linear_from) + 1, FRACTION_BITS));
	__int128 term = count > 0 ? llround(ldexp(below * log(below), FRACTION_BITS)) : 0;

	return count > LINEAR_FROM ? term + slope * (count - LINEAR_FROM) : term;
}

static __int128
sum_terms(const DpMarginal *table)
{
	uint64_t end = dp_cell_end(table);
	__int128 sum = 0;

	for (uint64_t i = 0; i < end; i++)
		sum += entropy_term(dp_cell_count(table, i));
	return sum;
}

/*
 * dp_marginal_information -- n times the mutual information of two attributes
 *
 * Inputs:      pair, a two-way table t with margins r and c and n = total rows, any number of them
 * Output:      floor(1024 J), J = sum f(t_ij) - sum f(r_i) - sum f(c_j) + f(n), with f(x) = x ln x
 *              for x <= X = 2^32 and f(X) + (x - X)(ln X + 1) above, f(0) = 0. Up to X rows J is
 *              n I, with I the mutual information in nats
 * Neighbours:  a row in cell (i, j) adds d(t_ij) - d(r_i) - d(c_j) + d(n) to J, where d(x) =
 *              f(x + 1) - f(x). f is convex, so d rises; it lies in [0, B] with B = ln X + 1,
 *              which is the slope of f at its end. t_ij <= r_i <= n and t_ij <= c_j <= n, so the
 *              sum is at most d(n) - d(c_j) <= B and at least d(t_ij) - d(r_i) >= -B: at most B
 *              under add/remove. A replaced row is one removed and one added: at most 2 B. k rows
 *              of a unit move J by k times that. The tangent is what makes B a bound for any n:
 *              with x ln x alone B would be ln n + 1, and n is secret
 * Numerics:    a term is below 2^37, so in doubles it is off by less than 2^-14 and its rounding by
 *              2^-21; above X it grows in whole steps of the rounded slope. All sums are of
 *              integers. A row changes four terms, so the computed J moves by less than B + 8 x
 *              2^-13, which is B + 2^-10: one unit of the score. Rounding down adds less than one
 *              more, for all rows of a unit together
 * Source:      the SBHG and PeGS papers rank by mutual information, read off the data for free
 */
DpStatus
dp_marginal_information(const DpMarginal *pair, int64_t *score, DpArena *arena)
{
	DpMarginal margin;
	__int128 sum;

	if (pair->n != 2)
		return DP_ERR_ARGUMENT;
	sum = sum_terms(pair) + entropy_term(pair->total);
	for (uint32_t side = 0; side < 2; side++)
	{
		DP_TRY(dp_marginal_project(pair, &side, 1, &margin, arena));
		sum -= sum_terms(&margin);
		dp_marginal_free(&margin);
	}
	*score = (int64_t) (sum >> (FRACTION_BITS - 10));
	return DP_OK;
}

int64_t
dp_information_sensitivity(const DpUnit *unit)
{
	int64_t rows = unit->neighbours == DP_REPLACE_ONE ? 2 : 1;

	return SENSITIVITY_ONE_ROW * rows * (int64_t) unit->rows_max + 1;
}
