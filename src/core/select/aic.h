/*
 * score_aic.h -- how well one attribute alone describes rows: the score of the
 * STEPS paper, as an integer for private selection.
 */
#ifndef DP_SCORE_AIC_H
#define DP_SCORE_AIC_H

#include "account.h"

#define DP_AIC_UNIT 1024 /* of the score */

/* -AIC x DP_AIC_UNIT, rounded, of counts by level; levels is public. Larger is better. */
extern int64_t dp_score_aic(const int64_t *counts, uint64_t levels);
/* How far it moves between neighbours, in its unit. */
extern int64_t dp_aic_sensitivity(const DpUnit *unit);
/* The same when one row joins or leaves. */
extern int64_t dp_aic_row_sensitivity(void);

#endif
