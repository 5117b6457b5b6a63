/*
 * evidence.h -- noisy tables in the form that a graphical model is fitted to, and the fit in
 * the form that a stored model keeps.
 */
#ifndef DP_EVIDENCE_H
#define DP_EVIDENCE_H

#include "core/graphical/graphical.h"
#include "core/graphical/grouping.h"

#define DP_PARAMETER_CELLS "model_cells" /* most cells of all cliques */
#define DP_PARAMETER_SYSTEMATIC "systematic"
#define DP_PARAMETER_STIFFNESS "stiffness" /* DpGraphicalStart; as left out: 0 */

/* Adds a noisy table to a fit. */
extern DpStatus dp_graphical_add_table(DpGraphical *graphical, const DpGrouping *grouping,
									   const DpTable *table, DpArena *arena) DP_MUST_USE;
/* The total of a fit as a number of rows. */
extern int64_t dp_graphical_rows(const DpGraphical *graphical);
/* Whether a model can keep the potentials of this fit. */
extern bool dp_potentials_fit(const DpGraphical *graphical);
/* A potential as the bits of a 32-bit float, which is what a model keeps. */
extern uint32_t dp_potential_pack(double potential);
/* The same read back; false if no potential has these bits. */
extern bool dp_potential_unpack(uint32_t bits, double *potential);
/* How the last fit is made, with care, and how the fits within the rounds of a method, which
 * only guide the next choice. */
extern const DpFitRule dp_graphical_final_rule, dp_graphical_round_rule;
/* A rule for a model of so many attributes: with many, more runs until far ends of a tree agree. */
extern DpFitRule dp_graphical_rule_for(const DpFitRule *rule, uint32_t attributes);

#endif
