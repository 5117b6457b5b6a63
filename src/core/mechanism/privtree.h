/*
 * privtree.h -- a public binary tree over cells, cut back privately: few leaves where there are
 * few rows, many where there are many. docs/methods/ranges.md has the proof.
 */
#ifndef DP_PRIVTREE_H
#define DP_PRIVTREE_H

#include "core/base/arena.h"
#include "core/accounting/budget.h"
#include "core/accounting/privacy_unit.h"
#include "core/mechanism/noise_source.h"

#define DP_PRIVTREE_DEPTH_MAX 128

/* A public binary tree over cells 0..cells-1: a node is an interval [low, high) of cells, and
 * split says where its right child begins, low < split < high. It is asked where high - low >= 2,
 * and gives a tree of at most DP_PRIVTREE_DEPTH_MAX levels. */
typedef struct DpPublicTree
{
	uint32_t cells; /* >= 1 */
	uint32_t (*split)(const void *context, uint32_t low, uint32_t high);
	const void *context;
} DpPublicTree;

/* What a tree has to guarantee, and for whom. */
typedef struct DpPrivTree
{
	int64_t epsilon_nano; /* 1..DP_EPSILON_NANO_MAX */
	DpUnit unit;
	bool concentrated; /* it is charged as rho alone: that of an epsilon-DP mechanism */
} DpPrivTree;

/* The public numbers that follow. */
typedef struct DpPrivTreeRule
{
	uint64_t noise_numerator; /* 1/lam, of the noise of each decision */
	uint64_t noise_denominator;
	int64_t level_rows; /* what a count loses with each level, >= lam ln 2 */
} DpPrivTreeRule;

/* DP_ERR_ARGUMENT. DP_ERR_RANGE: the noise is too wide for 64 bits. */
extern DpStatus dp_privtree_rule(const DpPrivTree *goal, DpPrivTreeRule *rule) DP_MUST_USE;
extern DpBudget dp_privtree_cost(const DpPrivTree *goal);
/* Sets leaf[0..*leaves-1] to the first cells of the leaves, ascending; leaf has space for all
 * cells. (epsilon, 0)-DP; it charges dp_privtree_cost. */
extern DpStatus dp_privtree_release(const DpNoiseSource *noise, const DpPrivTree *goal,
									const DpPublicTree *tree, const int64_t *counts, uint32_t *leaf,
									uint32_t *leaves, DpArena *arena) DP_MUST_USE;

#endif
