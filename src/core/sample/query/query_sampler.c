/*
 * query_sampler.c -- answers are no rows.
 */
#include "core/sample/query/query_sampler.h"

static DpStatus
query_prepare(const DpModel *model, void **state, const DpTick *tick, DpArena *arena,
			  DpError *error)
{
	(void) model;
	(void) state;
	(void) tick;
	(void) arena;
	(void) dp_fail(error, DP_ERR_ARGUMENT, "the release holds answers, and no rows can be drawn");
	dp_fail_hint(error, "dp_query(release) reads the answers again, at no cost.");
	return DP_ERR_ARGUMENT;
}

static bool
query_fetch(const void *state, uint64_t row, uint32_t *codes)
{
	(void) state;
	(void) row;
	(void) codes;
	return false;
}

static uint64_t
query_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	(void) model;
	return 1;
}

const DpSampler dp_query_sampler = {
	.prepare = query_prepare,
	.fetch = query_fetch,
	.draw_cost = query_draw_cost,
};
