/*
 * weights.h -- noisy counts as nonnegative weights: the first step of drawing.
 */
#ifndef DP_WEIGHTS_H
#define DP_WEIGHTS_H

#include "model.h"

/*
 * One weight >= 0 for each cell of the table. Dense: estimate (NULL: the noisy
 * counts themselves) projected on the simplex of rows; sparse: as released.
 * Cells that the domain's zeros forbid weigh 0. All do where the table says
 * nothing else (nothing positive, or rows = 0 for a dense one). The caller gives the weights back: table->cells of them.
 */
extern DpStatus dp_weights_make(const DpDomain *domain, const DpTable *table,
								const double *estimate, int64_t rows, DpArena *arena,
								double **weights_out) DP_MUST_USE;

#endif
