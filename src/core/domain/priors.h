/*
 * priors.h -- public marginals that cost nothing, as a part of the domain (DpDomain.prior):
 * counts over some of the attributes of another, public table (a census, last year's statistics)
 * that the custodian stated, or what the released model of a parent's table tells
 * (parent_priors.h).
 *
 * A prior tells shares, not rows, since it may come from a larger population. An
 * estimator takes it for one more noisy table, like those that were measured:
 *
 *   dp_prior_expected()  the rows in each cell,
 *   dp_prior_variance()  the variance of each of these numbers.
 *
 * Nothing here has to do with privacy: this code never sees an exact count.
 */
#ifndef DP_PRIORS_H
#define DP_PRIORS_H

#include "core/domain/domain.h"

#define DP_PRIORS_MAX 1000
#define DP_PRIOR_WIDTH_MAX 8
#define DP_PRIOR_CELLS_MAX UINT64_C(1000000)       /* of one prior */
#define DP_PRIOR_CELLS_TOTAL_MAX UINT64_C(5000000) /* of all priors */
#define DP_PRIOR_TOTAL_MAX (INT64_C(1) << 53)      /* a double holds it */
#define DP_PRIOR_UNCERTAINTY_ONE INT64_C(1000000000)

/* Checks limits, order, indexes and counts of domain->prior. DP_ERR_ARGUMENT. */
extern DpStatus dp_priors_check(const DpDomain *domain, DpError *error) DP_MUST_USE;
/* Puts priors into the order that dp_priors_check() wants. */
extern void dp_priors_sort(DpDomain *domain);
extern DpStatus dp_priors_copy(const DpDomain *from, DpDomain *to, DpArena *arena) DP_MUST_USE;
/* Drops each prior that has an attribute that is not kept, and renumbers the attributes of the
 * others, in place. index[a] is the new number of a, ascending, or UINT32_MAX if a is not kept. */
extern void dp_priors_restrict(DpDomain *domain, const uint32_t *index);

/* The rows in each cell of a table with `rows` rows in all, if it is like the prior.
 * out[prior->cells]. */
extern void dp_prior_expected(const DpPrior *prior, double rows, double *out);
/* The variance of each of these numbers, in rows^2. */
extern double dp_prior_variance(const DpPrior *prior, double rows);

#endif
