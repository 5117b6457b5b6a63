/*
 * range.h -- an attribute of a column with a public range, before and after its bins are found.
 *
 * Such an attribute is of kind DP_BINS and points to a DpRange. Its state says what its levels are:
 *
 *	DP_RANGE_REQUESTED   the bins are still to be found. There will be at most bins_max of them, and
 *	                 that is how many levels a plan reckons with. There are no labels.
 *	DP_RANGE_CELLS   the levels are the finest public cells of the grid (grid.h). The exact counts
 *	                 from which bins are found have this domain. There are no labels.
 *	DP_RANGE_TAKEN   the bins will be those that are found for another attribute, of this domain or
 *	                 of another one. A plan reckons as with DP_RANGE_REQUESTED, and pays nothing.
 *	DP_RANGE_FOUND   the bins were released with noise. The labels are their edges as text: bin i
 *	                 holds the grid's values from bin[i] to below bin[i + 1], the last one to the
 *	                 end of the grid. The label of the last edge is the grid's last value.
 *
 * A long list of categories is a range too: of the places 0..n-1 in the list, one for each
 * category. So bins are groups of categories that follow one another in the list, and those that
 * very many rows have are groups of their own. Where the categories have a public hierarchy
 * (below), the list is in its order, and bins are nodes of it or neighbours in one, as far as
 * they can be.
 *
 * In each state a level for NULL follows where the column may be NULL (has_other, other = NULL);
 * NaN and infinities belong to it too.
 */
#ifndef DP_RANGE_H
#define DP_RANGE_H

#include <stdint.h>

#include "core/domain/grid.h"

/* Largest weight of a leaf: the weights of all leaves then add up within 63 bits. */
#define DP_RANGE_WEIGHT_MAX (UINT64_C(1) << 42)

typedef enum DpRangeState
{
	DP_RANGE_REQUESTED = 0,
	DP_RANGE_CELLS = 1,
	DP_RANGE_FOUND = 2,
	DP_RANGE_TAKEN = 3 /* is never stored */
} DpRangeState;

typedef struct DpRange
{
	DpGrid grid;
	const char **listed; /* [grid.last + 1] the categories at these places; NULL: it is of values */
	const uint8_t
		*boundary; /* [grid.last + 1] boundaries of a hierarchy of the places; NULL: none. It is
							* read where bins are found, and is never stored. */
	DpRangeState state;
	uint32_t bins_max; /* 1..DP_GRID_BINS_MAX; not read once the bins are found */
	/* Its ends say where values are, and not only what the type can hold. Not read once the bins are
	 * found. */
	bool is_declared;
	/* found */
	uint32_t bins;    /* >= 1 */
	int64_t *bin;     /* [bins] first coordinates, strictly ascending from grid.first */
	uint32_t leaves;  /* >= bins */
	int64_t *leaf;    /* [leaves] first coordinates, strictly ascending; each bin begins a leaf */
	uint64_t *weight; /* [leaves] by which a leaf of a bin is drawn; any scale, may all be 0 */
} DpRange;

/* Whether its bins are not known yet: they are asked for, or will be taken. */
extern bool dp_range_is_unknown(const DpRange *range);
/* The number of levels of its bins, without that for NULL. It is 0 for a state that is none. */
extern uint32_t dp_range_levels(const DpRange *range);
/* Checks every invariant stated above. */
extern DpStatus dp_range_check(const DpRange *range, DpError *error) DP_MUST_USE;
/* The bin of a coordinate that lies in the grid. */
extern uint32_t dp_range_bin(const DpRange *range, int64_t coordinate);
/* The last coordinate of a bin, and of a leaf. */
extern int64_t dp_range_bin_last(const DpRange *range, uint32_t bin);
extern int64_t dp_range_leaf_last(const DpRange *range, uint32_t leaf);
/* The edges of the bins as texts, [bins + 1]. NULL: no memory. */
extern const char **dp_range_labels(const DpRange *range, DpArena *arena) DP_MUST_USE;
/* The text of a coordinate: a value, or a category. text: space for a value. */
extern const char *dp_range_text(const DpRange *range, int64_t coordinate,
								 char text[DP_GRID_TEXT_BYTES]);
/* The part of a bin's weight that lies in first..last, 0 to 1. */
extern double dp_range_share(const DpRange *range, uint32_t bin, int64_t first, int64_t last);
/* A deep copy. */
extern DpRange *dp_range_copy(const DpRange *range, DpArena *arena) DP_MUST_USE;

/*
 * A public hierarchy of categories: codes in blocks, blocks in chapters.
 *
 * The categories stand in an order in which those of a node follow one another. So the hierarchy
 * is given by the boundaries between neighbours: border[i] is the number of levels above the
 * categories on which place i and the place before it are in different nodes. It is 0 between two
 * places of one node of the finest level, and the number of levels between two nodes of the
 * coarsest one. Levels nest: who differs on one level differs on all finer ones. border[0] is not
 * read.
 */

#define DP_HIERARCHY_LEVELS_MAX 16 /* above the categories */

/*
 * Where a public binary tree over the hierarchy splits the places [low, high), high - low >= 2: at
 * the middle one of the coarsest boundaries inside. So every node of the hierarchy is a node of the
 * tree, and the tree is not deeper than the logarithm of the places and two for each level.
 */
extern uint32_t dp_hierarchy_split(const uint8_t *boundary, uint32_t low, uint32_t high);

#endif
