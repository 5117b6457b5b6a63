/*
 * expected.c -- the constants of what a release is expected to take.
 */
#include "core/release/expected.h"

#include "core/base/saturate.h"

/* Of a row that is scanned: read and sent to the counter, each of its columns, each table. */
#define SECONDS_A_ROW 50e-9
#define SECONDS_A_COLUMN 10e-9
#define SECONDS_A_TABLE 1e-9
/* Of a cell of the model: in the fits that a released table takes part in, and in a score. Models
 * grow with the budget that is spent, so that the mean is over small ones, too. */
#define SECONDS_A_FIT 1.4e-8
#define SECONDS_A_SCORE 3e-11
/* With batches: of a cell in all fits before a scoring, and in the last fit; of a set in a scoring,
 * which most often ends with the question whether the model has room for it. */
#define SECONDS_A_BATCH 2e-7
#define SECONDS_A_LAST_FIT 2e-6
#define SECONDS_A_SET 4e-5
/* Of a pair that could join a tree: to list it and draw among all, and its gain, a sum over the tree. */
#define SECONDS_A_PAIR 2e-9
#define SECONDS_A_GAIN 2e-7
/* A table of n cells is worth its noise where 2 rows > .8 n stddev; cliques have ten times as many. */
#define CELLS_A_TABLE 25
#define BYTES_A_CELL 45 /* of the largest model: seldom is all of it used, or in use at once */

void
dp_expect_scan(DpExpected *expected, uint64_t columns, uint64_t tables)
{
	expected->seconds_a_row +=
		SECONDS_A_ROW + SECONDS_A_COLUMN * (double) columns + SECONDS_A_TABLE * (double) tables;
}

void
dp_expect_rounds(DpExpected *expected, const DpExpectedRounds *rounds)
{
	double scores = (double) rounds->candidates * (double) rounds->scorings;

	expected->seconds_a_cell =
		rounds->batched ? SECONDS_A_LAST_FIT + SECONDS_A_BATCH * (double) rounds->scorings
						: SECONDS_A_FIT * (double) rounds->tables + SECONDS_A_SCORE * scores;
	if (rounds->batched)
		expected->seconds += SECONDS_A_SET * scores;
	expected->cells = rounds->cells;
	expected->cells_a_row = CELLS_A_TABLE * (double) rounds->tables / rounds->noise_stddev;
	expected->bytes =
		dp_add_saturated(expected->bytes, dp_multiply_saturated(rounds->counted, sizeof(int64_t)));
}

static double
cells_of(const DpExpected *expected, uint64_t rows)
{
	double most = (double) expected->cells;
	double told = expected->cells_a_row * (double) rows;

	return rows == 0 || told > most ? most : told;
}

double
dp_expected_seconds_of(const DpExpected *expected, uint64_t rows)
{
	return expected->seconds + expected->seconds_a_row * (double) rows +
		   expected->seconds_a_cell * cells_of(expected, rows);
}

uint64_t
dp_expected_bytes_of(const DpExpected *expected, uint64_t rows)
{
	return dp_add_saturated(expected->bytes, (uint64_t) (BYTES_A_CELL * cells_of(expected, rows)));
}

void
dp_expect_tree(DpExpected *expected, uint64_t columns, bool gains)
{
	double p = (double) columns;

	expected->seconds += (gains ? SECONDS_A_GAIN : SECONDS_A_PAIR) * p * p * p;
}
