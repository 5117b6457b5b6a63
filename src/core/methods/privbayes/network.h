/*
 * network.h -- Bayesian networks over the attributes: public, or selected with
 * budget.
 */
#ifndef DP_NETWORK_H
#define DP_NETWORK_H

#include "core/accounting/stddev.h"
#include "core/select/parents.h"

#define DP_DEGREE_MAX (DP_SUBSET_MAX - 1)

typedef struct DpNetworkNode
{
	uint32_t child;
	uint32_t parents;
	uint32_t parent[DP_DEGREE_MAX]; /* children of earlier nodes, ascending by node */
} DpNetworkNode;

/* Each attribute once, parents before their children. */
typedef struct DpNetwork
{
	uint32_t n;
	DpNetworkNode *node;
} DpNetwork;

/* Puts attributes with public parents into a topological order. DP_ERR_ARGUMENT: they form a
 * cycle. */
extern DpStatus dp_network_from_parents(const DpDomain *domain, const DpParents *parents,
										DpNetwork *network, DpArena *arena,
										DpError *error) DP_MUST_USE;
/* How a network is selected. */
typedef struct DpNetworkSelection
{
	uint32_t degree;           /* parents of an attribute, at most */
	uint64_t cells_max;        /* cells of its table, at most */
	int64_t epsilon_each_nano; /* epsilon of one selection; there are attributes - 1 */
	double scale;              /* of the noise of a cell of its table, rows */
} DpNetworkSelection;

/* Selects a network. network.c has the proof. */
extern DpStatus dp_network_select(const DpMeasurement *m, const DpNetworkSelection *selection,
								  DpNetwork *network, DpError *error) DP_MUST_USE;
/* Nodes 0..j each have all earlier nodes as parents, so that one table over them holds all their
 * tables. Returns the largest j. */
extern uint32_t dp_network_clique(const DpNetwork *network);
/* The scale of the noise of a cell, in rows, if the tables have this distribution in all and as many
 * attributes have a table of their own as networks of this degree leave. */
extern double dp_network_scale(uint32_t degree, uint32_t attributes, DpLaplace distribution);
/*
 * The largest degree, up to degree_max, whose tables are theta-useful. For tables of the
 * mean size, rows / cells must be at least theta times the noise scale.
 */
extern uint32_t dp_network_degree(uint32_t degree_max, const DpDomain *domain, int64_t rows,
								  DpLaplace distribution, double theta);

#endif
