/*
 * test_partition.c -- trees of groups of attributes: nodes are numbered as they are counted, a walk
 * and its codes are each other's inverse, and a layer's tables hold each node in one cell.
 *
 * Covers layer_tables.c.
 */
#include "core/model/steps/layer_tables.h"

#include "unit_data.h"

#define ATTRIBUTES 7

static const uint32_t levels[ATTRIBUTES] = {3, 2, 1, 4, 2, 3, 2};

typedef struct Case
{
	DpDomain domain;
	DpPartition partition;
} Case;

/* The attributes that a path to a node does not have yet, in a random order. */
static uint32_t
list_left(const DpPartition *partition, uint64_t node, DpPrng *prng, uint32_t *left)
{
	uint32_t codes[ATTRIBUTES], path[ATTRIBUTES], n = 0;
	uint32_t depth = dp_partition_codes(partition, partition->layers, codes, node, path);

	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		bool taken = false;

		for (uint32_t k = 0; k < depth; k++)
			taken |= path[k] == a;
		if (!taken)
			left[n++] = a;
	}
	for (uint32_t k = n; k > 1; k--)
	{
		uint32_t other = (uint32_t) dp_prng_below(prng, k), a = left[k - 1];

		left[k - 1] = left[other];
		left[other] = a;
	}
	return n;
}

/* Layers of one or two attributes: the same for all nodes at first, then another group for each. */
static void
make_case(Case *c, DpPrng *prng, DpArena *arena)
{
	uint32_t layers = 1 + (uint32_t) dp_prng_below(prng, 4),
			 common = (uint32_t) dp_prng_below(prng, 3);

	c->domain = unit_domain(arena, levels, ATTRIBUTES);
	MUST(dp_partition_init(&c->partition, &c->domain, layers, arena));
	for (uint32_t l = 0; l < layers; l++)
	{
		uint64_t nodes = dp_partition_nodes(&c->partition);
		uint32_t width = 1 + (uint32_t) dp_prng_below(prng, 2), left[ATTRIBUTES];
		uint32_t *group;

		if (list_left(&c->partition, 0, prng, left) < width)
			return;
		group = dp_alloc(arena, nodes, width * sizeof(*group));
		for (uint64_t v = 0; v < nodes; v++)
		{
			(void) list_left(&c->partition, v, prng, left);
			memcpy(group + v * width, left, width * sizeof(*group));
		}
		MUST(dp_partition_split(&c->partition, l >= common, width, group, 100000));
	}
}

/* By counting the children of all nodes before it. */
static uint64_t
plain_walk(const Case *c, uint32_t layers, const uint32_t *codes)
{
	uint64_t node = 0;

	for (uint32_t l = 0; l < layers; l++)
	{
		const DpSplit *split = &c->partition.split[l];
		uint64_t before = 0, child = 0;

		for (uint64_t v = 0; v <= node; v++)
		{
			const uint32_t *group = split->group + (split->own ? v * split->width : 0);
			uint64_t children = 1;

			for (uint32_t k = 0; k < split->width; k++)
				children *= levels[group[k]];
			before += v < node ? children : 0;
			for (uint32_t k = 0; v == node && k < split->width; k++)
				child = child * levels[group[k]] + codes[group[k]];
		}
		node = before + child;
	}
	return node;
}

static bool
next_row(uint32_t *codes)
{
	for (uint32_t a = ATTRIBUTES; a-- > 0;)
	{
		if (++codes[a] < levels[a])
			return true;
		codes[a] = 0;
	}
	return false;
}

/* Every row, at every layer: where it is, and that the codes of that place are its own. */
static bool
walks_agree(const Case *c)
{
	uint32_t row[ATTRIBUTES] = {0};

	do
		for (uint32_t l = 0; l <= c->partition.layers; l++)
		{
			uint32_t codes[ATTRIBUTES], path[ATTRIBUTES];
			uint64_t node = dp_partition_walk(&c->partition, l, row);
			uint32_t n = dp_partition_codes(&c->partition, l, codes, node, path);

			if (node != plain_walk(c, l, row))
				return false;
			for (uint32_t k = 0; k < n; k++)
				if (codes[path[k]] != row[path[k]])
					return false;
		}
	while (next_row(row));
	return true;
}

static bool
nodes_are_reached(const Case *c)
{
	for (uint64_t v = 0; v < dp_partition_nodes(&c->partition); v++)
	{
		uint32_t codes[ATTRIBUTES] = {0};

		(void) dp_partition_codes(&c->partition, c->partition.layers, codes, v, NULL);
		if (dp_partition_walk(&c->partition, c->partition.layers, codes) != v)
			return false;
	}
	return true;
}

/* ---- the tables of a layer ---- */

static bool
has_all(const uint32_t *list, const uint32_t *wanted, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		bool found = false;

		for (uint32_t k = 0; k < n; k++)
			found |= list[k] == wanted[i];
		if (!found)
			return false;
	}
	return true;
}

/* The table is over the attributes of the node's path, the cell is that of its codes, and no
 * other node has it. */
static bool
node_fits(const Case *c, const DpLayerTables *tables, uint32_t l, uint64_t above, uint64_t node,
		  bool *taken)
{
	uint32_t codes[ATTRIBUTES], path[ATTRIBUTES];
	uint32_t n = dp_partition_codes(&c->partition, l + 1, codes, node, path);
	uint32_t table = dp_layer_table_of(tables, above);
	const uint32_t *attribute = tables->attribute + table * tables->width;
	uint64_t cell = 0, got = tables->cell == NULL ? node : tables->cell[node];

	if (n != tables->width || table >= tables->n || !has_all(attribute, path, n))
		return false;
	for (uint32_t k = 0; k < n; k++)
		cell = cell * levels[attribute[k]] + codes[attribute[k]];
	if (cell != got || taken[table * 1000 + cell])
		return false;
	taken[table * 1000 + cell] = true;
	return true;
}

static bool
layer_fits(const Case *c, uint32_t l, DpArena *arena)
{
	const DpSplit *split = &c->partition.split[l];
	uint64_t before = arena->bytes_used;
	static bool taken[200 * 1000];
	bool right = true;
	DpLayerTables tables;

	memset(taken, 0, sizeof(taken));
	MUST(dp_layer_tables(&c->partition, l, &tables));
	for (uint64_t v = 0; v < split->nodes_above; v++)
		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
			right &= node_fits(c, &tables, l, v, u, taken);
	for (uint32_t t = 0; t < tables.n; t++)
		for (uint32_t other = 0; other < t; other++)
			right &= !has_all(tables.attribute + t * tables.width,
							  tables.attribute + other * tables.width, tables.width);
	dp_layer_tables_free(&c->partition, l, &tables);
	right &= arena->bytes_used == before;
	return right;
}

static void
test_random(void)
{
	unsigned wrong_walk = 0, wrong_node = 0, wrong_table = 0, own = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){71, 0, 0});
	for (int round = 0; round < 60; round++)
	{
		DpArena arena = dp_arena_malloc();
		Case c;

		make_case(&c, &prng, &arena);
		wrong_walk += !walks_agree(&c);
		wrong_node += !nodes_are_reached(&c);
		for (uint32_t l = 0; l < c.partition.layers; l++)
		{
			wrong_table += !layer_fits(&c, l, &arena);
			own += c.partition.split[l].own && l > 0;
		}
		dp_arena_malloc_free(&arena);
	}
	CHECK_I64(wrong_walk, 0, "60 trees: every row is in the node that counting says");
	CHECK_I64(wrong_node, 0, "the codes of every node lead back to it");
	CHECK_I64(wrong_table, 0, "every node is a cell of the table over its path, and has it alone");
	CHECK(own > 30, "many nodes have groups of their own");
}

static void
test_refusals(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, levels, ATTRIBUTES);
	const uint32_t group[] = {0, 3, 1}, twice[] = {1, 1}, none[] = {ATTRIBUTES};
	const uint32_t own[12] = {1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3};
	const uint32_t differing[12] = {1, 1, 1, 4, 1, 1, 1, 5, 1, 1, 1, 6};
	const uint32_t last[] = {2};
	DpPartition partition;

	MUST(dp_partition_init(&partition, &domain, 3, &arena));
	CHECK_I64(dp_partition_nodes(&partition), 1, "without layers there is the root");
	CHECK_STATUS(dp_partition_split(&partition, false, 0, group, 99), DP_ERR_ARGUMENT,
				 "a group without attributes");
	CHECK_STATUS(dp_partition_split(&partition, false, 2, twice, 99), DP_ERR_ARGUMENT,
				 "an attribute twice");
	CHECK_STATUS(dp_partition_split(&partition, false, 1, none, 99), DP_ERR_ARGUMENT,
				 "one that does not exist");
	CHECK_STATUS(dp_partition_split(&partition, false, 2, group, 11), DP_ERR_LIMIT,
				 "12 nodes where 11 are allowed");
	CHECK_OK(dp_partition_split(&partition, false, 2, group, 12), "or 12");
	CHECK_STATUS(dp_partition_split(&partition, false, 1, group, 99), DP_ERR_ARGUMENT,
				 "an attribute of the layer above");
	CHECK_STATUS(dp_partition_split(&partition, true, 1, own, 99), DP_ERR_ARGUMENT,
				 "one of its own path, in the last node alone");
	CHECK_OK(dp_partition_split(&partition, true, 1, differing, 99), "groups that differ");
	CHECK_STATUS(dp_partition_split(&partition, false, 1, last, 99), DP_ERR_ARGUMENT,
				 "one group for all below them");
	dp_arena_malloc_free(&arena);
}

/* A tree of many nodes, each of which has a pair of attributes of its own. */
static DpStatus
tables_status(uint32_t nodes)
{
	enum
	{
		PAIRED = 92 /* of which there are 4186 pairs */
	};
	DpArena arena = dp_arena_malloc();
	uint32_t many[1 + PAIRED] = {nodes}, pair[2 * (DP_LAYER_TABLES_MAX + 1)], n = 0;
	const uint32_t first[] = {0};
	DpDomain domain;
	DpPartition partition;
	DpLayerTables tables;
	DpStatus status;

	for (uint32_t a = 1; a <= PAIRED; a++)
	{
		many[a] = 2;
		for (uint32_t b = 1; b < a && n < nodes; b++, n++)
		{
			pair[2 * n] = a;
			pair[2 * n + 1] = b;
		}
	}
	domain = unit_domain(&arena, many, 1 + PAIRED);
	MUST(dp_partition_init(&partition, &domain, 2, &arena));
	MUST(dp_partition_split(&partition, false, 1, first, nodes));
	MUST(dp_partition_split(&partition, true, 2, pair, UINT64_C(4) * nodes));
	status = dp_layer_tables(&partition, 1, &tables);
	dp_arena_malloc_free(&arena);
	return status;
}

static void
test_many_tables(void)
{
	CHECK_OK(tables_status(DP_LAYER_TABLES_MAX), "as many tables as a layer may have");
	CHECK_STATUS(tables_status(DP_LAYER_TABLES_MAX + 1), DP_ERR_LIMIT, "one more");
}

int
main(void)
{
	test_random();
	test_many_tables();
	test_refusals();
	return unit_finish();
}
