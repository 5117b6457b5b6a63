/*
 * graphical_model.h -- a graphical model in memory: tables, potentials, junction tree, belief.
 */
#ifndef DP_GRAPHICAL_MODEL_H
#define DP_GRAPHICAL_MODEL_H

#include "core/estimate/interactions.h"
#include "core/graphical/belief.h"
#include "core/graphical/renumbering.h"

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
	double totals, total_weights; /* of measured tables, weighted by inverse variance */
	uint32_t tables, tables_capacity;
	uint32_t fitted; /* tables that the last fit included */
	DpNoisyMeasurement **measurement;
	uint32_t forbidden, forbidden_capacity;
	DpForbidden *forbids;
	uint64_t parameters, parameters_capacity;
	double *parameter; /* potentials of one table after the other; the next fit starts from them */
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
