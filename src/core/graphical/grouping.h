/*
 * grouping.h -- rare levels of an attribute taken together: what noise hides is not
 * worth cells of its own.
 */
#ifndef DP_GROUPING_H
#define DP_GROUPING_H

#include "junction_tree.h"
#include "model.h"

typedef struct DpGrouping
{
	const DpDomain *domain;
	uint32_t *levels;    /* [attributes] groups of each */
	uint32_t **group;    /* [attributes][levels of the domain] number of a level's group */
	uint32_t *structure; /* the same, one attribute after the other: what a model keeps */
	uint32_t structure_n;
	bool *first; /* likewise: whether the level is the first of its group */
} DpGrouping;

/* Every level a group of its own. */
extern DpStatus dp_grouping_init(DpGrouping *grouping, const DpDomain *domain,
								 DpArena *arena) DP_MUST_USE;
/*
 * Of each attribute, given the noisy counts of its levels with one standard deviation, the levels below three
 * of these become one group; more of them where all attributes together would have more than
 * groups_max groups.
 */
extern DpStatus dp_grouping_merge(DpGrouping *grouping, int64_t *const *noisy,
								  const double *stddev_rows, uint64_t groups_max) DP_MUST_USE;
/* As a model keeps it. DP_ERR_CORRUPT. */
extern DpStatus dp_grouping_parse(DpGrouping *grouping, const DpModel *model, DpArena *arena,
								  DpError *error) DP_MUST_USE;
/* Cells of a table of groups; saturates. */
extern uint64_t dp_grouping_cells(const DpGrouping *grouping, const DpAttributeSet *set);
/* A table over levels to one over groups: sums. */
extern DpStatus dp_grouping_collapse(const DpGrouping *grouping, const DpAttributeSet *set,
									 const int64_t *levels, DpArena *arena,
									 int64_t *groups) DP_MUST_USE;
/* A table over groups as one over levels: the first level of each group stands for it, the others are 0; and back. */
extern DpStatus dp_grouping_expand(const DpGrouping *grouping, const DpAttributeSet *set,
								   const int64_t *groups, DpArena *arena,
								   int64_t *levels) DP_MUST_USE;
extern DpStatus dp_grouping_pick(const DpGrouping *grouping, const DpAttributeSet *set,
								 const int64_t *levels, DpArena *arena, double *groups) DP_MUST_USE;

#endif
