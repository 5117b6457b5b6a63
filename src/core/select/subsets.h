/*
 * subsets.h -- all small sets of attributes, numbered, and how much each
 * member depends on the others: what a private choice of parents goes by.
 */
#ifndef DP_SUBSETS_H
#define DP_SUBSETS_H

#include "core/plan/measurement.h"

#define DP_SUBSETS_TOTAL_MAX 2000000 /* sets of all sizes together */

typedef struct DpSubsets
{
	uint32_t attributes;
	uint32_t members_max;
	/* SECRET. score[s][rank x s + i] is that of the i-th member of a set of s members, s =
	 * 2..members_max, in 1/DP_DEPENDENCE_UNIT rows. It is -1 if the set has too many cells to be
	 * counted. */
	int64_t *score[DP_SUBSET_MAX + 1];
} DpSubsets;

/* How many sets of 2..members_max attributes there are. */
extern uint64_t dp_subsets_total(uint32_t attributes, uint32_t members_max);
typedef struct DpSubsetsCostEstimate
{
	uint32_t scans;
	uint64_t bytes;   /* of the largest scan */
	uint64_t cells;   /* of the largest scan */
	uint64_t members; /* attributes of all sets that are counted */
	uint64_t scored;  /* cells that are read for scores: of each set for each of its members */
} DpSubsetsCostEstimate;

/* What dp_subsets_score needs, from public facts only. Open attributes count as too large. */
extern DpSubsetsCostEstimate dp_subsets_cost_estimate(const DpDomain *domain, uint32_t members_max,
													  uint64_t cells_max);
/* Scores all sets with at most cells_max cells. The scores serve dp_select, with
 * dp_dependence_sensitivity, and nothing else. */
extern DpStatus dp_subsets_score(const DpMeasurement *m, uint32_t members_max, uint64_t cells_max,
								 DpSubsets *subsets, DpError *error) DP_MUST_USE;
extern void dp_subsets_free(const DpMeasurement *m, DpSubsets *subsets);

/* Scores, as dp_marginal_dependence does, how the attribute at a position of a dense table
 * depends on all its others together. Score and sensitivity are the same, since the others are
 * one attribute of many levels. */
extern DpStatus dp_dependence_on_rest(const DpMarginal *table, uint32_t position, int64_t *score,
									  DpArena *arena) DP_MUST_USE;

#endif
