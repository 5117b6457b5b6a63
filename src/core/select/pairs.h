/*
 * pairs.h -- the dependence of every pair of attributes, for private selection.
 */
#ifndef DP_PAIRS_H
#define DP_PAIRS_H

#include "method.h"

/* Worker memory of dp_pairs_score. Open attributes count as large. */
extern uint64_t dp_pairs_memory(const DpDomain *domain);
/*
 * score[i x attributes + j] = score[j x attributes + i], SECRET: exact scores in
 * 1/DP_DEPENDENCE_UNIT rows, from one scan. They serve dp_select, with
 * dp_dependence_sensitivity, and nothing else; the caller gives them back.
 */
extern DpStatus dp_pairs_score(const DpMeasurement *m, int64_t **score, DpError *error) DP_MUST_USE;
extern void dp_pairs_free(const DpMeasurement *m, int64_t *score);

#endif
