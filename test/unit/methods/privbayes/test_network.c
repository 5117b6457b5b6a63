/*
 * test_network.c -- Bayesian networks from public parents: their order, the clique of the first
 * nodes, and the theta rule.
 */
#include "core/methods/privbayes/network.h"

#include "unit_data.h"

static const uint32_t levels[] = {2, 2, 2, 2};

/* Whether each node comes once, after its parents. */
static bool
is_ordered(const DpNetwork *network)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < network->n; i++)
	{
		const DpNetworkNode *node = &network->node[i];

		for (uint32_t k = 0; k < node->parents; k++)
			if (!(seen >> node->parent[k] & 1))
				return false;
		if (seen >> node->child & 1)
			return false;
		seen |= 1u << node->child;
	}
	return seen == 15;
}

static void
test_order(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 4);
	uint32_t of_0[] = {2, 3}, of_2[] = {1}, of_3[] = {1, 2}, circle[] = {0};
	DpParents parents[] = {{2, of_0}, {0, NULL}, {1, of_2}, {2, of_3}};
	DpNetwork network;
	DpError error;

	CHECK_OK(dp_network_from_parents(&domain, parents, &network, arena, &error), "an order");
	CHECK(is_ordered(&network), "parents come first");
	CHECK_I64(dp_network_clique(&network), 2, "the first three nodes have all earlier ones");
	parents[1] = (DpParents){1, circle};
	CHECK_STATUS(dp_network_from_parents(&domain, parents, &network, arena, &error),
				 DP_ERR_ARGUMENT, "a circle is refused");
}

static void
test_degree(DpArena *arena)
{
	DpDomain domain = unit_domain(arena, levels, 4);
	const DpLaplace distribution = {DP_EPSILON_ONE, 2};

	/* binary, replaced: n epsilon / ((p - k) 2^(k + 2)) >= theta, with k = 2 and 3 from 128 rows */
	CHECK_I64(dp_network_degree(3, &domain, 128, distribution, 4), 3, "the theta rule");
	CHECK_I64(dp_network_degree(3, &domain, 127, distribution, 4), 1, "and a row less");
	CHECK_I64(dp_network_degree(1, &domain, 1000000, distribution, 4), 1,
			  "no more than is allowed");
	CHECK_I64(dp_network_degree(3, &domain, 10, distribution, 4), 0, "few rows: no parents");
	CHECK_NEAR(dp_network_scale(1, 4, distribution), 2 * 3, 1e-9, "the scale of p - k tables");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_order(&arena);
	test_degree(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
