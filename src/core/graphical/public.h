/*
 * public.h -- what is public without a measurement, given to a graphical model: structural zeros
 * become impossible cells (zeros.h), and each prior becomes one more table (priors.h).
 */
#ifndef DP_PUBLIC_H
#define DP_PUBLIC_H

#include "core/graphical/graphical.h"
#include "core/graphical/grouping.h"

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
