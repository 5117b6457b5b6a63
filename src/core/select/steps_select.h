/*
 * steps_select.h -- which attributes come first, chosen with budget: one order
 * for the whole tree, or another choice at each node.
 */
#ifndef DP_STEPS_SELECT_H
#define DP_STEPS_SELECT_H

#include "method.h"
#include "steps_layout.h"

typedef struct DpStepsSelection
{
	bool dependence; /* score: else AIC */
	DpLayerWidths widths;
	int64_t
		epsilon_each_nano; /* of one choice; with branches: of one choice in all nodes of a layer */
	uint64_t nodes_max;
} DpStepsSelection;

/* Choices that are charged for: all attributes above the last layer. */
extern uint32_t dp_steps_choices(const DpLayerWidths *widths, uint32_t attributes);
/* Whether dp_select can take such scores of such a unit. */
extern bool dp_steps_selectable(const DpStepsSelection *selection, DpUnit unit,
								uint32_t attributes);
/*
 * Whether a tree with branches of its own can be counted, whatever is chosen:
 * layers above the last of at most nodes_max nodes, and no more than
 * DP_BRANCH_CELLS_MAX cells at once. Open attributes count as one level: then
 * the answer is that of the best case.
 */
#define DP_BRANCH_CELLS_MAX UINT64_C(20000000)
extern bool dp_steps_branches_fit(const DpStepsSelection *selection, const DpDomain *domain);
/* order[attributes]: the chosen ones, then all others in the domain's order. One scan. */
extern DpStatus dp_steps_select_order(const DpMeasurement *m, const DpStepsSelection *selection,
									  uint32_t *order, DpError *error) DP_MUST_USE;
/* The layers above the last one, each node with a choice of its own. One scan a layer. */
extern DpStatus dp_steps_select_branches(const DpMeasurement *m, const DpStepsSelection *selection,
										 DpPartition *partition, DpError *error) DP_MUST_USE;

#endif
