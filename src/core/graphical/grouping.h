/*
 * grouping.h -- rare levels of an attribute, taken together as one group: what noise hides is
 * not worth cells of its own.
 */
#ifndef DP_GROUPING_H
#define DP_GROUPING_H

#include "core/domain/attribute_set.h"
#include "core/model/model.h"

typedef struct DpGrouping
{
	const DpDomain *domain;
	uint32_t *levels;    /* [attributes] number of groups of each */
	uint32_t **group;    /* [attributes][levels of the domain] group of each level */
	uint32_t *structure; /* the same, one attribute after the other, as a model keeps it */
	uint32_t structure_n;
	bool *first; /* in the same order: whether the level is the first of its group */
} DpGrouping;

/* Starts with a group for every level. */
extern DpStatus dp_grouping_init(DpGrouping *grouping, const DpDomain *domain,
								 DpArena *arena) DP_MUST_USE;
/* Whose rare levels are merged. Those of an attribute that has a hierarchy always are. */
typedef enum DpGroupingOf
{
	DP_GROUPING_HIERARCHIES,
	DP_GROUPING_LONG, /* of long lists, too, where the noise of all levels is a good part of the rows */
	DP_GROUPING_ALL,
} DpGroupingOf;

typedef struct DpGroupingMerge
{
	DpGroupingOf of;
	uint64_t groups_max; /* of all attributes together, if all are merged */
} DpGroupingMerge;

/*
 * Merges the rare levels of each attribute. noisy are the counts of the levels; rare are those
 * below three standard deviations. In a hierarchy rare levels of one node become one group; where
 * that is rare itself, it goes on with those of the node above. What is left is one group. More
 * levels are merged where there would be more than groups_max groups.
 */
extern DpStatus dp_grouping_merge(DpGrouping *grouping, int64_t *const *noisy,
								  const double *stddev_rows, const DpGroupingMerge *merge,
								  DpArena *arena) DP_MUST_USE;
/*
 * Joins the level "other" (NULL and what the domain does not list) with the smallest group
 * where it is rare and alone. So a column whose list says all costs no cells for what it might have
 * left out.
 */
extern DpStatus dp_grouping_join_other(DpGrouping *grouping, int64_t *const *noisy,
									   const double *stddev_rows, DpArena *arena) DP_MUST_USE;
/* Reads the groups from the structure of a model. DP_ERR_CORRUPT: it holds none. */
extern DpStatus dp_grouping_parse(DpGrouping *grouping, const DpModel *model, DpArena *arena,
								  DpError *error) DP_MUST_USE;
/* The number of cells of a table over groups; saturates. */
extern uint64_t dp_grouping_cells(const DpGrouping *grouping, const DpAttributeSet *set);
/* Sums a table over levels to one over groups. */
extern DpStatus dp_grouping_collapse(const DpGrouping *grouping, const DpAttributeSet *set,
									 const int64_t *levels, int64_t *groups,
									 DpArena *arena) DP_MUST_USE;
/* Makes first[cells over levels]: whether a cell stands for its group. */
extern DpStatus dp_grouping_firsts(const DpGrouping *grouping, const DpAttributeSet *set,
								   const bool **first, DpArena *arena) DP_MUST_USE;
/* Writes a table over groups as one over levels, and back (pick). The first level of each group
 * stands for the group, and the other levels are 0. */
extern DpStatus dp_grouping_expand(const DpGrouping *grouping, const DpAttributeSet *set,
								   const int64_t *groups, int64_t *levels,
								   DpArena *arena) DP_MUST_USE;
extern DpStatus dp_grouping_pick(const DpGrouping *grouping, const DpAttributeSet *set,
								 const int64_t *levels, double *groups, DpArena *arena) DP_MUST_USE;

#endif
