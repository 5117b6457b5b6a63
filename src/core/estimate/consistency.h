/*
 * consistency.h -- noisy tables that count the same rows, made to agree.
 */
#ifndef DP_CONSISTENCY_H
#define DP_CONSISTENCY_H

#include "core/model/model.h"

/*
 * Estimates the cells of each dense table of the model. All estimates have the total model->rows,
 * tables that share an attribute have the same margin of it, and tables over the same attributes
 * have the same cells. estimate[tables] is NULL for a table that is sparse or has no attribute.
 * Estimates may be negative.
 */
extern DpStatus dp_consistency_make(const DpModel *model, double ***estimate_out,
									const DpTick *tick, DpArena *arena) DP_MUST_USE;
extern void dp_consistency_free(const DpModel *model, double **estimate, DpArena *arena);

#endif
