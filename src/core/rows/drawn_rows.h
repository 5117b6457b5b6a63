/*
 * drawn_rows.h -- rows of a model that are drawn once and counted often, for questions that the model
 * cannot tell otherwise.
 */
#ifndef DP_DRAWN_ROWS_H
#define DP_DRAWN_ROWS_H

#include "core/rows/draw.h"

/* The codes of some attributes, column by column, each as wide as its levels need. */
typedef struct DpDrawnRows
{
	uint64_t rows;
	void **column;         /* [attributes]; NULL: not kept */
	unsigned char *stride; /* [attributes] 1, 2 or 4 bytes a code */
} DpDrawnRows;

/*
 * Draws 204,800 rows from a seed of its own, so that they are always the same; of a release that
 * consists of rows, those. kept: the attributes whose codes are kept.
 */
extern DpStatus dp_drawn_rows_make(const DpSampler *sampler, const DpModel *model,
								   const DpAttributeSet *kept, DpDrawnRows *drawn,
								   const DpTick *tick, DpArena *arena, DpError *error) DP_MUST_USE;
/* How many bytes the codes of all attributes take. */
extern uint64_t dp_drawn_rows_bytes(const DpModel *model);
/* The code of a kept attribute. */
extern uint32_t dp_drawn_rows_code(const DpDrawnRows *drawn, uint32_t attribute, uint64_t row);

#endif
