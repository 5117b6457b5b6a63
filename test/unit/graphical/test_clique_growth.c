/*
 * test_clique_growth.c -- a tree with one more pair: what is promised is never less than what the
 * pair takes of the same triangulation, made edge by edge.
 */
#include "core/base/prng.h"
#include "core/graphical/junction_tree.h"

#include "unit.h"

#define VERTICES 40

typedef struct Case
{
	DpArena arena;
	uint32_t levels[VERTICES];
	DpGraph graph;
	DpCliqueGrowth growth;
} Case;

static void
start(Case *c)
{
	memset(c, 0, sizeof(*c));
	c->arena = dp_arena_malloc();
}

static void
join(Case *c, uint32_t a, uint32_t b)
{
	uint32_t member[2] = {a < b ? a : b, a < b ? b : a};

	dp_graph_join(&c->graph, &(DpAttributeSet){2, member});
}

static uint64_t
widened(const Case *c, uint32_t a, uint32_t b)
{
	uint32_t member[2] = {a, b};

	return dp_clique_growth_cells(&c->growth, &(DpAttributeSet){2, member});
}

static void
end(Case *c)
{
	dp_clique_growth_free(&c->growth);
	dp_arena_malloc_free(&c->arena);
}

/* ---- by hand ---- */

static void
test_chain(void)
{
	static const uint32_t levels[] = {2, 3, 5, 7, 11};
	uint32_t three[] = {0, 2, 3};
	Case c;

	start(&c);
	memcpy(c.levels, levels, sizeof(levels));
	MUST(dp_graph_init(&c.graph, c.levels, 5, &c.arena));
	for (uint32_t a = 0; a < 3; a++)
		join(&c, a, a + 1);
	MUST(dp_clique_growth_build(&c.growth, &c.graph, NULL, &c.arena));
	CHECK(c.growth.tree.cells == 2 * 3 + 3 * 5 + 5 * 7 + 11, "a chain, and one apart");
	CHECK(widened(&c, 1, 2) == c.growth.tree.cells, "a pair of the chain adds nothing");
	CHECK(widened(&c, 0, 2) == c.growth.tree.cells + 2 * 3 * 5, "across one column");
	CHECK(widened(&c, 0, 3) == c.growth.tree.cells + (2 * 3 * 5 - 3 * 5) + 2 * 5 * 7,
		  "across two, the smaller end is carried and the clique between grows");
	CHECK(widened(&c, 0, 4) == c.growth.tree.cells + 2 * 11, "nothing is carried between trees");
	CHECK(dp_clique_growth_cells(&c.growth, &(DpAttributeSet){3, three}) == widened(&c, 0, 3),
		  "of a set counts the pair that needs most");
	join(&c, 3, 4);
	MUST(dp_clique_growth_build(&c.growth, &c.graph, NULL, &c.arena));
	CHECK(c.growth.tree.cells == 2 * 3 + 3 * 5 + 5 * 7 + 7 * 11, "and it is built anew");
	end(&c);
}

/* ---- random graphs ---- */

static void
make_random(Case *c, DpPrng *prng, uint32_t edges)
{
	start(c);
	for (uint32_t a = 0; a < VERTICES; a++)
		c->levels[a] = 2 + (uint32_t) dp_prng_below(prng, 5);
	MUST(dp_graph_init(&c->graph, c->levels, VERTICES, &c->arena));
	for (uint32_t k = 0; k < edges; k++)
	{
		uint32_t a = (uint32_t) dp_prng_below(prng, VERTICES);

		join(c, a, (a + 1 + (uint32_t) dp_prng_below(prng, 8)) % VERTICES);
	}
	MUST(dp_clique_growth_build(&c->growth, &c->graph, NULL, &c->arena));
}

/* The triangulation that the tree stands for: forecasts are exact on it. */
static void
copy_tree(Case *from, DpGraph *to)
{
	const DpJunctionTree *tree = &from->growth.tree;

	MUST(dp_graph_init(to, from->levels, VERTICES, &from->arena));
	for (uint32_t i = 0; i < tree->cliques; i++)
		dp_graph_join(to, &tree->clique[i].set);
}

static bool
has(const DpClique *clique, uint32_t attribute)
{
	for (uint32_t k = 0; k < clique->set.n; k++)
		if (clique->set.attribute[k] == attribute)
			return true;
	return false;
}

/* Joins an attribute to every separator on the way from it to another, and to that one; false: they
 * are in different trees. */
static bool
carry(Case *c, DpGraph *graph, uint32_t carried, uint32_t to)
{
	const DpJunctionTree *tree = &c->growth.tree;
	uint32_t up[VERTICES], from = 0, at;
	bool seen[VERTICES] = {false}, grown = true;

	while (!has(&tree->clique[from], carried))
		from++;
	seen[from] = true;
	up[from] = from;
	while (grown) /* every clique gets the neighbour through which it is reached */
	{
		grown = false;
		for (uint32_t i = 1; i < tree->cliques; i++)
		{
			uint32_t parent = tree->clique[i].parent;

			if (seen[i] == seen[parent] || tree->clique[i].separator.n == 0)
				continue;
			up[seen[i] ? parent : i] = seen[i] ? i : parent;
			seen[i] = seen[parent] = grown = true;
		}
	}
	for (at = 0; at < tree->cliques && !(seen[at] && has(&tree->clique[at], to)); at++)
		;
	if (at == tree->cliques)
		return false;
	while (has(&tree->clique[up[at]], to) && up[at] != at)
		at = up[at];
	dp_graph_join(graph, &(DpAttributeSet){2, (uint32_t[]){carried < to ? carried : to,
														   carried < to ? to : carried}});
	for (; !has(&tree->clique[at], carried); at = up[at])
	{
		const DpAttributeSet *separator =
			&tree->clique[tree->clique[at].parent == up[at] ? at : up[at]].separator;

		for (uint32_t k = 0; k < separator->n; k++)
			if (separator->attribute[k] != carried)
				dp_graph_join(graph,
							  &(DpAttributeSet){2, (uint32_t[]){carried, separator->attribute[k]}});
	}
	return true;
}

static void
test_random(void)
{
	uint32_t too_small = 0, wide = 0, wrong_apart = 0, pairs = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){7, 8, 9});
	for (uint32_t round = 0; round < 40; round++)
	{
		uint32_t a, b;
		uint64_t promised, exact_a, exact_b, exact;
		DpGraph one, other;
		Case c;

		make_random(&c, &prng, 20 + (uint32_t) dp_prng_below(&prng, 60));
		a = (uint32_t) dp_prng_below(&prng, VERTICES);
		b = (a + 1 + (uint32_t) dp_prng_below(&prng, VERTICES - 1)) % VERTICES;
		promised = widened(&c, a < b ? a : b, a < b ? b : a);
		copy_tree(&c, &one);
		copy_tree(&c, &other);
		if (!carry(&c, &one, a, b) || !carry(&c, &other, b, a)) /* neither or both */
			wrong_apart += promised != c.growth.tree.cells + (uint64_t) c.levels[a] * c.levels[b];
		else
		{
			pairs++;
			exact_a = dp_graph_cost_estimate(&one, NULL, UINT64_MAX);
			exact_b = dp_graph_cost_estimate(&other, NULL, UINT64_MAX);
			exact = exact_a < exact_b ? exact_a : exact_b;
			too_small += promised < exact;
			wide += promised > 2 * exact;
		}
		end(&c);
	}
	CHECK(pairs > 15, "pairs of one tree were met");
	CHECK(wrong_apart == 0, "a pair of two trees is a clique of its own");
	CHECK(too_small == 0, "no promise is below the triangulation that carries one of the two");
	CHECK(wide == 0, "nor more than twice that");
}

int
main(void)
{
	test_chain();
	test_random();
	return unit_finish();
}
