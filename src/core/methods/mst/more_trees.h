/*
 * more_trees.h -- behind the wall: trees of pairs after the first one, over what the model does not
 * say yet.
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

/* The most cells of a model that trees after the first one may make. */
extern uint64_t dp_more_trees_cells(uint64_t cells_max);
/*
 * Chooses and releases one more tree: at most one pair fewer than there are attributes. All are
 * chosen by what the model says that was fitted before. A pair is a candidate if it is not released
 * yet, if no other pairs of this tree connect its attributes, and if the model has cells for it.
 */
extern DpStatus dp_more_trees_add(const DpMoreTrees *trees) DP_MUST_USE;

#endif
