/*
 * steps_sampler.c -- consistent nonnegative estimates of the nodes of a tree, and draws from them.
 *
 * Dense layers are estimated by exact least squares (dp_tree_solve), then made nonnegative from the
 * top (dp_tree_project). Sparse layers follow one after the other: the released cells under a node
 * share what the node has. If they claim more, they are projected on the simplex of the node; if
 * they claim less, they grow in proportion. A node without any released cell keeps what it has, and
 * its rows take the attributes below uniformly.
 */
#include "core/rows/steps_sampler.h"

#include <math.h>
#include <string.h>

#include "core/base/sort.h"
#include "core/model/noisy_table.h"
#include "core/domain/zeros.h"
#include "core/estimate/simplex.h"
#include "core/estimate/tree.h"
#include "core/model/layer_tables.h"
#include "core/model/steps_layout.h"
#include "core/rows/alias.h"
#include "core/rows/model_query.h"

#define TICK_PLACES 4096
#define STAY UINT64_MAX /* a released cell whose parent was not released */

/* Where a row can be put: a node of the dense layers, or a cell of a sparse one. */
typedef struct Place
{
	uint32_t tail; /* 0 = a node of the partition, t = the t-th sparse layer */
	uint32_t index;
} Place;

typedef struct Sampler
{
	const DpModel *model;
	DpPartition partition;
	uint32_t depth;   /* number of attributes that a node of the partition fixes */
	bool **forbidden; /* [partition.layers][nodes] what zeros rule out; NULL = nothing */
	uint32_t tails;
	const DpTable *tail; /* [tails] */
	uint32_t places;     /* 0 = draw uniformly */
	Place *place;
	DpAliasEntry *entry;
	bool keep;            /* whether share is wanted */
	double *share;        /* [places] rows of each place */
	double *mean;         /* [attributes] given a condition: the mean weight of a level */
	DpAliasEntry **level; /* [attributes] given a condition: its levels, where it restricts them */
} Sampler;

/* The masses of the places of one depth: all nodes, or all cells of a sparse layer. */
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

/* Reads the noisy counts of the nodes of layer l, from `*table` on. value is NULL where the
 * tables do not fit. */
static DpStatus
read_layer(Sampler *sampler, uint32_t l, const DpTable **table, DpTreeLayer *layer, DpArena *arena)
{
	const DpSplit *split = &sampler->partition.split[l];
	const DpTable *end = sampler->model->table + sampler->model->tables;
	DpLayerTables tables;

	DP_TRY(dp_layer_tables(&sampler->partition, l, &tables));
	if (end - *table < (ptrdiff_t) tables.n)
		return DP_ERR_CORRUPT;
	for (uint32_t t = 0; t < tables.n; t++)
		if (!table_is(&(*table)[t], DP_DENSE, tables.attribute + t * tables.width, tables.width))
			return DP_ERR_CORRUPT;
	*layer = (DpTreeLayer){
		.nodes = split->nodes, .first = split->first, .variance = dp_table_variance(*table)};
	layer->value = dp_alloc(arena, split->nodes, sizeof(*layer->value));
	if (layer->value == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t v = 0; v < split->nodes_above; v++)
	{
		const DpTable *own = *table + dp_layer_table_of(&tables, v);

		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
			layer->value[u] = sampler->forbidden != NULL && sampler->forbidden[l][u]
								  ? 0 /* zeros are known */
								  : (double) own->value[tables.cell == NULL ? u : tables.cell[u]];
	}
	*table += tables.n;
	dp_layer_tables_free(&sampler->partition, l, &tables);
	return DP_OK;
}

/* Reads the sparse tables up to the end, or to the row count. */
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

/* Marks the nodes whose own codes hold a forbidden combination. */
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
		uint32_t n = dp_partition_codes(&sampler->partition, l + 1, codes, v, path);

		for (uint32_t k = 0; k < n; k++)
			known[path[k]] = true;
		sampler->forbidden[l][v] = dp_zero_test_forbids_known(test, known, codes);
		for (uint32_t k = 0; k < n; k++)
			known[path[k]] = false;
	}
	return DP_OK;
}

/* Marks each node whose children are all forbidden, if it has any. Returns whether any node of
 * the top layer is left. */
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
find_forbidden(Sampler *sampler, const DpTick *tick, DpArena *arena)
{
	uint32_t layers = sampler->partition.layers;
	DpZeroTest test;

	if (sampler->model->domain.zeros.sets == 0)
		return DP_OK;
	DP_TRY(dp_zero_test_build(&test, &sampler->model->domain, NULL, 0, arena));
	sampler->forbidden = dp_alloc(arena, layers, sizeof(*sampler->forbidden));
	if (sampler->forbidden == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t l = 0; l < layers; l++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(mark_forbidden(sampler, l, &test, arena));
	}
	/* if nothing is left, rows are drawn as if there were no zeros, and then refused */
	if (!close_forbidden(sampler))
		sampler->forbidden = NULL;
	return DP_OK;
}

/* Sets forbidden nodes to -INFINITY, to which the projection gives no mass. */
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
solve_tree(Sampler *sampler, const DpTable **table, Masses *masses, const DpTick *tick,
		   DpArena *arena)
{
	double rows = (double) sampler->model->rows;
	DpTree tree = {.layers = sampler->partition.layers};

	tree.layer = dp_alloc(arena, tree.layers, sizeof(*tree.layer));
	if (tree.layer == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(find_forbidden(sampler, tick, arena));
	for (uint32_t l = 0; l < tree.layers; l++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(read_layer(sampler, l, table, &tree.layer[l], arena));
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
root_mass(const Sampler *sampler, Masses *masses, DpArena *arena)
{
	masses->n = 1;
	masses->mass = dp_alloc(arena, 1, sizeof(*masses->mass));
	if (masses->mass == NULL)
		return DP_ERR_MEMORY;
	masses->mass[0] = (double) sampler->model->rows;
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
drop_forbidden(const Sampler *sampler, const DpTable *table, uint64_t *parent, DpArena *arena)
{
	DpZeroTest test;

	DP_TRY(dp_zero_test_build(&test, &sampler->model->domain, table->attribute, table->n, arena));
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
	if (sampler->keep)
		sampler->share = dp_memdup(arena, weight, n * sizeof(*weight));
	if (sampler->keep && sampler->share == NULL)
		return DP_ERR_MEMORY;
	if (n > 0)
		dp_alias_build(weight, NULL, sampler->places, work, sampler->entry);
	dp_free(arena, weight, n, sizeof(*weight));
	dp_free(arena, work, n, sizeof(*work));
	return DP_OK;
}

static DpStatus
estimate(Sampler *sampler, const DpTick *tick, DpArena *arena)
{
	const DpTable *table = sampler->model->table;
	Masses masses[DP_LAYERS_MAX + 2];

	if (sampler->partition.layers > 0)
		DP_TRY(solve_tree(sampler, &table, &masses[0], tick, arena));
	else
		DP_TRY(root_mass(sampler, &masses[0], arena));
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

static DpStatus
prepare(const DpModel *model, bool keep, void **out, const DpTick *tick, DpArena *arena,
		DpError *error)
{
	Sampler *sampler = dp_alloc(arena, 1, sizeof(*sampler));
	DpStatus status;

	if (sampler == NULL)
		return DP_ERR_MEMORY;
	sampler->model = model;
	sampler->keep = keep;
	status = dp_layout_load(&sampler->partition, model, arena);
	for (uint32_t l = 0; status == DP_OK && l < sampler->partition.layers; l++)
		sampler->depth += sampler->partition.split[l].width;
	if (status == DP_OK)
		status = estimate(sampler, tick, arena);
	if (status == DP_ERR_CORRUPT)
		return corrupt(error);
	*out = sampler;
	return status;
}

static DpStatus
steps_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	return prepare(model, false, out, tick, arena, error);
}

/* ---- drawing ---- */

static void
draw_uniform(const Sampler *sampler, DpPrng *prng, uint32_t *codes)
{
	const DpDomain *domain = &sampler->model->domain;

	for (uint32_t a = 0; a < domain->attributes; a++)
		codes[a] = sampler->level != NULL && sampler->level[a] != NULL
					   ? dp_alias_draw(sampler->level[a], domain->attribute[a].levels, prng)
					   : (uint32_t) dp_prng_below(prng, domain->attribute[a].levels);
}

static void
copy_cell(const DpTable *table, uint32_t cell, uint32_t *codes)
{
	for (uint32_t k = 0; k < table->n; k++)
		codes[table->attribute[k]] = table->code[(uint64_t) cell * table->n + k];
}

/* Draws all attributes uniformly, then overwrites those that the place fixes. */
static void
steps_draw(const void *sampler_in, DpPrng *prng, uint32_t *codes)
{
	const Sampler *sampler = sampler_in;
	const DpDomain *domain = &sampler->model->domain;
	const DpTable *tail;
	Place place;

	if (sampler->places == 0)
	{
		draw_uniform(sampler, prng, codes);
		return;
	}
	place = sampler->place[dp_alias_draw(sampler->entry, sampler->places, prng)];
	tail = place.tail > 0 ? &sampler->tail[place.tail - 1] : NULL;
	if ((tail != NULL ? tail->n : sampler->depth) < domain->attributes)
		draw_uniform(sampler, prng, codes);
	if (tail != NULL)
		copy_cell(tail, place.index, codes);
	else
		(void) dp_partition_codes(&sampler->partition, sampler->partition.layers, codes,
								  place.index, NULL);
}

/* The cost: finding the codes of a place takes about as long as drawing one. */
static uint64_t
steps_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return 1 + model->domain.attributes / 4;
}

/* ---- questions ---- */

static DpStatus
steps_fit(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	return prepare(model, true, out, tick, arena, error);
}

/* Writes the codes that a place fixes. fixed[attributes] says which these are. */
static void
place_codes(const Sampler *sampler, uint32_t number, bool *fixed, uint32_t *codes)
{
	const Place *place = &sampler->place[number];
	const DpTable *tail = place->tail > 0 ? &sampler->tail[place->tail - 1] : NULL;
	uint32_t path[DP_ATTRIBUTES_MAX];
	uint32_t n = sampler->depth;

	memset(fixed, 0, sampler->model->domain.attributes * sizeof(*fixed));
	if (tail != NULL)
	{
		copy_cell(tail, place->index, codes);
		for (uint32_t k = 0; k < tail->n; k++)
			fixed[tail->attribute[k]] = true;
		return;
	}
	if (n > 0)
		n = dp_partition_codes(&sampler->partition, sampler->partition.layers, codes, place->index,
							   path);
	for (uint32_t k = 0; k < n; k++)
		fixed[path[k]] = true;
}

/* Adds the share of a place to all cells of a set that it can be in. */
static void
add_place(const DpDomain *domain, const DpAttributeSet *set, const bool *fixed, uint32_t *codes,
		  double share, double *out)
{
	uint32_t loose[DP_ATTRIBUTES_MAX] = {0};
	uint32_t n = 0;

	for (uint32_t k = 0; k < set->n; k++)
		if (!fixed[set->attribute[k]])
		{
			loose[n++] = set->attribute[k];
			codes[set->attribute[k]] = 0;
			share /= domain->attribute[set->attribute[k]].levels;
		}
	for (bool more = true; more;)
	{
		uint64_t cell = 0;

		for (uint32_t k = 0; k < set->n; k++)
			cell = cell * domain->attribute[set->attribute[k]].levels + codes[set->attribute[k]];
		out[cell] += share;
		more = false;
		for (uint32_t k = n; k-- > 0 && !more; codes[loose[k]] = more ? codes[loose[k]] : 0)
			more = ++codes[loose[k]] < domain->attribute[loose[k]].levels;
	}
}

static DpStatus
steps_marginal(const void *fitted, const DpAttributeSet *set, double *out, const DpTick *tick,
			   DpArena *arena)
{
	const Sampler *sampler = fitted;
	const DpDomain *domain = &sampler->model->domain;
	uint64_t cells = dp_domain_cells(domain, set->attribute, set->n);
	bool fixed[DP_ATTRIBUTES_MAX] = {false};
	uint32_t codes[DP_ATTRIBUTES_MAX] = {0};
	double total = 0;

	(void) arena;
	memset(out, 0, cells * sizeof(*out));
	for (uint32_t i = 0; i < sampler->places; i++)
		total += sampler->share[i];
	if (sampler->places == 0)
		add_place(domain, set, fixed, codes, 1, out);
	for (uint32_t i = 0; i < sampler->places; i++)
	{
		if (i % TICK_PLACES == 0)
			dp_tick(tick, (double) i / sampler->places);
		place_codes(sampler, i, fixed, codes);
		add_place(domain, set, fixed, codes, sampler->share[i] / total, out);
	}
	return DP_OK;
}

/* The mean weight of each attribute's levels, and how they are drawn where a place leaves them
 * open. */
static DpStatus
weigh_levels(Sampler *sampler, const DpGiven *given, DpArena *arena, DpError *error)
{
	const DpDomain *domain = &sampler->model->domain;

	sampler->mean = dp_alloc(arena, domain->attributes, sizeof(*sampler->mean));
	sampler->level = dp_alloc(arena, domain->attributes, sizeof(*sampler->level));
	if (sampler->mean == NULL || sampler->level == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint32_t levels = domain->attribute[a].levels;
		double *weight;
		uint32_t *work;

		sampler->mean[a] = 1;
		if (given->weight[a] == NULL)
			continue;
		weight = dp_memdup(arena, given->weight[a], levels * sizeof(*weight));
		work = dp_alloc(arena, levels, sizeof(*work));
		sampler->level[a] = dp_alloc(arena, levels, sizeof(**sampler->level));
		if (weight == NULL || work == NULL || sampler->level[a] == NULL)
			return DP_ERR_MEMORY;
		sampler->mean[a] = 0;
		for (uint32_t i = 0; i < levels; i++)
			sampler->mean[a] += weight[i] / levels;
		if (sampler->mean[a] <= 0)
			return dp_fail_impossible(error);
		dp_alias_build(weight, NULL, levels, work, sampler->level[a]);
		dp_free(arena, weight, levels, sizeof(*weight));
		dp_free(arena, work, levels, sizeof(*work));
	}
	return DP_OK;
}

/* The places that meet a condition, with the part of their rows that does. */
static DpStatus
weigh_places(const Sampler *from, const DpGiven *given, Sampler *to, const DpTick *tick,
			 DpArena *arena, DpError *error)
{
	double *weight = dp_alloc(arena, from->places, sizeof(*weight));
	uint32_t *work = dp_alloc(arena, from->places, sizeof(*work));
	bool fixed[DP_ATTRIBUTES_MAX];
	uint32_t codes[DP_ATTRIBUTES_MAX];

	to->place = dp_alloc(arena, from->places, sizeof(*to->place));
	to->entry = dp_alloc(arena, from->places, sizeof(*to->entry));
	to->places = 0;
	if (weight == NULL || work == NULL || to->place == NULL || to->entry == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < from->places; i++)
	{
		double own = from->share[i];

		if (i % TICK_PLACES == 0)
			dp_tick(tick, (double) i / from->places);
		place_codes(from, i, fixed, codes);
		for (uint32_t a = 0; a < from->model->domain.attributes; a++)
			if (given->weight[a] != NULL)
				own *= fixed[a] ? given->weight[a][codes[a]] : to->mean[a];
		if (own <= 0)
			continue;
		to->place[to->places] = from->place[i];
		weight[to->places++] = own;
	}
	if (to->places == 0)
		return dp_fail_impossible(error);
	dp_alias_build(weight, NULL, to->places, work, to->entry);
	dp_free(arena, weight, from->places, sizeof(*weight));
	dp_free(arena, work, from->places, sizeof(*work));
	return DP_OK;
}

static DpStatus
steps_compile(const void *fitted, const DpGiven *given, void **state, const DpTick *tick,
			  DpArena *arena, DpError *error)
{
	const Sampler *from = fitted;
	Sampler *sampler = dp_memdup(arena, from, sizeof(*sampler));

	if (sampler == NULL)
		return DP_ERR_MEMORY;
	*state = sampler;
	if (given == NULL)
		return DP_OK;
	DP_TRY(weigh_levels(sampler, given, arena, error));
	return from->places == 0 ? DP_OK : weigh_places(from, given, sampler, tick, arena, error);
}

/* ---- what the tables hold ---- */

/* In the tables of a layer whose branches differ, only the cells of its own nodes have a value. */
static DpStatus
mark_nodes(const DpPartition *partition, uint32_t l, DpMeasuredTable *table, uint32_t left,
		   uint32_t *used, DpArena *arena)
{
	const DpSplit *split = &partition->split[l];
	DpLayerTables tables;
	bool **noisy;

	DP_TRY(dp_layer_tables(partition, l, &tables));
	*used = tables.n;
	if (tables.n > left)
		return DP_ERR_CORRUPT;
	noisy = dp_alloc(arena, tables.n, sizeof(*noisy));
	if (noisy == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t t = 0; t < tables.n && tables.cell != NULL; t++)
	{
		noisy[t] = dp_alloc(arena, table[t].table->cells, sizeof(**noisy));
		if (noisy[t] == NULL)
			return DP_ERR_MEMORY;
		table[t].noisy = noisy[t];
	}
	for (uint64_t v = 0; v < split->nodes_above && tables.cell != NULL; v++)
		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
		{
			uint32_t t = dp_layer_table_of(&tables, v);

			if (tables.cell[u] >= table[t].table->cells)
				return DP_ERR_CORRUPT;
			noisy[t][tables.cell[u]] = true;
		}
	dp_free(arena, noisy, tables.n, sizeof(*noisy));
	dp_layer_tables_free(partition, l, &tables);
	return DP_OK;
}

static DpStatus
steps_measured(const DpModel *model, DpMeasuredTable *table, DpArena *arena, DpError *error)
{
	DpPartition partition;
	DpStatus status = dp_layout_load(&partition, model, arena);
	uint32_t at = 0, used;

	for (uint32_t l = 0; status == DP_OK && l < partition.layers; l++, at += used)
		status = mark_nodes(&partition, l, table + at, model->tables - at, &used, arena);
	return status == DP_ERR_CORRUPT ? corrupt(error) : status;
}

static const DpModelQuery steps_query = {
	.fit = steps_fit,
	.marginal = steps_marginal,
	.compile = steps_compile,
	.sampler = &dp_steps_sampler,
};

const DpSampler dp_steps_sampler = {
	.prepare = steps_prepare,
	.draw = steps_draw,
	.draw_cost = steps_draw_cost,
	.query = &steps_query,
	.measured = steps_measured,
};
