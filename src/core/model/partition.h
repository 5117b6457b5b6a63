/*
 * partition.h -- how a tree splits a table: the rows of a node by the values
 * of a group of attributes, which may be another one for each node of a layer.
 * Public or released facts only.
 */
#ifndef DP_PARTITION_H
#define DP_PARTITION_H

#include "domain.h"

typedef struct DpSplit
{
	bool own;             /* a group for each node above, else one for all */
	uint32_t width;       /* attributes of a group */
	uint32_t *group;      /* [width], or [nodes_above x width]; first attribute most significant */
	uint64_t nodes_above; /* 1 for the top layer, whose parent is the root */
	uint64_t nodes;
	uint64_t *first; /* [nodes_above + 1] as in DpTreeLayer */
} DpSplit;

/* No attribute occurs twice on a path. */
typedef struct DpPartition
{
	DpArena *arena;
	const DpDomain *domain;
	uint32_t layers;
	uint32_t layers_max;
	DpSplit *split; /* [layers_max] */
} DpPartition;

extern DpStatus dp_partition_init(DpPartition *partition, DpArena *arena, const DpDomain *domain,
								  uint32_t layers_max) DP_MUST_USE;
/* Adds a layer; groups are copied. DP_ERR_ARGUMENT: an attribute that does not exist or is on the
 * path already. DP_ERR_LIMIT: over nodes_max nodes. */
extern DpStatus dp_partition_split(DpPartition *partition, bool own, uint32_t width,
								   const uint32_t *group, uint64_t nodes_max) DP_MUST_USE;
/* Nodes of the last layer; 1 (the root) if there is none. */
extern uint64_t dp_partition_nodes(const DpPartition *partition);
/* The group by which a node of the layer above is split. */
extern const uint32_t *dp_split_group(const DpSplit *split, uint64_t node_above);
/* The node of the first `layers` layers where a row with these codes is; 0 is also the root. */
extern uint64_t dp_partition_walk(const DpPartition *partition, uint32_t layers,
								  const uint32_t *codes);
/* The codes on the path to a node of the last of `layers` layers; codes of other attributes stay as
 * they are. path (may be NULL) gets the attributes, from the top; their number is returned. */
extern uint32_t dp_partition_codes(const DpPartition *partition, uint32_t layers, uint64_t node,
								   uint32_t *codes, uint32_t *path);

#endif
