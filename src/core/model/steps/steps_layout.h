/*
 * steps_layout.h -- the layers of a hierarchical release. The upper ones are dense tables, kept
 * as a partition. Below it are sparse tables, which are too large to be dense.
 */
#ifndef DP_STEPS_LAYOUT_H
#define DP_STEPS_LAYOUT_H

#include "core/model/model.h"
#include "core/model/steps/partition.h"

#define DP_LAYERS_MAX 16

/* The number of attributes of each layer above the last. The last layer has all the others. */
typedef struct DpLayerWidths
{
	uint32_t layers; /* layers above the last; 0 = all attributes are in one table */
	uint32_t width[DP_LAYERS_MAX];
} DpLayerWidths;

typedef struct DpLayout
{
	DpPartition partition; /* the dense layers */
	uint32_t tails; /* sparse layers; the attributes of each begin with those of the layer before */
	uint32_t tail_width[DP_LAYERS_MAX + 1];
	uint32_t *tail_attribute; /* all attributes, in the order of the last tail */
} DpLayout;

/* The number of layers, the last one included. */
extern uint32_t dp_layout_layers(const DpLayerWidths *widths, uint32_t attributes);
/* The number of attributes of the first l + 1 layers. */
extern uint32_t dp_layout_depth(const DpLayerWidths *widths, uint32_t attributes, uint32_t l);
/* Makes a layout from an order of all attributes, which is the same in all branches. */
extern DpStatus dp_layout_from_order(DpLayout *layout, const DpDomain *domain,
									 const DpLayerWidths *widths, const uint32_t *order,
									 uint64_t dense_cells, DpArena *arena) DP_MUST_USE;
/* Completes a layout with different branches: each branch gets all attributes that it lacks. */
extern DpStatus dp_layout_below(DpLayout *layout, DpPartition partition,
								uint64_t dense_cells) DP_MUST_USE;
/* Writes the partition into the structure of a model, and reads it back. DP_ERR_CORRUPT: the
 * model does not hold one. */
extern DpStatus dp_layout_store(const DpLayout *layout, DpModel *model, DpArena *arena) DP_MUST_USE;
extern DpStatus dp_layout_load(DpPartition *partition, const DpModel *model,
							   DpArena *arena) DP_MUST_USE;

#endif
