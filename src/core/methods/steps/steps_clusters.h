/*
 * steps_clusters.h -- which group of attributes a layer of a tree adds, of any size, chosen with
 * budget.
 */
#ifndef DP_STEPS_CLUSTERS_H
#define DP_STEPS_CLUSTERS_H

#include "core/methods/steps/steps_scores.h"

#define DP_CLUSTERS_MAX 65536 /* groups that a choice is made from */

/* Whether there is a group to choose for the first layer, whatever open attributes turn out to
 * be. */
extern bool dp_steps_clusters_fit(const DpStepsSelection *selection, const DpDomain *domain);
/* How far the score of a group moves between neighbours, of `left` attributes. */
extern int64_t dp_steps_cluster_sensitivity(const DpStepsSelection *selection, const DpUnit *unit,
											uint32_t left);
/* Sets order[attributes] and the widths of the layers: those of selection->widths, or fewer where
 * no group is small enough. It takes one scan. */
extern DpStatus dp_steps_select_clusters(const DpMeasurement *m, const DpStepsSelection *selection,
										 uint32_t *order, DpLayerWidths *widths,
										 DpError *error) DP_MUST_USE;

#endif
