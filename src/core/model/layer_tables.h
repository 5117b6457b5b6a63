/*
 * layer_tables.h -- the contingency tables that hold a layer of a partition:
 * one for each set of attributes that occurs on the paths to its nodes.
 */
#ifndef DP_LAYER_TABLES_H
#define DP_LAYER_TABLES_H

#include "partition.h"

typedef struct DpLayerTables
{
	uint32_t n;          /* tables */
	uint32_t width;      /* attributes of each */
	uint32_t *attribute; /* [n x width], in the order of the first path that has them */
	uint32_t *table;     /* [nodes above]: of the children; NULL = all in table 0, cell = node */
	uint64_t *cell;      /* [nodes] in their table; NULL likewise */
} DpLayerTables;

/* Of layer l (0-based) of the partition. tables_max: DP_ERR_LIMIT above it. */
extern DpStatus dp_layer_tables(const DpPartition *partition, uint32_t l, uint32_t tables_max,
								DpLayerTables *tables) DP_MUST_USE;
extern void dp_layer_tables_free(const DpPartition *partition, uint32_t l, uint32_t tables_max,
								 DpLayerTables *tables);
/* The table of node_above's children. */
extern uint32_t dp_layer_table_of(const DpLayerTables *tables, uint64_t node_above);

#endif
