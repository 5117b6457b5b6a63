/*
 * steps_select.h -- which attributes come first, chosen with budget: one order
 * for the whole tree, or another choice at each node.
 */
#ifndef DP_STEPS_SELECT_H
#define DP_STEPS_SELECT_H

#include "core/methods/steps/steps_scores.h"

/* How many choices are charged for. They cover all attributes above the last layer. */
extern uint32_t dp_steps_choices(const DpLayerWidths *widths, uint32_t attributes);
/* Whether dp_select can take such scores for such a unit. */
extern bool dp_steps_selectable(const DpStepsSelection *selection, DpUnit unit,
								uint32_t attributes);
/*
 * Whether a tree with branches of its own can be counted, whatever is chosen. Layers above
 * the last must have at most nodes_max nodes, and at most DP_BRANCH_CELLS_MAX cells may be
 * counted at once. Open attributes count as one level, so the answer is then that of the
 * best case.
 */
#define DP_BRANCH_CELLS_MAX UINT64_C(20000000)
extern bool dp_steps_branches_fit(const DpStepsSelection *selection, const DpDomain *domain);

/* Sets order[attributes] to the chosen attributes, then all others in the domain's order. It
 * takes one scan. */
extern DpStatus dp_steps_select_order(const DpMeasurement *m, const DpStepsSelection *selection,
									  uint32_t *order, DpError *error) DP_MUST_USE;
/* Makes the layers above the last one, where each node has a choice of its own. It takes one
 * scan a layer. */
extern DpStatus dp_steps_select_branches(const DpMeasurement *m, const DpStepsSelection *selection,
										 DpPartition *partition, DpError *error) DP_MUST_USE;

#endif
