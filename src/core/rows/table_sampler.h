/*
 * table_sampler.h -- drawing cells of one noisy table in constant time.
 */
#ifndef DP_TABLE_SAMPLER_H
#define DP_TABLE_SAMPLER_H

#include "alias.h"
#include "model.h"
#include "rng.h"

typedef struct DpTableSampler
{
	const DpTable *table;
	uint32_t *levels; /* [table->n] */
	uint32_t cells;   /* with a positive weight; 0 = draw uniformly */
	DpAliasEntry *entry;
} DpTableSampler;

/* Cells go by an estimate of their counts, or with NULL by the noisy ones (dp_weights_make, with these rows);
 * a table that says nothing is drawn from uniformly. Points into model. DP_ERR_LIMIT, DP_ERR_MEMORY. */
extern DpStatus dp_table_sampler_prepare(const DpModel *model, uint32_t table,
										 const double *estimate, int64_t rows, DpArena *arena,
										 DpTableSampler *out, DpError *error) DP_MUST_USE;
/* Writes the codes of the table's attributes, at their places in the domain. */
extern void dp_table_sampler_draw(const DpTableSampler *sampler, DpPrng *prng, uint32_t *codes);

#endif
