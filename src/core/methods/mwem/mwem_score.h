/*
 * mwem_score.h -- how far an exact table is from what was predicted of it, as an
 * integer for private selection.
 */
#ifndef DP_MWEM_SCORE_H
#define DP_MWEM_SCORE_H

#include "core/accounting/stddev.h"

#define DP_MWEM_UNIT 1024 /* scores are in 1/1024 rows */

/* SECRET. mwem_score.c has the proof. count[cells] holds exact rows, share[cells] predicted
 * proportions. */
extern int64_t dp_mwem_score(const int64_t *count, const double *share, uint64_t cells, double rows,
							 int64_t penalty);
/* The distance that noise alone is expected to make in a table, in the score's unit. It is
 * public. */
extern int64_t dp_mwem_penalty(uint64_t cells, DpLaplace distribution);
/* The sensitivity of the score for a privacy unit, in its unit. */
extern int64_t dp_mwem_sensitivity(const DpUnit *unit);

#endif
