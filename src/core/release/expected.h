/*
 * expected.h -- how long a release will take, and how much memory, as public sizes let expect.
 *
 * A forecast and not a bound: what a method chooses decides how large its model grows. The constants
 * are seconds on one core of a common server; bench/expected.py measures them anew.
 */
#ifndef DP_EXPECTED_H
#define DP_EXPECTED_H

#include "core/base/status.h"

typedef struct DpExpected
{
	double seconds;       /* of the worker's own work, for each measurement */
	double seconds_a_row; /* of a row of the relation, for each measurement; 0: not stated */
	uint64_t bytes;       /* the worker's peak; 0: not stated */
} DpExpected;

/* Rounds that choose tables by what a graphical model expects, and fit it anew. */
typedef struct DpExpectedRounds
{
	uint64_t cells;      /* most cells of the model's cliques */
	uint64_t counted;    /* cells of the exact tables */
	uint64_t tables;     /* that are released */
	uint64_t candidates; /* that are scored each time */
	uint64_t scorings;
} DpExpectedRounds;

/* Adds a scan that counts so many tables of a relation with so many columns. */
extern void dp_expect_scan(DpExpected *expected, uint64_t columns, uint64_t tables);
/* Adds rounds, and what they need. */
extern void dp_expect_rounds(DpExpected *expected, const DpExpectedRounds *rounds);
/* Adds the growth of a tree of pairs over so many columns. */
extern void dp_expect_tree(DpExpected *expected, uint64_t columns);

#endif
