/*
 * test_junction_tree.c -- trees of cliques of random graphs: every set in a clique,
 * running intersection, no clique too many, and the elimination that was promised,
 * against a plain one on a matrix of edges.
 */
#include "core/base/prng.h"
#include "core/graphical/junction_tree.h"

#include "unit.h"

#define VERTICES_MAX 150
#define SETS_MAX 200

typedef struct Case
{
	uint32_t n;
	uint32_t levels[VERTICES_MAX];
	uint32_t sets;
	DpAttributeSet set[SETS_MAX];
	uint32_t member[SETS_MAX][8];
	bool edge[VERTICES_MAX][VERTICES_MAX];
	DpGraph graph;
	DpJunctionTree tree;
} Case;

static void
add_set(Case *c, DpAttributeSet set)
{
	for (uint32_t i = 0; i < set.n; i++)
		for (uint32_t k = 0; k < set.n; k++)
			if (i != k)
				c->edge[set.attribute[i]][set.attribute[k]] = true;
}

/* Random sets of up to four attributes, ascending. */
static void
make_case(Case *c, DpPrng *prng, uint32_t n, uint32_t sets, DpArena *arena)
{
	memset(c, 0, sizeof(*c));
	c->n = n;
	for (uint32_t a = 0; a < n; a++)
		c->levels[a] = 1 + (uint32_t) dp_prng_below(prng, 6);
	for (c->sets = 0; c->sets < sets; c->sets++)
	{
		uint32_t *member = c->member[c->sets], want = 1 + (uint32_t) dp_prng_below(prng, 4);
		uint32_t last = (uint32_t) dp_prng_below(prng, n), k = 0;

		for (uint32_t a = (uint32_t) dp_prng_below(prng, last + 1); a <= last && k < want;
			 a += 1 + (uint32_t) dp_prng_below(prng, n / 2))
			member[k++] = a;
		c->set[c->sets] = (DpAttributeSet){k, member};
		add_set(c, c->set[c->sets]);
	}
	MUST(dp_graph_init(&c->graph, c->levels, n, arena));
	for (uint32_t s = 0; s < sets; s++)
		dp_graph_join(&c->graph, &c->set[s]);
}

/* A half of the attributes with most edges between them, the others with few: there, least fill
 * is not least degree. */
static void
make_lopsided(Case *c, DpPrng *prng, uint32_t n, DpArena *arena)
{
	make_case(c, prng, n, 0, arena);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
		{
			uint32_t *member = c->member[c->sets];

			if (dp_prng_below(prng, 10) >= (b < n / 2 ? 8 : 2))
				continue;
			member[0] = a;
			member[1] = b;
			c->set[c->sets] = (DpAttributeSet){2, member};
			add_set(c, c->set[c->sets]);
			dp_graph_join(&c->graph, &c->set[c->sets++]);
		}
}

/* ---- what a tree must be ---- */

static bool
has(const DpAttributeSet *set, uint32_t attribute)
{
	for (uint32_t k = 0; k < set->n; k++)
		if (set->attribute[k] == attribute)
			return true;
	return false;
}

static bool
within(const DpAttributeSet *a, const DpAttributeSet *b)
{
	for (uint32_t k = 0; k < a->n; k++)
		if (!has(b, a->attribute[k]))
			return false;
	return true;
}

static bool
is_set(const Case *c, const DpAttributeSet *set, uint64_t cells)
{
	uint64_t product = 1;

	for (uint32_t k = 0; k < set->n; k++)
	{
		if (set->attribute[k] >= c->n || (k > 0 && set->attribute[k] <= set->attribute[k - 1]))
			return false;
		product *= c->levels[set->attribute[k]];
	}
	return product == cells;
}

/* Whether the separator is all that a clique shares with those before it, and all that it shares
 * with its parent: this is the running intersection property, clique by clique. */
static bool
intersects_well(const Case *c, uint32_t number)
{
	const DpClique *clique = &c->tree.clique[number];

	if (number == 0)
		return clique->parent == 0 && clique->separator.n == 0;
	if (clique->parent >= number)
		return false;
	for (uint32_t k = 0; k < clique->set.n; k++)
	{
		uint32_t a = clique->set.attribute[k];
		bool before = false;

		for (uint32_t i = 0; i < number; i++)
			before |= has(&c->tree.clique[i].set, a);
		if (before != has(&clique->separator, a) ||
			(before && !has(&c->tree.clique[clique->parent].set, a)))
			return false;
	}
	return within(&clique->separator, &clique->set);
}

static bool
cliques_are_sound(const Case *c)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < c->tree.cliques; i++)
	{
		const DpClique *clique = &c->tree.clique[i];

		if (!is_set(c, &clique->set, clique->cells) ||
			!is_set(c, &clique->separator, clique->separator_cells) || !intersects_well(c, i))
			return false;
		for (uint32_t k = 0; k < c->tree.cliques; k++)
			if (i != k && within(&clique->set, &c->tree.clique[k].set))
				return false;
		cells += clique->cells;
	}
	return cells == c->tree.cells;
}

/* The smallest clique with a set, by looking at each. */
static bool
finds_smallest(const Case *c, const DpAttributeSet *set)
{
	uint32_t found = dp_junction_tree_find(&c->tree, set);
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < c->tree.cliques; i++)
		if (within(set, &c->tree.clique[i].set) && c->tree.clique[i].cells < least)
			least = c->tree.clique[i].cells;
	if (least == UINT64_MAX)
		return found == c->tree.cliques;
	return found < c->tree.cliques && within(set, &c->tree.clique[found].set) &&
		   c->tree.clique[found].cells == least;
}

static bool
covers_sets(const Case *c)
{
	for (uint32_t s = 0; s < c->sets; s++)
		if (!finds_smallest(c, &c->set[s]) ||
			dp_junction_tree_find(&c->tree, &c->set[s]) == c->tree.cliques)
			return false;
	for (uint32_t a = 0; a < c->n; a++)
	{
		const DpAttributeSet one = {1, &a};

		if (dp_junction_tree_find(&c->tree, &one) == c->tree.cliques)
			return false;
	}
	return true;
}

/* ---- the plain elimination ---- */

typedef struct Plain
{
	bool edge[VERTICES_MAX][VERTICES_MAX];
	bool gone[VERTICES_MAX];
	bool family[VERTICES_MAX][VERTICES_MAX];
	uint32_t families;
} Plain;

static uint32_t
missing_edges(const Plain *p, uint32_t n, uint32_t vertex)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			missing += p->edge[vertex][i] && p->edge[vertex][k] && !p->edge[i][k];
	return missing;
}

static uint64_t
cells_around(const Case *c, const Plain *p, uint32_t vertex)
{
	uint64_t cells = c->levels[vertex];

	for (uint32_t i = 0; i < c->n; i++)
		cells *= p->edge[vertex][i] ? c->levels[i] : 1;
	return cells;
}

static uint32_t
next_vertex(const Case *c, const Plain *p)
{
	uint32_t best = c->n, best_missing = 0;
	uint64_t best_cells = 0;

	for (uint32_t v = 0; v < c->n; v++)
	{
		uint32_t missing = missing_edges(p, c->n, v);
		uint64_t cells = cells_around(c, p, v);

		if (p->gone[v] || (best < c->n && (missing > best_missing ||
										   (missing == best_missing && cells >= best_cells))))
			continue;
		best = v;
		best_missing = missing;
		best_cells = cells;
	}
	return best;
}

static void
plain_eliminate(const Case *c, Plain *p)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->edge, c->edge, sizeof(p->edge));
	for (uint32_t step = 0; step < c->n; step++)
	{
		uint32_t v = next_vertex(c, p);
		bool *family = p->family[p->families], maximal = true;

		memcpy(family, p->edge[v], sizeof(p->edge[v]));
		family[v] = true;
		for (uint32_t f = 0; f < p->families && maximal; f++)
		{
			maximal = false;
			for (uint32_t a = 0; a < c->n; a++)
				maximal |= family[a] && !p->family[f][a];
		}
		p->families += maximal;
		for (uint32_t i = 0; i < c->n; i++)
			for (uint32_t k = 0; k < c->n; k++)
				p->edge[i][k] |= i != k && p->edge[v][i] && p->edge[v][k];
		for (uint32_t i = 0; i < c->n; i++)
			p->edge[i][v] = p->edge[v][i] = false;
		p->gone[v] = true;
	}
}

static bool
has_family(const Case *c, const bool *family)
{
	for (uint32_t i = 0; i < c->tree.cliques; i++)
	{
		bool same = true;

		for (uint32_t a = 0; a < c->n; a++)
			same &= family[a] == has(&c->tree.clique[i].set, a);
		if (same)
			return true;
	}
	return false;
}

static bool
is_min_fill(const Case *c)
{
	static Plain plain;

	plain_eliminate(c, &plain);
	if (plain.families != c->tree.cliques)
		return false;
	for (uint32_t f = 0; f < plain.families; f++)
		if (!has_family(c, plain.family[f]))
			return false;
	return true;
}

/* ---- the tests ---- */

static bool
forecasts(Case *c, DpArena *arena)
{
	uint64_t cells = c->tree.cells, joined;
	const uint32_t more_member[] = {0, c->n / 2, c->n - 1};
	const DpAttributeSet more = {3, more_member};
	DpGraph graph;

	MUST(dp_graph_init(&graph, c->levels, c->n, arena));
	for (uint32_t s = 0; s < c->sets; s++)
		dp_graph_join(&graph, &c->set[s]);
	dp_graph_join(&graph, &more);
	joined = dp_graph_cost_estimate(&graph, NULL, UINT64_MAX);
	return dp_graph_cost_estimate(&c->graph, NULL, UINT64_MAX) == cells &&
		   dp_graph_cost_estimate(&c->graph, NULL, cells) == cells &&
		   dp_graph_cost_estimate(&c->graph, NULL, cells / 2 + 1) == cells / 2 + 1 &&
		   dp_graph_cost_estimate(&c->graph, &more, UINT64_MAX) == joined &&
		   dp_graph_cost_estimate(&c->graph, NULL, UINT64_MAX) == cells; /* more left no trace */
}

static void
test_random(void)
{
	static Case c;
	unsigned unsound = 0, uncovered = 0, other = 0, unforeseen = 0, limits = 0, kept = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){12, 0, 0});
	for (int round = 0; round < 300; round++)
	{
		DpArena arena = dp_arena_malloc(), scratch = dp_arena_malloc();
		uint64_t before, cells;

		if (round % 2)
			make_case(&c, &prng, 4 + (uint32_t) dp_prng_below(&prng, 15),
					  (uint32_t) dp_prng_below(&prng, 40), &arena);
		else
			make_lopsided(&c, &prng, 4 + (uint32_t) dp_prng_below(&prng, 13), &arena);
		before = arena.bytes_used;
		MUST(dp_junction_tree_build(&c.graph, UINT64_MAX, &c.tree, NULL, &arena));
		unsound += !cliques_are_sound(&c);
		uncovered += !covers_sets(&c);
		other += !is_min_fill(&c);
		cells = c.tree.cells;
		dp_junction_tree_free(&c.tree, &arena);
		limits +=
			dp_junction_tree_build(&c.graph, cells - 1, &c.tree, NULL, &arena) != DP_ERR_LIMIT ||
			dp_junction_tree_build(&c.graph, cells, &c.tree, NULL, &arena) != DP_OK;
		unforeseen += !forecasts(&c, &scratch);
		dp_junction_tree_free(&c.tree, &arena);
		kept += arena.bytes_used != before;
		dp_arena_malloc_free(&scratch);
		dp_arena_malloc_free(&arena);
	}
	CHECK_I64(unsound, 0, "300 graphs: running intersection, no clique in another, sizes");
	CHECK_I64(uncovered, 0, "every set and every attribute is in a clique, the smallest is found");
	CHECK_I64(other, 0, "least fill first, then fewest cells, then the number");
	CHECK_I64(unforeseen, 0, "a forecast is the size of the tree, with one set more too");
	CHECK_I64(limits, 0, "a tree has as many cells as it may and no more");
	CHECK_I64(kept, 0, "and all its memory comes back");
}

/* More attributes than a word has bits. */
static void
test_wide(void)
{
	static Case c;
	DpArena arena = dp_arena_malloc();
	unsigned wrong = 0;
	uint64_t before;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){13, 0, 0});
	for (uint32_t n = 63; n <= VERTICES_MAX; n += 29)
	{
		make_case(&c, &prng, n, 50, &arena);
		before = arena.bytes_used;
		MUST(dp_junction_tree_build(&c.graph, UINT64_MAX, &c.tree, NULL, &arena));
		wrong += !cliques_are_sound(&c) || !covers_sets(&c) || !is_min_fill(&c);
		dp_junction_tree_free(&c.tree, &arena);
		wrong += arena.bytes_used != before;
	}
	CHECK_I64(wrong, 0, "the same with up to 150 attributes, and all memory comes back");
	dp_arena_malloc_free(&arena);
}

/* A circle needs n - 3 chords, so it becomes n - 2 triangles; what is chordal already gets no
 * edge. */
static void
test_known(void)
{
	static Case c;
	DpArena arena = dp_arena_malloc();
	uint32_t edge[2], circle_wrong = 0, chordal_wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){14, 0, 0});
	for (uint32_t n = 4; n <= 20; n++)
	{
		make_case(&c, &prng, n, 0, &arena);
		for (uint32_t a = 0; a < n; a++)
		{
			const DpAttributeSet set = {2, edge};

			edge[0] = a == n - 1 ? 0 : a;
			edge[1] = a == n - 1 ? a : a + 1;
			dp_graph_join(&c.graph, &set);
			add_set(&c, set);
		}
		MUST(dp_junction_tree_build(&c.graph, UINT64_MAX, &c.tree, NULL, &arena));
		circle_wrong += c.tree.cliques != n - 2 || !cliques_are_sound(&c);
		for (uint32_t i = 0; i < c.tree.cliques; i++)
			circle_wrong += c.tree.clique[i].set.n != 3;

		/* each new vertex joined to two neighbours of each other */
		make_case(&c, &prng, n, 0, &arena);
		for (uint32_t a = 2; a < n; a++)
		{
			const uint32_t triangle[] = {a - 2, a - 1, a};
			const DpAttributeSet set = {3, triangle};

			dp_graph_join(&c.graph, &set);
		}
		MUST(dp_junction_tree_build(&c.graph, UINT64_MAX, &c.tree, NULL, &arena));
		chordal_wrong += c.tree.cliques != n - 2;
		for (uint32_t i = 0; i < c.tree.cliques; i++)
			chordal_wrong +=
				c.tree.clique[i].set.attribute[2] != c.tree.clique[i].set.attribute[0] + 2;
	}
	CHECK_I64(circle_wrong, 0, "a circle becomes triangles");
	CHECK_I64(chordal_wrong, 0, "a chordal graph keeps its cliques");
	dp_arena_malloc_free(&arena);
}

static bool
joined_plainly(const Case *c, const DpAttributeSet *set)
{
	for (uint32_t i = 0; i < set->n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!c->edge[set->attribute[i]][set->attribute[k]])
				return false;
	return true;
}

static void
test_sets(void)
{
	static Case c;
	DpArena arena = dp_arena_malloc();
	unsigned wrong_joins = 0, wrong_within = 0, wrong_equal = 0, joins = 0, inside = 0;
	uint32_t member[2][4];
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){15, 0, 0});
	make_case(&c, &prng, 8, 8, &arena);
	for (int round = 0; round < 5000; round++)
	{
		DpAttributeSet set[2];

		for (int i = 0; i < 2; i++)
		{
			set[i] = (DpAttributeSet){0, member[i]};
			for (uint32_t a = 0; a < 8 && set[i].n < 4; a++)
				if (dp_prng_below(&prng, 3) == 0)
					member[i][set[i].n++] = a;
		}
		wrong_joins += dp_graph_joins(&c.graph, &set[0]) != joined_plainly(&c, &set[0]);
		wrong_within += dp_set_within(&set[0], &set[1]) != within(&set[0], &set[1]);
		wrong_equal += dp_set_equal(&set[0], &set[1]) !=
					   (within(&set[0], &set[1]) && within(&set[1], &set[0]));
		joins += set[0].n > 1 && joined_plainly(&c, &set[0]);
		inside += set[0].n > 1 && within(&set[0], &set[1]);
	}
	CHECK_I64(wrong_joins, 0, "whether a graph joins a set");
	CHECK_I64(wrong_within, 0, "whether a set is within another");
	CHECK_I64(wrong_equal, 0, "whether two are the same");
	CHECK(joins > 50 && inside > 50, "some do, some are");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_random();
	test_wide();
	test_known();
	test_sets();
	return unit_finish();
}
