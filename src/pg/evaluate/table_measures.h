/*
 * table_measures.h -- measures that compare contingency tables, and values of numbers.
 *
 * Runs in the caller's backend.
 */
#ifndef DPSYN_TABLE_MEASURES_H
#define DPSYN_TABLE_MEASURES_H

#include "pg/evaluate/two_tables.h"

/*
 * The rows of a comparison: the name of a measure, its columns, and its value.
 */

/* A row. What is not there is NULL: NaN for a number. */
typedef struct DpMeasured
{
	const char *measure;
	const char *const *column; /* [columns]; columns 0: NULL */
	uint32 columns;
	double value;
	double original;
	double synthetic;
	const char *detail;
	uint32 sets; /* the number of sets whose mean the value is; 0: it is no mean of sets */
} DpMeasured;

/* Receives the rows: for the caller of dp_evaluate, or for code that inspects them first. */
typedef struct DpMeasuredSink
{
	void (*put)(void *context, const DpMeasured *row);
	void *context;
} DpMeasuredSink;

extern void dp_measured_put(const DpMeasuredSink *sink, const DpMeasured *row);
/* That of dp_evaluate itself. */
extern DpMeasuredSink dp_measured_result(FunctionCallInfo fcinfo);

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
