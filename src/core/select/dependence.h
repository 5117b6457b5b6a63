/*
 * dependence.h -- the dependence score of PrivBayes, n R, of exact tables. SECRET: it serves
 * private choices and nothing else.
 */
#ifndef DP_DEPENDENCE_H
#define DP_DEPENDENCE_H

#include "core/accounting/privacy_unit.h"
#include "core/exact/marginal.h"

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
