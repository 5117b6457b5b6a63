/*
 * graphical_plan.h -- what methods with graphical models check before anything is spent.
 */
#ifndef DP_GRAPHICAL_PLAN_H
#define DP_GRAPHICAL_PLAN_H

#include "core/plan/graphical_measure.h"

/* Makes a copy of the domain in which an open attribute has as many levels as a plan assumes.
 * Labels are not copied. */
extern DpStatus dp_graphical_estimate(const DpDomain *domain, DpDomain *estimate,
									  DpArena *arena) DP_MUST_USE;
/* Checks that the tables of single attributes fit the model and leave as much again for cliques,
 * and that the groups of all sets fit it too. DP_ERR_LIMIT: they do not. */
extern DpStatus dp_graphical_check_one_way(const DpPlan *plan, const DpDomain *domain,
										   uint64_t cells_max, DpError *error) DP_MUST_USE;
/* The attribute that option "predict" names, or DP_PREDICT_NONE. DP_ERR_UNDEFINED: it is not
 * modelled. */
extern DpStatus dp_graphical_predicted(const DpPlan *plan, uint32_t *attribute,
									   DpError *error) DP_MUST_USE;
/* The number of cells of all pairs of attributes; saturates. */
extern uint64_t dp_graphical_pair_cells(const DpDomain *domain);
/* The number of cells of the table of all attributes; saturates. Open attributes have as many
 * levels as a plan assumes. */
extern uint64_t dp_graphical_joint_cells(const DpDomain *domain);
/* Whose rare levels are merged, by option group_rare; usual where that is not given. */
extern DpGroupingOf dp_graphical_grouping(const DpPlan *plan, DpGroupingOf usual);
/* The geometric mean of the levels of its attributes. */
extern double dp_graphical_mean_levels(const DpDomain *domain);
/* Whether something public may connect attributes, or what a parent prior says
 * (core/sample/parent_priors.h). */
extern bool dp_graphical_plan_is_connected(const DpRequest *request);
/* The most parts that public tables have, and those that a table before tells. */
extern uint64_t dp_graphical_plan_public_parts(const DpRequest *request);
/* States the memory of one measurement, and that of its scan. */
extern void dp_graphical_plan_memory(DpPlan *plan, const DpGraphicalSizes *sizes);

#endif
