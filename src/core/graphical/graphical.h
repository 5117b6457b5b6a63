/*
 * graphical.h -- a graphical model over the attributes of noisy tables: the distribution of
 * largest entropy among those that fit the tables best.
 */
#ifndef DP_GRAPHICAL_H
#define DP_GRAPHICAL_H

#include "core/graphical/graphical_model.h"

#define DP_TOTAL_UNKNOWN (-1.0)
/* How much more tables of several attributes are damped than those of one, by default. */
#define DP_DAMPING_SEVERAL 10.0

/* What a model starts from. */
typedef struct DpGraphicalStart
{
	uint32_t attributes;
	const uint32_t *levels; /* [attributes] must outlive the model */
	double total;           /* rows, or DP_TOTAL_UNKNOWN */
	uint64_t cells_max;     /* of all cliques */
	double damping;         /* of tables of several attributes; 0: DP_DAMPING_SEVERAL */
	/* whether attributes are renumbered, for models that are fitted often; not for callers that
	 * read the tree or the belief */
	bool fast;
} DpGraphicalStart;

/* Starts a model without any table. */
extern DpStatus dp_graphical_init(DpGraphical *model, const DpGraphicalStart *start,
								  DpArena *arena) DP_MUST_USE;
/*
 * Adds a table, observed[cells] rows, and copies it. Each cell has independent noise of variance >
 * 0. A public table is one of small variance. A second table over the same set is averaged with the
 * first.
 */
extern DpStatus dp_graphical_add(DpGraphical *model, const DpAttributeSet *set,
								 const double *observed, double variance) DP_MUST_USE;
/* The same for a table whose shares alone count: its total is not used for the number of rows. */
extern DpStatus dp_graphical_add_shares(DpGraphical *model, const DpAttributeSet *set,
										const double *observed, double variance) DP_MUST_USE;
/* Declares n cells of a table over a set impossible; cell[n] are row-major indexes. */
extern DpStatus dp_graphical_forbid(DpGraphical *model, const DpAttributeSet *set,
									const uint64_t *cell, uint64_t n) DP_MUST_USE;
/* The cells of all cliques if one more set were added; saturates at stop. */
extern uint64_t dp_graphical_cost_estimate(DpGraphical *model, const DpAttributeSet *more,
										   uint64_t stop);
/* The number of rows: the total if it is known, else the mean of the totals of the measured
 * tables, weighted by inverse variance. It may have any sign. */
extern double dp_graphical_total(const DpGraphical *model);
/* Fits the model, starting from the last fit. DP_ERR_LIMIT: the cliques would have more than
 * cells_max cells. */
extern DpStatus dp_graphical_fit(DpGraphical *model, const DpFitRule *rule,
								 const DpTick *tick) DP_MUST_USE;
/* Computes the expected counts of any table, after a fit. Errors are those of
 * dp_belief_marginal. */
extern DpStatus dp_graphical_marginal(const DpGraphical *model, const DpAttributeSet *set,
									  double *out) DP_MUST_USE;
/* Sets potential[parameters] to the potentials of one table after the other, laid out as the tables
 * were handed over. */
extern DpStatus dp_graphical_potentials(const DpGraphical *model, double *potential) DP_MUST_USE;
extern void dp_graphical_free(DpGraphical *model);
/* The most cells that a sum across cliques works with, in a model with so many cells. */
extern uint64_t dp_graphical_query_cells(uint64_t clique_cells);
/* Bytes for cliques and for tables of so many cells in all, at most. */
extern uint64_t dp_graphical_bytes(uint64_t clique_cells, uint64_t table_cells);

#endif
