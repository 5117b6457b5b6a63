/*
 * clique_growth.h -- how large a junction tree becomes with one more set, asked of the tree itself:
 * the time of a walk along a path, where dp_graph_cost_estimate eliminates all attributes anew.
 *
 * Everything here follows from public sets and sizes.
 */
#ifndef DP_CLIQUE_GROWTH_H
#define DP_CLIQUE_GROWTH_H

#include "core/graphical/junction_tree.h"

typedef struct DpCliqueGrowth
{
	const uint32_t *levels;
	DpArena *arena;
	DpJunctionTree tree;
	uint32_t *home; /* [attributes] a clique with the attribute */
	uint32_t *path; /* [cliques] scratch */
} DpCliqueGrowth;

/* Builds the tree of a graph, to ask of it. What was there before is freed; it may be all zeros. */
extern DpStatus dp_clique_growth_build(DpCliqueGrowth *growth, DpGraph *graph, const DpTick *tick,
									   DpArena *arena) DP_MUST_USE;
/*
 * The cells of all cliques if the tree held every two attributes of a set, for the two that
 * need most. Separators on the way between two of them then hold one of them, too. Another
 * triangulation may have fewer cells, or more where a set has three attributes. Saturates.
 */
extern uint64_t dp_clique_growth_cells(const DpCliqueGrowth *growth, const DpAttributeSet *set);
extern void dp_clique_growth_free(DpCliqueGrowth *growth);

#endif
