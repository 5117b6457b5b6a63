/*
 * intruder.h -- who is unique, and what an intruder learns from synthetic rows who knows some
 * attributes of a person and wants another one.
 *
 * SECRET: it is computed from exact counts, of rows that the caller may read.
 */
#ifndef DP_INTRUDER_H
#define DP_INTRUDER_H

#include "core/base/status.h"
#include "core/evaluate/table_pair.h"

/* The secret attribute is the last one of the pair, the others are known. */
typedef struct DpIntruderTask
{
	const DpTablePair *pair;
	const double *number; /* [levels of the secret] what a level is; NaN: no number; NULL: the
						   * secret is none */
} DpIntruderTask;

/* Guesses of the secret of the persons of the original: a level, and where it is a number, a number
 * too. Means are over persons; NaN where there are none. */
typedef struct DpGuesses
{
	int64_t persons;
	int64_t right;          /* by the commonest level of the matching rows */
	int64_t right_baseline; /* by the commonest level of the whole original */
	int64_t numbers;        /* persons whose secret is a number */
	double error;           /* mean absolute, by the mean of the matching rows */
	double error_baseline;  /* by the mean of the whole original */
} DpGuesses;

typedef struct DpIntruder
{
	int64_t unique[2];    /* rows that no other row of their table agrees with in what is known */
	int64_t meets_unique; /* synthetic rows that agree with a unique row of the original */
	int64_t unique_met;   /* unique rows of the original with which a synthetic row agrees */
	int64_t met;          /* rows of the original with which a synthetic row agrees */
	DpGuesses all;
	DpGuesses of_unique; /* of the unique rows of the original */
} DpIntruder;

extern DpStatus dp_intruder(const DpIntruderTask *task, DpIntruder *found,
							DpArena *arena) DP_MUST_USE;

/*
 * How far rows are from the closest of other rows.
 *
 * SECRET: the rows are exact, and such as the caller may read.
 */

/* A column of some rows. Values that differ are 1 apart; of numbers the difference, at most 1. */
typedef struct DpRecordColumn
{
	const uint32_t *code; /* [rows] a value, 0 for NULL */
	/* [rows] divided by the width of their range; NaN: none; NULL: a column of no numbers */
	const double *number;
} DpRecordColumn;

typedef struct DpRecords
{
	uint32_t columns;
	const DpRecordColumn *column;
	uint32_t rows;
} DpRecords;

/* The mean over the columns, of each row of `from` to the closest of `to`: distance[from->rows].
 * This is Gower's distance. Both have the same columns; to has at least one row. */
extern void dp_closest_records(const DpRecords *from, const DpRecords *to, double *distance,
							   const DpTick *tick);

#endif
