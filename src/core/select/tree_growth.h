/*
 * tree_growth.h -- behind the wall: a tree of pairs that grows by one attribute at a
 * time, and what each pair that could join one would explain.
 *
 * A pair of i in the tree and j outside tells of j and every other a in the tree, too: through the
 * tree the table of (a, j) would be K M_ij, K the released shares of a's levels given i's. So
 * a pair's score is
 *
 *     |M_ij - E_ij| - c_ij  +  weight x sum over a of ( |M_aj - E_aj| - |M_aj - K M_ij| )
 *
 * M exact tables, E what was expected before any pair was released, | | the L1 norm, c what chance and noise
 * would make of it: its own distance, and by how much j's other pairs would come nearer. A
 * weight of 0 leaves the largest spanning tree.
 *
 * Sensitivity: E, c and K are released, and K has integers of 1/DP_KERNEL_ONE whose columns sum to at
 * most one. One row moves one cell of M_ij and one of M_aj by 1: the first norms by at
 * most 1 each, and the last one by at most 1 for M_aj and 1 for K M_ij.
 * With t attributes in the tree that is 1 + 3 (t - 1) weight, for each row of L1 sensitivity. All
 * is computed in integers, or in doubles that hold nothing else.
 */
#ifndef DP_TREE_GROWTH_H
#define DP_TREE_GROWTH_H

#include "graphical_measure.h"

#define DP_KERNEL_ONE 4096
#define DP_TREE_WEIGHT_ONE 4
#define DP_TREE_ATTRIBUTES_MAX 256 /* with a weight: so that a score fits 64 bits */

typedef struct DpTreeGrowth
{
	DpGraphicalMeasure *measure;
	uint32_t attributes;
	int64_t weight; /* in 1/DP_TREE_WEIGHT_ONE, up to one */
	double noise_stddev;
	uint32_t joined;   /* attributes of the tree */
	uint8_t *place;    /* [attributes] DpTreePlace */
	uint32_t *pair;    /* [attributes^2] a pair's tally, or none */
	int64_t *distance; /* [tallies] SECRET */
	int64_t *chance;   /* [tallies] of a distance, public */
	int64_t *gain;     /* [attributes^2] SECRET: the sum of i in the tree (row) and j outside */
	uint64_t work_cells;
	double *expected, *kernel, *exact, *product; /* [work_cells] */
} DpTreeGrowth;

/*
 * After the tables of each attribute were released and fitted; pairs will get noise of this standard
 * deviation, rows. The weight becomes 0 where tables are too large for all the products that it
 * takes, or attributes too many. A pair whose expected table
 * takes too much work can join nothing. Both by public numbers.
 */
extern DpStatus dp_tree_growth_init(DpTreeGrowth *growth, DpGraphicalMeasure *measure,
									int64_t weight, double noise_stddev) DP_MUST_USE;
/*
 * The pairs that can join an attribute to the tree, or begin one where none can, have at most room cells and
 * can be released: tally[candidate[k]] with score[k]. *sensitivity for each row. Both
 * are for as many as there are tallies.
 */
extern void dp_tree_growth_list(DpTreeGrowth *growth, uint64_t room, uint32_t *candidate,
								int64_t *score, size_t *n, int64_t *sensitivity);
/* Memory, in cells of 8 bytes, for tables of at most so many. */
extern uint64_t dp_tree_growth_cells(uint32_t attributes, uint64_t largest);
/* The sensitivity of the scores for each row, with so many attributes in the tree. */
extern int64_t dp_tree_growth_sensitivity(int64_t weight, uint32_t attributes);
/* A pair of the last list was chosen; with a weight, it has been released and fitted. */
extern DpStatus dp_tree_growth_join(DpTreeGrowth *growth, uint32_t tally) DP_MUST_USE;
extern void dp_tree_growth_free(DpTreeGrowth *growth);

#endif
