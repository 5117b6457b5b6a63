/*
 * test_belief_query.c -- tables that no clique holds, beside the joint written out.
 */
#include "core/graphical/belief.h"

#include <math.h>
#include <string.h>

#include "unit_data.h"

typedef struct Chain
{
	uint32_t levels[68];
	DpGraph graph;
	DpJunctionTree tree;
	DpBelief belief;
} Chain;

/*
 * Two cliques of 66 attributes. They share all but the first and the last, which alone have levels.
 */
static void
build_wide(DpArena *arena, Chain *chain)
{
	uint32_t attribute[67];
	const DpAttributeSet low = {66, attribute}, high = {66, attribute + 1};

	for (uint32_t a = 0; a < 67; a++)
	{
		attribute[a] = a;
		chain->levels[a] = a == 0 || a == 66 ? 3 : 1;
	}
	MUST(dp_graph_init(&chain->graph, chain->levels, 67, arena));
	dp_graph_join(&chain->graph, &low);
	dp_graph_join(&chain->graph, &high);
	MUST(dp_junction_tree_build(&chain->graph, 1000, &chain->tree, NULL, arena));
	MUST(dp_belief_init(&chain->belief, &chain->tree, chain->levels, 90, arena));
	dp_belief_clear(&chain->belief);
	(void) dp_belief_calibrate(&chain->belief);
}

static void
build_chain(DpArena *arena, Chain *chain)
{
	for (uint32_t a = 0; a < 5; a++)
		chain->levels[a] = 4;
	MUST(dp_graph_init(&chain->graph, chain->levels, 5, arena));
	for (uint32_t a = 0; a < 4; a++)
	{
		const uint32_t pair[] = {a, a + 1};

		dp_graph_join(&chain->graph, &(DpAttributeSet){2, pair});
	}
	MUST(dp_junction_tree_build(&chain->graph, 1000, &chain->tree, NULL, arena));
	MUST(dp_belief_init(&chain->belief, &chain->tree, chain->levels, 64, arena));
	dp_belief_clear(&chain->belief);
	(void) dp_belief_calibrate(&chain->belief);
}

static void
test_queries(DpArena *arena)
{
	const uint32_t ends[] = {0, 66}, far[] = {0, 2, 4};
	const DpAttributeSet across = {2, ends}, three = {3, far};
	double out[64];
	uint64_t used;
	Chain chain;

	build_wide(arena, &chain);
	used = arena->bytes_used;
	CHECK_STATUS(dp_belief_marginal(&chain.belief, &across, 1000, out, arena), DP_ERR_LIMIT,
				 "too many attributes on the way are a limit, no failure");
	CHECK(arena->bytes_used == used, "and leave nothing behind");
	build_chain(arena, &chain);
	used = arena->bytes_used;
	CHECK_STATUS(dp_belief_marginal(&chain.belief, &three, 64 + 16, out, arena), DP_ERR_LIMIT,
				 "so are too many cells at a time");
	CHECK(arena->bytes_used == used, "which leave nothing behind either");
	MUST(dp_belief_marginal(&chain.belief, &three, 1000, out, arena));
	CHECK(arena->bytes_used == used && fabs(out[0] - 1) < 1e-12 && fabs(out[63] - 1) < 1e-12,
		  "with room for them it is answered");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_queries(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
