/*
 * graphical_model.h -- a graphical model in memory: tables, potentials, junction tree, belief.
 */
#ifndef DP_GRAPHICAL_MODEL_H
#define DP_GRAPHICAL_MODEL_H

#include "core/base/arena.h"
#include "core/domain/attribute_set.h"
#include "core/estimate/interactions.h"
#include "core/graphical/belief.h"

/*
 * Numbers of attributes within a model, by their levels: few levels come first.
 *
 * A table is laid out with its last attribute in runs, and sums and products are fast along long
 * runs. So a model numbers its attributes anew, and lays out its tables by the new numbers.
 */

typedef struct DpRenumbering
{
	uint32_t attributes;
	uint32_t *number;       /* [attributes] of each its number within; NULL: all keep theirs */
	const uint32_t *levels; /* [attributes] by numbers within */
} DpRenumbering;

/* A set of attributes as it is within, and how a table over it is laid out. */
typedef struct DpRenumberedSet
{
	DpAttributeSet set; /* ascending */
	uint64_t cells;
	uint64_t *place; /* [cells] where each cell within is outside; NULL: at the same place */
} DpRenumberedSet;

/* Numbers attributes by their levels; those with as many keep their order. */
extern DpStatus dp_renumbering_init(DpRenumbering *renumbering, const uint32_t *levels,
									uint32_t attributes, DpArena *arena) DP_MUST_USE;
/* Leaves all numbers as they are. levels[attributes] must outlive it. */
extern void dp_renumbering_keep(DpRenumbering *renumbering, const uint32_t *levels,
								uint32_t attributes);
/* The way back: what is within becomes outside. */
extern DpStatus dp_renumbering_invert(const DpRenumbering *renumbering, DpRenumbering *back,
									  DpArena *arena) DP_MUST_USE;
extern void dp_renumbering_free(DpRenumbering *renumbering, DpArena *arena);
/* Sets number[set->n] to the numbers of a set within, ascending. */
extern void dp_renumbering_set(const DpRenumbering *renumbering, const DpAttributeSet *set,
							   uint32_t *number);
extern DpStatus dp_renumbered_set_init(DpRenumberedSet *within, const DpRenumbering *renumbering,
									   const DpAttributeSet *set, DpArena *arena) DP_MUST_USE;
extern void dp_renumbered_set_free(DpRenumberedSet *within, DpArena *arena);
/* Lays out a table anew. from and to do not overlap. */
extern void dp_renumbered_set_enter(const DpRenumberedSet *within, const double *from, double *to);
extern void dp_renumbered_set_leave(const DpRenumberedSet *within, const double *from, double *to);

/* Cells that are impossible by public knowledge. Their potential is DP_LOG_ZERO. */
typedef struct DpForbidden
{
	DpAttributeSet set;
	uint64_t cells;
	double *potential; /* [cells] 0 or DP_LOG_ZERO */
} DpForbidden;

/* How exact a fit is. */
typedef struct DpFitRule
{
	double ridge;     /* a potential of 1 of a table of one attribute may miss by so many standard
						 deviations of noise */
	double tolerance; /* root mean square of the gradient at the end, in the same unit */
	uint32_t evaluations_max; /* runs of belief propagation */
} DpFitRule;

/* Noisy tables that a model is fitted to. */
typedef struct DpMeasurements
{
	uint32_t n, capacity;
	uint32_t fitted; /* tables that the last fit included */
	DpNoisyMeasurement **table;
	double totals, total_weights; /* weighted by inverse variance */
} DpMeasurements;

/* The cells that public knowledge rules out, table by table. */
typedef struct DpForbiddenTables
{
	uint32_t n, capacity;
	DpForbidden *table;
} DpForbiddenTables;

/* Potentials of one table after the other; the next fit starts from them. */
typedef struct DpPotentialValues
{
	uint64_t n, capacity;
	double *value;
} DpPotentialValues;

/* What functions are handed, levels and graph have the numbers of attributes from outside. Tree,
 * belief, evidence and what is forbidden have those of the renumbering. */
typedef struct DpGraphical
{
	uint32_t attributes;
	const uint32_t *levels;
	DpRenumbering renumbering;
	double total;       /* rows, > 0 */
	uint64_t cells_max; /* of all cliques */
	double damping;     /* of tables of several attributes */
	DpArena *arena;
	DpMeasurements measured;
	DpForbiddenTables impossible;
	DpPotentialValues potentials;
	DpGraph graph;
	bool changed;    /* whether the graph has changed since the tree was built */
	uint32_t graphs; /* how often the graph has changed so far */
	DpJunctionTree tree;
	DpBelief belief;      /* expected counts, after a fit */
	uint32_t evaluations; /* of the last fit */
	/* Seconds that fits, and who else adds to it, have taken so far by a price for each step. The
	 * steps follow from public and released numbers, and so does this sum; a clock would not. */
	double seconds;
} DpGraphical;

#endif
