/*
 * steps_sampler.c -- draws from the places of a tree, and what they answer.
 */
#include "core/sample/steps/steps_sampler.h"

#include <string.h>

#include "core/base/row_major.h"
#include "core/model/steps/layer_tables.h"
#include "core/model/noisy_table.h"
#include "core/model/steps/steps_layout.h"
#include "core/sample/model_query.h"

#define TICK_PLACES 4096

static DpStatus
steps_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	return dp_steps_nodes(model, false, out, tick, arena, error);
}

/* ---- drawing ---- */

static void
draw_uniform(const DpStepsNodes *steps, DpPrng *prng, uint32_t *codes)
{
	const DpDomain *domain = &steps->model->domain;

	for (uint32_t a = 0; a < domain->attributes; a++)
		codes[a] = steps->level != NULL && steps->level[a] != NULL
					   ? dp_alias_draw(steps->level[a], domain->attribute[a].levels, prng)
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
steps_draw(const void *state, DpPrng *prng, uint32_t *codes)
{
	const DpStepsNodes *steps = state;
	const DpDomain *domain = &steps->model->domain;
	const DpTable *tail;
	DpStepsPlace place;

	if (steps->places == 0)
	{
		draw_uniform(steps, prng, codes);
		return;
	}
	place = steps->place[dp_alias_draw(steps->entry, steps->places, prng)];
	tail = place.tail > 0 ? &steps->tail[place.tail - 1] : NULL;
	if ((tail != NULL ? tail->n : steps->depth) < domain->attributes)
		draw_uniform(steps, prng, codes);
	if (tail != NULL)
		copy_cell(tail, place.index, codes);
	else
		(void) dp_partition_codes(&steps->partition, steps->partition.layers, codes, place.index,
								  NULL);
}

/* The cost: finding the codes of a place takes about as long as drawing one. */
static uint64_t
steps_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return 1 + model->domain.attributes / 4;
}

/* ---- queries ---- */

static DpStatus
steps_fit(const DpModel *model, void **out, const DpTick *tick, DpArena *arena, DpError *error)
{
	return dp_steps_nodes(model, true, out, tick, arena, error);
}

/* Writes the codes that a place fixes. fixed[attributes] says which these are. */
static void
place_codes(const DpStepsNodes *steps, uint32_t number, bool *fixed, uint32_t *codes)
{
	const DpStepsPlace *place = &steps->place[number];
	const DpTable *tail = place->tail > 0 ? &steps->tail[place->tail - 1] : NULL;
	uint32_t path[DP_ATTRIBUTES_MAX];
	uint32_t n = steps->depth;

	memset(fixed, 0, steps->model->domain.attributes * sizeof(*fixed));
	if (tail != NULL)
	{
		copy_cell(tail, place->index, codes);
		for (uint32_t k = 0; k < tail->n; k++)
			fixed[tail->attribute[k]] = true;
		return;
	}
	if (n > 0)
		n = dp_partition_codes(&steps->partition, steps->partition.layers, codes, place->index,
							   path);
	for (uint32_t k = 0; k < n; k++)
		fixed[path[k]] = true;
}

/* Adds the share of a place to all cells of a set that it can be in. */
static void
add_place(const DpDomain *domain, const DpAttributeSet *set, const bool *fixed, uint32_t *codes,
		  double share, double *out)
{
	uint32_t loose[DP_ATTRIBUTES_MAX], loose_size[DP_ATTRIBUTES_MAX];
	uint32_t size[DP_ATTRIBUTES_MAX] = {0};
	uint32_t code[DP_ATTRIBUTES_MAX];
	uint64_t step[DP_ATTRIBUTES_MAX], cell;
	uint32_t n = 0;

	for (uint32_t k = 0; k < set->n; k++)
		if (!fixed[set->attribute[k]])
		{
			loose[n++] = set->attribute[k];
			codes[set->attribute[k]] = 0;
			share /= domain->attribute[set->attribute[k]].levels;
		}
	dp_domain_levels(domain, set->attribute, set->n, size);
	dp_domain_levels(domain, loose, n, loose_size);
	dp_set_steps_along(set, size, &(DpAttributeSet){n, loose}, step);
	memset(code, 0, n * sizeof(*code));
	cell = dp_domain_cell(domain, set->attribute, set->n, codes);
	do
		out[cell] += share;
	while (dp_row_major_follow(loose_size, step, n, code, &cell));
}

static DpStatus
steps_marginal(const void *fitted, const DpAttributeSet *set, double *out, const DpTick *tick,
			   DpArena *arena)
{
	const DpStepsNodes *steps = fitted;
	const DpDomain *domain = &steps->model->domain;
	uint64_t cells = dp_domain_cells(domain, set->attribute, set->n);
	bool fixed[DP_ATTRIBUTES_MAX] = {false};
	uint32_t codes[DP_ATTRIBUTES_MAX] = {0};
	double total = 0;

	(void) arena;
	memset(out, 0, cells * sizeof(*out));
	for (uint32_t i = 0; i < steps->places; i++)
		total += steps->share[i];
	if (steps->places == 0)
		add_place(domain, set, fixed, codes, 1, out);
	for (uint32_t i = 0; i < steps->places; i++)
	{
		if (i % TICK_PLACES == 0)
			dp_tick(tick, (double) i / steps->places);
		place_codes(steps, i, fixed, codes);
		add_place(domain, set, fixed, codes, steps->share[i] / total, out);
	}
	return DP_OK;
}

/* The mean weight of each attribute's levels, and how they are drawn where a place leaves them
 * open. */
static DpStatus
weigh_levels(DpStepsNodes *steps, const DpGiven *given, DpArena *arena, DpError *error)
{
	const DpDomain *domain = &steps->model->domain;

	steps->mean = dp_alloc(arena, domain->attributes, sizeof(*steps->mean));
	steps->level = dp_alloc(arena, domain->attributes, sizeof(*steps->level));
	DP_TRY_ALLOC(steps->mean && steps->level);
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint32_t levels = domain->attribute[a].levels;
		double *weight;
		uint32_t *work;

		steps->mean[a] = 1;
		if (given->weight[a] == NULL)
			continue;
		weight = dp_memdup(arena, given->weight[a], levels * sizeof(*weight));
		work = dp_alloc(arena, levels, sizeof(*work));
		steps->level[a] = dp_alloc(arena, levels, sizeof(**steps->level));
		DP_TRY_ALLOC(weight && work && steps->level[a]);
		steps->mean[a] = 0;
		for (uint32_t i = 0; i < levels; i++)
			steps->mean[a] += weight[i] / levels;
		if (steps->mean[a] <= 0)
			return dp_fail_impossible(error);
		dp_alias_build(weight, NULL, levels, work, steps->level[a]);
		dp_free(arena, weight, levels, sizeof(*weight));
		dp_free(arena, work, levels, sizeof(*work));
	}
	return DP_OK;
}

/* The places that meet a condition, with the part of their rows that does. */
static DpStatus
weigh_places(const DpStepsNodes *from, const DpGiven *given, DpStepsNodes *to, const DpTick *tick,
			 DpArena *arena, DpError *error)
{
	double *weight = dp_alloc(arena, from->places, sizeof(*weight));
	uint32_t *work = dp_alloc(arena, from->places, sizeof(*work));
	bool fixed[DP_ATTRIBUTES_MAX];
	uint32_t codes[DP_ATTRIBUTES_MAX];

	to->place = dp_alloc(arena, from->places, sizeof(*to->place));
	to->entry = dp_alloc(arena, from->places, sizeof(*to->entry));
	to->places = 0;
	DP_TRY_ALLOC(weight && work && to->place && to->entry);
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
	const DpStepsNodes *from = fitted;
	DpStepsNodes *steps = dp_memdup(arena, from, sizeof(*steps));

	DP_TRY_ALLOC(steps);
	*state = steps;
	if (given == NULL)
		return DP_OK;
	DP_TRY(weigh_levels(steps, given, arena, error));
	return from->places == 0 ? DP_OK : weigh_places(from, given, steps, tick, arena, error);
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
	DP_TRY_ALLOC(noisy);
	for (uint32_t t = 0; t < tables.n && tables.cell != NULL; t++)
	{
		noisy[t] = dp_alloc(arena, table[t].table->cells, sizeof(**noisy));
		DP_TRY_ALLOC(noisy[t]);
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
	return status == DP_ERR_CORRUPT ? dp_steps_corrupt(error) : status;
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
