/*
 * number_statistics.h -- what is said of a column of numbers, in two tables of rows.
 *
 * SECRET: it is computed from exact values, of rows that the caller may read.
 */
#ifndef DP_NUMBER_STATISTICS_H
#define DP_NUMBER_STATISTICS_H

#include "core/evaluate/value_codes.h"

/* Values of a column in ascending order. What is not finite is left out everywhere. */
typedef struct DpNumbers
{
	const DpValueCodes *values; /* of numbers */
	const uint32_t *order;      /* [values->n - 1] */
} DpNumbers;

typedef struct DpNumberStatistics
{
	int64_t rows; /* with a finite value; without any, all that follows is NaN */
	double mean;
	double sd;          /* with rows - 1 in the denominator; NaN for one row */
	double quartile[3]; /* between two values, interpolated as percentile_cont does */
} DpNumberStatistics;

extern DpNumberStatistics dp_number_statistics(const DpNumbers *numbers, uint32_t side);
/* The area between the two cumulated distributions: how far a value must be moved on average to
 * make one of the other. NaN where a table has no value. */
extern double dp_wasserstein(const DpNumbers *numbers);

/* ---- correlations of pairs ---- */

/* Sums over the rows in which both of a pair have a value. */
typedef struct DpPairSums
{
	double n, x, y, xx, yy, xy;
} DpPairSums;

/* A column of a batch. */
typedef struct DpBatchColumn
{
	const double *value;
	const double *present;
	bool complete; /* all rows have a value */
	double sum;    /* of the values, and of their squares */
	double squares;
} DpBatchColumn;

typedef struct DpCorrelations
{
	uint32_t n;       /* columns */
	DpPairSums *pair; /* [n (n - 1) / 2], (0,1), (0,2), ..., (1,2), ... */
	double *value;    /* [n][rows_max] the caller fills it: 0 where there is none */
	double *present;  /* [n][rows_max] 1, or 0 where there is none */
	uint32_t rows_max;
	DpBatchColumn *column; /* [n] */
} DpCorrelations;

/* Values should be near 0 and of the order of 1; a shift or a factor changes no correlation. */
extern DpStatus dp_correlations_init(DpCorrelations *correlations, uint32_t n, uint32_t rows_max,
									 DpArena *arena) DP_MUST_USE;
/* Adds a batch of rows, which is in value and present. */
extern void dp_correlations_add(DpCorrelations *correlations, uint32_t rows);
/* Pearson's; NaN where a side is constant. */
extern double dp_correlation(const DpPairSums *sums);

#endif
