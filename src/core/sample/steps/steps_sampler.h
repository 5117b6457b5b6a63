/*
 * steps_sampler.h -- rows from the noisy layers of a tree. Post-processing.
 */
#ifndef DP_STEPS_SAMPLER_H
#define DP_STEPS_SAMPLER_H

#include "core/base/arena.h"
#include "core/model/steps/partition.h"
#include "core/sample/alias.h"
#include "core/sample/sampler.h"

/*
 * Noisy counts on the nodes of a tree, made consistent: each node becomes the sum of its children,
 * by least squares, and none is negative.
 */

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

/*
 * The tree of a stored model as places where rows can be put, with the estimate of how many rows
 * each has. The tables of steps, flat and uh are such trees.
 */

/* Where a row can be put: a node of the dense layers, or a cell of a sparse one. */
typedef struct DpStepsPlace
{
	uint32_t tail; /* 0 = a node of the partition, t = the t-th sparse layer */
	uint32_t index;
} DpStepsPlace;

typedef struct DpStepsNodes
{
	const DpModel *model;
	DpPartition partition;
	uint32_t depth;   /* number of attributes that a node of the partition fixes */
	bool **forbidden; /* [partition.layers][nodes] what zeros rule out; NULL = nothing */
	uint32_t tails;
	const DpTable *tail; /* [tails] */
	uint32_t places;     /* 0 = draw uniformly */
	DpStepsPlace *place;
	DpAliasEntry *entry;
	bool keep;            /* whether share is wanted */
	double *share;        /* [places] rows of each place */
	double *mean;         /* [attributes] given a condition: the mean weight of a level */
	DpAliasEntry **level; /* [attributes] given a condition: its levels, where it restricts them */
} DpStepsNodes;

/* Estimates the places of a model, which must outlive them: sets *out to a DpStepsNodes. keep:
 * share is wanted. */
extern DpStatus dp_steps_nodes(const DpModel *model, bool keep, void **out, const DpTick *tick,
							   DpArena *arena, DpError *error) DP_MUST_USE;
/* The error of a stored model whose tables do not form a tree. */
extern DpStatus dp_steps_corrupt(DpError *error);

extern const DpSampler dp_steps_sampler;

#endif
