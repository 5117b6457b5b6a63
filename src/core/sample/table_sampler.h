/*
 * table_sampler.h -- draws cells of one noisy table in constant time.
 */
#ifndef DP_TABLE_SAMPLER_H
#define DP_TABLE_SAMPLER_H

#include "core/estimate/weights.h"
#include "core/sample/alias.h"

typedef struct DpTableSampler
{
	const DpTable *table;
	uint32_t *levels; /* [table->n] */
	uint32_t cells;   /* with a positive weight; 0 = draw uniformly */
	DpAliasEntry *entry;
} DpTableSampler;

/* Prepares draws of cells by their weights (dp_weights_make); they are uniform for a table that
 * says nothing. The sampler points into the table. DP_ERR_LIMIT, DP_ERR_MEMORY. */
extern DpStatus dp_table_sampler_prepare(const DpEstimatedTable *from, DpTableSampler *out,
										 DpArena *arena, DpError *error) DP_MUST_USE;
/* Writes the codes of the table's attributes, at their places in the domain. */
extern void dp_table_sampler_draw(const DpTableSampler *sampler, DpPrng *prng, uint32_t *codes);

#endif
