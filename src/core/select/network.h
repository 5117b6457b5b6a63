/*
 * network.h -- Bayesian networks over the attributes: public, or selected with
 * budget.
 */
#ifndef DP_NETWORK_H
#define DP_NETWORK_H

#include "method.h"
#include "parents.h"
#include "subsets.h"

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

/* A topological order of public parents; DP_ERR_ARGUMENT if they form a cycle. */
extern DpStatus dp_network_from_parents(const DpDomain *domain, const DpParents *parents,
										DpArena *arena, DpNetwork *network,
										DpError *error) DP_MUST_USE;
/* attributes - 1 selections with epsilon_each_nano: see network.c. */
extern DpStatus dp_network_select(const DpMeasurement *m, uint32_t degree, uint64_t cells_max,
								  int64_t epsilon_each_nano, DpNetwork *network,
								  DpError *error) DP_MUST_USE;
/* Nodes 0..j whose parents are all the earlier ones: one table over them holds them all. Returns j. */
extern uint32_t dp_network_clique(const DpNetwork *network);
/*
 * The largest degree, up to degree_max, whose tables are theta-useful: rows / cells is at least
 * theta times the noise scale, for tables of the mean size.
 */
extern uint32_t dp_network_degree(const DpDomain *domain, int64_t rows, int64_t epsilon_nano,
								  int64_t sensitivity_l1, double theta, uint32_t degree_max);

#endif
