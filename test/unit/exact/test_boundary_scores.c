/*
 * test_boundary_scores.c -- scores of edges: their value, and how far a row moves one, by
 * enumeration of all small tables and all of their neighbours.
 */
#include "core/exact/boundary_scores.h"

#include "unit.h"

#define PARTS 3
#define CELLS (2 * PARTS)
#define ROWS_MAX 3 /* of a cell */

/* Counts of a table: those of missing values, then those that are there. */
static void
scores_of(const int64_t *cell, const uint32_t *share, int64_t *score)
{
	int64_t missing[PARTS], there[PARTS];

	for (int i = 0; i < PARTS; i++)
	{
		missing[i] = cell[i];
		there[i] = cell[PARTS + i];
		score[i] = 0;
	}
	dp_boundary_scores(&(DpEdgeCounts){missing, there}, share, 0, PARTS, score);
}

/* The score before part i by its formula. */
static double
by_formula(const int64_t *cell, double share, int i)
{
	double sum = 0;

	for (int half = 0; half < 2; half++)
	{
		double below = 0, above = 0;

		for (int k = 0; k < PARTS; k++)
			*(k < i ? &below : &above) += (double) cell[half * PARTS + k];
		sum += fabs((1 - share) * below - share * above);
	}
	return sum * DP_EDGE_SCORE_UNIT;
}

/* Goes on to the next table; false: that was the last one. */
static bool
next_table(int64_t *cell)
{
	for (int i = 0; i < CELLS; i++)
	{
		if (++cell[i] <= ROWS_MAX)
			return true;
		cell[i] = 0;
	}
	return false;
}

static void
all_tables(const uint32_t *share, int64_t *moved, double *wrong)
{
	int64_t cell[CELLS] = {0}, score[PARTS], other[PARTS];

	do
	{
		scores_of(cell, share, score);
		for (int i = 1; i < PARTS; i++)
			*wrong = fmax(*wrong, fabs(by_formula(cell, share[i] / (double) DP_EDGE_SHARE_ONE, i) -
									   (double) score[i] - 0.5));
		for (int k = 0; k < CELLS; k++)
		{
			cell[k]++;
			scores_of(cell, share, other);
			cell[k]--;
			for (int i = 1; i < PARTS; i++)
				*moved = llabs(other[i] - score[i]) > *moved ? llabs(other[i] - score[i]) : *moved;
		}
	} while (next_table(cell));
}

static void
test_sensitivity(void)
{
	static const uint32_t shares[][PARTS] = {
		{0, 1, DP_EDGE_SHARE_ONE - 1}, {0, 341, 683}, {0, 512, 513}, {0, 100, 900}};
	int64_t moved = 0;
	double wrong = 0;

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		all_tables(shares[i], &moved, &wrong);
	CHECK_I64(moved, DP_EDGE_SCORE_UNIT, "a row moves a score by its unit, and never by more");
	CHECK(wrong <= 0.5 + 1e-6, "scores are those of the formula, rounded down");
}

static void
test_choice(void)
{
	/* values begin to be missing before part 2, and no part has more rows than another */
	int64_t missing[] = {10, 10, 100, 100}, there[] = {90, 90, 0, 0}, none[] = {0, 0, 0, 0};
	uint32_t share[] = {0, 256, 512, 768};
	int64_t score[4] = {0}, kept[4] = {1, 1 << 20, 1 << 20, 1};

	dp_boundary_scores(&(DpEdgeCounts){missing, there}, share, 0, 4, score);
	CHECK(score[2] > score[1] && score[2] > score[3],
		  "the edge lies where values begin to be missing");
	CHECK_I64(score[2], DP_EDGE_SCORE_UNIT * 180, "and half of the rows that differ count twice");
	dp_boundary_scores(&(DpEdgeCounts){none, none}, share, 0, 4, score);
	CHECK_I64(score[2], DP_EDGE_SCORE_UNIT * 180, "an attribute that says less lowers no score");
	dp_boundary_scores(&(DpEdgeCounts){missing, there}, share, 1, 3, kept);
	CHECK(kept[0] == 1 && kept[1] == 1 << 20 && kept[3] == 1, "other bins are left alone");
	missing[3] = INT64_MAX / 4;
	dp_boundary_scores(&(DpEdgeCounts){missing, there}, share, 0, 4, score);
	CHECK_I64(score[2], INT64_MAX, "scores end at the end of their type");
}

int
main(void)
{
	test_sensitivity();
	test_choice();
	return unit_finish();
}
