/*
 * steps_layout.c -- building, storing and loading layouts.
 */
#include "core/model/steps/steps_layout.h"

#include <string.h>

uint32_t
dp_layout_depth(const DpLayerWidths *widths, uint32_t attributes, uint32_t l)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i <= l && i < widths->layers; i++)
		depth += widths->width[i];
	return l < widths->layers ? depth : attributes;
}

uint32_t
dp_layout_layers(const DpLayerWidths *widths, uint32_t attributes)
{
	uint32_t above =
		widths->layers > 0 ? dp_layout_depth(widths, attributes, widths->layers - 1) : 0;

	return widths->layers + (above < attributes ? 1 : 0);
}

DpStatus
dp_layout_from_order(DpLayout *layout, const DpDomain *domain, const DpLayerWidths *widths,
					 const uint32_t *order, uint64_t dense_cells, DpArena *arena)
{
	uint32_t layers = dp_layout_layers(widths, domain->attributes);
	uint32_t above = 0;

	*layout = (DpLayout){.tails = 0};
	DP_TRY(dp_partition_init(&layout->partition, domain, layers, arena));
	layout->tail_attribute = dp_memdup(arena, order, domain->attributes * sizeof(*order));
	DP_TRY_ALLOC(layout->tail_attribute);
	for (uint32_t l = 0; l < layers; l++)
	{
		uint32_t depth = dp_layout_depth(widths, domain->attributes, l);

		if (dp_domain_cells(domain, order, depth) <= dense_cells)
			DP_TRY(dp_partition_split(&layout->partition, false, depth - above, order + above,
									  dense_cells));
		else
			layout->tail_width[layout->tails++] = depth;
		above = depth;
	}
	return DP_OK;
}

/* Lists the attributes that are not on the path to a node of the last layer. Returns their
 * number. */
static uint32_t
list_rest(const DpPartition *partition, uint64_t node, uint32_t *rest)
{
	uint32_t codes[DP_ATTRIBUTES_MAX];
	uint32_t path[DP_ATTRIBUTES_MAX];
	bool taken[DP_ATTRIBUTES_MAX] = {false};
	uint32_t depth = dp_partition_codes(partition, partition->layers, codes, node, path);
	uint32_t n = 0;

	for (uint32_t k = 0; k < depth; k++)
		taken[path[k]] = true;
	for (uint32_t a = 0; a < partition->domain->attributes; a++)
		if (!taken[a])
			rest[n++] = a;
	return n;
}

static DpStatus
split_rest(DpPartition *partition, uint32_t width, uint64_t dense_cells)
{
	uint64_t nodes = dp_partition_nodes(partition);
	uint32_t *groups = dp_alloc(partition->arena, nodes, width * sizeof(*groups));

	DP_TRY_ALLOC(groups);
	for (uint64_t v = 0; v < nodes; v++)
		(void) list_rest(partition, v, groups + v * width);
	DP_TRY(dp_partition_split(partition, true, width, groups, dense_cells));
	dp_free(partition->arena, groups, nodes, width * sizeof(*groups));
	return DP_OK;
}

DpStatus
dp_layout_below(DpLayout *layout, DpPartition partition, uint64_t dense_cells)
{
	uint32_t attributes = partition.domain->attributes;
	uint32_t rest[DP_ATTRIBUTES_MAX];
	uint32_t width = list_rest(&partition, 0, rest);

	*layout = (DpLayout){.partition = partition};
	layout->tail_attribute = dp_alloc(partition.arena, attributes, sizeof(*layout->tail_attribute));
	DP_TRY_ALLOC(layout->tail_attribute);
	for (uint32_t a = 0; a < attributes; a++)
		layout->tail_attribute[a] = a;
	if (width == 0)
		return DP_OK;
	if (dp_domain_cells(partition.domain, layout->tail_attribute, attributes) <= dense_cells)
		return split_rest(&layout->partition, width, dense_cells);
	layout->tail_width[layout->tails++] = attributes;
	return DP_OK;
}

/* ---- as integers: number of layers; each: own, width, groups ---- */

static uint64_t
groups_of(const DpSplit *split)
{
	return (split->own ? split->nodes_above : 1) * split->width;
}

DpStatus
dp_layout_store(const DpLayout *layout, DpModel *model, DpArena *arena)
{
	const DpPartition *partition = &layout->partition;
	uint64_t n = 1;
	uint32_t *at;

	for (uint32_t l = 0; l < partition->layers; l++)
		n += 2 + groups_of(&partition->split[l]);
	if (n > DP_MODEL_STRUCTURE_MAX)
		return DP_ERR_LIMIT;
	model->structure_n = (uint32_t) n;
	model->structure = dp_alloc(arena, n, sizeof(*model->structure));
	DP_TRY_ALLOC(model->structure);
	at = model->structure;
	*at++ = partition->layers;
	for (uint32_t l = 0; l < partition->layers; l++)
	{
		const DpSplit *split = &partition->split[l];

		*at++ = split->own;
		*at++ = split->width;
		memcpy(at, split->group, groups_of(split) * sizeof(*at));
		at += groups_of(split);
	}
	return DP_OK;
}

DpStatus
dp_layout_load(DpPartition *partition, const DpModel *model, DpArena *arena)
{
	const uint32_t *at = model->structure;
	const uint32_t *end = at + model->structure_n;
	uint32_t layers;

	if (model->structure_n < 1 || *at > DP_LAYERS_MAX + 1)
		return DP_ERR_CORRUPT;
	layers = *at++;
	DP_TRY(dp_partition_init(partition, &model->domain, layers, arena));
	for (uint32_t l = 0; l < layers; l++)
	{
		uint64_t groups;
		DpStatus status;

		if (end - at < 2 || at[0] > 1 || at[1] < 1 || at[1] > model->domain.attributes)
			return DP_ERR_CORRUPT;
		groups = (at[0] ? dp_partition_nodes(partition) : 1) * at[1];
		if ((uint64_t) (end - at) - 2 < groups)
			return DP_ERR_CORRUPT;
		status = dp_partition_split(partition, at[0] == 1, at[1], at + 2, DP_MODEL_CELLS_MAX);
		if (status != DP_OK)
			return status == DP_ERR_MEMORY ? status : DP_ERR_CORRUPT;
		at += 2 + groups;
	}
	return at == end ? DP_OK : DP_ERR_CORRUPT;
}
