/*
 * junction_tree.h -- from sets of attributes to cliques in a tree, on which
 * sums over the joint distribution are sums over cliques.
 *
 * The sets are complete subgraphs of a graph over the attributes. Eliminating
 * vertices one by one, with an edge between every two neighbours of what goes,
 * triangulates it; the maximal cliques of that, joined by a spanning tree with the
 * largest separators, have the running intersection property: cliques that hold an
 * attribute are connected through cliques that hold it too (Lauritzen and
 * Spiegelhalter 1988; Jensen and Jensen 1994).
 *
 * Everything here follows from public sets and sizes.
 */
#ifndef DP_JUNCTION_TREE_H
#define DP_JUNCTION_TREE_H

#include "arena.h"

typedef struct DpAttributeSet
{
	uint32_t n;
	const uint32_t *attribute; /* [n] ascending, distinct */
} DpAttributeSet;

/* A graph over the attributes, as rows of bits. */
typedef struct DpGraph
{
	uint32_t attributes;
	const uint32_t *levels; /* [attributes], each >= 1 */
	uint32_t words;         /* of a row */
	uint64_t *row;          /* [attributes x words]; a vertex is no neighbour of itself */
	uint64_t *work;         /* for eliminations */
	uint64_t *family;       /* the cliques of the last elimination, and a row without attributes */
	uint64_t *fill;         /* [attributes] */
} DpGraph;

typedef struct DpClique
{
	DpAttributeSet set;
	DpAttributeSet separator; /* what it shares with its parent; of the root: nothing */
	uint32_t parent;          /* smaller than its own number; of the root: 0 */
	uint64_t cells;
	uint64_t separator_cells;
} DpClique;

typedef struct DpJunctionTree
{
	uint32_t attributes;
	uint32_t cliques;  /* >= 1; the root is the first */
	uint32_t capacity; /* of clique */
	DpClique *clique;
	uint64_t cells; /* of all cliques */
} DpJunctionTree;

extern DpStatus dp_graph_init(DpGraph *graph, const uint32_t *levels, uint32_t attributes,
							  DpArena *arena) DP_MUST_USE;
/* Joins every two attributes of a set. */
extern void dp_graph_join(DpGraph *graph, const DpAttributeSet *set);
/* Whether every two attributes of a set are joined. */
extern bool dp_graph_joins(const DpGraph *graph, const DpAttributeSet *set);
/* Cells of all cliques of the tree that the graph and one more set (or NULL) would have; saturates.
 * Nothing is allocated. Not more than stop, if it is reached. */
extern uint64_t dp_graph_forecast(DpGraph *graph, const DpAttributeSet *more, uint64_t stop);
/* Cliques with their separators: of every attribute at least one. DP_ERR_LIMIT where they have more
 * than cells_max cells in all. */
extern DpStatus dp_junction_tree_build(DpGraph *graph, uint64_t cells_max, DpArena *arena,
									   const DpTick *tick, DpJunctionTree *tree) DP_MUST_USE;
extern void dp_junction_tree_free(DpJunctionTree *tree, DpArena *arena);
extern bool dp_set_within(const DpAttributeSet *a, const DpAttributeSet *b);
extern bool dp_set_equal(const DpAttributeSet *a, const DpAttributeSet *b);
/* The clique with the fewest cells that holds a set; cliques if none does. */
extern uint32_t dp_junction_tree_find(const DpJunctionTree *tree, const DpAttributeSet *set);

#endif
