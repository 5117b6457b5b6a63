/*
 * partition.h -- how a tree splits a table. The rows of a node are split by the values of a
 * group of attributes, and each node of a layer may have another group. A partition holds
 * public or released facts only.
 */
#ifndef DP_PARTITION_H
#define DP_PARTITION_H

#include "core/domain/domain.h"

typedef struct DpSplit
{
	bool own;             /* each node above has its own group; else all have the same */
	uint32_t width;       /* attributes of a group */
	uint32_t *group;      /* [width], or [nodes_above x width]; first attribute most significant */
	uint64_t nodes_above; /* 1 for the top layer, whose parent is the root */
	uint64_t nodes;
	uint64_t *first; /* [nodes_above + 1] as first in DpTreeLayer */
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

extern DpStatus dp_partition_init(DpPartition *partition, const DpDomain *domain,
								  uint32_t layers_max, DpArena *arena) DP_MUST_USE;
/* Adds a layer and copies its groups. DP_ERR_ARGUMENT: an attribute does not exist or is on the
 * path already. DP_ERR_LIMIT: there would be more than nodes_max nodes. */
extern DpStatus dp_partition_split(DpPartition *partition, bool own, uint32_t width,
								   const uint32_t *group, uint64_t nodes_max) DP_MUST_USE;
/* Nodes of the last layer; 1 (the root) if there is none. */
extern uint64_t dp_partition_nodes(const DpPartition *partition);
/* The group by which a node of the layer above is split. */
extern const uint32_t *dp_split_group(const DpSplit *split, uint64_t node_above);
/* The node that holds a row with these codes, after the first `layers` layers; 0 for no layers,
 * which stands for the root. */
extern uint64_t dp_partition_walk(const DpPartition *partition, uint32_t layers,
								  const uint32_t *codes);
/* Writes the codes on the path to a node of the last of `layers` layers. The codes of other
 * attributes stay as they are. path (may be NULL) gets the attributes from the top. Returns
 * their number. */
extern uint32_t dp_partition_codes(const DpPartition *partition, uint32_t layers, uint32_t *codes,
								   uint64_t node, uint32_t *path);

#endif
