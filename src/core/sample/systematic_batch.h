/*
 * systematic_batch.h -- systematic sampling: rows of a graphical model are drawn together, column
 * by column, so that each cell gets its expected number of rows, rounded up or down.
 */
#ifndef DP_SYSTEMATIC_BATCH_H
#define DP_SYSTEMATIC_BATCH_H

#include "core/base/prng.h"
#include "core/sample/clique_conditional.h"
#include "core/sample/level_split.h"

typedef struct DpSystematicBatch DpSystematicBatch;

/* What a batch is drawn from. All of it must outlive the batch. */
typedef struct DpSystematicBatchModel
{
	uint32_t attributes;
	const uint32_t *levels; /* [attributes] of groups */
	uint32_t nodes;
	/* [nodes] each behind the nodes that draw its known attributes */
	const DpCliqueConditional *node;
	const DpLevelSplit *const *split;
} DpSystematicBatchModel;

/* Makes an empty batch with space for rows that are whole blocks. */
extern DpStatus dp_systematic_batch_create(const DpSystematicBatchModel *model,
										   DpSystematicBatch **out, DpArena *arena) DP_MUST_USE;
extern uint64_t dp_systematic_batch_capacity(const DpSystematicBatch *batch);
/* Draws rows in the place of those that were there; rows <= capacity. */
extern void dp_systematic_batch_draw(DpSystematicBatch *batch, DpPrng *prng, uint64_t rows,
									 const DpTick *tick);
/* Writes the codes of rows from a place on, row by row: codes[rows x attributes]. */
extern void dp_systematic_batch_rows(const DpSystematicBatch *batch, uint64_t place, uint32_t rows,
									 uint32_t *codes);

#endif
