/*
 * candidates.h -- the sets that could be measured for a workload: every subset of
 * one of its sets, with how much of the workload it is about.
 */
#ifndef DP_CANDIDATES_H
#define DP_CANDIDATES_H

#include "junction_tree.h"
#include "workload.h"

#define DP_CANDIDATE_MEMBERS_MAX 8 /* of a workload's set: it has 2^n subsets */
#define DP_CANDIDATES_MAX 500000
#define DP_CANDIDATE_WEIGHT_ONE 4096 /* the largest weight */

typedef struct DpCandidates
{
	uint32_t n;
	DpAttributeSet *set; /* each attribute alone, then larger ones by size, lexicographic */
	double *importance;  /* [attributes] sum of the weights of the workload's sets that have it */
} DpCandidates;

extern DpStatus dp_candidates_make(const DpWorkload *workload, uint32_t attributes, DpArena *arena,
								   DpCandidates *out, DpError *error) DP_MUST_USE;
/* Sum over the workload's sets s of weight x |set and s|, in 1/DP_CANDIDATE_WEIGHT_ONE of most. */
extern int64_t dp_candidate_weight(const DpCandidates *candidates, const DpAttributeSet *set,
								   double most);
/* The largest such sum, of the n sets. */
extern double dp_candidates_most(const DpCandidates *candidates, const DpAttributeSet *set,
								 uint32_t n);

#endif
