/*
 * table_measures.h -- what is measured of contingency tables, and of values of numbers.
 *
 * Runs in the caller's backend.
 */
#ifndef DPSYN_TABLE_MEASURES_H
#define DPSYN_TABLE_MEASURES_H

#include "pg/evaluate/answer_rows.h"

/* What dp_evaluate is asked for. */
typedef struct DpEvaluation
{
	DpTwoTables tables;
	DpMeasuredSink sink; /* takes the answers */
	uint32 ways;         /* sets of 1..ways columns */
	bool each;           /* list every set */
	uint32 sets_max;     /* of one size */
	int64 seed;
	double level;     /* of the tests of independence */
	int64 cost_cells; /* what the rows were made from; 0: not given */
} DpEvaluation;

/* Reads the rows of both sides, and measures all that dp_evaluate says of them. The tables are set,
 * but for their columns; sides without rows are skipped where they may be. */
extern void dp_evaluate_rows(DpEvaluation *evaluation);
/* The same of several relations that belong together (evaluate_tree.c). Lists of OIDs. */
extern void dp_evaluate_tree(DpEvaluation *evaluation, List *original, List *synthetic);
/* Distances of all tables of 1 to `ways` columns, association of pairs, and the joint table. */
extern void dp_evaluate_tables(DpEvaluation *evaluation);
/* Shares of NULL; means, quartiles and the like of numbers; correlations. */
extern void dp_evaluate_values(DpEvaluation *evaluation);
extern void dp_evaluate_correlations(DpEvaluation *evaluation);

#endif
