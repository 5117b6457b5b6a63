/*
 * prior.h -- public marginals that cost nothing: counts of another, public table
 * (a census, last year's statistics) over some of the attributes, stated by the
 * custodian as a part of the domain (DpDomain.prior).
 *
 * What a prior says is shares, not rows: it may be of a larger population. An
 * estimator takes it for one more noisy table,
 *
 *   dp_prior_expected()  so many rows in each cell,
 *   dp_prior_variance()  each with this variance,
 *
 * which is how cipher, mst and aim hold what they measured, too. Nothing here has to do
 * with privacy: no exact count is near.
 */
#ifndef DP_PRIOR_H
#define DP_PRIOR_H

#include "domain.h"

#define DP_PRIORS_MAX 1000
#define DP_PRIOR_WIDTH_MAX 8
#define DP_PRIOR_CELLS_MAX UINT64_C(1000000)       /* of one */
#define DP_PRIOR_CELLS_TOTAL_MAX UINT64_C(5000000) /* of all */
#define DP_PRIOR_TOTAL_MAX (INT64_C(1) << 53)      /* a double holds it */
#define DP_PRIOR_UNCERTAINTY_ONE INT64_C(1000000000)

/* Limits, order, indexes and counts of domain->prior. DP_ERR_ARGUMENT. */
extern DpStatus dp_priors_check(const DpDomain *domain, DpError *error) DP_MUST_USE;
/* Puts priors into the order that dp_priors_check() wants. */
extern void dp_priors_sort(DpDomain *domain);
extern DpStatus dp_priors_copy(DpArena *arena, const DpDomain *from, DpDomain *to) DP_MUST_USE;
/* Drops those of which an attribute is not kept, and renumbers the others. index[a]: a's new number, ascending;
 * UINT32_MAX: not kept. In place. */
extern void dp_priors_restrict(DpDomain *domain, const uint32_t *index);

/* The rows in each cell of a table of so many rows, if it is like the prior. out[prior->cells]. */
extern void dp_prior_expected(const DpPrior *prior, double rows, double *out);
/* rows^2, of each of these. */
extern double dp_prior_variance(const DpPrior *prior, double rows);

#endif
