/*
 * mwem_score.h -- how far an exact table is from what was predicted of it, as an
 * integer for private selection.
 */
#ifndef DP_MWEM_SCORE_H
#define DP_MWEM_SCORE_H

#include "account.h"

#define DP_MWEM_UNIT 1024 /* scores are in 1/1024 rows */
#define DP_MWEM_SENSITIVITY_MAX                                                                    \
	INT64_C(4000000000) /* dp_select's fractions fit 64 bits up to here */

/* SECRET: see mwem_score.c. count[cells] exact rows, share[cells] predicted proportions. */
extern int64_t dp_mwem_score(const int64_t *count, const double *share, uint64_t cells, double rows,
							 int64_t penalty);
/* What noise alone is expected to make of a table's distance, in the score's unit; public. */
extern int64_t dp_mwem_penalty(uint64_t cells, int64_t epsilon_nano, int64_t sensitivity_l1);
/* Sensitivity of the score for a privacy unit, in its unit. */
extern int64_t dp_mwem_sensitivity(const DpUnit *unit);

#endif
