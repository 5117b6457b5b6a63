/*
 * row_release_sampler.c -- hands out rows that were drawn behind the wall, one after the other.
 */
#include "core/sample/sampler.h"

#include <string.h>

#include "core/domain/zeros.h"

/* The rows of a model. */
typedef struct RowRelease
{
	uint64_t rows;
	uint32_t attributes;
	const uint32_t *codes; /* [rows x attributes] */
} RowRelease;

/*
 * Replaces rows that hold a forbidden combination by the allowed rows, in turn, since no others can
 * be drawn from such a release.
 */
static DpStatus
replace_forbidden(const DpModel *model, RowRelease *held, DpArena *arena, DpError *error)
{
	size_t width = held->attributes * sizeof(*held->codes);
	uint32_t *codes;
	uint64_t allowed = 0;
	DpZeroTest test;

	DP_TRY(dp_zero_test_build(&test, &model->domain, NULL, 0, arena));
	if (test.n == 0)
		return DP_OK;
	codes = dp_alloc(arena, held->rows, width);
	DP_TRY_ALLOC(codes);
	for (uint64_t row = 0; row < held->rows; row++)
	{
		const uint32_t *own = held->codes + row * held->attributes;

		if (!dp_zero_test_forbids(&test, own))
			memcpy(codes + allowed++ * held->attributes, own, width);
	}
	if (allowed == 0 && held->rows > 0)
		return dp_fail(error, DP_ERR_LIMIT,
					   "every row of the release is one that the zeros forbid");
	for (uint64_t row = allowed; row < held->rows; row++)
		memcpy(codes + row * held->attributes, codes + (row - allowed) * held->attributes, width);
	held->codes = codes;
	return DP_OK;
}

static DpStatus
row_release_prepare(const DpModel *model, void **out, const DpTick *tick, DpArena *arena,
					DpError *error)
{
	RowRelease *held = dp_alloc(arena, 1, sizeof(*held));

	(void) tick;
	DP_TRY_ALLOC(held);
	if (!dp_model_holds_rows(model))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it holds no rows");
	held->attributes = model->domain.attributes;
	held->rows = model->structure_n / held->attributes;
	held->codes = model->structure;
	DP_TRY(replace_forbidden(model, held, arena, error));
	*out = held;
	return DP_OK;
}

/* A request for more rows than the release holds is refused earlier. Here a row beyond them gets
 * the first level everywhere. */
static bool
row_release_fetch(const void *sampler, uint64_t row, uint32_t *codes)
{
	const RowRelease *held = sampler;

	if (row < held->rows)
		memcpy(codes, held->codes + row * held->attributes, held->attributes * sizeof(*codes));
	else
		memset(codes, 0, held->attributes * sizeof(*codes));
	return true;
}

static uint64_t
row_release_draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return model->domain.attributes;
}

const DpSampler dp_row_release_sampler = {
	.prepare = row_release_prepare,
	.fetch = row_release_fetch,
	.draw_cost = row_release_draw_cost,
};
