/*
 * consistency.h -- noisy tables that speak of the same rows, made to agree.
 */
#ifndef DP_CONSISTENCY_H
#define DP_CONSISTENCY_H

#include "model.h"

/*
 * For each dense table of the model an estimate of its cells: all have the
 * total model->rows, all that share an attribute have the same margin of it,
 * and tables over the same attributes are one. estimate[tables], NULL for a
 * table that is sparse or has no attribute. Estimates may be negative.
 */
extern DpStatus dp_consistency_make(const DpModel *model, DpArena *arena, const DpTick *tick,
									double ***estimate_out) DP_MUST_USE;
extern void dp_consistency_free(const DpModel *model, DpArena *arena, double **estimate);

#endif
