/*
 * pairs.h -- the dependence of every pair of attributes, for private selection.
 */
#ifndef DP_PAIRS_H
#define DP_PAIRS_H

#include "core/accounting/privacy_unit.h"
#include "core/exact/marginal.h"
#include "core/plan/measurement.h"

/*
 * Mutual information of the attributes of an exact two-way table, in rows times nats, as an integer
 * for private selection. SECRET: it serves private choices and nothing else.
 */
#define DP_INFORMATION_UNIT 1024 /* scores are in 1/1024 row nats */

/* Sets *score to n I of a two-way table in 1/DP_INFORMATION_UNIT, rounded down; pairs.c has
 * the proof of its sensitivity. 0 for an empty table. DP_ERR_ARGUMENT: it is not two-way. */
extern DpStatus dp_marginal_information(const DpMarginal *pair, int64_t *score,
										DpArena *arena) DP_MUST_USE;
/* The sensitivity of that score, in its unit, for a privacy unit. */
extern int64_t dp_information_sensitivity(const DpUnit *unit);

/* The worker memory of dp_pairs_score. Open attributes count as large. */
extern uint64_t dp_pairs_memory(const DpDomain *domain);
/* What a pair is scored by. */
typedef enum DpPairScore
{
	DP_PAIR_DEPENDENCE, /* n R */
	DP_PAIR_INFORMATION /* n I */
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

/*
 * The dependence score of PrivBayes, n R, of exact tables. SECRET: it serves private choices and
 * nothing else.
 */

/*
 * Sets *score to floor(1024 x n R) of a two-way table. R = 1/2 || t/n - row x col / n^2 ||_1
 * is the dependence score of PrivBayes. The arithmetic is exact on integers, so the
 * sensitivity is exactly 1024 x 2 (add/remove) or 1024 x 3 (replace) a row. The score is 0
 * for an empty table. DP_ERR_RANGE: 128 bits would not hold it.
 */
#define DP_DEPENDENCE_UNIT 1024
extern DpStatus dp_marginal_dependence(const DpMarginal *pair, int64_t *score,
									   DpArena *arena) DP_MUST_USE;
/* The sensitivity of that score, in its unit, for a privacy unit. */
extern int64_t dp_dependence_sensitivity(const DpUnit *unit);

#endif
