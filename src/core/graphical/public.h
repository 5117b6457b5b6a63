/*
 * graphical_public.h -- what a custodian stated as public, told to a graphical model:
 * structural zeros become impossible cells (zeros.h), priors one more table each (prior.h).
 */
#ifndef DP_GRAPHICAL_PUBLIC_H
#define DP_GRAPHICAL_PUBLIC_H

#include "graphical.h"
#include "grouping.h"

/*
 * Adds zeros and priors of the grouping's domain to a model that knows of the attributes, or of all tables.
 * Sets that would make the cliques larger by more than a sixteenth of what they may have are left out: of
 * their zeros rejection takes care. What is left out depends on the model's graph alone. rows: the number of rows
 * that priors are shares of.
 */
extern DpStatus dp_graphical_add_public(DpGraphical *model, const DpGrouping *grouping,
										double rows) DP_MUST_USE;
/* Cells of the tables that it adds, at most; 0 where nothing is stated. */
extern uint64_t dp_graphical_public_cells(const DpDomain *domain, uint64_t cells_max);
/* Parts of these tables (interactions.h), at most. */
extern uint64_t dp_graphical_public_parts(const DpDomain *domain);

#endif
