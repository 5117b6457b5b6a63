/*
 * layer_tables.h -- the contingency tables that hold a layer of a partition: there is one
 * for each set of attributes that occurs on the paths to the nodes of the layer.
 */
#ifndef DP_LAYER_TABLES_H
#define DP_LAYER_TABLES_H

#include "core/model/steps/partition.h"

#define DP_LAYER_TABLES_MAX 4096 /* tables of one layer */

typedef struct DpLayerTables
{
	uint32_t n;          /* tables */
	uint32_t width;      /* attributes of each table */
	uint32_t *attribute; /* [n x width] in the order of the first path that has them */
	uint32_t *table;     /* [nodes above] table of the children; NULL = all in table 0 */
	uint64_t *cell;      /* [nodes] cell of a node in its table; NULL = its own number */
} DpLayerTables;

/* Makes the tables of layer l, counted from 0. DP_ERR_LIMIT: it needs more than
 * DP_LAYER_TABLES_MAX tables. */
extern DpStatus dp_layer_tables(const DpPartition *partition, uint32_t l,
								DpLayerTables *tables) DP_MUST_USE;
extern void dp_layer_tables_free(const DpPartition *partition, uint32_t l, DpLayerTables *tables);
/* The table that holds the children of node_above. */
extern uint32_t dp_layer_table_of(const DpLayerTables *tables, uint64_t node_above);

#endif
