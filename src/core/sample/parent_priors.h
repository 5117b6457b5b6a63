/*
 * parent_priors.h -- what the model of a relation says about the child rows of its rows.
 *
 * Rows of a child know what their parent's row is, and how many siblings they are. How that is
 * distributed follows from the parent's released model, which counts rows of the parent with their
 * numbers of children. So nothing is paid for it: it is given to the child's model as priors
 * (core/domain/priors.h).
 */
#ifndef DP_PARENT_PRIORS_H
#define DP_PARENT_PRIORS_H

#include "core/sample/sampler.h"

#define DP_PARENT_PRIOR_CELLS_MAX (UINT64_C(1) << 18) /* of a table with the number of children */

/* The attributes of the parent's model in the child's model, each with the same levels. */
typedef struct DpParentPriors
{
	const DpModel *parent; /* of one set */
	const DpSampler *sampler;
	const uint32_t
		*known;        /* [attributes of parent] number in the child's domain; UINT32_MAX: none */
	uint32_t count;    /* the attribute of parent that is the number of children, 0..k */
	uint32_t siblings; /* in the child's domain: the same number, 1..k */
	uint32_t full;     /* a parent's row with m children counts as min(m, full), >= 1 */
	DpArena *scratch;  /* gets the fit of parent, which is not needed any more once it has priors */
} DpParentPriors;

/* DP_ERR_INTERNAL: an attribute has other levels in the child's domain. */
extern DpStatus dp_parent_priors_check(const DpParentPriors *priors, const DpDomain *domain,
									   DpError *error) DP_MUST_USE;
/*
 * Adds to the priors of the child's domain: for each table or prior of the parent's model whose
 * attributes are known, or the number of children, the shares of these among the rows that belong
 * to its rows. Those that the model cannot compute, or that lie within others, are left out.
 */
extern DpStatus dp_parent_priors_add(const DpParentPriors *priors, DpDomain *domain,
									 const DpTick *tick, DpArena *arena,
									 DpError *error) DP_MUST_USE;

#endif
