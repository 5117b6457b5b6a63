/*
 * tree_growth.h -- behind the wall: a tree of pairs that grows by one attribute at a
 * time, and what each pair that could join an attribute would explain.
 *
 * A pair of i in the tree and j outside also tells something about j and every other a in
 * the tree. Through the tree the table of (a, j) would be K M_ij, where K holds the released
 * shares of a's levels given i's. So a pair's score is
 *
 *     |M_ij - E_ij| - c_ij  +  weight x sum over a of ( |M_aj - E_aj| - |M_aj - K M_ij| )
 *
 * Where one attribute is to be predicted, what is said of a pair without it is divided by
 * DP_PREDICT_OTHERS. M are exact tables, E is what was expected before any pair was released, | |
 * is the L1 norm, and c is the distance that chance and noise would make. The first part is the
 * pair's own distance; the sum says how much nearer j's other pairs would come. A weight of 0
 * leaves the maximum spanning tree.
 *
 * Sensitivity: E, c and K are released or public, and K has integers of 1/DP_KERNEL_ONE whose
 * columns sum to at most one. One row moves one cell of M_ij and one of M_aj by 1. So it moves
 * the first norms by at most 1 each, and the last one by at most 1 for M_aj and 1 for K M_ij.
 * With t attributes in the tree that is 1 + 3 (t - 1) weight, for each row of L1 sensitivity. An
 * integer division moves no further than its dividend.
 * All is computed in integers, or in doubles that hold nothing else.
 */
#ifndef DP_TREE_GROWTH_H
#define DP_TREE_GROWTH_H

#include "core/plan/graphical_measure.h"
#include "core/plan/graphical_options.h"
#include "core/plan/graphical_score.h"

#define DP_KERNEL_ONE 4096
#define DP_TREE_WEIGHT_ONE 4
#define DP_TREE_ATTRIBUTES_MAX 256 /* the limit with a weight, so that a score fits 64 bits */

typedef struct DpTreeGrowth
{
	DpGraphicalMeasure *measure;
	uint32_t attributes;
	uint32_t predicted; /* an attribute, or DP_PREDICT_NONE */
	int64_t weight;     /* in 1/DP_TREE_WEIGHT_ONE, up to one */
	double noise_stddev;
	uint32_t joined;   /* attributes of the tree */
	uint8_t *place;    /* [attributes] DpTreePlace */
	uint32_t *pair;    /* [attributes^2] a pair's exact, or none */
	int64_t *distance; /* [marginals] SECRET */
	int64_t *chance;   /* [marginals] what a distance would be by chance, public */
	int64_t *gain;     /* [attributes^2] SECRET: the sum for i in the tree (row) and j outside */
	uint64_t work_cells;
	double *expected, *kernel, *exact, *product; /* [work_cells] */
} DpTreeGrowth;

/*
 * Prepares growth after the tables of each attribute were released and fitted. Pairs will
 * get noise of the standard deviation noise_stddev, in rows. The weight becomes 0 where
 * tables are too large for all the products that it takes, or attributes are too many. A
 * pair whose expected table takes too much work can join nothing. Public numbers decide
 * both.
 */
extern DpStatus dp_tree_growth_init(DpTreeGrowth *growth, DpGraphicalMeasure *measure,
									uint32_t predicted, int64_t weight,
									double noise_stddev) DP_MUST_USE;
/*
 * Lists the pairs that can join an attribute to the tree, or begin a tree where none can:
 * exact[candidate[k]] with score[k]. They have at most `capacity` cells and can be released.
 * *sensitivity is that of the scores for each row. candidate and score have space for as many
 * as there are marginals.
 */
extern void dp_tree_growth_list(DpTreeGrowth *growth, uint64_t capacity, uint32_t *candidate,
								int64_t *score, size_t *n, int64_t *sensitivity);
/* The memory of a growth, in cells of 8 bytes, where no pair has more than `largest` cells. */
extern uint64_t dp_tree_growth_cells(uint32_t attributes, uint64_t largest);
/* The sensitivity of the scores for each row, with so many attributes in the tree. */
extern int64_t dp_tree_growth_sensitivity(int64_t weight, uint32_t attributes);
/* Joins a pair of the last list that was chosen. With a weight it must have been released and
 * fitted. */
extern DpStatus dp_tree_growth_join(DpTreeGrowth *growth, uint32_t exact) DP_MUST_USE;
extern void dp_tree_growth_free(DpTreeGrowth *growth);

#endif
