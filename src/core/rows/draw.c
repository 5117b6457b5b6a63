/*
 * draw.c -- rows without forbidden combinations, by rejection.
 *
 * How often a block may be refused is fixed by its number of rows, not by what
 * other blocks did: so what a seed gives does not depend on how many workers draw.
 */
#include "draw.h"

#define TRIES_A_BLOCK 10000 /* beside those of each row, or a short block would have too few */
#define TRIES_A_ROW 1000
/* Keeps the stream of rows that are drawn again apart from the first. */
#define REDRAW_STREAM UINT64_C(0xc2b2ae3d27d4eb4f)

DpStatus
dp_drawer_prepare(const DpModel *model, DpArena *arena, const DpTick *tick, DpDrawer *drawer,
				  DpError *error)
{
	void *sampler;

	*drawer = (DpDrawer){.attributes = model->domain.attributes};
	DP_TRY(dp_model_method(model, &drawer->method, error));
	DP_TRY(dp_zero_test_build(&drawer->forbidden, arena, &model->domain, NULL, 0));
	DP_TRY(drawer->method->prepare(model, arena, tick, &sampler, error));
	drawer->sampler = sampler;
	return DP_OK;
}

static DpStatus
hardly_any(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT,
				   "nearly every row that would be drawn is one that the zeros forbid");
	dp_fail_detail(error, "Less than one row in %d is allowed.", TRIES_A_ROW);
	dp_fail_hint(error, "The rows may contradict what was declared with dp_define_zeros, or the "
						"method knows too little of the columns: one that measures them together "
						"puts the zeros into its tables.");
	return DP_ERR_LIMIT;
}

DpStatus
dp_draw_rows(const DpDrawer *drawer, uint64_t seed, uint64_t set, uint64_t block, uint32_t rows,
			 uint32_t *codes, const DpTick *tick, DpError *error)
{
	uint64_t tries = TRIES_A_BLOCK + (uint64_t) TRIES_A_ROW * rows;
	DpPrng prng;

	dp_draw_block(drawer->method, drawer->sampler, drawer->attributes, seed, set, block, rows,
				  codes, tick);
	if (drawer->forbidden.n == 0)
		return DP_OK;
	dp_prng_seed(&prng, seed ^ REDRAW_STREAM, set, block);
	for (uint32_t row = 0; row < rows; row++)
	{
		uint32_t *own = codes + (size_t) row * drawer->attributes;

		while (dp_zero_test_forbids(&drawer->forbidden, own))
		{
			/* rows that are held are all there are */
			if (tries-- == 0 || drawer->method->draw == NULL)
				return hardly_any(error);
			dp_tick(tick, -1.0);
			drawer->method->draw(drawer->sampler, &prng, own);
		}
	}
	return DP_OK;
}
