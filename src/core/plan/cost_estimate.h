/*
 * cost_estimate.h -- how long a release will take, and how much memory, as public sizes let expect.
 *
 * What is done is counted: rows that are read, tables that a row is counted in, cells that are
 * fitted. Each has its price, in seconds on one core of a common server. It is an estimate and not
 * a bound, since what a method chooses decides how large its model grows. bench/cost_estimate.py
 * prints what is expected beside what was measured.
 */
#ifndef DP_COST_ESTIMATE_H
#define DP_COST_ESTIMATE_H

#include "core/base/status.h"

#define DP_EXPECTED_SIZES 40 /* of tables of up to 2^k cells */

/* Rounds that choose tables by the expected counts of a graphical model, and fit it again. */
typedef struct DpCostRounds
{
	uint64_t cells;      /* most cells of the model's cliques */
	uint64_t counted;    /* cells of the exact tables */
	uint64_t tables;     /* that are released */
	uint64_t candidates; /* scored in each round */
	uint64_t scorings;
	bool batched; /* each fit is followed by as many tables as there are columns */
	uint64_t columns;
	double noise_stddev; /* of a table, rows */
} DpCostRounds;

/* Trees of pairs, and a model of them. */
typedef struct DpCostPairs
{
	uint64_t columns; /* 0: the method has no such trees */
	uint64_t joint_cells;
	double noise_stddev; /* of a pair's table, where there is one tree, rows */
} DpCostPairs;

/* All for each measurement. */
typedef struct DpCostEstimate
{
	double seconds; /* whatever the rows and the model */
	uint64_t scans; /* passes over the relation */
	double members; /* of a row: attributes of all tables that it is counted in */
	double hashed;  /* of a row: tables whose cells are looked up, which fill as rows come */
	uint64_t bytes; /* private memory of the worker without its model and its hashed tables */
	/* A model that grows as far as noise lets tables tell something: more rows, more cells. */
	DpCostRounds rounds; /* 0 cells: the method has no such model */
	DpCostPairs pairs;
	/* Of the tables that it may have: cells of all together, by the k of the smallest 2^k that is
	 * no less than the cells of one. */
	double sets_of_size[DP_EXPECTED_SIZES];
} DpCostEstimate;

/* Adds that each row is counted in so many tables, over so many attributes each. */
extern void dp_expect_tables(DpCostEstimate *estimate, uint64_t tables, double attributes);
/* Adds a table of so many cells to those that a model may be made of. */
extern void dp_expect_candidate(DpCostEstimate *estimate, uint64_t cells);
/* Adds rounds, and what they need. */
extern void dp_expect_rounds(DpCostEstimate *estimate, const DpCostRounds *rounds);
/* Adds the growth of a tree of pairs over so many columns; gains: pairs are weighed by what they
 * tell of others, too. */
extern void dp_expect_tree(DpCostEstimate *estimate, uint64_t columns, bool gains);
/* Adds fits of a distribution over so many cells each. */
extern void dp_expect_fits(DpCostEstimate *estimate, uint64_t fits, uint64_t cells);
/* Adds scores for which so many cells are read, one after another. */
extern void dp_expect_scores(DpCostEstimate *estimate, uint64_t cells);
/* Adds exact tables of so many cells that are there at once. */
extern void dp_expect_counts(DpCostEstimate *estimate, uint64_t cells);
/* Adds the noise of so many cells. */
extern void dp_expect_noise(DpCostEstimate *estimate, uint64_t cells);
/* Tables that are clear of their noise by a given factor: n cells with n stddev < rows x share. */
typedef struct DpClearTables
{
	double tables, cells; /* of all of them */
} DpClearTables;

extern DpClearTables dp_expected_clear(const DpCostEstimate *estimate, uint64_t rows, double share);
/* The seconds of fitting a model to its tables, and of choosing these tables. */
extern double dp_cost_estimate_fit_seconds(const DpCostEstimate *estimate, uint64_t rows);
/* Totals for a relation with so many rows, of so many columns; 0 rows: that is not known. The bytes
 * are without those that any worker has. */
extern double dp_cost_estimate_seconds_of(const DpCostEstimate *estimate, uint64_t columns,
										  uint64_t rows);
extern uint64_t dp_cost_estimate_bytes_of(const DpCostEstimate *estimate, uint64_t rows);
/* Private memory of a worker that handles so many columns and counts nothing. */
extern uint64_t dp_cost_estimate_worker_bytes(uint64_t columns);

#endif
