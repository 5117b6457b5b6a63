/*
 * graphical.h -- the distribution of largest entropy among those that fit noisy
 * tables best: a graphical model over their attributes.
 */
#ifndef DP_GRAPHICAL_H
#define DP_GRAPHICAL_H

#include "belief.h"
#include "interactions.h"

#define DP_TOTAL_UNKNOWN (-1.0)

/* Cells that cannot be, public knowledge: their potential is DP_LOG_ZERO. */
typedef struct DpForbidden
{
	DpAttributeSet set;
	uint64_t cells;
	double *potential; /* [cells] 0 or DP_LOG_ZERO */
} DpForbidden;

/* How exactly to fit. */
typedef struct DpFitRule
{
	double ridge;     /* standard deviations of noise by which a potential of 1 may be missed */
	double tolerance; /* root mean square of what is left of the gradient, in the same unit */
	uint32_t evaluations_max; /* runs of belief propagation */
} DpFitRule;

typedef struct DpGraphical
{
	uint32_t attributes;
	const uint32_t *levels;
	double total;       /* rows, > 0 */
	uint64_t cells_max; /* of all cliques */
	DpArena *arena;
	double totals, total_weights; /* of measured tables: by inverse variance */
	uint32_t tables, tables_capacity;
	uint32_t fitted; /* tables of which a fit knows already */
	DpEvidence **evidence;
	uint32_t forbidden, forbidden_capacity;
	DpForbidden *forbids;
	uint64_t parameters, parameters_capacity;
	double *parameter; /* potentials, of one table after the other: warm starts */
	DpGraph graph;
	bool changed; /* the graph, since the tree was built */
	DpJunctionTree tree;
	DpBelief belief;      /* expected counts, after a fit */
	uint32_t evaluations; /* of the last fit */
} DpGraphical;

/* Over attributes of so many levels each; nothing known. levels must outlive it. */
extern DpStatus dp_graphical_init(DpGraphical *model, const uint32_t *levels, uint32_t attributes,
								  double total, uint64_t cells_max, DpArena *arena) DP_MUST_USE;
/*
 * Adds a table: observed[cells] rows with independent noise of variance > 0 in each cell, copied. A public
 * table is one of small variance. A set that is there already is told more exactly by both.
 */
extern DpStatus dp_graphical_add(DpGraphical *model, const DpAttributeSet *set,
								 const double *observed, double variance) DP_MUST_USE;
/* The same of a table that only tells shares: its total says nothing of the number of rows. */
extern DpStatus dp_graphical_add_shares(DpGraphical *model, const DpAttributeSet *set,
										const double *observed, double variance) DP_MUST_USE;
/* Declares cells of a table over a set impossible: n row-major indexes. */
extern DpStatus dp_graphical_forbid(DpGraphical *model, const DpAttributeSet *set,
									const uint64_t *cell, uint64_t n) DP_MUST_USE;
/* Cells of all cliques if one more set were added; saturates at stop. */
extern uint64_t dp_graphical_forecast(DpGraphical *model, const DpAttributeSet *more,
									  uint64_t stop);
/* Rows: the total, or the mean of the measured tables' totals weighted by inverse variance. Of any sign. */
extern double dp_graphical_total(const DpGraphical *model);
/* From what the last fit found. DP_ERR_LIMIT: more cells than cells_max. */
extern DpStatus dp_graphical_fit(DpGraphical *model, const DpFitRule *rule,
								 const DpTick *tick) DP_MUST_USE;
/* Expected counts of any table, after a fit. As dp_belief_marginal. */
extern DpStatus dp_graphical_marginal(const DpGraphical *model, const DpAttributeSet *set,
									  double *out) DP_MUST_USE;
extern void dp_graphical_free(DpGraphical *model);
/* Cells of work for a sum across cliques, at most nearly, of a model with so many. */
extern uint64_t dp_graphical_query_cells(uint64_t clique_cells);
/* Bytes for cliques and for tables of so many cells in all, at most. */
extern uint64_t dp_graphical_bytes(uint64_t clique_cells, uint64_t table_cells);

#endif
