/*
 * more_trees.h -- behind the wall: further trees of pairs, over dependence that the model lacks so
 * far.
 */
#ifndef DP_MORE_TREES_H
#define DP_MORE_TREES_H

#include "core/plan/graphical_measure.h"

typedef struct DpMoreTrees
{
	DpGraphicalMeasure *measure;
	uint32_t predicted;   /* an attribute, or DP_PREDICT_NONE */
	int64_t select, pair; /* rho of one selection, of one pair */
} DpMoreTrees;

/* The largest number of cells that a model with further trees may have. */
extern uint64_t dp_more_trees_cells(uint64_t cells_max);
/*
 * Chooses and releases one more tree, with at most attributes - 1 pairs. All of them are scored by
 * the model of the last fit. A pair is a candidate if it is not released yet, if no other pairs of
 * this tree connect its attributes, and if it fits the model's limit of cells.
 */
extern DpStatus dp_more_trees_add(const DpMoreTrees *trees) DP_MUST_USE;

#endif
