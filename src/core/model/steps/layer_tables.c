/*
 * layer_tables.c -- which table and which cell hold each node of a layer.
 */
#include "core/model/steps/layer_tables.h"

#include "core/base/index_list.h"

/* Whether two lists of n distinct attributes are one set. */
static bool
same_set(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!dp_index_among(b, n, a[i]))
			return false;
	return true;
}

/* Writes the attributes on the path to the children of node v of the layer above. */
static void
path_below(const DpPartition *partition, uint32_t l, uint64_t v, uint32_t *codes, uint32_t *path)
{
	const DpSplit *split = &partition->split[l];
	uint32_t n = dp_partition_codes(partition, l, codes, v, path);

	for (uint32_t k = 0; k < split->width; k++)
		path[n + k] = dp_split_group(split, v)[k];
}

static DpStatus
find_table(DpLayerTables *tables, const uint32_t *path, uint32_t *found)
{
	uint32_t width = tables->width;

	for (*found = 0; *found < tables->n; (*found)++)
	{
		if (same_set(tables->attribute + *found * width, path, width))
			return DP_OK;
	}
	if (tables->n == DP_LAYER_TABLES_MAX)
		return DP_ERR_LIMIT;
	for (uint32_t k = 0; k < width; k++)
		tables->attribute[tables->n * width + k] = path[k];
	tables->n++;
	return DP_OK;
}

static uint64_t
cell_of(const DpPartition *partition, const DpLayerTables *tables, uint32_t table,
		const uint32_t *codes)
{
	return dp_domain_cell(partition->domain, tables->attribute + table * tables->width,
						  tables->width, codes);
}

static DpStatus
place_children(const DpPartition *partition, uint32_t l, DpLayerTables *tables)
{
	const DpSplit *split = &partition->split[l];
	uint32_t codes[DP_ATTRIBUTES_MAX];
	uint32_t path[DP_ATTRIBUTES_MAX];

	for (uint64_t v = 0; v < split->nodes_above; v++)
	{
		path_below(partition, l, v, codes, path);
		DP_TRY(find_table(tables, path, &tables->table[v]));
		for (uint64_t u = split->first[v]; u < split->first[v + 1]; u++)
		{
			dp_partition_codes(partition, l + 1, codes, u, NULL);
			tables->cell[u] = cell_of(partition, tables, tables->table[v], codes);
		}
	}
	return DP_OK;
}

DpStatus
dp_layer_tables(const DpPartition *partition, uint32_t l, DpLayerTables *tables)
{
	const DpSplit *split = &partition->split[l];
	uint32_t codes[DP_ATTRIBUTES_MAX];

	*tables = (DpLayerTables){.n = 0};
	for (uint32_t i = 0; i <= l; i++)
		tables->width += partition->split[i].width;
	tables->attribute =
		dp_alloc(partition->arena, DP_LAYER_TABLES_MAX, tables->width * sizeof(*tables->attribute));
	DP_TRY_ALLOC(tables->attribute);
	if (!split->own)
	{
		/* Every node above is split by the same attributes: the nodes are the cells, in order. */
		tables->n = 1;
		path_below(partition, l, 0, codes, tables->attribute);
		return DP_OK;
	}
	tables->table = dp_alloc(partition->arena, split->nodes_above, sizeof(*tables->table));
	tables->cell = dp_alloc(partition->arena, split->nodes, sizeof(*tables->cell));
	DP_TRY_ALLOC(tables->table && tables->cell);
	return place_children(partition, l, tables);
}

void
dp_layer_tables_free(const DpPartition *partition, uint32_t l, DpLayerTables *tables)
{
	const DpSplit *split = &partition->split[l];

	dp_free(partition->arena, tables->attribute, DP_LAYER_TABLES_MAX,
			tables->width * sizeof(*tables->attribute));
	dp_free(partition->arena, tables->table, split->nodes_above, sizeof(*tables->table));
	dp_free(partition->arena, tables->cell, split->nodes, sizeof(*tables->cell));
	*tables = (DpLayerTables){.n = 0};
}

uint32_t
dp_layer_table_of(const DpLayerTables *tables, uint64_t node_above)
{
	return tables->table == NULL ? 0 : tables->table[node_above];
}
