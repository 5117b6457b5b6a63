/*
 * junction_tree.h -- from sets of attributes to cliques in a tree. On such a tree, sums over the
 * joint distribution are sums over cliques.
 *
 * The sets are complete subgraphs of a graph over the attributes. Vertices are eliminated one by
 * one, and each time an edge is added between every two neighbours of the vertex that goes. This
 * triangulates the graph. Its maximal cliques, joined by a spanning tree with the largest
 * separators, have the running intersection property: cliques that hold an attribute are connected
 * through cliques that hold it too (Lauritzen and Spiegelhalter 1988; Jensen and Jensen 1994).
 *
 * Everything here follows from public sets and sizes.
 */
#ifndef DP_JUNCTION_TREE_H
#define DP_JUNCTION_TREE_H

#include "core/base/arena.h"
#include "core/domain/attribute_set.h"

/* A graph over the attributes, as rows of bits. */
typedef struct DpGraph
{
	uint32_t attributes;
	const uint32_t *levels; /* [attributes], each >= 1 */
	uint32_t words;         /* 64-bit words of a row */
	uint64_t *row;          /* [attributes x words]; a vertex is no neighbour of itself */
	uint64_t *work;         /* for eliminations */
	uint64_t *family;       /* the cliques of the last elimination, then an empty row */
	uint64_t *fill;         /* [attributes] */
	uint64_t *cells;        /* [attributes] of each vertex with its neighbours */
} DpGraph;

typedef struct DpClique
{
	DpAttributeSet set;
	DpAttributeSet separator; /* the separator to its parent; empty for the root */
	uint32_t parent;          /* smaller than its own number; 0 for the root */
	uint64_t cells;
	uint64_t separator_cells;
} DpClique;

typedef struct DpJunctionTree
{
	uint32_t attributes;
	uint32_t cliques;  /* >= 1; the root is the first */
	uint32_t capacity; /* entries of clique */
	DpClique *clique;
	uint64_t cells; /* of all cliques */
} DpJunctionTree;

extern DpStatus dp_graph_init(DpGraph *graph, const uint32_t *levels, uint32_t attributes,
							  DpArena *arena) DP_MUST_USE;
/* Joins every two attributes of a set. */
extern void dp_graph_join(DpGraph *graph, const DpAttributeSet *set);
/* Whether every two attributes of a set are joined. */
extern bool dp_graph_joins(const DpGraph *graph, const DpAttributeSet *set);
/* The cells of all cliques of the tree that the graph would have with one more set (or NULL).
 * Saturates; returns stop if that is reached. Allocates nothing. */
extern uint64_t dp_graph_cost_estimate(DpGraph *graph, const DpAttributeSet *more, uint64_t stop);
/* Builds the cliques with their separators. Every attribute is in at least one. DP_ERR_LIMIT:
 * they have more than cells_max cells together. */
extern DpStatus dp_junction_tree_build(DpGraph *graph, uint64_t cells_max, DpJunctionTree *tree,
									   const DpTick *tick, DpArena *arena) DP_MUST_USE;
extern void dp_junction_tree_free(DpJunctionTree *tree, DpArena *arena);
/* The clique with the fewest cells among those that hold a set; the number of cliques if none
 * does. */
extern uint32_t dp_junction_tree_find(const DpJunctionTree *tree, const DpAttributeSet *set);

/*
 * How large a junction tree becomes with one more set, asked of the tree itself: the time of a
 * walk along a path, where dp_graph_cost_estimate eliminates all attributes anew.
 *
 * Everything here follows from public sets and sizes.
 */

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
