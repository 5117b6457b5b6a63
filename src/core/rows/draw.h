/*
 * draw.h -- rows from a model by whatever method made it, without the
 * combinations that its domain forbids.
 */
#ifndef DP_DRAW_H
#define DP_DRAW_H

#include "method.h"
#include "zeros.h"

/* Of one stream, where the method has scratch memory (DpMethod.draw_block). */
typedef struct DpDrawer
{
	const DpMethod *method;
	void *sampler;
	uint32_t attributes;
	DpZeroTest forbidden;
} DpDrawer;

/* Of one measurement (dp_model_view), which must outlive it. */
extern DpStatus dp_drawer_prepare(const DpModel *model, DpArena *arena, const DpTick *tick,
								  DpDrawer *drawer, DpError *error) DP_MUST_USE;
/*
 * As dp_draw_block, but a row that holds a forbidden combination is drawn again by
 * method->draw, from a second stream: so a row has the method's law given that it is
 * allowed, and rows that are allowed are those of dp_draw_block. DP_ERR_LIMIT where
 * hardly any row is.
 */
extern DpStatus dp_draw_rows(const DpDrawer *drawer, uint64_t seed, uint64_t set, uint64_t block,
							 uint32_t rows, uint32_t *codes, const DpTick *tick,
							 DpError *error) DP_MUST_USE;

#endif
