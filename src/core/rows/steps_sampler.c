/*
 * steps_sampler.c -- consistent nonnegative estimates of a tree's nodes, and
 * draws from them.
 *
 * Dense layers: exact least squares (dp_tree_solve), then nonnegativity from
 * the top (dp_tree_project). Sparse layers, one after the other: the released
 * cells under a node share what the node has. Where they claim more, they are
 * projected on its simplex, where they claim less, they grow in proportion; what
 * a node without any released cell has stays with it, and its rows take the
 * attributes below uniformly.
 */
#include "steps_sampler.h"

#include <math.h>
#include <string.h>

#include "alias.h"
#include "simplex.h"
#include "sort.h"
#include "steps_layout.h"
#include "tree.h"
#include "zeros.h"

#define STAY UINT64_MAX /* a released cell whose parent was not released */

/* Where a row is put: a node of the dense layers, or a cell of a sparse one. */
typedef struct Place
{
	uint32_t tail; /* 0 = a node of the partition, t = the t-th sparse layer */
	uint32_t index;
} Place;

typedef struct Sampler
{
	const DpModel *model;
	DpPartition partition;
	uint32_t depth;   /* attributes that a node of it has */
	bool **forbidden; /* [partition.layers][nodes]: what zeros rule out; NULL = nothing */
	uint32_t tails;
	const DpTable *tail; /* [tails] */
	uint32_t places;     /* 0 = draw uniformly */
	Place *place;
	DpAliasEntry *entry;
} Sampler;

/* Masses of the places of one depth: of all nodes, or of all cells of a sparse layer. */
typedef struct Masses
{
	uint64_t n;
	double *mass;
} Masses;

static DpStatus
corrupt(DpError *error)
{
	return dp_fail(error, DP_ERR_CORRUPT, "stored model: its tables are not those of a tree");
}

/* ---- reading the tables ---- */

static bool
table_is(const DpTable *table, DpStorage storage, const uint32_t *attribute, uint32_t width)
{
	return table->storage == storage && table->n == width &&
		   memcmp(table->attribute, attribute, width * sizeof(*attribute)) == 0;
}

/* Noisy counts of the nodes of layer l, from `*table` on; NULL value: the tables do not fit. */
static DpStatus
read_layer(Sampler *sampler, uint32_t l, const DpTable **table, DpArena *arena, DpTreeLayer *layer)
{
	const DpSplit *split = &sampler->partition.split[l];
	const DpTable *end = sampler->model->table + sampler->model->tables;
	DpLayerTables tables;
	double stddev;

	DP_TRY(dp_layer_tables(&sampler->partition, l, DP_LAYER_TABLES_MAX, &tables));
	if (end - *table < (ptrdiff_t) tables.n)
		return DP_ERR_CORRUPT;
	for (uint32_t t = 0; t < tables.n; t++)
		if (!table_is(&(*table)[t], DP_DENSE, tables.attribute + t * tables.width, tables.width))
			return DP_ERR_CORRUPT;
	stddev = dp_laplace_stddev((*table)->cost.epsilon_nano, (*table)->sensitivity_l1);
	*layer = (DpTreeLayer){.nodes = split->nodes,
						   .first = split->first,
						   /* a huge epsilon's variance underflows: a floor keeps weights finite */
						   .variance = fmax(stddev * stddev, 1e-100)};
	layer->value = dp_alloc(arena, split->nodes, sizeof(*layer->value));
	if (layer->value == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t v = 0; v < split->nodes_above; v++)
	{
		const DpTable *own = *table + dp_layer_table_of(&tables, v);

		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
			layer->value[u] = sampler->forbidden != NULL && sampler->forbidden[l][u]
								  ? 0 /* known */
								  : (double) own->value[tables.cell == NULL ? u : tables.cell[u]];
	}
	*table += tables.n;
	dp_layer_tables_free(&sampler->partition, l, DP_LAYER_TABLES_MAX, &tables);
	return DP_OK;
}

/* Sparse tables up to the end, or to the row count. */
static DpStatus
read_tails(Sampler *sampler, const DpTable *table)
{
	const DpTable *end = sampler->model->table + sampler->model->tables;

	sampler->tail = table;
	for (; table < end && table->storage == DP_SPARSE; table++)
	{
		if (table > sampler->tail &&
			(table->n <= table[-1].n ||
			 memcmp(table->attribute, table[-1].attribute, table[-1].n * sizeof(uint32_t)) != 0))
			return DP_ERR_CORRUPT;
		if (table->cells > UINT32_MAX)
			return DP_ERR_LIMIT;
		sampler->tails++;
	}
	if (table < end && table->n == 0)
		table++;
	return table == end ? DP_OK : DP_ERR_CORRUPT;
}

/* ---- structural zeros ---- */

/* Nodes whose own codes hold a forbidden combination. */
static DpStatus
mark_forbidden(Sampler *sampler, uint32_t l, const DpZeroTest *test, DpArena *arena)
{
	uint32_t codes[DP_ATTRIBUTES_MAX];
	uint32_t path[DP_ATTRIBUTES_MAX];
	bool known[DP_ATTRIBUTES_MAX] = {false};
	uint64_t nodes = sampler->partition.split[l].nodes;

	sampler->forbidden[l] = dp_alloc(arena, nodes, sizeof(bool));
	if (sampler->forbidden[l] == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t v = 0; v < nodes; v++)
	{
		uint32_t n = dp_partition_codes(&sampler->partition, l + 1, v, codes, path);

		for (uint32_t k = 0; k < n; k++)
			known[path[k]] = true;
		sampler->forbidden[l][v] = dp_zero_test_forbids_known(test, known, codes);
		for (uint32_t k = 0; k < n; k++)
			known[path[k]] = false;
	}
	return DP_OK;
}

/* A node that has children, all of which are forbidden, is so too. Returns whether any node of the
 * top layer is left. */
static bool
close_forbidden(Sampler *sampler)
{
	bool left = false;

	for (uint32_t l = sampler->partition.layers; l-- > 1;)
	{
		const DpSplit *split = &sampler->partition.split[l];

		for (uint64_t v = 0; v < split->nodes_above; v++)
		{
			bool all = split->first[v] < split->first[v + 1];

			for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
				all &= sampler->forbidden[l][u];
			sampler->forbidden[l - 1][v] |= all;
		}
	}
	for (uint64_t v = 0; v < sampler->partition.split[0].nodes; v++)
		left |= !sampler->forbidden[0][v];
	return left;
}

static DpStatus
find_forbidden(Sampler *sampler, DpArena *arena, const DpTick *tick)
{
	uint32_t layers = sampler->partition.layers;
	DpZeroTest test;

	if (sampler->model->domain.zeros.sets == 0)
		return DP_OK;
	DP_TRY(dp_zero_test_build(&test, arena, &sampler->model->domain, NULL, 0));
	sampler->forbidden = dp_alloc(arena, layers, sizeof(*sampler->forbidden));
	if (sampler->forbidden == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t l = 0; l < layers; l++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(mark_forbidden(sampler, l, &test, arena));
	}
	/* where nothing is left rows are drawn as if there were no zeros, and refused */
	if (!close_forbidden(sampler))
		sampler->forbidden = NULL;
	return DP_OK;
}

/* What the projection gives no mass. */
static void
exclude_forbidden(const Sampler *sampler, const DpTree *tree)
{
	for (uint32_t l = 0; sampler->forbidden != NULL && l < tree->layers; l++)
	{
		for (uint64_t v = 0; v < tree->layer[l].nodes; v++)
		{
			if (sampler->forbidden[l][v])
				tree->layer[l].value[v] = -INFINITY;
		}
	}
}

/* ---- dense layers ---- */

static DpStatus
solve_tree(Sampler *sampler, const DpTable **table, DpArena *arena, const DpTick *tick,
		   Masses *masses)
{
	double rows = (double) sampler->model->rows;
	DpTree tree = {.layers = sampler->partition.layers};

	tree.layer = dp_alloc(arena, tree.layers, sizeof(*tree.layer));
	if (tree.layer == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(find_forbidden(sampler, arena, tick));
	for (uint32_t l = 0; l < tree.layers; l++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(read_layer(sampler, l, table, arena, &tree.layer[l]));
	}
	DP_TRY(dp_tree_solve(&tree, dp_unit_rows_public(&sampler->model->unit) ? rows : NAN, arena));
	dp_tick(tick, -1.0);
	exclude_forbidden(sampler, &tree);
	DP_TRY(dp_tree_project(&tree, rows, arena));
	for (uint32_t l = 0; l + 1 < tree.layers; l++)
		dp_free(arena, tree.layer[l].value, tree.layer[l].nodes, sizeof(double));
	masses->n = tree.layer[tree.layers - 1].nodes;
	masses->mass = tree.layer[tree.layers - 1].value;
	dp_free(arena, tree.layer, tree.layers, sizeof(*tree.layer));
	return masses->n > UINT32_MAX ? DP_ERR_LIMIT : DP_OK;
}

static DpStatus
root_mass(const Sampler *sampler, DpArena *arena, Masses *masses)
{
	masses->n = 1;
	masses->mass = dp_alloc(arena, 1, sizeof(*masses->mass));
	if (masses->mass == NULL)
		return DP_ERR_MEMORY;
	masses->mass[0] = (double) sampler->model->rows;
	return DP_OK;
}

/* ---- sparse layers ---- */

/* -1, 0, 1 as the first n codes of a stand before, at, or after those of b. */
static int
compare_codes(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	return 0;
}

/* The cell of the sparse layer above that a cell refines; both ascend. */
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

/* The node that a cell of the first sparse layer lies in. */
static void
parents_in_partition(const Sampler *sampler, const DpTable *table, uint64_t *parent)
{
	uint32_t codes[DP_ATTRIBUTES_MAX] = {0};

	for (uint64_t i = 0; i < table->cells; i++)
	{
		for (uint32_t k = 0; k < table->n; k++)
			codes[table->attribute[k]] = table->code[i * table->n + k];
		parent[i] = dp_partition_walk(&sampler->partition, sampler->partition.layers, codes);
	}
}

/* Gives released counts the sum `mass`. */
static void
share_mass(double *value, uint64_t n, double mass, double *work)
{
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += value[i];
	if (mass > 0 && sum > mass)
	{
		dp_simplex_project(value, n, mass, work);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		value[i] *= mass > 0 ? mass / sum : 0;
}

/* Forbidden cells get nothing, as if they had not been released: their rows stay above. */
static DpStatus
drop_forbidden(const Sampler *sampler, const DpTable *table, uint64_t *parent, DpArena *arena)
{
	DpZeroTest test;

	DP_TRY(dp_zero_test_build(&test, arena, &sampler->model->domain, table->attribute, table->n));
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

/* Families in turn: those of one parent stand together in order. What is shared is taken from the
 * parent. */
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

/* Moves the masses of the places above to the cells of sparse layer t, as far as there are any. */
static DpStatus
descend(const Sampler *sampler, uint32_t t, Masses *above, Masses *below, DpArena *arena)
{
	const DpTable *table = &sampler->tail[t];
	uint64_t *parent = dp_alloc(arena, table->cells, sizeof(*parent));
	uint64_t *order = dp_alloc(arena, table->cells, sizeof(*order));
	double *family = dp_alloc(arena, table->cells, 2 * sizeof(*family));

	below->n = table->cells;
	below->mass = dp_alloc(arena, table->cells, sizeof(*below->mass));
	if (parent == NULL || order == NULL || family == NULL || below->mass == NULL)
		return DP_ERR_MEMORY;
	if (t == 0)
		parents_in_partition(sampler, table, parent);
	else
		parents_above(&sampler->tail[t - 1], table, parent);
	DP_TRY(drop_forbidden(sampler, table, parent, arena));
	for (uint64_t i = 0; i < table->cells; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(arena, order, table->cells, parent_before, parent));
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
list_places(const Masses *masses, uint32_t n, Place *place, double *weight)
{
	uint32_t at = 0;

	for (uint32_t t = 0; t < n; t++)
		for (uint64_t i = 0; i < masses[t].n; i++)
		{
			if (masses[t].mass[i] <= 0)
				continue;
			place[at] = (Place){.tail = t, .index = (uint32_t) i};
			weight[at++] = masses[t].mass[i];
		}
}

static DpStatus
compile_places(Sampler *sampler, Masses *masses, DpArena *arena)
{
	uint64_t n = count_positive(masses, sampler->tails + 1);
	double *weight = dp_alloc(arena, n, sizeof(*weight));
	uint32_t *work = dp_alloc(arena, n, sizeof(*work));

	if (n > UINT32_MAX)
		return DP_ERR_LIMIT;
	sampler->places = (uint32_t) n;
	sampler->place = dp_alloc(arena, n, sizeof(*sampler->place));
	sampler->entry = dp_alloc(arena, n, sizeof(*sampler->entry));
	if (weight == NULL || work == NULL || sampler->place == NULL || sampler->entry == NULL)
		return DP_ERR_MEMORY;
	list_places(masses, sampler->tails + 1, sampler->place, weight);
	if (n > 0)
		dp_alias_build(weight, NULL, sampler->places, work, sampler->entry);
	dp_free(arena, weight, n, sizeof(*weight));
	dp_free(arena, work, n, sizeof(*work));
	return DP_OK;
}

static DpStatus
estimate(Sampler *sampler, DpArena *arena, const DpTick *tick)
{
	const DpTable *table = sampler->model->table;
	Masses masses[DP_LAYERS_MAX + 2];

	if (sampler->partition.layers > 0)
		DP_TRY(solve_tree(sampler, &table, arena, tick, &masses[0]));
	else
		DP_TRY(root_mass(sampler, arena, &masses[0]));
	DP_TRY(read_tails(sampler, table));
	if (sampler->tails > DP_LAYERS_MAX + 1)
		return DP_ERR_CORRUPT;
	for (uint32_t t = 0; t < sampler->tails; t++)
	{
		dp_tick(tick, (double) t / sampler->tails);
		DP_TRY(descend(sampler, t, &masses[t], &masses[t + 1], arena));
	}
	DP_TRY(compile_places(sampler, masses, arena));
	for (uint32_t t = 0; t <= sampler->tails; t++)
		dp_free(arena, masses[t].mass, masses[t].n, sizeof(double));
	return DP_OK;
}

DpStatus
dp_steps_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, void **out,
				 DpError *error)
{
	Sampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	DpStatus status;

	if (sampler == NULL)
		return DP_ERR_MEMORY;
	sampler->model = model;
	status = dp_layout_load(&sampler->partition, arena, model);
	for (uint32_t l = 0; status == DP_OK && l < sampler->partition.layers; l++)
		sampler->depth += sampler->partition.split[l].width;
	if (status == DP_OK)
		status = estimate(sampler, arena, tick);
	if (status == DP_ERR_CORRUPT)
		return corrupt(error);
	*out = sampler;
	return status;
}

/* ---- drawing ---- */

static void
draw_uniform(const DpDomain *domain, DpPrng *prng, uint32_t *codes)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
		codes[a] = (uint32_t) dp_prng_below(prng, domain->attribute[a].levels);
}

static void
copy_cell(const DpTable *table, uint32_t cell, uint32_t *codes)
{
	for (uint32_t k = 0; k < table->n; k++)
		codes[table->attribute[k]] = table->code[(uint64_t) cell * table->n + k];
}

/* What a place does not say is uniform; then the place has its say. */
void
dp_steps_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const Sampler *sampler = sampler_in;
	const DpDomain *domain = &sampler->model->domain;
	const DpTable *tail;
	Place place;

	if (sampler->places == 0)
	{
		draw_uniform(domain, prng, codes);
		return;
	}
	place = sampler->place[dp_alias_draw(sampler->entry, sampler->places, prng)];
	tail = place.tail > 0 ? &sampler->tail[place.tail - 1] : NULL;
	if ((tail != NULL ? tail->n : sampler->depth) < domain->attributes)
		draw_uniform(domain, prng, codes);
	if (tail != NULL)
		copy_cell(tail, place.index, codes);
	else
		(void) dp_partition_codes(&sampler->partition, sampler->partition.layers, place.index,
								  codes, NULL);
}

/* Finding the codes of a place costs about as much as drawing one. */
uint64_t
dp_steps_draw_cost(const DpModel *model)
{
	return 1 + model->domain.attributes / 4;
}
