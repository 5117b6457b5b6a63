/*
 * aim_candidates.h -- the sets that aim can choose from, and their weights.
 */
#ifndef DP_AIM_CANDIDATES_H
#define DP_AIM_CANDIDATES_H

#include "core/domain/attribute_set.h"
#include "core/domain/workload.h"

/*
 * The sets that could be measured for a workload: every subset of one of its sets, with how much of
 * the workload it is about.
 */

#define DP_CANDIDATE_MEMBERS_MAX 8 /* limit of a workload's set, which has 2^n subsets */
#define DP_CANDIDATES_MAX 500000
#define DP_CANDIDATE_WEIGHT_ONE 4096 /* the largest weight */
/* A candidate of more columns weighs so many times less than the heaviest of the workload: it is
 * chosen where it tells much more than sets that say it in fewer cells. */
#define DP_ORDER_WEIGHT 2

typedef struct DpCandidates
{
	uint32_t n;
	DpAttributeSet
		*set; /* each attribute alone, then larger sets by size, each size in lexicographic order */
	uint32_t
		widest; /* columns of the largest set of the workload: larger ones are of aim_order.h */
	double *importance; /* [attributes] sum of the weights of the workload's sets that have it */
} DpCandidates;

extern DpStatus dp_candidates_make(const DpWorkload *workload, uint32_t attributes,
								   DpCandidates *out, const DpTick *tick, DpArena *arena,
								   DpError *error) DP_MUST_USE;
/* The sum over the workload's sets s of weight x |set and s|, as a share of `most`, in
 * 1/DP_CANDIDATE_WEIGHT_ONE; of a set that is larger than all of these a share of its own. */
extern int64_t dp_candidate_weight(const DpCandidates *candidates, const DpAttributeSet *set,
								   double most);
/* The largest weight of the n sets that are subsets of a set of the workload. */
extern double dp_candidates_most(const DpCandidates *candidates, const DpAttributeSet *set,
								 uint32_t n);

#endif
