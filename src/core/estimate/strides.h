/*
 * strides.h -- a table and a margin of it, side by side: add the margin to the cells of the
 * table, multiply by it, sum or maximise into it.
 *
 * Both are row-major with their attributes in ascending order. So the step of the margin along each
 * axis of the table is a constant, which is 0 where the axis is summed out. Axes with one level are
 * dropped, and neighbouring axes that step alike become one, so that a few long runs are left.
 */
#ifndef DP_STRIDES_H
#define DP_STRIDES_H

#include <stddef.h>
#include <stdint.h>

#include "core/domain/attribute_set.h"

#define DP_WALK_AXES_MAX                                                                           \
	40 /* axes of two levels or more, after merging, since tables have less than 2^40 cells */

typedef struct DpWalk
{
	uint64_t cells; /* of the table */
	uint64_t margin_cells;
	uint32_t axes;
	uint32_t size[DP_WALK_AXES_MAX];
	uint64_t step[DP_WALK_AXES_MAX]; /* steps in the margin; the last one is 0 or 1 */
} DpWalk;

/*
 * Prepares a walk. outer are the attributes of the table, inner those of the margin, both
 * ascending; levels are by attribute. DP_ERR_ARGUMENT: inner is no subset of outer. DP_ERR_LIMIT:
 * 2^40 cells or more.
 */
extern DpStatus dp_walk_init(DpWalk *walk, const uint32_t *levels, const DpAttributeSet *outer,
							 const DpAttributeSet *inner) DP_MUST_USE;

/* Overwrites table: each of its cells gets what the margin holds for it. */
extern void dp_walk_copy(const DpWalk *walk, double *table, const double *margin);
extern void dp_walk_add(const DpWalk *walk, double *table, const double *margin);
extern void dp_walk_subtract(const DpWalk *walk, double *table, const double *margin);
extern void dp_walk_multiply(const DpWalk *walk, double *table, const double *margin);
/* Overwrites margin. The order of additions depends on the sizes alone. */
extern void dp_walk_sum(const DpWalk *walk, const double *table, double *margin);
/* Adds to margin. */
extern void dp_walk_sum_more(const DpWalk *walk, const double *table, double *margin);
extern void dp_walk_maximum(const DpWalk *walk, const double *table, double *margin);
/* The same with integers, for margins of exact counts. */
extern void dp_walk_sum_counts(const DpWalk *walk, const int64_t *table, int64_t *margin);

/* On one core of a common server: of a cell, and of a run of neighbouring ones, in a multiplication
 * and a sum along a walk. */
#define DP_SECONDS_A_WALKED_CELL 1.1e-9
#define DP_SECONDS_A_RUN 8e-9
/* The seconds of a multiplication and a sum by these prices. */
extern double dp_walk_seconds(const DpWalk *walk);

/* The shape of a product of matrices a[rows x terms] and b[terms x columns]. */
typedef struct DpProductShape
{
	size_t rows, terms, columns;
	size_t run; /* each element is a run of so many numbers, which are multiplied one by one */
} DpProductShape;

/* out[rows x columns] += a times b, where run is 1. */
extern void dp_product_rows(const double *a, const double *b, double *out, DpProductShape shape);
/* The same for runs of any length. */
extern void dp_product_cells(const double *a, const double *b, double *out, DpProductShape shape);

/* x[i] = exp(x[i]) for x <= 0, exact to 2 units in the last place; 0 below -708. The result is
 * the same on every CPU. */
extern void dp_exp_all(double *x, size_t n);

#endif
