/*
 * condition.h -- a distribution on a junction tree, given a condition on single attributes.
 */
#ifndef DP_CONDITION_H
#define DP_CONDITION_H

#include "core/graphical/belief.h"

/*
 * Makes the distribution that is proportional to that of a calibrated belief times weight[a][level]
 * for each attribute a, over the same tree and with the same total. weight[a] is NULL where nothing
 * is said of a. The caller frees it with dp_belief_free. *share: the expected weight of a row.
 * DP_ERR_ARGUMENT: that is 0; *out need not be freed then.
 *
 * Why: with the counts n_C of the cliques and n_S of the separators, the joint distribution is
 * prod n_C / prod n_S (Lauritzen and Spiegelhalter 1988). So log(n_C / n_S) are potentials of it,
 * and the logarithm of a weight is one more potential, in any clique that holds its attribute.
 */
extern DpStatus dp_belief_condition(const DpBelief *from, const double *const *weight,
									DpBelief *out, double *share, DpArena *arena) DP_MUST_USE;

#endif
