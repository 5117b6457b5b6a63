/*
 * steps_nodes.c -- consistent nonnegative estimates of the nodes of a tree.
 *
 * Dense layers are estimated by exact least squares (dp_tree_solve), then made nonnegative from the
 * top (dp_tree_project). Sparse layers follow one after the other: the released cells under a node
 * share what the node has. If they claim more, they are projected on the simplex of the node; if
 * they claim less, they grow in proportion. A node without any released cell keeps what it has, and
 * its rows take the attributes below uniformly.
 */
#include "core/sample/steps/steps_sampler.h"

#include <math.h>
#include <string.h>

#include "core/base/sort.h"
#include "core/domain/zeros.h"
#include "core/estimate/weights.h"
#include "core/model/steps/layer_tables.h"
#include "core/model/noisy_table.h"
#include "core/model/steps/steps_layout.h"

#define STAY UINT64_MAX /* a released cell whose parent was not released */

/* The masses of the places of one depth: all nodes, or all cells of a sparse layer. */
typedef struct Masses
{
	uint64_t n;
	double *mass;
} Masses;

DpStatus
dp_steps_corrupt(DpError *error)
{
	return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of a tree");
}

/* ---- reading the tables ---- */

static bool
table_is(const DpTable *table, const uint32_t *attribute, uint32_t width)
{
	return table->storage == DP_DENSE && table->n == width &&
		   memcmp(table->attribute, attribute, width * sizeof(*attribute)) == 0;
}

/* Reads the noisy counts of the nodes of layer l, from `*table` on. value is NULL where the
 * tables do not fit. */
static DpStatus
read_layer(DpStepsNodes *steps, uint32_t l, const DpTable **table, DpTreeLayer *layer,
		   DpArena *arena)
{
	const DpSplit *split = &steps->partition.split[l];
	const DpTable *end = steps->model->table + steps->model->tables;
	DpLayerTables tables;

	DP_TRY(dp_layer_tables(&steps->partition, l, &tables));
	if (end - *table < (ptrdiff_t) tables.n)
		return DP_ERR_CORRUPT;
	for (uint32_t t = 0; t < tables.n; t++)
		if (!table_is(&(*table)[t], tables.attribute + t * tables.width, tables.width))
			return DP_ERR_CORRUPT;
	*layer = (DpTreeLayer){
		.nodes = split->nodes, .first = split->first, .variance = dp_table_variance(*table)};
	layer->value = dp_alloc(arena, split->nodes, sizeof(*layer->value));
	DP_TRY_ALLOC(layer->value);
	for (uint64_t v = 0; v < split->nodes_above; v++)
	{
		const DpTable *own = *table + dp_layer_table_of(&tables, v);

		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
			layer->value[u] = steps->forbidden != NULL && steps->forbidden[l][u]
								  ? 0 /* zeros are known */
								  : (double) own->value[tables.cell == NULL ? u : tables.cell[u]];
	}
	*table += tables.n;
	dp_layer_tables_free(&steps->partition, l, &tables);
	return DP_OK;
}

/* Reads the sparse tables up to the end, or to the row count. */
static DpStatus
read_tails(DpStepsNodes *steps, const DpTable *table)
{
	const DpTable *end = steps->model->table + steps->model->tables;

	steps->tail = table;
	for (; table < end && table->storage == DP_SPARSE; table++)
	{
		if (table > steps->tail &&
			(table->n <= table[-1].n ||
			 memcmp(table->attribute, table[-1].attribute, table[-1].n * sizeof(uint32_t)) != 0))
			return DP_ERR_CORRUPT;
		if (table->cells > UINT32_MAX)
			return DP_ERR_LIMIT;
		steps->tails++;
	}
	if (table < end && table->n == 0)
		table++;
	return table == end ? DP_OK : DP_ERR_CORRUPT;
}

/* ---- structural zeros ---- */

/* Marks the nodes whose own codes hold a forbidden combination. */
static DpStatus
mark_forbidden(DpStepsNodes *steps, uint32_t l, const DpZeroTest *test, DpArena *arena)
{
	uint32_t codes[DP_ATTRIBUTES_MAX];
	uint32_t path[DP_ATTRIBUTES_MAX];
	bool known[DP_ATTRIBUTES_MAX] = {false};
	uint64_t nodes = steps->partition.split[l].nodes;

	steps->forbidden[l] = dp_alloc(arena, nodes, sizeof(bool));
	DP_TRY_ALLOC(steps->forbidden[l]);
	for (uint64_t v = 0; v < nodes; v++)
	{
		uint32_t n = dp_partition_codes(&steps->partition, l + 1, codes, v, path);

		for (uint32_t k = 0; k < n; k++)
			known[path[k]] = true;
		steps->forbidden[l][v] = dp_zero_test_forbids_known(test, known, codes);
		for (uint32_t k = 0; k < n; k++)
			known[path[k]] = false;
	}
	return DP_OK;
}

/* Marks each node whose children are all forbidden, if it has any. Returns whether any node of
 * the top layer is left. */
static bool
close_forbidden(DpStepsNodes *steps)
{
	bool left = false;

	for (uint32_t l = steps->partition.layers; l-- > 1;)
	{
		const DpSplit *split = &steps->partition.split[l];

		for (uint64_t v = 0; v < split->nodes_above; v++)
		{
			bool all = split->first[v] < split->first[v + 1];

			for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
				all &= steps->forbidden[l][u];
			steps->forbidden[l - 1][v] |= all;
		}
	}
	for (uint64_t v = 0; v < steps->partition.split[0].nodes; v++)
		left |= !steps->forbidden[0][v];
	return left;
}

static DpStatus
find_forbidden(DpStepsNodes *steps, const DpTick *tick, DpArena *arena)
{
	uint32_t layers = steps->partition.layers;
	DpZeroTest test;

	if (steps->model->domain.zeros.sets == 0)
		return DP_OK;
	DP_TRY(dp_zero_test_build(&test, &steps->model->domain, NULL, 0, arena));
	steps->forbidden = dp_alloc(arena, layers, sizeof(*steps->forbidden));
	DP_TRY_ALLOC(steps->forbidden);
	for (uint32_t l = 0; l < layers; l++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(mark_forbidden(steps, l, &test, arena));
	}
	/* if nothing is left, rows are drawn as if there were no zeros, and then refused */
	if (!close_forbidden(steps))
		steps->forbidden = NULL;
	return DP_OK;
}

/* Sets forbidden nodes to -INFINITY, to which the projection gives no mass. */
static void
exclude_forbidden(const DpStepsNodes *steps, const DpTree *tree)
{
	for (uint32_t l = 0; steps->forbidden != NULL && l < tree->layers; l++)
	{
		for (uint64_t v = 0; v < tree->layer[l].nodes; v++)
		{
			if (steps->forbidden[l][v])
				tree->layer[l].value[v] = -INFINITY;
		}
	}
}

/* ---- dense layers ---- */

static DpStatus
solve_tree(DpStepsNodes *steps, const DpTable **table, Masses *masses, const DpTick *tick,
		   DpArena *arena)
{
	double rows = (double) steps->model->rows;
	DpTree tree = {.layers = steps->partition.layers};

	tree.layer = dp_alloc(arena, tree.layers, sizeof(*tree.layer));
	DP_TRY_ALLOC(tree.layer);
	DP_TRY(find_forbidden(steps, tick, arena));
	for (uint32_t l = 0; l < tree.layers; l++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(read_layer(steps, l, table, &tree.layer[l], arena));
	}
	DP_TRY(dp_tree_solve(&tree, dp_unit_rows_public(&steps->model->unit) ? rows : NAN, arena));
	dp_tick(tick, -1.0);
	exclude_forbidden(steps, &tree);
	DP_TRY(dp_tree_project(&tree, rows, arena));
	for (uint32_t l = 0; l + 1 < tree.layers; l++)
		dp_free(arena, tree.layer[l].value, tree.layer[l].nodes, sizeof(double));
	masses->n = tree.layer[tree.layers - 1].nodes;
	masses->mass = tree.layer[tree.layers - 1].value;
	dp_free(arena, tree.layer, tree.layers, sizeof(*tree.layer));
	return masses->n > UINT32_MAX ? DP_ERR_LIMIT : DP_OK;
}

static DpStatus
root_mass(const DpStepsNodes *steps, Masses *masses, DpArena *arena)
{
	masses->n = 1;
	masses->mass = dp_alloc(arena, 1, sizeof(*masses->mass));
	DP_TRY_ALLOC(masses->mass);
	masses->mass[0] = (double) steps->model->rows;
	return DP_OK;
}

/* ---- sparse layers ---- */

/* Returns -1, 0 or 1 as the first n codes of a stand before, at or after those of b. */
static int
compare_codes(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	return 0;
}

/* Finds, for each cell, the cell of the sparse layer above that it refines. Both layers ascend. */
static void
parents_above(const DpTable *above, const DpTable *table, uint64_t *parent)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < table->cells; i++)
	{
		const uint32_t *code = table->code + i * table->n;

		while (at < above->cells && compare_codes(above->code + at * above->n, code, above->n) < 0)
			at++;
		parent[i] =
			at < above->cells && compare_codes(above->code + at * above->n, code, above->n) == 0
				? at
				: STAY;
	}
}

/* Finds the node that each cell of the first sparse layer lies in. */
static void
parents_in_partition(const DpStepsNodes *steps, const DpTable *table, uint64_t *parent)
{
	uint32_t codes[DP_ATTRIBUTES_MAX] = {0};

	for (uint64_t i = 0; i < table->cells; i++)
	{
		for (uint32_t k = 0; k < table->n; k++)
			codes[table->attribute[k]] = table->code[i * table->n + k];
		parent[i] = dp_partition_walk(&steps->partition, steps->partition.layers, codes);
	}
}

/* Changes released counts so that their sum is `mass`. */
static void
share_mass(double *value, uint64_t n, double mass, double *work)
{
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += value[i];
	if (mass > 0 && sum > mass)
	{
		dp_simplex_project(value, n, work, mass);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		value[i] *= mass > 0 ? mass / sum : 0;
}

/* Treats forbidden cells as if they had not been released: their rows stay at the place above. */
static DpStatus
drop_forbidden(const DpStepsNodes *steps, const DpTable *table, uint64_t *parent, DpArena *arena)
{
	DpZeroTest test;

	DP_TRY(dp_zero_test_build(&test, &steps->model->domain, table->attribute, table->n, arena));
	for (uint64_t i = 0; i < table->cells && test.n > 0; i++)
	{
		if (dp_zero_test_forbids(&test, table->code + i * table->n))
			parent[i] = STAY;
	}
	return DP_OK;
}

static bool
parent_before(const void *context, uint64_t a, uint64_t b)
{
	const uint64_t *parent = context;

	return parent[a] < parent[b];
}

/* Shares out mass family by family. The cells of one parent stand together in order. What they
 * get is taken from the parent. */
static void
share_families(const DpTable *table, const uint64_t *parent, const uint64_t *order, Masses *above,
			   Masses *below, double *family)
{
	double *work = family + table->cells;
	uint64_t first = 0;

	while (first < table->cells && parent[order[first]] != STAY)
	{
		uint64_t v = parent[order[first]];
		uint64_t n = 0;

		for (; first + n < table->cells && parent[order[first + n]] == v; n++)
			family[n] = (double) table->value[order[first + n]];
		share_mass(family, n, above->mass[v], work);
		for (uint64_t i = 0; i < n; i++)
			below->mass[order[first + i]] = family[i];
		above->mass[v] = 0;
		first += n;
	}
}

/* Moves the masses of the places above to the cells of sparse layer t, as far as there are
 * cells. */
static DpStatus
descend(const DpStepsNodes *steps, uint32_t t, Masses *above, Masses *below, DpArena *arena)
{
	const DpTable *table = &steps->tail[t];
	uint64_t *parent = dp_alloc(arena, table->cells, sizeof(*parent));
	uint64_t *order = dp_alloc(arena, table->cells, sizeof(*order));
	double *family = dp_alloc(arena, table->cells, 2 * sizeof(*family));

	below->n = table->cells;
	below->mass = dp_alloc(arena, table->cells, sizeof(*below->mass));
	DP_TRY_ALLOC(parent && order && family && below->mass);
	if (t == 0)
		parents_in_partition(steps, table, parent);
	else
		parents_above(&steps->tail[t - 1], table, parent);
	DP_TRY(drop_forbidden(steps, table, parent, arena));
	for (uint64_t i = 0; i < table->cells; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, table->cells, parent_before, parent, arena));
	share_families(table, parent, order, above, below, family);
	dp_free(arena, parent, table->cells, sizeof(*parent));
	dp_free(arena, order, table->cells, sizeof(*order));
	dp_free(arena, family, table->cells, 2 * sizeof(*family));
	return DP_OK;
}

/* ---- the alias table over all places ---- */

static uint64_t
count_positive(const Masses *masses, uint32_t n)
{
	uint64_t positive = 0;

	for (uint32_t t = 0; t < n; t++)
		for (uint64_t i = 0; i < masses[t].n; i++)
			positive += masses[t].mass[i] > 0;
	return positive;
}

static void
list_places(const Masses *masses, uint32_t n, DpStepsPlace *place, double *weight)
{
	uint32_t at = 0;

	for (uint32_t t = 0; t < n; t++)
		for (uint64_t i = 0; i < masses[t].n; i++)
		{
			if (masses[t].mass[i] <= 0)
				continue;
			place[at] = (DpStepsPlace){.tail = t, .index = (uint32_t) i};
			weight[at++] = masses[t].mass[i];
		}
}

static DpStatus
compile_places(DpStepsNodes *steps, Masses *masses, DpArena *arena)
{
	uint64_t n = count_positive(masses, steps->tails + 1);
	double *weight = dp_alloc(arena, n, sizeof(*weight));
	uint32_t *work = dp_alloc(arena, n, sizeof(*work));

	if (n > UINT32_MAX)
		return DP_ERR_LIMIT;
	steps->places = (uint32_t) n;
	steps->place = dp_alloc(arena, n, sizeof(*steps->place));
	steps->entry = dp_alloc(arena, n, sizeof(*steps->entry));
	DP_TRY_ALLOC(weight && work && steps->place && steps->entry);
	list_places(masses, steps->tails + 1, steps->place, weight);
	if (steps->keep)
		steps->share = dp_memdup(arena, weight, n * sizeof(*weight));
	if (steps->keep && steps->share == NULL)
		return DP_ERR_MEMORY;
	if (n > 0)
		dp_alias_build(weight, NULL, steps->places, work, steps->entry);
	dp_free(arena, weight, n, sizeof(*weight));
	dp_free(arena, work, n, sizeof(*work));
	return DP_OK;
}

static DpStatus
estimate(DpStepsNodes *steps, const DpTick *tick, DpArena *arena)
{
	const DpTable *table = steps->model->table;
	Masses masses[DP_LAYERS_MAX + 2];

	if (steps->partition.layers > 0)
		DP_TRY(solve_tree(steps, &table, &masses[0], tick, arena));
	else
		DP_TRY(root_mass(steps, &masses[0], arena));
	DP_TRY(read_tails(steps, table));
	if (steps->tails > DP_LAYERS_MAX + 1)
		return DP_ERR_CORRUPT;
	for (uint32_t t = 0; t < steps->tails; t++)
	{
		dp_tick(tick, (double) t / steps->tails);
		DP_TRY(descend(steps, t, &masses[t], &masses[t + 1], arena));
	}
	DP_TRY(compile_places(steps, masses, arena));
	for (uint32_t t = 0; t <= steps->tails; t++)
		dp_free(arena, masses[t].mass, masses[t].n, sizeof(double));
	return DP_OK;
}

DpStatus
dp_steps_nodes(const DpModel *model, bool keep, void **out, const DpTick *tick, DpArena *arena,
			   DpError *error)
{
	DpStepsNodes *steps = dp_alloc(arena, 1, sizeof(*steps));
	DpStatus status;

	DP_TRY_ALLOC(steps);
	steps->model = model;
	steps->keep = keep;
	status = dp_layout_load(&steps->partition, model, arena);
	for (uint32_t l = 0; status == DP_OK && l < steps->partition.layers; l++)
		steps->depth += steps->partition.split[l].width;
	if (status == DP_OK)
		status = estimate(steps, tick, arena);
	if (status == DP_ERR_CORRUPT)
		return dp_steps_corrupt(error);
	*out = steps;
	return status;
}
