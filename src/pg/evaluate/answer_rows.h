/*
 * answer_rows.h -- the rows of an answer: a measure, of which columns, and what it is.
 *
 * Runs in the caller's backend.
 */
#ifndef DPSYN_ANSWER_ROWS_H
#define DPSYN_ANSWER_ROWS_H

#include "pg/evaluate/two_tables.h"

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
	uint32 sets; /* of which value is the mean; 0: it is none of sets */
} DpMeasured;

/* Where the rows go: to the caller of dp_evaluate, or first to who looks at them. */
typedef struct DpMeasuredSink
{
	void (*put)(void *context, const DpMeasured *row);
	void *context;
} DpMeasuredSink;

extern void dp_measured_put(const DpMeasuredSink *sink, const DpMeasured *row);
/* That of dp_evaluate itself. */
extern DpMeasuredSink dp_measured_result(FunctionCallInfo fcinfo);

#endif
