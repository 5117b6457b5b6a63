/*
 * tree.h -- noisy counts on the nodes of a tree, made consistent: each node
 * the sum of its children, in the least-squares sense, and none negative.
 */
#ifndef DP_TREE_H
#define DP_TREE_H

#include "arena.h"

typedef struct DpTreeLayer
{
	uint64_t nodes;
	const uint64_t *first; /* [nodes of the layer above + 1]: the children of v are first[v] up to
							* first[v + 1] - 1; the top layer's only parent is the root */
	double *value;         /* [nodes] noisy counts, then estimates */
	double variance;       /* of each noisy count; > 0 */
} DpTreeLayer;

/* Layers from the top; a node of any layer but the last may have no children. */
typedef struct DpTree
{
	uint32_t layers; /* >= 1 */
	DpTreeLayer *layer;
} DpTree;

/* Replaces the values by the best linear unbiased estimates. total: of the top layer, where it is
 * known exactly; NAN where it is not. */
extern DpStatus dp_tree_solve(const DpTree *tree, double total, DpArena *arena) DP_MUST_USE;
/* Replaces the values, top down, by nonnegative ones that keep every parent's: the top layer sums
 * to total >= 0, each set of siblings to its parent. A value of -INFINITY becomes 0; siblings that
 * all are need a parent that is. */
extern DpStatus dp_tree_project(const DpTree *tree, double total, DpArena *arena) DP_MUST_USE;

#endif
