/*
 * grouping_sets.h -- GROUPING SETS, ROLLUP and CUBE: a question for each of the groupings.
 */
#ifndef DPSYN_GROUPING_SETS_H
#define DPSYN_GROUPING_SETS_H

#include "pg/server/compat.h"

#include "nodes/bitmapset.h"
#include "nodes/parsenodes.h"

#include "pg/sql/carried.h"

/* The groups (from 0) that a grouping has. */
typedef struct DpGroupingSet
{
	Bitmapset *groups;
} DpGroupingSet;

/*
 * An entry of a range table with the answers of all groupings, one below the other: the columns that
 * are carried, where a group that a grouping does not have is NULL. sets: DpGroupingSet *. groupings: for
 * each GROUPING(...) the list of its groups, which columns of DP_PART_GROUPING name by number.
 * conditions: over the columns, which groups must meet; each holds of groupings that have all its groups.
 */
extern RangeTblEntry *dp_grouping_sets_entry(const DpCarried *carried, const List *sets,
											 const List *groupings, const List *conditions);

#endif
