/*
 * cost_estimate.c -- the estimated time and memory of a release, by prices of its steps.
 */
#include "core/plan/plan.h"

#include <math.h>

#include "core/base/saturate.h"
#include "core/estimate/marginalization.h"

#define SECONDS_A_RELEASE 0.018 /* to start a worker, to commit, to store */
/* Of a row that is read and sent to the counter, and each of its columns; of an attribute of a
 * table that it is counted in; of a table in which its cell is looked up, and gets its noise. */
#define SECONDS_A_ROW 50e-9
#define SECONDS_A_COLUMN 10e-9
#define SECONDS_A_MEMBER 0.6e-9
#define SECONDS_A_LOOKUP 500e-9
#define SECONDS_A_NOISE 1e-7
#define SECONDS_A_CELL_READ 1e-8 /* for a score: its place among the attributes is divided out */
/*
 * The seconds of all fits and scorings of a model without batches. Whatever the rows hold, there
 * are some rounds for each column, and each of them scores the candidates. The number of released
 * tables and the size of the model depend on each other and on the table, so a sum of prices does
 * not predict what else they take. That is a product of powers, fitted by
 * bench/held_out_estimates.py. A table of n cells is clear of its noise if n stddev < share rows.
 */
#define WALKS_OF_CELL 2.8       /* of a clique, in a run of belief propagation, for its tables */
#define SECONDS_A_LISTED 1.2e-5 /* in the rounds of a column: of a candidate */
#define SECONDS_A_LISTED_CELL 2.2e-8
#define LISTED_CELLS_MAX 6e7
#define FIT_CELLS 0.65
#define FIT_POWER_CELLS 0.7   /* of the most cells that the model may have */
#define FIT_CLEAR_TABLES 0.1  /* share */
#define FIT_POWER_TABLES 1.24 /* no more than may be released */
#define FIT_POWER_ROWS 0.57   /* of the rows in standard deviations of a cell's noise */
#define FIT_COLUMNS_MANY 16
#define FIT_TIMES_MANY 3.3
#define ROWS_OF_NOISE_MAX 1e5 /* with more there is nothing left to find */
/* The same of trees of pairs, by their columns, and the bytes of their cliques, which grow with
 * these seconds. The cliques of few columns of few levels have no more cells than all together. */
#define PAIRS_CELLS 143
#define PAIRS_POWER_COLUMNS 2.2
#define PAIRS_POWER_ROWS 0.75
#define PAIRS_CELLS_FEW 160000
#define BYTES_A_SECOND_OF_PAIRS 25e6
/* With batches: all fits, for each column, by the most cells that the model may have and the noise of
 * a cell; and a set in a scoring, which most often ends with a check whether it fits the model. */
#define BATCHED_CELLS 63
#define BATCHED_POWER_CELLS 0.9
#define BATCHED_POWER_NOISE -0.25
#define SECONDS_A_SET 2.5e-5
#define SECONDS_A_JOINT_FIT 7e-7 /* of a cell in a fit of a distribution over all columns */
/* Of a pair that could join a tree: to list it and draw among all, and its gain, a sum over the
 * tree. */
#define SECONDS_A_PAIR 2e-9
#define SECONDS_A_GAIN 1e-7
/* A table of n cells is worth its noise where 2 rows > .8 n stddev. The cliques that join such
 * tables have several times the cells of all of them; with batches, which are of many columns,
 * more. */
#define CELLS_WORTH_NOISE 2.5
#define CLIQUES_GROW 35
/* Where so many tables a column have n cells of n stddev < .075 rows, most that may be are released
 * in the end, and their cliques have so much of the cells that there may be. */
#define CELLS_FAR_ABOVE_NOISE 0.075
#define SETS_FILL 3
#define CAPACITY_FILLED 0.35
#define CLIQUES_GROW_BATCH 100
#define BYTES_A_CELL 32 /* of the largest model, which is seldom used in full, or at once */
#define BYTES_A_JOINT_CELL 32
#define BYTES_A_COUNT 20 /* of an exact table: as it is counted, and as it is handed over */
#define BYTES_A_COUNT_OF_ROUNDS 12 /* counted before the model exists */
#define BYTES_A_LOOKUP 130
#define BYTES_A_WORKER 4300000
#define BYTES_A_COLUMN 100000

void
dp_expect_tables(DpCostEstimate *estimate, uint64_t tables, double attributes)
{
	estimate->members += (double) tables * attributes;
}

void
dp_expect_scores(DpCostEstimate *estimate, uint64_t cells)
{
	estimate->seconds += SECONDS_A_CELL_READ * (double) cells;
}

void
dp_expect_counts(DpCostEstimate *estimate, uint64_t cells)
{
	estimate->bytes =
		dp_add_saturated(estimate->bytes, dp_multiply_saturated(cells, BYTES_A_COUNT));
}

void
dp_expect_noise(DpCostEstimate *estimate, uint64_t cells)
{
	estimate->seconds += SECONDS_A_NOISE * (double) cells;
}

void
dp_expect_candidate(DpCostEstimate *estimate, uint64_t cells)
{
	uint32_t size = 0;

	while (size < DP_EXPECTED_SIZES - 1 && cells > UINT64_C(1) << size)
		size++;
	estimate->sets_of_size[size] += (double) cells;
}

void
dp_expect_rounds(DpCostEstimate *estimate, const DpCostRounds *rounds)
{
	if (rounds->batched)
		estimate->seconds +=
			SECONDS_A_SET * (double) rounds->candidates * (double) rounds->scorings;
	estimate->rounds = *rounds;
	estimate->bytes = dp_add_saturated(
		estimate->bytes, dp_multiply_saturated(rounds->counted, BYTES_A_COUNT_OF_ROUNDS));
}

/* Tables that are clear of their noise by a given factor: n cells with n stddev < rows x share. */
typedef struct ClearTables
{
	double tables, cells; /* of all of them */
} ClearTables;

static ClearTables
expected_clear(const DpCostEstimate *estimate, uint64_t rows, double share)
{
	double most = share * (double) rows / estimate->rounds.noise_stddev, size = 1;
	ClearTables clear = {0};

	for (uint32_t k = 0; k < DP_EXPECTED_SIZES && (rows == 0 || size <= most); k++, size *= 2)
	{
		clear.cells += estimate->sets_of_size[k];
		clear.tables += estimate->sets_of_size[k] / (size * 3 / 4); /* rounded up by a third */
	}
	return clear;
}

/* The expected cells of the model. If many candidates are far above their noise, it reaches the
 * limit. */
static double
cells_of(const DpCostEstimate *estimate, uint64_t rows)
{
	const DpCostRounds *rounds = &estimate->rounds;
	double most = (double) rounds->cells, grown;

	if (rounds->cells == 0)
		return 0;
	grown = (rounds->batched ? CLIQUES_GROW_BATCH : CLIQUES_GROW) *
			expected_clear(estimate, rows, CELLS_WORTH_NOISE).cells;
	if (expected_clear(estimate, rows, CELLS_FAR_ABOVE_NOISE).tables >=
		SETS_FILL * (double) rounds->columns)
		grown = fmax(grown, CAPACITY_FILLED * most);
	return fmin(grown, most);
}

/* Tables and cells of all candidates. */
static ClearTables
all_tables(const DpCostEstimate *estimate)
{
	return expected_clear(estimate, 0, 1);
}

double
dp_cost_estimate_cell_seconds(double levels)
{
	return WALKS_OF_CELL * (DP_SECONDS_A_WALKED_CELL + DP_SECONDS_A_RUN / fmax(levels * levels, 1));
}

static double
rows_of_noise(uint64_t rows, double stddev)
{
	return rows > 0 ? fmin((double) rows / stddev, ROWS_OF_NOISE_MAX) : ROWS_OF_NOISE_MAX;
}

/* Of the trees of pairs. */
static double
pairs_seconds(const DpCostEstimate *estimate, uint64_t rows)
{
	const DpCostPairs *pairs = &estimate->pairs;
	double cells = fmin((double) pairs->joint_cells / PAIRS_CELLS_FEW, 1);

	if (pairs->columns == 0 || (rows > 0 && (double) rows < pairs->rows_least))
		return 0;
	return dp_cost_estimate_cell_seconds(estimate->levels) * PAIRS_CELLS * cells * cells *
		   pow((double) pairs->columns, PAIRS_POWER_COLUMNS) *
		   pow(rows_of_noise(rows, pairs->noise_stddev), PAIRS_POWER_ROWS);
}

/* Of rounds without batches. */
static double
rounds_seconds(const DpCostEstimate *estimate, uint64_t rows)
{
	const DpCostRounds *rounds = &estimate->rounds;
	ClearTables all = all_tables(estimate);
	double clear = expected_clear(estimate, rows, FIT_CLEAR_TABLES).tables;
	double listed =
		(double) rounds->columns *
		(SECONDS_A_LISTED * all.tables + SECONDS_A_LISTED_CELL * fmin(all.cells, LISTED_CELLS_MAX));

	return listed + dp_cost_estimate_cell_seconds(estimate->levels) * FIT_CELLS *
						pow((double) rounds->cells, FIT_POWER_CELLS) *
						pow(1 + fmin(clear, (double) rounds->tables), FIT_POWER_TABLES) *
						pow(rows_of_noise(rows, rounds->noise_stddev), FIT_POWER_ROWS) *
						(rounds->columns > FIT_COLUMNS_MANY ? FIT_TIMES_MANY : 1);
}

double
dp_cost_estimate_fit_seconds(const DpCostEstimate *estimate, uint64_t rows)
{
	const DpCostRounds *rounds = &estimate->rounds;

	if (rounds->cells == 0)
		return pairs_seconds(estimate, rows);
	if (rounds->batched)
		return dp_cost_estimate_cell_seconds(estimate->levels) * BATCHED_CELLS *
			   (double) rounds->columns * pow((double) rounds->cells, BATCHED_POWER_CELLS) *
			   pow(fmax(rounds->noise_stddev, 1), BATCHED_POWER_NOISE);
	return rounds_seconds(estimate, rows);
}

double
dp_cost_estimate_seconds_of(const DpCostEstimate *estimate, uint64_t columns, uint64_t rows)
{
	double scan = SECONDS_A_ROW + SECONDS_A_COLUMN * (double) columns;
	double row = scan * (double) estimate->scans + SECONDS_A_MEMBER * estimate->members +
				 SECONDS_A_LOOKUP * estimate->hashed;

	return SECONDS_A_RELEASE + estimate->seconds + row * (double) rows +
		   dp_cost_estimate_fit_seconds(estimate, rows);
}

uint64_t
dp_cost_estimate_bytes_of(const DpCostEstimate *estimate, uint64_t rows)
{
	double grown = BYTES_A_CELL * cells_of(estimate, rows) +
				   BYTES_A_SECOND_OF_PAIRS * pairs_seconds(estimate, rows) +
				   BYTES_A_LOOKUP * estimate->hashed * (double) rows;

	return dp_add_saturated(estimate->bytes, dp_floor_saturated(grown));
}

uint64_t
dp_cost_estimate_worker_bytes(uint64_t columns)
{
	return dp_add_saturated(BYTES_A_WORKER, dp_multiply_saturated(BYTES_A_COLUMN, columns));
}

void
dp_expect_tree(DpCostEstimate *estimate, uint64_t columns, bool gains)
{
	double p = (double) columns;

	estimate->seconds += (gains ? SECONDS_A_GAIN : SECONDS_A_PAIR) * p * p * p;
}

void
dp_expect_fits(DpCostEstimate *estimate, uint64_t fits, uint64_t cells)
{
	estimate->seconds += SECONDS_A_JOINT_FIT * (double) fits * (double) cells;
	estimate->bytes =
		dp_add_saturated(estimate->bytes, dp_multiply_saturated(cells, BYTES_A_JOINT_CELL));
}
