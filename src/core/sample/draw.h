/*
 * draw.h -- rows drawn from a model by its sampler, without the combinations that its domain
 * forbids.
 */
#ifndef DP_DRAW_H
#define DP_DRAW_H

#include "core/domain/zeros.h"
#include "core/sample/model_query.h"
#include "core/sample/sampler.h"

/* A model that is ready to be drawn from. It serves one stream at a time if the sampler has
 * scratch memory (DpSampler.draw_block). */
typedef struct DpDrawer
{
	const DpSampler *sampler;
	void *state; /* state of the sampler */
	const DpDomain *domain;
	const bool *fixed; /* [attributes] what no repair of a row may change; NULL: nothing */
	DpZeroTest forbidden;
} DpDrawer;

/* Prepares the drawer for the model of one measurement (dp_model_view), which must outlive it. */
extern DpStatus dp_drawer_prepare(const DpSampler *sampler, const DpModel *model, DpDrawer *drawer,
								  const DpTick *tick, DpArena *arena, DpError *error) DP_MUST_USE;
/* A model, and what the fit of its sampler's query made of it. */
typedef struct DpFittedModel
{
	const DpModelQuery *query;
	const DpModel *model;
	const void *fitted;
} DpFittedModel;

/* The same from a fitted model, for rows that meet a condition; NULL: all rows. DP_ERR_ARGUMENT: no row does. */
extern DpStatus dp_drawer_compile(const DpFittedModel *from, const DpGiven *given, DpDrawer *drawer,
								  const DpTick *tick, DpArena *arena, DpError *error) DP_MUST_USE;
/*
 * Like dp_draw_block, but a row that holds a forbidden combination is drawn again by sampler->draw,
 * from a second stream. So a row has the distribution of the sampler given that it is allowed, and
 * all other rows are those of dp_draw_block. Where hardly any row is allowed, the last one that was drawn
 * is repaired (dp_zeros_avoid). DP_ERR_LIMIT: that failed, or the release has no other rows.
 */
extern DpStatus dp_draw_rows(const DpDrawer *drawer, const DpRowBlock *block, uint32_t *codes,
							 const DpTick *tick, DpError *error) DP_MUST_USE;
/* Draws one more row, which holds no forbidden combination, in at most *tries tries, which are
 * counted down, or repairs it. DP_ERR_LIMIT as above. */
extern DpStatus dp_draw_again(const DpDrawer *drawer, DpPrng *prng, uint32_t *codes,
							  uint64_t *tries, const DpTick *tick, DpError *error) DP_MUST_USE;

#endif
