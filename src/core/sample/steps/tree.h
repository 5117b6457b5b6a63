/*
 * tree.h -- noisy counts on the nodes of a tree, made consistent: each node becomes the sum of
 * its children, by least squares, and none is negative.
 */
#ifndef DP_TREE_H
#define DP_TREE_H

#include "core/base/arena.h"

typedef struct DpTreeLayer
{
	uint64_t nodes;
	const uint64_t *first; /* [nodes of the layer above + 1]: the children of v are first[v] up to
							* first[v + 1] - 1; the top layer's only parent is the root */
	double *value;         /* [nodes] noisy counts, then estimates */
	double variance;       /* of each noisy count; > 0 */
} DpTreeLayer;

/* The layers from the top. A node of any layer may have no children. */
typedef struct DpTree
{
	uint32_t layers; /* >= 1 */
	DpTreeLayer *layer;
} DpTree;

/* Replaces the values by the best linear unbiased estimates. total is that of the top layer
 * where it is known exactly, else NAN. */
extern DpStatus dp_tree_solve(const DpTree *tree, double total, DpArena *arena) DP_MUST_USE;
/* Replaces the values, from the top down, by nonnegative ones: the top layer sums to total >= 0,
 * and each set of siblings to the value of its parent. A value of -INFINITY becomes 0. Where all
 * siblings are -INFINITY, their parent must be so too. */
extern DpStatus dp_tree_project(const DpTree *tree, double total, DpArena *arena) DP_MUST_USE;

#endif
