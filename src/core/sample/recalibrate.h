/*
 * recalibrate.h -- what the model of a table tells back of the rows that its rows belong to.
 *
 * The parent's model knows how many children a row has from a table of as many cells as there may be
 * children, each with noise: on average that is priors badly. The child's model counts the children
 * themselves, by what it knows of their parent. So once it is released, the parent's model is priors
 * from it how many children rows with each level have on average.
 */
#ifndef DP_RECALIBRATE_H
#define DP_RECALIBRATE_H

#include "core/sample/parent_priors.h"

/*
 * Adds to the priors of parent, the model that priors->parent is: for each attribute x that the child
 * knows, the table of x and the number of children m. It is P(x, m) of the parent's model, where for
 * each x the shares of m are tilted by exp(c m') so that the mean of m' = min(m, full) is that of the
 * child's model, or as near as c from -3 / full to 3 / full takes it. Then fits the parent again.
 * Tables of which a model cannot be asked are left out. The fit leaves out priors for which the model
 * has no room; where it would still grow too large, nothing is priors.
 *
 * times: as how many rows of the child one counts that counts in full. The new priors and the fit are
 * allocated from arena, which must live as long as parent.
 */
extern DpStatus dp_recalibrate(const DpParentPriors *priors, const DpModel *child, uint32_t times,
							   DpModel *parent, const DpTick *tick, DpArena *arena,
							   DpError *error) DP_MUST_USE;

#endif
