/*
 * strides.h -- a table and a margin of it, side by side: add the margin to the
 * table's cells, multiply by it, sum or maximise into it.
 *
 * Both are row-major with their attributes in ascending order, so that the
 * margin's step along each axis of the table is a constant: 0 where the axis is
 * summed out. Axes with one level are dropped and neighbouring axes that step
 * alike become one, so that what is left is a few long runs.
 */
#ifndef DP_STRIDES_H
#define DP_STRIDES_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#define DP_WALK_AXES_MAX                                                                           \
	40 /* of two levels or more, after merging: tables have less than 2^40 cells */

typedef struct DpWalk
{
	uint64_t cells; /* of the table */
	uint64_t margin_cells;
	uint32_t axes;
	uint32_t size[DP_WALK_AXES_MAX];
	uint64_t step[DP_WALK_AXES_MAX]; /* of the margin; the last one is 0 or 1 */
} DpWalk;

/*
 * outer[outer_n] are the table's attributes, inner[inner_n] some of them, both ascending; levels by
 * attribute. DP_ERR_ARGUMENT where inner is no subset; DP_ERR_LIMIT from 2^40 cells on.
 */
extern DpStatus dp_walk_init(DpWalk *walk, const uint32_t *levels, const uint32_t *outer,
							 uint32_t outer_n, const uint32_t *inner, uint32_t inner_n) DP_MUST_USE;

extern void dp_walk_add(const DpWalk *walk, double *table, const double *margin);
extern void dp_walk_subtract(const DpWalk *walk, double *table, const double *margin);
extern void dp_walk_multiply(const DpWalk *walk, double *table, const double *margin);
/* Into margin, whatever it held. Sums are taken in an order that depends on the sizes alone. */
extern void dp_walk_sum(const DpWalk *walk, const double *table, double *margin);
extern void dp_walk_maximum(const DpWalk *walk, const double *table, double *margin);
/* Likewise, of integers: margins of exact counts. */
extern void dp_walk_sum_counts(const DpWalk *walk, const int64_t *table, int64_t *margin);

/* out[rows x run] += a[rows x terms] times b[terms x run], as matrices. */
extern void dp_product_rows(const double *a, const double *b, double *out, size_t rows,
							size_t terms, size_t run);
/* The same of matrices a[rows x terms] and b[terms x columns] whose elements are runs. */
extern void dp_product_cells(const double *a, const double *b, double *out, size_t rows,
							 size_t terms, size_t columns, size_t run);

/* x[i] = exp(x[i]) for x <= 0, to 2 units in the last place; 0 below -708. The same on every CPU. */
extern void dp_exp_all(double *x, size_t n);

#endif
