/*
 * draw.c -- rows without forbidden combinations, by rejection, and by repair where that takes too
 * long.
 *
 * The number of redraws in a block is limited by its number of rows, whatever other blocks did. So
 * what a seed gives does not depend on how many workers draw.
 */
#include "core/sample/draw.h"

#define TRIES_A_BLOCK 10000 /* added to those of each row, or a short block would have too few */
#define TRIES_A_ROW 1000
/* Keeps the stream of rows that are drawn again apart from the first. */
#define REDRAW_STREAM UINT64_C(0xc2b2ae3d27d4eb4f)

static DpStatus
begin(const DpSampler *sampler, const DpModel *model, const DpGiven *given, DpDrawer *drawer,
	  DpArena *arena)
{
	uint32_t attributes = model->domain.attributes;
	bool *fixed = given == NULL ? NULL : dp_alloc(arena, attributes, sizeof(*fixed));

	if (given != NULL && fixed == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; given != NULL && a < attributes; a++)
		fixed[a] = given->weight[a] != NULL;
	*drawer = (DpDrawer){.sampler = sampler, .domain = &model->domain, .fixed = fixed};
	return dp_zero_test_build(&drawer->forbidden, &model->domain, NULL, 0, arena);
}

DpStatus
dp_drawer_prepare(const DpSampler *sampler, const DpModel *model, DpDrawer *drawer,
				  const DpTick *tick, DpArena *arena, DpError *error)
{
	DP_TRY(begin(sampler, model, NULL, drawer, arena));
	return sampler->prepare(model, &drawer->state, tick, arena, error);
}

DpStatus
dp_drawer_compile(const DpFittedModel *from, const DpGiven *given, DpDrawer *drawer,
				  const DpTick *tick, DpArena *arena, DpError *error)
{
	DP_TRY(begin(from->query->sampler, from->model, given, drawer, arena));
	return from->query->compile(from->fitted, given, &drawer->state, tick, arena, error);
}

static DpStatus
hardly_any(DpError *error)
{
	(void) dp_fail(error, DP_ERR_LIMIT,
				   "nearly every row that would be drawn is one that the zeros forbid");
	dp_fail_detail(error, "Less than one row in %d is allowed.", TRIES_A_ROW);
	dp_fail_hint(error, "The rows may contradict what was declared with dp_define_cells, or the "
						"method knows too little of the columns: one that measures them together "
						"puts the zeros into its tables.");
	return DP_ERR_LIMIT;
}

DpStatus
dp_draw_again(const DpDrawer *drawer, DpPrng *prng, uint32_t *codes, uint64_t *tries,
			  const DpTick *tick, DpError *error)
{
	do
	{
		/* a release that holds rows has no others */
		if (drawer->sampler->draw == NULL)
			return hardly_any(error);
		if (*tries == 0)
			return dp_zeros_avoid(drawer->domain, drawer->fixed, codes) == DP_OK
					   ? DP_OK
					   : hardly_any(error);
		(*tries)--;
		dp_tick(tick, -1.0);
		drawer->sampler->draw(drawer->state, prng, codes);
	} while (dp_zero_test_forbids(&drawer->forbidden, codes));
	return DP_OK;
}

DpStatus
dp_draw_rows(const DpDrawer *drawer, const DpRowBlock *block, uint32_t *codes, const DpTick *tick,
			 DpError *error)
{
	uint64_t tries = TRIES_A_BLOCK + (uint64_t) TRIES_A_ROW * block->rows;
	DpStream again = block->stream;
	DpPrng prng;

	dp_draw_block(drawer->sampler, drawer->state, drawer->domain->attributes, block, codes, tick);
	if (drawer->forbidden.n == 0)
		return DP_OK;
	again.seed ^= REDRAW_STREAM;
	dp_prng_seed(&prng, again);
	for (uint32_t row = 0; row < block->rows; row++)
	{
		uint32_t *own = codes + (size_t) row * drawer->domain->attributes;

		if (dp_zero_test_forbids(&drawer->forbidden, own))
			DP_TRY(dp_draw_again(drawer, &prng, own, &tries, tick, error));
	}
	return DP_OK;
}
