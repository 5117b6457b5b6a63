/*
 * belief.h -- belief propagation on a junction tree: from potentials, one
 * logarithm for each cell of each clique, to the marginals of the distribution
 * that is proportional to exp of their sum.
 *
 * Upwards in logarithms, with the largest of each slice taken off first, so that
 * nothing overflows and no slice is lost however far potentials lie apart.
 * Downwards in probabilities: the slices were normalised on the way up, and only
 * need the mass of their separator. So each cell needs one exp.
 */
#ifndef DP_BELIEF_H
#define DP_BELIEF_H

#include "junction_tree.h"
#include "strides.h"

/* The potential of what cannot be. Finite, so that no infinity meets another. */
#define DP_LOG_ZERO (-1e300)

typedef struct DpBeliefClique
{
	double *cell;    /* [cells] potentials before, expected counts after dp_belief_calibrate */
	double *message; /* [separator cells] */
	double *total;   /* [separator cells] */
	DpWalk own;      /* from this clique to its separator */
	DpWalk parents;  /* from the parent to it */
	uint64_t cells;
	uint64_t separator_cells;
} DpBeliefClique;

/* Tables on the way to others, kept from one to the next: belief_query.c. */
typedef struct DpBeliefKept DpBeliefKept;

typedef struct DpBelief
{
	const DpJunctionTree *tree;
	const uint32_t *levels;
	DpBeliefClique *clique; /* [tree->cliques] */
	double total;           /* rows: what the cells of each clique add up to */
	DpBeliefKept *kept;     /* of the expected counts as they are; NULL: none */
} DpBelief;

/* Bytes of it for a tree of so many cells, at most. */
extern uint64_t dp_belief_bytes(uint64_t cells);
/* Of the tree, which must outlive it; all potentials 0. */
extern DpStatus dp_belief_init(DpBelief *belief, const DpJunctionTree *tree, const uint32_t *levels,
							   double total, DpArena *arena) DP_MUST_USE;
extern void dp_belief_free(DpBelief *belief, DpArena *arena);
/* Sets all potentials to 0. */
extern void dp_belief_clear(DpBelief *belief);
/* Potentials to expected counts; returns the logarithm of the sum of all cells of the joint. */
extern double dp_belief_calibrate(DpBelief *belief);
/* The expected counts of a table over any attributes, in a clique or not, in row-major order.
 * DP_ERR_LIMIT where the tables on the way to it would have more than cells_max cells at a time, or one of them
 * more than 64 attributes: a matter of sizes, of the tree, and of which of these tables are kept. */
extern DpStatus dp_belief_marginal(const DpBelief *belief, const DpAttributeSet *set,
								   uint64_t cells_max, DpArena *arena, double *out) DP_MUST_USE;
/* From here on to dp_belief_forget, which goes before any change, tables on the way to others are kept, up to
 * cells_max cells. */
extern DpStatus dp_belief_keep(DpBelief *belief, uint64_t cells_max, DpArena *arena) DP_MUST_USE;
extern void dp_belief_forget(DpBelief *belief);

#endif
