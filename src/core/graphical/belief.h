/*
 * belief.h -- belief propagation on a junction tree. It turns potentials, one logarithm for each
 * cell of each clique, into the marginals of the distribution that is proportional to exp of
 * their sum.
 *
 * The upward pass works in logarithms and first subtracts the maximum of each slice, so that
 * nothing overflows and no slice underflows, whatever the potentials. The downward pass works in
 * probabilities: the slices were normalised in the upward pass, and are only multiplied by the mass
 * of their separator. So each cell needs one exp.
 */
#ifndef DP_BELIEF_H
#define DP_BELIEF_H

#include "core/estimate/strides.h"
#include "core/graphical/junction_tree.h"

/* The potential of an impossible cell. It is finite, so that no infinity meets another. */
#define DP_LOG_ZERO (-1e300)

typedef struct DpBeliefClique
{
	double *cell;    /* [cells] potentials; expected counts after dp_belief_calibrate */
	double *message; /* [separator cells] */
	double *total;   /* [separator cells] */
	DpWalk own;      /* from this clique to its separator */
	DpWalk parents;  /* from the parent to the separator */
	uint64_t cells;
	uint64_t separator_cells;
} DpBeliefClique;

/* Messages that several queries share (belief_query.c). */
typedef struct DpBeliefKept DpBeliefKept;

typedef struct DpBelief
{
	const DpJunctionTree *tree;
	const uint32_t *levels;
	DpBeliefClique *clique; /* [tree->cliques] */
	double total;           /* rows: the sum of the cells of each clique */
	DpBeliefKept *kept;     /* messages of the present expected counts; NULL: none are kept */
} DpBelief;

/* Bytes of a DpBelief for a tree of so many cells, at most. */
extern uint64_t dp_belief_bytes(uint64_t cells);
/* Starts with all potentials 0. The tree must outlive the belief. */
extern DpStatus dp_belief_init(DpBelief *belief, const DpJunctionTree *tree, const uint32_t *levels,
							   double total, DpArena *arena) DP_MUST_USE;
extern void dp_belief_free(DpBelief *belief, DpArena *arena);
/* Sets all potentials to 0. */
extern void dp_belief_clear(DpBelief *belief);
/* Turns potentials into expected counts. Returns the logarithm of the sum of all cells of the
 * joint distribution. */
extern double dp_belief_calibrate(DpBelief *belief);
/*
 * Computes the expected counts of a table over any attributes, in one clique or not, in
 * row-major order. DP_ERR_LIMIT: the tables on the way to it would have more than cells_max
 * cells at a time, or one of them more than 64 attributes. This depends on sizes, the tree, and
 * which messages are kept, alone.
 */
extern DpStatus dp_belief_marginal(const DpBelief *belief, const DpAttributeSet *set,
								   uint64_t cells_max, double *out, DpArena *arena) DP_MUST_USE;
/* The seconds of queries since messages are kept, by a price for each step; 0 if they are not. */
extern double dp_belief_seconds(const DpBelief *belief);
/* From now on messages are kept, up to cells_max cells. Call dp_belief_forget before any change
 * of the belief. */
extern DpStatus dp_belief_keep(DpBelief *belief, uint64_t cells_max, DpArena *arena) DP_MUST_USE;
extern void dp_belief_forget(DpBelief *belief);

#endif
