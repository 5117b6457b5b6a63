/*
 * noisy_measurement.h -- noisy tables in the form that a graphical model is fitted to, and the fit in
 * the form that a stored model keeps.
 */
#ifndef DP_NOISY_MEASUREMENT_H
#define DP_NOISY_MEASUREMENT_H

#include "core/graphical/graphical.h"
#include "core/graphical/grouping.h"

#define DP_PARAMETER_CELLS "model_cells" /* most cells of all cliques */
#define DP_PARAMETER_SYSTEMATIC "systematic"
#define DP_PARAMETER_DAMPING "stiffness" /* DpGraphicalStart; as left out: 0 */
/* With more attributes fits take longer, and are fewer: many tables are released between two. */
#define DP_MANY_ATTRIBUTES 40

/* Adds a noisy table to a fit. */
extern DpStatus dp_graphical_add_table(DpGraphical *graphical, const DpGrouping *grouping,
									   const DpTable *table, DpArena *arena) DP_MUST_USE;
/* The total of a fit as a number of rows. */
extern int64_t dp_graphical_rows(const DpGraphical *graphical);
/*
 * Makes the structure of a model: the groups, and after them the potentials of the fit, as bits of
 * 32-bit floats. Where potentials are too large, or structure would have more than `most` integers,
 * there are none, and whoever draws fits again.
 */
extern DpStatus dp_graphical_keep(const DpGraphical *graphical, const DpGrouping *grouping,
								  uint64_t most, DpModel *model, DpArena *arena) DP_MUST_USE;
/* A potential read back; false if no potential has these bits. */
extern bool dp_potential_unpack(uint32_t bits, double *potential);
/* How the last fit is made, with care, and how the fits within the rounds of a method, which
 * only guide the next choice. */
extern const DpFitRule dp_graphical_final_rule, dp_graphical_round_rule;
/* A rule for a model of so many attributes: with more than DP_MANY_ATTRIBUTES, more runs until far
 * ends of a tree agree. */
extern DpFitRule dp_graphical_rule_for(const DpFitRule *rule, uint32_t attributes);

/*
 * What is public without a measurement, given to a graphical model: structural zeros become
 * impossible cells (zeros.h), and each prior becomes one more table (priors.h).
 */

/*
 * Adds the zeros and priors of the grouping's domain to a model that already has the tables of the
 * attributes, or all tables. A set is left out if it would make the cliques larger by more than a
 * sixteenth of what they may have; rejection then takes care of its zeros. What is left out depends
 * on the graph of the model alone. rows: the number of rows that priors are shares of.
 */
extern DpStatus dp_graphical_add_public(DpGraphical *model, const DpGrouping *grouping,
										double rows) DP_MUST_USE;
/* Whether something public connects attributes: cliques, and sums across them, may be wide then. */
extern bool dp_graphical_is_connected(const DpDomain *domain);
/* The most cells that the added tables have; 0 where nothing connects attributes. */
extern uint64_t dp_graphical_public_cells(bool is_connected, uint64_t cells_max);
/* The most parts that these tables have (interactions.h). */
extern uint64_t dp_graphical_public_parts(const DpDomain *domain);

#endif
