/*
 * test_belief.c -- belief propagation against the joint distribution, cell by cell.
 */
#include "core/base/prng.h"
#include "core/graphical/belief.h"

#include "unit.h"

#define VERTICES_MAX 9
#define CELLS_MAX 20000
#define TOTAL 1000.0

typedef struct Case
{
	uint32_t n;
	uint32_t levels[VERTICES_MAX];
	uint64_t cells;
	DpGraph graph;
	DpJunctionTree tree;
	DpBelief belief;
	double joint[CELLS_MAX]; /* logarithms, then expected counts */
	double log_sum;
} Case;

static void
make_tree(Case *c, DpPrng *prng, DpArena *arena)
{
	do
	{
		c->n = 2 + (uint32_t) dp_prng_below(prng, VERTICES_MAX - 1);
		c->cells = 1;
		for (uint32_t a = 0; a < c->n; a++)
		{
			c->levels[a] = 1 + (uint32_t) dp_prng_below(prng, 4);
			c->cells *= c->levels[a];
		}
	} while (c->cells > CELLS_MAX);
	MUST(dp_graph_init(&c->graph, c->levels, c->n, arena));
	for (uint32_t s = 0; s < c->n; s++)
	{
		uint32_t pair[2] = {(uint32_t) dp_prng_below(prng, c->n), 0};
		DpAttributeSet set = {2, pair};

		pair[1] = pair[0] + 1 + (uint32_t) dp_prng_below(prng, 3);
		set.n = pair[1] < c->n ? 2 : 1;
		dp_graph_join(&c->graph, &set);
	}
	MUST(dp_junction_tree_build(&c->graph, UINT64_MAX, &c->tree, NULL, arena));
	MUST(dp_belief_init(&c->belief, &c->tree, c->levels, TOTAL, arena));
}

/* The cell of a table over the set in which a cell of the joint is. */
static uint64_t
cell_in(const Case *c, const DpAttributeSet *set, uint64_t joint)
{
	uint64_t at = 0, step = 1;
	uint32_t k = set->n;

	for (uint32_t a = c->n; a-- > 0; joint /= c->levels[a])
		if (k > 0 && set->attribute[k - 1] == a)
		{
			at += joint % c->levels[a] * step;
			step *= c->levels[a];
			k--;
		}
	return at;
}

static void
fill_potentials(Case *c, DpPrng *prng, double width, bool impossible)
{
	for (uint32_t i = 0; i < c->tree.cliques; i++)
		for (uint64_t k = 0; k < c->tree.clique[i].cells; k++)
			c->belief.clique[i].cell[k] = impossible && k > 0 && dp_prng_below(prng, 4) == 0
											  ? DP_LOG_ZERO
											  : width * (dp_prng_unit(prng) - 0.5);
}

/* From the same potentials. The first cell of every clique is possible, so that there is
 * something. */
static void
enumerate(Case *c)
{
	double most = -INFINITY, sum = 0;

	for (uint64_t i = 0; i < c->cells; i++)
	{
		c->joint[i] = 0;
		for (uint32_t k = 0; k < c->tree.cliques; k++)
			c->joint[i] += c->belief.clique[k].cell[cell_in(c, &c->tree.clique[k].set, i)];
		most = fmax(most, c->joint[i]);
	}
	for (uint64_t i = 0; i < c->cells; i++)
		sum += exp(c->joint[i] - most);
	c->log_sum = most + log(sum);
	for (uint64_t i = 0; i < c->cells; i++)
		c->joint[i] = TOTAL * exp(c->joint[i] - c->log_sum);
}

/* Of a table: its distance from the sums over the joint, INFINITY where it gives anything to the
 * impossible, or holds what is no number (which fmax() passes over). */
static double
distance(const Case *c, const DpAttributeSet *set, const double *table)
{
	static double want[CELLS_MAX];
	uint64_t cells = 1;
	double worst = 0;

	for (uint32_t k = 0; k < set->n; k++)
		cells *= c->levels[set->attribute[k]];
	memset(want, 0, cells * sizeof(*want));
	for (uint64_t i = 0; i < c->cells; i++)
		want[cell_in(c, set, i)] += c->joint[i];
	for (uint64_t i = 0; i < cells; i++)
		worst = (want[i] == 0 && table[i] > 1e-250) || !isfinite(table[i])
					? INFINITY
					: fmax(worst, fabs(want[i] - table[i]));
	return worst;
}

static double
clique_distance(const Case *c)
{
	double worst = 0;

	for (uint32_t i = 0; i < c->tree.cliques; i++)
		worst = fmax(worst, distance(c, &c->tree.clique[i].set, c->belief.clique[i].cell));
	return worst;
}

/* Random tables, in cliques and across them, that of all attributes too. */
static double
query_distance(const Case *c, DpPrng *prng, DpArena *arena, unsigned *across)
{
	static double table[CELLS_MAX];
	double worst = 0;

	for (int round = 0; round < 12; round++)
	{
		uint32_t member[VERTICES_MAX];
		DpAttributeSet set = {0, member};

		for (uint32_t a = 0; a < c->n; a++)
			if (round == 0 || dp_prng_below(prng, 2) == 0)
				member[set.n++] = a;
		if (set.n == 0)
			continue;
		*across += dp_junction_tree_find(&c->tree, &set) == c->tree.cliques;
		MUST(dp_belief_marginal(&c->belief, &set, UINT64_C(1) << 30, table, arena));
		worst = fmax(worst, distance(c, &set, table));
	}
	return worst;
}

typedef struct Found
{
	double clique, query, kept, log_sum;
	unsigned across;
	bool memory;
} Found;

static void
try_width(Found *found, uint64_t seed, double width, bool impossible)
{
	static Case c;
	DpPrng prng;

	*found = (Found){.memory = true};
	dp_prng_seed(&prng, (DpStream){seed, 0, 0});
	for (int round = 0; round < 60; round++)
	{
		DpArena arena = dp_arena_malloc();
		uint64_t before;
		double log_sum;

		make_tree(&c, &prng, &arena);
		fill_potentials(&c, &prng, width, impossible);
		enumerate(&c);
		log_sum = dp_belief_calibrate(&c.belief);
		found->log_sum = fmax(found->log_sum, fabs(log_sum - c.log_sum) / (1 + fabs(log_sum)));
		found->clique = fmax(found->clique, clique_distance(&c));
		before = arena.bytes_used;
		found->query = fmax(found->query, query_distance(&c, &prng, &arena, &found->across));
		MUST(dp_belief_keep(&c.belief, round % 2 ? 50 : UINT64_C(1) << 30, &arena));
		found->kept = fmax(found->kept, query_distance(&c, &prng, &arena, &found->across));
		found->kept = fmax(found->kept, query_distance(&c, &prng, &arena, &found->across));
		dp_belief_forget(&c.belief);
		found->memory &= arena.bytes_used == before;
		dp_belief_free(&c.belief, &arena);
		dp_junction_tree_free(&c.tree, &arena);
		dp_arena_malloc_free(&arena);
	}
}

static void
test_against_joint(void)
{
	Found found;

	try_width(&found, 21, 4, false);
	CHECK(found.clique < 1e-9, "60 trees: the cliques' counts are the joint's (%.1e)",
		  found.clique);
	CHECK(found.log_sum < 1e-12, "so is the logarithm of the sum of all cells");
	CHECK(found.query < 1e-9 && found.across > 200,
		  "and any other table, %u of them across cliques (%.1e)", found.across, found.query);
	CHECK(found.kept < 1e-9, "with tables kept on the way too (%.1e)", found.kept);
	CHECK(found.memory, "which are given back");
	try_width(&found, 22, 4, true);
	CHECK(fmax(found.clique, fmax(found.query, found.kept)) < 1e-9,
		  "with impossible cells, which get nothing at all");
	CHECK(found.log_sum < 1e-12, "and are no part of the sum");
	try_width(&found, 23, 2000, false);
	CHECK(fmax(found.clique, fmax(found.query, found.kept)) < 1e-8,
		  "with potentials that lie 2000 apart: nothing overflows");
	CHECK(found.log_sum < 1e-12, "the sum neither");
	for (uint64_t seed = 100; seed < 120; seed++)
	{
		try_width(&found, seed, 1490, false);
		CHECK(fmax(found.clique, fmax(found.query, found.kept)) < 1e-8,
			  "with masses next to the least double, whose inverses are infinite");
	}
}

static void
test_uniform(void)
{
	static Case c;
	DpArena arena = dp_arena_malloc();
	double worst = 0, log_sum;
	uint64_t before;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){24, 0, 0});
	make_tree(&c, &prng, &arena);
	log_sum = dp_belief_calibrate(&c.belief);
	CHECK_NEAR(log_sum, log((double) c.cells), 1e-12, "potentials are 0 at first");
	fill_potentials(&c, &prng, 5, false);
	dp_belief_clear(&c.belief);
	dp_belief_calibrate(&c.belief);
	for (uint32_t i = 0; i < c.tree.cliques; i++)
		for (uint64_t k = 0; k < c.tree.clique[i].cells; k++)
			worst = fmax(
				worst, fabs(c.belief.clique[i].cell[k] * (double) c.tree.clique[i].cells - TOTAL));
	CHECK(worst < 1e-9, "and again when they are cleared: all cells alike");
	dp_belief_free(&c.belief, &arena);
	before = arena.bytes_used;
	MUST(dp_belief_init(&c.belief, &c.tree, c.levels, TOTAL, &arena));
	CHECK(arena.bytes_used - before <=
			  dp_belief_bytes(c.tree.cells) + c.tree.cliques * sizeof(DpBeliefClique),
		  "its tables take no more bytes than stated");
	dp_belief_free(&c.belief, &arena);
	CHECK(arena.bytes_used == before, "and give them back");
	dp_arena_malloc_free(&arena);
}

/* A chain: a table over both ends needs tables over three attributes on the way, of 125 cells. */
static void
test_limits(void)
{
	DpArena arena = dp_arena_malloc();
	uint32_t levels[10], ends[] = {0, 9};
	const DpAttributeSet set = {2, ends};
	double table[25], sum = 0;
	DpJunctionTree tree;
	DpBelief belief;
	DpGraph graph;
	uint64_t before, least;

	for (int a = 0; a < 10; a++)
		levels[a] = 5;
	MUST(dp_graph_init(&graph, levels, 10, &arena));
	for (uint32_t a = 0; a < 9; a++)
	{
		const uint32_t pair[] = {a, a + 1};
		const DpAttributeSet edge = {2, pair};

		dp_graph_join(&graph, &edge);
	}
	MUST(dp_junction_tree_build(&graph, UINT64_MAX, &tree, NULL, &arena));
	MUST(dp_belief_init(&belief, &tree, levels, TOTAL, &arena));
	dp_belief_calibrate(&belief);
	before = arena.bytes_used;
	for (least = 1; least < 1000; least++)
		if (dp_belief_marginal(&belief, &set, least, table, &arena) == DP_OK)
			break;
	for (int i = 0; i < 25; i++)
		sum += table[i];
	CHECK_NEAR(sum, TOTAL, 1e-9, "a table over the ends of a chain needs room for %d cells",
			   (int) least);
	CHECK(least >= 50 && least <= 200, "which is the size of the tables on the way");
	CHECK_STATUS(dp_belief_marginal(&belief, &set, least - 1, table, &arena), DP_ERR_LIMIT,
				 "with less it is refused");
	CHECK(arena.bytes_used == before, "and nothing is left behind by a thousand refusals");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_against_joint();
	test_uniform();
	test_limits();
	return unit_finish();
}
