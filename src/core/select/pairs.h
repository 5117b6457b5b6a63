/*
 * pairs.h -- the dependence of every pair of attributes, for private selection.
 */
#ifndef DP_PAIRS_H
#define DP_PAIRS_H

#include "core/plan/measurement.h"

/* The worker memory of dp_pairs_score. Open attributes count as large. */
extern uint64_t dp_pairs_memory(const DpDomain *domain);
/* What a pair is scored by. */
typedef enum DpPairScore
{
	DP_PAIR_DEPENDENCE, /* n R (dependence.h) */
	DP_PAIR_INFORMATION /* n I (information.h) */
} DpPairScore;

/* How far such a score moves between neighbours, in its own unit. */
extern int64_t dp_pairs_sensitivity(DpPairScore by, const DpUnit *unit);
/*
 * Sets score[i x attributes + j] and score[j x attributes + i] to the exact score of a pair,
 * from one scan. SECRET. The scores serve dp_select, with dp_pairs_sensitivity, and nothing
 * else. The caller gives them back to dp_pairs_free.
 */
extern DpStatus dp_pairs_score(const DpMeasurement *m, DpPairScore by, int64_t **score,
							   DpError *error) DP_MUST_USE;
extern void dp_pairs_free(const DpMeasurement *m, int64_t *score);

#endif
