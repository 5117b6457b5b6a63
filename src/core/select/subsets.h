/*
 * subsets.h -- all small sets of attributes, numbered, and how much each
 * member depends on the others: what a private choice of parents goes by.
 */
#ifndef DP_SUBSETS_H
#define DP_SUBSETS_H

#include "method.h"

#define DP_SUBSET_MAX 7              /* members */
#define DP_SUBSETS_TOTAL_MAX 2000000 /* sets of all sizes together */

typedef struct DpSubsets
{
	uint32_t attributes;
	uint32_t members_max;
	/* score[s][rank x s + i]: SECRET, of the i-th member of a set of s, in 1/DP_DEPENDENCE_UNIT
	 * rows; -1 = the set has too many cells to be counted. s = 2..members_max */
	int64_t *score[DP_SUBSET_MAX + 1];
} DpSubsets;

/* n over k; saturates. */
extern uint64_t dp_choose(uint32_t n, uint32_t k);
/* Sets of 2..members_max of n attributes. */
extern uint64_t dp_subsets_total(uint32_t attributes, uint32_t members_max);
/* The number of a set, members ascending, among those of its size. */
extern uint64_t dp_subset_rank(const uint32_t *member, uint32_t n);
/* Scans that dp_subsets_score needs, and the bytes of the largest; public facts only. Open
 * attributes count as too large. */
extern DpStatus dp_subsets_forecast(const DpDomain *domain, uint32_t members_max,
									uint64_t cells_max, uint32_t *scans,
									uint64_t *bytes) DP_MUST_USE;
/* Scores of all sets with at most cells_max cells. They serve dp_select, with
 * dp_dependence_sensitivity, and nothing else. */
extern DpStatus dp_subsets_score(const DpMeasurement *m, uint32_t members_max, uint64_t cells_max,
								 DpSubsets *subsets, DpError *error) DP_MUST_USE;
extern void dp_subsets_free(const DpMeasurement *m, DpSubsets *subsets);

/* As dp_marginal_dependence, of the attribute at a position of a dense table on all its others
 * together: the same score and sensitivity, the others being one attribute of many levels. */
extern DpStatus dp_dependence_on_rest(const DpMarginal *table, uint32_t position, DpArena *arena,
									  int64_t *score) DP_MUST_USE;

#endif
