/*
 * graphical_plan.h -- what the methods of graphical models check before anything is spent.
 */
#ifndef DP_GRAPHICAL_PLAN_H
#define DP_GRAPHICAL_PLAN_H

#include "graphical_measure.h"
#include "method.h"

/* A copy of the domain in which an open attribute has as many levels as a plan reckons with. Labels are not
 * copied. */
extern DpStatus dp_graphical_guess(const DpDomain *domain, DpArena *arena,
								   DpDomain *guess) DP_MUST_USE;
/* The attributes' own tables must fit the model, with as much left for cliques, and their groups that of
 * all sets. DP_ERR_LIMIT. */
extern DpStatus dp_graphical_check_ones(const DpPlan *plan, const DpDomain *domain,
										uint64_t cells_max, DpError *error) DP_MUST_USE;
/* Cells of all pairs; saturates. */
extern uint64_t dp_graphical_pair_cells(const DpDomain *domain);
/* States the memory of one measurement, and that of its scan. */
extern void dp_graphical_plan_memory(DpPlan *plan, const DpGraphicalSizes *sizes);
extern DpStatus dp_graphical_too_many(DpError *error);

#endif
