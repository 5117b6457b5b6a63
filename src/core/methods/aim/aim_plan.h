/*
 * aim_plan.h -- what aim will do, from public facts: candidates, rounds and their amounts, batches.
 */
#ifndef DP_AIM_PLAN_H
#define DP_AIM_PLAN_H

#include "core/domain/attribute_set.h"
#include "core/domain/workload.h"
#include "core/plan/graphical_measure.h"
#include "core/plan/privacy_measure.h"

/*
 * The sets that could be measured for a workload: every subset of one of its sets, with how much of
 * the workload it is about.
 */

#define DP_CANDIDATE_MEMBERS_MAX 8 /* limit of a workload's set, which has 2^n subsets */
#define DP_CANDIDATES_MAX 500000
#define DP_CANDIDATE_WEIGHT_ONE 4096 /* the largest weight */

typedef struct DpCandidates
{
	uint32_t n;
	DpAttributeSet
		*set; /* each attribute alone, then larger sets by size, each size in lexicographic order */
	uint32_t widest; /* columns of the largest set of the workload: larger ones are of aim_order.h */
	double *importance; /* [attributes] sum of the weights of the workload's sets that have it */
} DpCandidates;

extern DpStatus dp_candidates_make(const DpWorkload *workload, uint32_t attributes,
								   DpCandidates *out, const DpTick *tick, DpArena *arena,
								   DpError *error) DP_MUST_USE;
/* The sum over the workload's sets s of weight x |set and s|, as a share of `most`, in
 * 1/DP_CANDIDATE_WEIGHT_ONE; of a set that is larger than all of these a share of its own. */
extern int64_t dp_candidate_weight(const DpCandidates *candidates, const DpAttributeSet *set,
								   double most);
/* The largest such sum among those of the n sets that are subsets of the workload's. */
extern double dp_candidates_most(const DpCandidates *candidates, const DpAttributeSet *set,
								 uint32_t n);

#define DP_AIM_ONE_WAY "tables of one column"
#define DP_AIM_CHOSEN "choose and release tables"
#define DP_AIM_FEW_COLUMNS 20 /* with more, asking and scoring all candidates takes longest */

typedef struct DpAimPlan
{
	DpPrivacyMeasure privacy_measure;
	DpCandidates candidates;
	uint64_t cells_max; /* most cells of all cliques */
	DpOneAmounts one;   /* for the table of one attribute */
	uint32_t siblings;  /* attributes that tell what siblings were */
	DpPrivacyMeasureRounds rounds;
	int64_t share_nano; /* share of a round's amount that its selection gets */
	uint32_t tables_max;
	uint32_t batch; /* most tables between two fits */
	bool grows;     /* batches begin with one table */
	bool ask_later; /* whether a candidate fits is asked once it is drawn */
	bool forest;    /* no pair of a batch has columns that its other tables connect already */
	bool group, systematic;
} DpAimPlan;

/* Checks the options and appends the stages. *out comes from arena. Errors are those that a caller
 * can see before anything is spent. */
extern DpStatus dp_aim_plan(DpPlan *plan, DpAimPlan **out, DpArena *arena,
							DpError *error) DP_MUST_USE;

#endif
