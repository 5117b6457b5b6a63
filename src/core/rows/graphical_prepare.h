/*
 * graphical_prepare.h -- from a stored model to a fit and a sampler: the same for
 * every method whose tables are those of a graphical model.
 *
 * Such a model has first the table of each attribute, in order, then tables over
 * several; its structure gives the group of each level (grouping.h), and of a table
 * over several attributes only the first level of a group has a value. Behind the
 * groups may stand the potentials of the fit, in the order of its tables: a function of
 * the tables that spares fitting again. Zeros and priors of the domain are told to the fit after the
 * attributes' own tables (graphical_public.h), and priors among the tables then have potentials too.
 */
#ifndef DP_GRAPHICAL_PREPARE_H
#define DP_GRAPHICAL_PREPARE_H

#include "graphical.h"
#include "grouping.h"
#include "model.h"
#include "rng.h"

#define DP_PARAMETER_CELLS "model_cells" /* of all cliques, at most */
#define DP_PARAMETER_SYSTEMATIC "systematic"
#define DP_GRAPHICAL_CELLS_MAX (UINT64_C(1) << 29) /* what a stored model may ask for: 64 GB */

/* Adds a noisy table to a fit. */
extern DpStatus dp_graphical_add_table(DpGraphical *graphical, const DpGrouping *grouping,
									   const DpTable *table, DpArena *arena) DP_MUST_USE;
/* The total of a fit as a number of rows. */
extern int64_t dp_graphical_rows(const DpGraphical *graphical);
/* Whether a model can keep them. */
extern bool dp_potentials_fit(const DpGraphical *graphical);
/* A potential as the bits of a 32-bit float: what a model keeps. */
extern uint32_t dp_potential_pack(double potential);
/* The last fit, with care; and those within a method's rounds, which only guide the next choice. */
extern const DpFitRule dp_graphical_final_rule, dp_graphical_round_rule;

/* As a method's. */
extern DpStatus dp_graphical_prepare(const DpModel *model, DpArena *arena, const DpTick *tick,
									 void **sampler, DpError *error) DP_MUST_USE;
extern uint64_t dp_graphical_draw_cost(const DpModel *model);

#endif
