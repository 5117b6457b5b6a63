/*
 * steps_nodes.h -- the tree of a stored model as places where rows can be put, with the estimate of
 * how many rows each has. The tables of steps, flat and uh are such trees.
 */
#ifndef DP_STEPS_NODES_H
#define DP_STEPS_NODES_H

#include "core/model/steps/partition.h"
#include "core/sample/alias.h"
#include "core/sample/sampler.h"

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
/* The error of a model whose tables are not those of a tree. */
extern DpStatus dp_steps_corrupt(DpError *error);

#endif
