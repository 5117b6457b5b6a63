/*
 * noisy_table.h -- facts of the noisy tables of a model: the variance of their noise, and the
 * number of rows that they estimate.
 */
#ifndef DP_NOISY_TABLE_H
#define DP_NOISY_TABLE_H

#include "core/model/model.h"

/* Variance of the noise in a released cell, rows^2, for every kind of noise. With a huge epsilon
 * the variance underflows to 0. A floor then keeps weights finite, and such a cell is exact
 * anyway. */
extern double dp_table_variance(const DpTable *table);
/* The sum of the cells. */
extern double dp_table_total(const DpTable *table);

/*
 * Whether the level "other" (NULL and what the domain does not list) of the table of one attribute
 * has so few rows that they may all be noise. A list or range mostly says all, and a small table
 * would otherwise come back with many NULLs where it has none.
 */
extern bool dp_table_other_is_noise(const DpTable *table, const DpAttribute *attribute);

/* An estimate of a number of rows, and the variance of its error. */
typedef struct DpRowsEstimate
{
	double rows, variance;
} DpRowsEstimate;

/* The mean of several estimates of one number of rows, weighted by inverse variance. It is the
 * best unbiased linear estimate. All fields start as zeros. */
typedef struct DpRowsMean
{
	double weights, sum;
} DpRowsMean;

extern void dp_rows_mean_add(DpRowsMean *mean, DpRowsEstimate estimate);
/* The mean; 0 where nothing was added. */
extern double dp_rows_mean(const DpRowsMean *mean);
/* Rounds to a number of rows that a model can have: neither negative nor over 2^62. */
extern int64_t dp_rows_whole(double rows);

/* Estimates the number of rows, >= 0: the mean of the totals of the tables with Laplace noise,
 * weighted by inverse variance. */
extern int64_t dp_rows_estimate(const DpModel *model);
/* The standard deviation of the error of a model's number of rows, as its first measurement tells
 * it: 0 where the number is public, INFINITY where no table says it. */
extern double dp_rows_stddev(const DpModel *model);

#endif
