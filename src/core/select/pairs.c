/*
 * pairs.c -- all two-way tables in one scan, and their scores.
 */
#include "core/select/pairs.h"

#include <math.h>

#include "core/base/saturate.h"
#include "core/exact/strided_iterator.h"
#include "core/plan/release_table.h"

#define PAIR_CELLS_MAX UINT64_C(4000000)    /* cells of one dense pair */
#define PAIRS_CELLS_MAX UINT64_C(128000000) /* cells of all dense pairs: 1 GB */
#define LINEAR_FROM (INT64_C(1) << 32)
#define FRACTION_BITS 20          /* behind the binary point */
#define SENSITIVITY_ONE_ROW 23739 /* 1024 (32 ln 2 + 1), rounded up, and 1 for rounding */

/* ---- mutual information ---- */

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

static uint64_t
pairs_n(const DpDomain *domain)
{
	return (uint64_t) domain->attributes * (domain->attributes - 1) / 2;
}

/* Large pairs are sparse, with the same score. With many pairs each may take less memory. */
static DpStorage
pair_storage(const DpDomain *domain, const uint32_t pair[2])
{
	uint64_t share = PAIRS_CELLS_MAX / pairs_n(domain);

	return dp_table_storage(domain, pair, 2, share < PAIR_CELLS_MAX ? share : PAIR_CELLS_MAX);
}

uint64_t
dp_pairs_memory(const DpDomain *domain)
{
	uint32_t pair[2];
	uint64_t bytes = 0;

	for (pair[0] = 0; pair[0] < domain->attributes; pair[0]++)
	{
		for (pair[1] = pair[0] + 1; pair[1] < domain->attributes; pair[1]++)
			bytes = dp_add_saturated(bytes,
									 dp_table_memory(domain, pair, 2, pair_storage(domain, pair)));
	}
	return bytes;
}

static DpStatus
init_pairs(const DpMeasurement *m, DpMarginal *table, DpError *error)
{
	uint32_t pair[2];
	uint32_t i = 0;

	for (pair[0] = 0; pair[0] < m->domain->attributes; pair[0]++)
	{
		for (pair[1] = pair[0] + 1; pair[1] < m->domain->attributes; pair[1]++, i++)
			DP_TRY(dp_marginal_init(&table[i], m->domain, &(DpAttributeSet){2, pair},
									pair_storage(m->domain, pair), m->arena, error));
	}
	return DP_OK;
}

int64_t
dp_pairs_sensitivity(DpPairScore by, const DpUnit *unit)
{
	return by == DP_PAIR_INFORMATION ? dp_information_sensitivity(unit)
									 : dp_dependence_sensitivity(unit);
}

static DpStatus
score_pairs(const DpMeasurement *m, DpPairScore by, DpMarginal *table, uint64_t n, int64_t *score)
{
	uint32_t attributes = m->domain->attributes;

	for (uint64_t i = 0; i < n; i++)
	{
		uint32_t a = table[i].attribute[0];
		uint32_t b = table[i].attribute[1];
		int64_t value;

		dp_tick(m->noise.tick, -1.0);
		if (by == DP_PAIR_INFORMATION)
			DP_TRY(dp_marginal_information(&table[i], &value, m->arena));
		else
			DP_TRY(dp_marginal_dependence(&table[i], &value, m->arena));
		score[(uint64_t) a * attributes + b] = value;
		score[(uint64_t) b * attributes + a] = value;
		dp_marginal_free(&table[i]);
	}
	return DP_OK;
}

DpStatus
dp_pairs_score(const DpMeasurement *m, DpPairScore by, int64_t **score, DpError *error)
{
	uint64_t n = pairs_n(m->domain);
	DpMarginal *table = dp_alloc(m->arena, n, sizeof(*table));

	*score = dp_alloc(m->arena, m->domain->attributes, m->domain->attributes * sizeof(**score));
	DP_TRY_ALLOC(table && *score);
	DP_TRY(init_pairs(m, table, error));
	DP_TRY(dp_count_marginals(m, table, n, error));
	DP_TRY(score_pairs(m, by, table, n, *score));
	dp_free(m->arena, table, n, sizeof(*table));
	return DP_OK;
}

void
dp_pairs_free(const DpMeasurement *m, int64_t *score)
{
	dp_free(m->arena, score, m->domain->attributes, m->domain->attributes * sizeof(*score));
}
