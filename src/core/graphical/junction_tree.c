/*
 * junction_tree.c -- elimination, maximal cliques, and the tree that joins them.
 */
#include "core/graphical/junction_tree.h"

#include <string.h>

#include "core/base/saturate.h"

/* Where the compiler can, bits are counted by an instruction that not every CPU has. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&       \
	defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define DP_COUNTS_BITS __attribute__((target_clones("popcnt", "default")))
#else
#define DP_COUNTS_BITS
#endif

/* ---- rows of bits ---- */

static uint64_t *
row_of(uint64_t *rows, const DpGraph *graph, uint32_t vertex)
{
	return rows + (size_t) vertex * graph->words;
}

static bool
has_bit(const uint64_t *row, uint32_t i)
{
	return row[i / 64] >> (i % 64) & 1;
}

static void
set_bit(uint64_t *row, uint32_t i)
{
	row[i / 64] |= UINT64_C(1) << (i % 64);
}

static void
clear_bit(uint64_t *row, uint32_t i)
{
	row[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* The first member from i on; the number of attributes if there is none. */
static uint32_t
next_bit(const DpGraph *graph, const uint64_t *row, uint32_t i)
{
	for (uint32_t word = i / 64; word < graph->words; word++)
	{
		uint64_t bits = row[word];

		if (word == i / 64)
			bits &= ~UINT64_C(0) << (i % 64);
		if (bits != 0)
			return word * 64 + (uint32_t) __builtin_ctzll(bits);
	}
	return graph->attributes;
}

static uint32_t
count_bits(const DpGraph *graph, const uint64_t *row)
{
	uint32_t n = 0;

	for (uint32_t word = 0; word < graph->words; word++)
		n += (uint32_t) __builtin_popcountll(row[word]);
	return n;
}

/* ---- graphs ---- */

DpStatus
dp_graph_init(DpGraph *graph, const uint32_t *levels, uint32_t attributes, DpArena *arena)
{
	graph->attributes = attributes;
	graph->levels = levels;
	graph->words = (attributes + 63) / 64;
	graph->row = dp_alloc(arena, (size_t) attributes * graph->words, sizeof(*graph->row));
	graph->work = dp_alloc(arena, ((size_t) attributes + 2) * graph->words, sizeof(*graph->work));
	graph->family =
		dp_alloc(arena, ((size_t) attributes + 1) * graph->words, sizeof(*graph->family));
	graph->fill = dp_alloc(arena, attributes, sizeof(*graph->fill));
	graph->cells = dp_alloc(arena, attributes, sizeof(*graph->cells));
	DP_TRY_ALLOC(graph->row && graph->work && graph->family && graph->fill && graph->cells);
	return DP_OK;
}

static void
join_rows(const DpGraph *graph, uint64_t *rows, const DpAttributeSet *set)
{
	for (uint32_t i = 0; i < set->n; i++)
		for (uint32_t k = 0; k < set->n; k++)
			if (i != k)
				set_bit(row_of(rows, graph, set->attribute[i]), set->attribute[k]);
}

void
dp_graph_join(DpGraph *graph, const DpAttributeSet *set)
{
	join_rows(graph, graph->row, set);
}

bool
dp_graph_joins(const DpGraph *graph, const DpAttributeSet *set)
{
	for (uint32_t i = 0; i < set->n; i++)
		for (uint32_t k = i + 1; k < set->n; k++)
			if (!has_bit(row_of(graph->row, graph, set->attribute[i]), set->attribute[k]))
				return false;
	return true;
}

/* ---- elimination ---- */

/* For each of these vertices: counts the edges that are missing among its neighbours (each is
 * counted twice), and the cells of its family. */
DP_COUNTS_BITS static void
weigh_families(DpGraph *graph, const uint64_t *vertices)
{
	for (uint32_t vertex = next_bit(graph, vertices, 0); vertex < graph->attributes;
		 vertex = next_bit(graph, vertices, vertex + 1))
	{
		const uint64_t *row = row_of(graph->work, graph, vertex);
		uint64_t missing = 0, cells = graph->levels[vertex];

		for (uint32_t i = next_bit(graph, row, 0); i < graph->attributes;
			 i = next_bit(graph, row, i + 1))
		{
			const uint64_t *other = row_of(graph->work, graph, i);

			for (uint32_t word = 0; word < graph->words; word++)
				missing += (uint64_t) __builtin_popcountll(row[word] & ~other[word]);
			missing--; /* i itself */
			cells = dp_multiply_saturated(cells, graph->levels[i]);
		}
		graph->fill[vertex] = missing;
		graph->cells[vertex] = cells;
	}
}

/* Chooses the vertex with the least fill, among these the one with the fewest cells, then the
 * smallest number, so that the order is the same everywhere. */
static uint32_t
choose_vertex(const DpGraph *graph, const uint64_t *left)
{
	uint32_t best = next_bit(graph, left, 0);

	for (uint32_t i = next_bit(graph, left, best + 1); i < graph->attributes;
		 i = next_bit(graph, left, i + 1))
		if (graph->fill[i] < graph->fill[best] ||
			(graph->fill[i] == graph->fill[best] && graph->cells[i] < graph->cells[best]))
			best = i;
	return best;
}

/* Joins the neighbours of a vertex and removes it. The fill changes for them and their
 * neighbours. */
static void
eliminate(DpGraph *graph, uint32_t vertex, uint64_t *touched)
{
	uint64_t *row = row_of(graph->work, graph, vertex);

	memcpy(touched, row, graph->words * sizeof(*touched));
	for (uint32_t i = next_bit(graph, row, 0); i < graph->attributes;
		 i = next_bit(graph, row, i + 1))
	{
		uint64_t *other = row_of(graph->work, graph, i);

		for (uint32_t word = 0; word < graph->words; word++)
			other[word] |= row[word];
		clear_bit(other, i);
		clear_bit(other, vertex);
		for (uint32_t word = 0; word < graph->words; word++)
			touched[word] |= other[word];
	}
}

static void
start_elimination(DpGraph *graph, const DpAttributeSet *more, uint64_t *left)
{
	memcpy(graph->work, graph->row,
		   (size_t) graph->attributes * graph->words * sizeof(*graph->work));
	if (more != NULL)
		join_rows(graph, graph->work, more);
	memset(left, 0, graph->words * sizeof(*left));
	for (uint32_t i = 0; i < graph->attributes; i++)
		set_bit(left, i);
	weigh_families(graph, left);
}

/* Whether a family is maximal: it must not lie within the family of a vertex that went before. */
static bool
is_maximal(const DpGraph *graph, const uint64_t *family, uint32_t families)
{
	for (uint32_t i = families; i-- > 0;)
	{
		const uint64_t *other = row_of(graph->family, graph, i);
		bool within = true;

		for (uint32_t word = 0; word < graph->words && within; word++)
			within = (family[word] & ~other[word]) == 0;
		if (within)
			return false;
	}
	return true;
}

/* Finds the maximal cliques of the triangulated graph and writes them to graph->family, until
 * they have stop cells. */
static uint64_t
find_families(DpGraph *graph, const DpAttributeSet *more, uint64_t stop, uint32_t *families,
			  const DpTick *tick)
{
	uint64_t *left = row_of(graph->work, graph, graph->attributes);
	uint64_t *touched = row_of(graph->work, graph, graph->attributes + 1);
	uint64_t cells = 0;

	*families = 0;
	start_elimination(graph, more, left);
	for (uint32_t n = 0; n < graph->attributes && cells < stop; n++)
	{
		uint32_t vertex = choose_vertex(graph, left);
		uint64_t *family = row_of(graph->family, graph, *families);

		dp_tick(tick, -1.0); /* the whole takes time cubic in the attributes */
		memcpy(family, row_of(graph->work, graph, vertex), graph->words * sizeof(*family));
		set_bit(family, vertex);
		if (is_maximal(graph, family, *families))
		{
			cells = dp_add_saturated(cells, graph->cells[vertex]);
			(*families)++;
		}
		clear_bit(left, vertex);
		eliminate(graph, vertex, touched);
		weigh_families(graph, touched);
	}
	return cells < stop ? cells : stop;
}

uint64_t
dp_graph_cost_estimate(DpGraph *graph, const DpAttributeSet *more, uint64_t stop)
{
	uint32_t families;

	return find_families(graph, more, stop, &families, NULL);
}

/* ---- the tree ---- */

/* Makes a set of the attributes that two rows share. */
static DpStatus
common_set(const DpGraph *graph, const uint64_t *a, const uint64_t *b, DpAttributeSet *set,
		   uint64_t *cells, DpArena *arena)
{
	uint64_t *both = graph->work;
	uint32_t *attribute;

	for (uint32_t word = 0; word < graph->words; word++)
		both[word] = a[word] & b[word];
	set->n = count_bits(graph, both);
	set->attribute = attribute = dp_alloc(arena, set->n, sizeof(*attribute));
	DP_TRY_ALLOC(attribute);
	*cells = 1;
	for (uint32_t i = next_bit(graph, both, 0); i < graph->attributes;
		 i = next_bit(graph, both, i + 1))
	{
		*attribute++ = i;
		*cells = dp_multiply_saturated(*cells, graph->levels[i]);
	}
	return DP_OK;
}

static uint32_t
count_common(const DpGraph *graph, uint32_t a, uint32_t b)
{
	const uint64_t *one = row_of(graph->family, graph, a);
	const uint64_t *other = row_of(graph->family, graph, b);
	uint32_t n = 0;

	for (uint32_t word = 0; word < graph->words; word++)
		n += (uint32_t) __builtin_popcountll(one[word] & other[word]);
	return n;
}

typedef struct Reach
{
	bool joined;
	uint32_t weight;  /* attributes that it shares with the nearest clique of the tree */
	uint32_t nearest; /* number of that clique */
} Reach;

static DpStatus
append_clique(const DpGraph *graph, uint32_t family, uint32_t nearest, const uint32_t *family_of,
			  DpJunctionTree *tree, DpArena *arena)
{
	DpClique *clique = &tree->clique[tree->cliques];
	const uint64_t *row = row_of(graph->family, graph, family);
	uint64_t *parent = row_of(graph->family, graph, graph->attributes); /* no attributes */

	if (tree->cliques > 0)
		parent = row_of(graph->family, graph, family_of[nearest]);
	clique->parent = nearest;
	DP_TRY(common_set(graph, row, row, &clique->set, &clique->cells, arena));
	DP_TRY(common_set(graph, row, parent, &clique->separator, &clique->separator_cells, arena));
	tree->cells = dp_add_saturated(tree->cells, clique->cells);
	tree->cliques++;
	return DP_OK;
}

/* Joins the cliques by Prim's algorithm: the clique that shares the most attributes with one in
 * the tree comes next. */
static DpStatus
join_families(const DpGraph *graph, uint32_t n, DpJunctionTree *tree, DpArena *arena)
{
	Reach *reach = dp_alloc(arena, n, sizeof(*reach));
	uint32_t *family_of = dp_alloc(arena, n, sizeof(*family_of));
	uint32_t next = 0;

	DP_TRY_ALLOC(reach && family_of);
	while (next < n)
	{
		uint32_t number = tree->cliques, family = next;

		family_of[number] = family;
		reach[family].joined = true;
		DP_TRY(append_clique(graph, family, reach[family].nearest, family_of, tree, arena));
		next = n;
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t common = reach[i].joined ? 0 : count_common(graph, family, i);

			if (reach[i].joined)
				continue;
			if (common > reach[i].weight)
				reach[i] = (Reach){false, common, number};
			if (next == n || reach[i].weight > reach[next].weight)
				next = i;
		}
	}
	dp_free(arena, reach, n, sizeof(*reach));
	dp_free(arena, family_of, n, sizeof(*family_of));
	return DP_OK;
}

DpStatus
dp_junction_tree_build(DpGraph *graph, uint64_t cells_max, DpJunctionTree *tree, const DpTick *tick,
					   DpArena *arena)
{
	uint32_t families;

	*tree = (DpJunctionTree){.attributes = graph->attributes};
	if (find_families(graph, NULL, UINT64_MAX, &families, tick) > cells_max)
		return DP_ERR_LIMIT;
	tree->clique = dp_alloc(arena, families, sizeof(*tree->clique));
	DP_TRY_ALLOC(tree->clique);
	tree->capacity = families;
	return join_families(graph, families, tree, arena);
}

void
dp_junction_tree_free(DpJunctionTree *tree, DpArena *arena)
{
	for (uint32_t i = 0; i < tree->cliques; i++)
	{
		DpClique *clique = &tree->clique[i];

		dp_free(arena, (void *) (uintptr_t) clique->set.attribute, clique->set.n,
				sizeof(*clique->set.attribute));
		dp_free(arena, (void *) (uintptr_t) clique->separator.attribute, clique->separator.n,
				sizeof(*clique->separator.attribute));
	}
	dp_free(arena, tree->clique, tree->capacity, sizeof(*tree->clique));
	*tree = (DpJunctionTree){.attributes = tree->attributes};
}

/* ---- sets ---- */

uint32_t
dp_junction_tree_find(const DpJunctionTree *tree, const DpAttributeSet *set)
{
	uint32_t best = tree->cliques;

	for (uint32_t i = 0; i < tree->cliques; i++)
		if (dp_set_within(set, &tree->clique[i].set) &&
			(best == tree->cliques || tree->clique[i].cells < tree->clique[best].cells))
			best = i;
	return best;
}
