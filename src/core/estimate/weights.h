/*
 * weights.h -- noisy counts as nonnegative weights: the first step of drawing.
 */
#ifndef DP_WEIGHTS_H
#define DP_WEIGHTS_H

#include "core/base/status.h"
#include "core/model/model.h"

/* A noisy table from which rows are drawn, with an estimate of its cells. */
typedef struct DpEstimatedTable
{
	const DpDomain *domain;
	const DpTable *table;
	const double *estimate; /* [cells] rows; NULL: the noisy counts themselves */
	int64_t rows;           /* the sum of the cells of a dense table */
} DpEstimatedTable;

/*
 * Makes one weight >= 0 for each cell of the table. Sparse: the counts as released. Dense: the
 * counts, projected on the simplex of rows; or the estimate, replaced by the nearest numbers >= 0
 * with its one-way margins (which are projected, too), as nearly as some sweeps find them. Cells
 * that the zeros of the domain forbid weigh 0. All cells do if the table says nothing else (no
 * allowed cell is positive, or rows = 0 for a dense one). The caller frees the weights,
 * table->cells of them.
 */
extern DpStatus dp_weights_make(const DpEstimatedTable *from, double **weights_out,
								DpArena *arena) DP_MUST_USE;

/*
 * Euclidean projection on {x >= 0, sum x = total}: it makes noisy counts nonnegative, with a given
 * sum, at the least change.
 */

/* Replaces x[0..n-1] by its projection; n >= 1, total > 0. work has space for n. A value that
 * must become 0 may be -INFINITY. The others are finite, and there is at least one of them. */
extern void dp_simplex_project(double *x, uint64_t n, double *work, double total);

/*
 * Moves noisy counts towards their mean: the whole way if all of their spread may be noise of this
 * variance, and less the more of it is not (the estimator of James and Stein). Projected as they are,
 * the counts of a thousand levels would leave rows to the five that the noise favours. Counts above the
 * mean by sqrt(2 ln n) standard deviations, which noise alone hardly reaches, stay as they are, and are
 * not in the mean of the others. n >= 1.
 */
extern void dp_shrink_noisy(double *count, uint32_t n, double variance);

#endif
