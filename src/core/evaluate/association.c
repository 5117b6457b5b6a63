/*
 * association.c -- how two attributes hang together, in each of two tables of rows.
 */
#include "core/evaluate/association.h"

#include <math.h>

#include "core/estimate/combine.h"

/* The margins of both tables: margin[side][attribute][level]. */
typedef struct Margins
{
	int64_t *margin[2][2];
} Margins;

static DpStatus
sum_margins(const DpTablePair *pair, Margins *margins, DpArena *arena)
{
	for (int side = 0; side < 2; side++)
	{
		for (uint32_t k = 0; k < 2; k++)
		{
			int64_t *margin = dp_alloc(arena, pair->levels[k], sizeof(*margin));

			DP_TRY_ALLOC(margin);
			for (uint64_t i = 0; i < pair->cells; i++)
				margin[dp_table_pair_code(pair, i, k)] += pair->count[side][i];
			margins->margin[side][k] = margin;
		}
	}
	return DP_OK;
}

static void
free_margins(const DpTablePair *pair, Margins *margins, DpArena *arena)
{
	for (int side = 0; side < 2; side++)
		for (uint32_t k = 0; k < 2; k++)
			dp_free(arena, margins->margin[side][k], pair->levels[k], sizeof(int64_t));
}

static double
levels_seen(const int64_t *margin, uint32_t levels)
{
	double seen = 0;

	for (uint32_t i = 0; i < levels; i++)
		seen += margin[i] > 0;
	return seen;
}

static double
chi_square(const DpTablePair *pair, const Margins *margins, int side)
{
	double total = (double) pair->total[side];
	double expected_all = 0;
	double sum = 0;

	for (uint64_t i = 0; i < pair->cells; i++)
	{
		double expected = (double) margins->margin[side][0][dp_table_pair_code(pair, i, 0)] *
						  (double) margins->margin[side][1][dp_table_pair_code(pair, i, 1)] / total;
		double apart = (double) pair->count[side][i] - expected;

		expected_all += expected;
		if (expected > 0)
			sum += apart * apart / expected;
	}
	/* cells that are not listed are empty, and each adds what is expected of it */
	return dp_table_pair_is_listed(pair) ? sum + fmax(total - expected_all, 0) : sum;
}

static DpAssociation
associate(const DpTablePair *pair, const Margins *margins, int side)
{
	double rows = levels_seen(margins->margin[side][0], pair->levels[0]) - 1;
	double columns = levels_seen(margins->margin[side][1], pair->levels[1]) - 1;
	DpAssociation found = {.df = rows * columns, .p = 1, .cramers_v = NAN};

	if (!(found.df > 0))
		return found;
	found.chi_square = chi_square(pair, margins, side);
	found.p = dp_f_above(found.chi_square / found.df, found.df, INFINITY);
	found.cramers_v = sqrt(found.chi_square / ((double) pair->total[side] * fmin(rows, columns)));
	return found;
}

static double
conditional_distance(const DpTablePair *pair, const Margins *margins, uint32_t given)
{
	double sum = 0;

	for (uint64_t i = 0; i < pair->cells; i++)
	{
		uint32_t g = dp_table_pair_code(pair, i, given);
		double first = (double) margins->margin[0][given][g];
		double second = (double) margins->margin[1][given][g];

		if (second > 0)
			sum += fabs((double) pair->count[0][i] - (double) pair->count[1][i] * first / second);
		else
			sum += 2 * (double) pair->count[0][i];
	}
	return sum / (double) pair->total[0];
}

DpStatus
dp_pair_measures(const DpTablePair *pair, DpPairMeasures *measures, DpArena *arena)
{
	Margins margins;

	DP_TRY(sum_margins(pair, &margins, arena));
	for (int side = 0; side < 2; side++)
		measures->association[side] = associate(pair, &margins, side);
	for (uint32_t given = 0; given < 2; given++)
		measures->given[given] = conditional_distance(pair, &margins, given);
	free_margins(pair, &margins, arena);
	return DP_OK;
}
