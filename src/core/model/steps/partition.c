/*
 * partition.c -- building and walking partitions.
 */
#include "core/model/steps/partition.h"

#include "core/base/index_list.h"
#include "core/base/saturate.h"

DpStatus
dp_partition_init(DpPartition *partition, const DpDomain *domain, uint32_t layers_max,
				  DpArena *arena)
{
	*partition = (DpPartition){.arena = arena, .domain = domain, .layers_max = layers_max};
	partition->split = dp_alloc(arena, layers_max, sizeof(*partition->split));
	return partition->split == NULL ? DP_ERR_MEMORY : DP_OK;
}

uint64_t
dp_partition_nodes(const DpPartition *partition)
{
	return partition->layers == 0 ? 1 : partition->split[partition->layers - 1].nodes;
}

const uint32_t *
dp_split_group(const DpSplit *split, uint64_t node_above)
{
	return split->own ? split->group + node_above * split->width : split->group;
}

static uint32_t
path_width(const DpPartition *partition, uint32_t layers)
{
	uint32_t width = 0;

	for (uint32_t l = 0; l < layers; l++)
		width += partition->split[l].width;
	return width;
}

/* Whether all attributes of a group exist, none occurs twice and none is on the path to the
 * node. */
static bool
group_fits(const DpPartition *partition, uint64_t node, const uint32_t *group, uint32_t width)
{
	uint32_t path[DP_ATTRIBUTES_MAX];
	uint32_t codes[DP_ATTRIBUTES_MAX];
	uint32_t n = dp_partition_codes(partition, partition->layers, codes, node, path);

	for (uint32_t k = 0; k < width; k++)
	{
		if (group[k] >= partition->domain->attributes || dp_index_among(path, n, group[k]) ||
			dp_index_among(group, k, group[k]))
			return false;
	}
	return true;
}

static DpStatus
count_children(const DpPartition *partition, DpSplit *split, uint64_t nodes_max)
{
	split->first[0] = 0;
	for (uint64_t v = 0; v < split->nodes_above; v++)
	{
		const uint32_t *group = dp_split_group(split, v);

		/* A group that all nodes share was checked with the first node, since all paths have the
		 * same attributes. */
		if ((split->own || v == 0) && !group_fits(partition, v, group, split->width))
			return DP_ERR_ARGUMENT;
		split->first[v + 1] = dp_add_saturated(
			split->first[v], dp_domain_cells(partition->domain, group, split->width));
		if (split->first[v + 1] > nodes_max)
			return DP_ERR_LIMIT;
	}
	split->nodes = split->first[split->nodes_above];
	return DP_OK;
}

static bool
any_own(const DpPartition *partition)
{
	for (uint32_t l = 0; l < partition->layers; l++)
		if (partition->split[l].own)
			return true;
	return false;
}

DpStatus
dp_partition_split(DpPartition *partition, bool own, uint32_t width, const uint32_t *group,
				   uint64_t nodes_max)
{
	DpSplit split = {.own = own, .width = width, .nodes_above = dp_partition_nodes(partition)};
	uint64_t groups = own ? split.nodes_above : 1;

	/* Where the paths above differ by node, one group for all nodes could repeat an attribute. */
	if (width == 0 || partition->layers == partition->layers_max || (!own && any_own(partition)) ||
		path_width(partition, partition->layers) + width > partition->domain->attributes)
		return DP_ERR_ARGUMENT;
	split.group = dp_memdup(partition->arena, group, groups * width * sizeof(*group));
	split.first = dp_alloc(partition->arena, split.nodes_above + 1, sizeof(*split.first));
	DP_TRY_ALLOC(split.group && split.first);
	DP_TRY(count_children(partition, &split, nodes_max));
	partition->split[partition->layers++] = split;
	return DP_OK;
}

uint64_t
dp_partition_walk(const DpPartition *partition, uint32_t layers, const uint32_t *codes)
{
	uint64_t node = 0;

	for (uint32_t l = 0; l < layers; l++)
	{
		const DpSplit *split = &partition->split[l];
		const uint32_t *group = dp_split_group(split, node);
		uint64_t child = 0;

		for (uint32_t k = 0; k < split->width; k++)
			child = child * partition->domain->attribute[group[k]].levels + codes[group[k]];
		node = split->first[node] + child;
	}
	return node;
}

/* The last v with first[v] <= node. */
static uint64_t
parent_of(const DpSplit *split, uint64_t node)
{
	uint64_t low = 0;
	uint64_t high = split->nodes_above;

	if (!split->own)
		return node / split->first[1];
	while (high - low > 1)
	{
		uint64_t middle = low + (high - low) / 2;

		if (split->first[middle] <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint32_t
dp_partition_codes(const DpPartition *partition, uint32_t layers, uint32_t *codes, uint64_t node,
				   uint32_t *path)
{
	uint32_t width = path_width(partition, layers);
	uint32_t at = width;

	for (uint32_t l = layers; l-- > 0;)
	{
		const DpSplit *split = &partition->split[l];
		uint64_t above = parent_of(split, node);
		const uint32_t *group = dp_split_group(split, above);
		uint64_t child = node - split->first[above];

		for (uint32_t k = split->width; k-- > 0;)
		{
			uint32_t levels = partition->domain->attribute[group[k]].levels;

			codes[group[k]] = (uint32_t) (child % levels);
			child /= levels;
			at--;
			if (path != NULL)
				path[at] = group[k];
		}
		node = above;
	}
	return width;
}
