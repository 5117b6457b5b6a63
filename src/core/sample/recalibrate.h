/*
 * recalibrate.h -- adjusts the model of a parent to the child counts of its child's model.
 *
 * The parent model estimates the number of children from one noisy histogram, so its mean is
 * imprecise. The child model measures child rows directly, by the attributes of their parent. Once
 * the child is released, this function recalibrates the parent to those means
 * (post-stratification).
 */
#ifndef DP_RECALIBRATE_H
#define DP_RECALIBRATE_H

#include "core/sample/parent_priors.h"

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
