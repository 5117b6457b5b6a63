/*
 * expected.h -- how long a release will take, and how much memory, as public sizes let expect.
 *
 * A forecast and not a bound: what a method chooses decides how large its model grows. The constants
 * are seconds on one core of a common server; `make bench ONLY=frontier` prints what they expect
 * beside what was measured.
 */
#ifndef DP_EXPECTED_H
#define DP_EXPECTED_H

#include "core/base/status.h"

/* All for each measurement. */
typedef struct DpExpected
{
	double seconds;       /* whatever the rows and the model */
	double seconds_a_row; /* of a row of the relation; 0: not stated */
	uint64_t bytes;       /* the worker's peak, without its model; 0: not stated */
	/* A model that grows as far as noise lets tables tell something: more rows, more cells. */
	uint64_t cells;        /* the most that it may have; 0: there is no such model */
	double cells_a_row;    /* that a row lets it have */
	double seconds_a_cell; /* of all that is done with it */
} DpExpected;

/* Rounds that choose tables by what a graphical model expects, and fit it anew. */
typedef struct DpExpectedRounds
{
	uint64_t cells;      /* most cells of the model's cliques */
	uint64_t counted;    /* cells of the exact tables */
	uint64_t tables;     /* that are released */
	uint64_t candidates; /* that are scored each time */
	uint64_t scorings;
	bool batched;        /* a fit is followed by as many tables as there are columns */
	double noise_stddev; /* of a table, rows */
} DpExpectedRounds;

/* Adds a scan that counts so many tables of a relation with so many columns. */
extern void dp_expect_scan(DpExpected *expected, uint64_t columns, uint64_t tables);
/* Adds rounds, and what they need. */
extern void dp_expect_rounds(DpExpected *expected, const DpExpectedRounds *rounds);
/* Totals for a relation with so many rows; 0: that is not known. */
extern double dp_expected_seconds_of(const DpExpected *expected, uint64_t rows);
extern uint64_t dp_expected_bytes_of(const DpExpected *expected, uint64_t rows);
/* Adds the growth of a tree of pairs over so many columns; gains: pairs are weighed by what they tell
 * of others, too. */
extern void dp_expect_tree(DpExpected *expected, uint64_t columns, bool gains);

#endif
