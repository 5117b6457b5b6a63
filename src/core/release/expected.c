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
/* Each gain of a pair is a sum over the tree. */
#define SECONDS_A_GAIN 2e-7
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
	uint64_t bytes = dp_add_saturated(dp_multiply_saturated(rounds->cells, BYTES_A_CELL),
									  dp_multiply_saturated(rounds->counted, sizeof(int64_t)));

	expected->seconds += (double) rounds->cells * (SECONDS_A_FIT * (double) rounds->tables +
												   SECONDS_A_SCORE * (double) rounds->candidates *
													   (double) rounds->scorings);
	expected->bytes = dp_add_saturated(expected->bytes, bytes);
}

void
dp_expect_tree(DpExpected *expected, uint64_t columns)
{
	double p = (double) columns;

	expected->seconds += SECONDS_A_GAIN * p * p * p;
}
