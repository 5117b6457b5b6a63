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

/*
 * Adjusts the model of a parent to the child counts of its child's model.
 *
 * The parent model estimates the number of children from one noisy histogram, so its mean is
 * imprecise. The child model measures child rows directly, by the attributes of their parent. Once
 * the child is released, this function recalibrates the parent to those means (post-
 * stratification).
 */

/*
 * Adds to the priors of parent, the model that priors->parent is: for each attribute x that the
 * child knows, the table of x and the number of children m. It is P(x, m) of the parent's model,
 * where for each x the shares of m are tilted by exp(c m') so that the mean of m' = min(m, full) is
 * that of the child's model, or as near as c from -3 / full to 3 / full takes it. Then fits the
 * parent again. Tables that a model cannot compute are left out. The fit leaves out priors that do
 * not fit the model; where it would still grow too large, no prior is added.
 *
 * times: as how many rows of the child one counts that counts in full. The new priors and the fit
 * are allocated from arena, which must live as long as parent.
 */
extern DpStatus dp_recalibrate(const DpParentPriors *priors, const DpModel *child, uint32_t times,
							   DpModel *parent, const DpTick *tick, DpArena *arena,
							   DpError *error) DP_MUST_USE;

#endif
