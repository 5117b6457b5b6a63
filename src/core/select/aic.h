/*
 * aic.h -- how well one attribute alone describes rows: the scores of the STEPS paper, as
 * integers for private selection.
 */
#ifndef DP_AIC_H
#define DP_AIC_H

#include "core/accounting/privacy_unit.h"

#define DP_AIC_UNIT 1024 /* scores are in 1/1024 of AIC */

/* -AIC x DP_AIC_UNIT from counts by level, where AIC is rounded down. levels is public. Larger
 * is better. */
extern int64_t dp_score_aic(const int64_t *counts, uint64_t levels);
/* -BIC x DP_AIC_UNIT in the same way: the number of levels costs ln n each instead of 2. */
extern int64_t dp_score_bic(const int64_t *counts, uint64_t levels);
/* How far the score moves between neighbours, in its unit. */
extern int64_t dp_aic_sensitivity(const DpUnit *unit);
/* How far it moves when one row joins or leaves. */
extern int64_t dp_aic_row_sensitivity(void);
/* The same of BIC. */
extern int64_t dp_bic_sensitivity(const DpUnit *unit);
extern int64_t dp_bic_row_sensitivity(void);

#endif
