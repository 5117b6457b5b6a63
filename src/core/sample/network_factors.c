/*
 * network_factors.c -- the tables of a network as potentials on a junction tree.
 */
#include "core/sample/network_factors.h"

#include <math.h>
#include <string.h>

#include "core/base/index_list.h"
#include "core/base/row_major.h"

#define CLIQUE_CELLS_MAX (UINT64_C(1) << 24)

/* ---- one table ---- */

static void
scale(double *weight, uint64_t n)
{
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += weight[i];
	for (uint64_t i = 0; i < n; i++)
		weight[i] = sum > 0 ? weight[i] / sum : 1 / (double) n;
}

/* The weights of the target at the longest prefix of the key that has any. Cells that share a
 * prefix stand together. */
static void
back_off(const double *weight, const uint32_t *levels, uint32_t n, uint64_t first, double *out)
{
	uint32_t target = levels[n - 1];
	uint64_t size = target;
	double sum = 0;

	for (uint32_t k = n - 1; sum <= 0 && k-- > 0;)
	{
		uint64_t start;

		size *= levels[k];
		start = first / size * size;
		memset(out, 0, target * sizeof(*out));
		for (uint64_t i = 0; i < size; i++)
		{
			out[i % target] += weight[start + i];
			sum += weight[start + i];
		}
	}
	scale(out, target);
}

static DpStatus
make_conditional(const double *weight, const uint32_t *levels, uint32_t n, uint64_t cells,
				 double **out, DpArena *arena)
{
	uint32_t target = levels[n - 1];

	*out = dp_memdup(arena, weight, cells * sizeof(**out));
	DP_TRY_ALLOC(*out);
	for (uint64_t first = 0; first < cells; first += target)
	{
		double sum = 0;

		for (uint32_t i = 0; i < target; i++)
			sum += weight[first + i];
		if (sum > 0)
			scale(*out + first, target);
		else
			back_off(weight, levels, n, first, *out + first);
	}
	return DP_OK;
}

/* Adds log(p) of a table to the cells of a clique that holds its attributes. */
static void
add_logarithms(DpBelief *belief, uint32_t clique, const DpTable *table, const uint32_t *levels,
			   const double *p, uint32_t *code)
{
	const DpAttributeSet *set = &belief->tree->clique[clique].set;
	double *cell = belief->clique[clique].cell;
	uint64_t step[DP_ATTRIBUTES_MAX], at = 0;
	uint32_t size[DP_ATTRIBUTES_MAX];

	dp_set_levels(set, belief->levels, size);
	dp_set_steps_along(&(DpAttributeSet){table->n, table->attribute}, levels, set, step);
	memset(code, 0, set->n * sizeof(*code));
	for (uint64_t i = 0; i < belief->clique[clique].cells; i++)
	{
		cell[i] += p[at] > 0 ? log(p[at]) : DP_LOG_ZERO;
		(void) dp_row_major_follow(size, step, set->n, code, &at);
	}
}

/* The attributes of a table in ascending order. */
static DpStatus
sorted_set(const DpTable *table, DpAttributeSet *set, DpArena *arena)
{
	uint32_t *attribute = dp_memdup(arena, table->attribute, table->n * sizeof(*attribute));

	DP_TRY_ALLOC(attribute);
	dp_index_sort(attribute, table->n);
	*set = (DpAttributeSet){table->n, attribute};
	return DP_OK;
}

static DpStatus
add_table(DpBelief *belief, const DpNetworkTable *table, uint32_t *code, DpArena *arena)
{
	const DpTable *of = table->from.table;
	uint32_t levels[DP_ATTRIBUTES_MAX];
	double *weight, *p;
	DpAttributeSet set;

	for (uint32_t k = 0; k < of->n; k++)
		levels[k] = belief->levels[of->attribute[k]];
	DP_TRY(sorted_set(of, &set, arena));
	DP_TRY(dp_weights_make(&table->from, &weight, arena));
	p = weight;
	if (table->conditional && of->n > 1)
		DP_TRY(make_conditional(weight, levels, of->n, of->cells, &p, arena));
	else
		scale(weight, of->cells);
	add_logarithms(belief, dp_junction_tree_find(belief->tree, &set), of, levels, p, code);
	if (p != weight)
		dp_free(arena, p, of->cells, sizeof(*p));
	dp_free(arena, weight, of->cells, sizeof(*weight));
	return DP_OK;
}

/* ---- the tree ---- */

static DpStatus
build_tree(DpGraphicalFit *fit, const DpNetworkTable *table, uint32_t tables, const DpTick *tick,
		   DpArena *arena)
{
	DpGraphical *graphical = &fit->graphical;

	DP_TRY(dp_graph_init(&graphical->graph, graphical->levels, graphical->attributes, arena));
	for (uint32_t t = 0; t < tables; t++)
	{
		DpAttributeSet set;

		if (table[t].from.table->storage != DP_DENSE)
			return DP_ERR_LIMIT;
		DP_TRY(sorted_set(table[t].from.table, &set, arena));
		dp_graph_join(&graphical->graph, &set);
	}
	return dp_junction_tree_build(&graphical->graph, CLIQUE_CELLS_MAX, &graphical->tree, tick,
								  arena);
}

DpStatus
dp_network_factors(const DpModel *model, const DpNetworkTable *table, uint32_t tables,
				   DpGraphicalFit **out, const DpTick *tick, DpArena *arena)
{
	DpGraphicalFit *fit = dp_alloc(arena, 1, sizeof(*fit));
	uint32_t p = model->domain.attributes;
	uint32_t *levels = dp_alloc(arena, p, sizeof(*levels));
	uint32_t *code = dp_alloc(arena, p, sizeof(*code));

	DP_TRY_ALLOC(fit && levels && code);
	for (uint32_t a = 0; a < p; a++)
		levels[a] = model->domain.attribute[a].levels;
	*fit = (DpGraphicalFit){.domain = &model->domain, .rows = (uint64_t) model->rows};
	fit->graphical = (DpGraphical){.attributes = p, .levels = levels, .arena = arena};
	dp_renumbering_keep(&fit->graphical.renumbering, levels, p);
	DP_TRY(build_tree(fit, table, tables, tick, arena));
	DP_TRY(dp_belief_init(&fit->graphical.belief, &fit->graphical.tree, levels,
						  model->rows > 0 ? (double) model->rows : 1, arena));
	for (uint32_t t = 0; t < tables; t++)
	{
		dp_tick(tick, (double) t / tables);
		DP_TRY(add_table(&fit->graphical.belief, &table[t], code, arena));
	}
	(void) dp_belief_calibrate(&fit->graphical.belief);
	DP_TRY(dp_graphical_single_splits(fit->domain, &fit->split, arena));
	*out = fit;
	return DP_OK;
}

DpStatus
dp_model_factors(const DpModel *model, DpGraphicalFit **out, const DpTick *tick, DpArena *arena)
{
	DpNetworkTable *network = dp_alloc(arena, model->tables, sizeof(*network));
	uint32_t n = 0;

	DP_TRY_ALLOC(network);
	for (uint32_t t = 0; t < model->tables; t++)
		if (model->table[t].n > 0)
			network[n++] = (DpNetworkTable){
				.from = {.domain = &model->domain, .table = &model->table[t], .rows = model->rows}};
	return dp_network_factors(model, network, n, out, tick, arena);
}
