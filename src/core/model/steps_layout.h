/*
 * steps_layout.h -- the layers of a hierarchical release: a partition whose
 * layers are dense tables, and below it tables that are too large to be dense.
 */
#ifndef DP_STEPS_LAYOUT_H
#define DP_STEPS_LAYOUT_H

#include "layer_tables.h"
#include "model.h"

#define DP_LAYERS_MAX 16
#define DP_LAYER_TABLES_MAX 4096 /* tables of one layer */

/* Attributes of each layer above the last; the last one has all the others. */
typedef struct DpLayerWidths
{
	uint32_t layers; /* above the last; 0 = all attributes in one table */
	uint32_t width[DP_LAYERS_MAX];
} DpLayerWidths;

typedef struct DpLayout
{
	DpPartition partition; /* the dense layers */
	uint32_t tails; /* sparse layers; each one's attributes begin with those of the one before */
	uint32_t tail_width[DP_LAYERS_MAX + 1];
	uint32_t *tail_attribute; /* all attributes, in the order of the last tail */
} DpLayout;

/* Layers that widths stand for, the last one included. */
extern uint32_t dp_layout_layers(const DpLayerWidths *widths, uint32_t attributes);
/* Attributes of the first l + 1 layers. */
extern uint32_t dp_layout_depth(const DpLayerWidths *widths, uint32_t attributes, uint32_t l);
/* From an order of all attributes, the same in all branches. */
extern DpStatus dp_layout_from_order(DpLayout *layout, DpArena *arena, const DpDomain *domain,
									 const DpLayerWidths *widths, const uint32_t *order,
									 uint64_t dense_cells) DP_MUST_USE;
/* Below a partition whose branches differ: all attributes that are left, in each. */
extern DpStatus dp_layout_below(DpLayout *layout, DpPartition partition,
								uint64_t dense_cells) DP_MUST_USE;
/* The partition as integers of a model, and back. DP_ERR_CORRUPT. */
extern DpStatus dp_layout_store(const DpLayout *layout, DpArena *arena, DpModel *model) DP_MUST_USE;
extern DpStatus dp_layout_load(DpPartition *partition, DpArena *arena,
							   const DpModel *model) DP_MUST_USE;

#endif
