/*
 * fuzz_model.c -- dp_model_parse on anything, and drawing from what it accepts.
 *
 * The digest is put behind each input, so that the fuzzer need not find it.
 * What parses must be in its only form: writing it gives the same bytes. An odd
 * first byte says that the rest are edits of a valid model: place, new byte; it also
 * chooses the model.
 */
#include "core/estimate/frechet_bounds.h"
#include "core/sample/draw.h"
#include "core/sample/range_sampler.h"
#include "core/methods/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit_arena.h"
#include "unit_model.h"

#define BYTES_MAX (UINT64_C(8) << 20) /* of memory: small models are enough */
#define COST_MAX 20000                /* elementary draws */
#define COST_MAX_ZEROS 50             /* the same where a row may be drawn a thousand times */

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

/* FNV-1a, as the format has it. */
static unsigned char *
seal(const uint8_t *data, size_t size)
{
	unsigned char *bytes = malloc(size + 8);
	uint64_t hash = UINT64_C(14695981039346656037);

	must(bytes != NULL);
	if (size > 0)
		memcpy(bytes, data, size);
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < 8; i++)
		bytes[size + i] = (unsigned char) (hash >> (8 * i));
	return bytes;
}

static void
check_form(const DpModel *model, DpArena *arena, const unsigned char *bytes, size_t length)
{
	unsigned char *again;
	size_t again_length;
	DpModel parsed;
	DpError error;
	DpStatus status = dp_model_serialise(model, &again, &again_length, arena, &error);

	if (status == DP_ERR_MEMORY)
		return;
	must(status == DP_OK);
	must(again_length == length && memcmp(again, bytes, length) == 0);
	status = dp_model_parse(again, again_length, &parsed, arena, &error);
	must(status == DP_OK || status == DP_ERR_MEMORY);
}

/* A question about the first attribute is answered by any tables and any model: numbers come out,
 * and an interval has its ends in order. */
static void
check_answers(const DpModel *model, DpArena *arena)
{
	uint32_t by[] = {0};
	DpMarginalQuery question = {
		.domain = &model->domain, .by = {1, by}, .confidence = 0.9, .rows_public = -1};
	uint64_t groups = dp_marginal_query_groups(&question);
	DpMeasuredTable *table;
	DpGroupAnswer *answer;
	const DpMethod *method;
	void *fitted, *state;
	double *share, sum = 0;
	DpError error;

	if (groups > 1000 || dp_model_method(model, &method, &error) != DP_OK)
		return;
	answer = dp_alloc(arena, groups, sizeof(*answer));
	share = dp_alloc(arena, groups, sizeof(*share));
	if (answer == NULL || share == NULL ||
		dp_measured_tables(method->sampler, model, &table, arena, &error) != DP_OK ||
		dp_measured_answer(&question, table, model->tables, answer, NULL, arena) != DP_OK ||
		dp_frechet_bounds(&question, table, model->tables, answer, NULL, arena) != DP_OK)
		return;
	for (uint64_t b = 0; b < groups; b++)
		must(isnan(answer[b].low) || answer[b].low <= answer[b].high);
	if (model->replicates > 0 || method->sampler->query == NULL ||
		method->sampler->query->fit(model, &fitted, NULL, arena, &error) != DP_OK ||
		method->sampler->query->marginal(fitted, &question.by, share, NULL, arena) != DP_OK)
		return;
	for (uint64_t b = 0; b < groups; b++)
		sum += share[b];
	must(fabs(sum - 1) < 1e-6);
	(void) method->sampler->query->compile(fitted, NULL, &state, NULL, arena, &error);
}

/* Every value that is drawn from a bin is one of it. */
static void
check_ranges(const DpModel *model, DpArena *arena)
{
	for (uint32_t a = 0; a < model->domain.attributes; a++)
	{
		const DpRange *range = model->domain.attribute[a].range;
		DpRangeSampler *sampler;
		DpPrng prng;

		if (range == NULL || range->state != DP_RANGE_FOUND || range->leaves > 1000)
			continue;
		sampler = dp_range_sampler_create(range, arena);
		dp_prng_seed(&prng, (DpStream){.seed = 1});
		for (uint32_t bin = 0; sampler != NULL && bin < range->bins; bin++)
		{
			int64_t value = dp_range_draw(sampler, bin, &prng);

			must(dp_range_bin(range, value) == bin);
			must(dp_range_draw_between(sampler, bin, value, INT64_MAX, &prng, &value));
			must(dp_range_bin(range, value) == bin);
			must(dp_range_share(range, bin, value, value) > 0);
		}
	}
}

/* Every code drawn is a level, and no row is forbidden. */
static void
check_draws(const DpModel *model, DpArena *arena)
{
	uint32_t p = model->domain.attributes;
	uint32_t *codes = dp_alloc(arena, 4, p * sizeof(*codes));
	const DpMethod *method;
	DpDrawer drawer;
	DpError error;
	uint64_t cost;

	if (codes == NULL || dp_model_method(model, &method, &error) != DP_OK)
		return;
	cost = method->sampler->draw_cost(model, NULL);
	if (dp_drawer_prepare(method->sampler, model, &drawer, NULL, arena, &error) != DP_OK ||
		cost > (model->domain.zeros.sets > 0 ? COST_MAX_ZEROS : COST_MAX) ||
		dp_draw_rows(&drawer, &(DpRowBlock){{1, 1, 0}, 4}, codes, NULL, &error) != DP_OK)
		return;
	for (uint32_t i = 0; i < 4 * p; i++)
		must(codes[i] < model->domain.attribute[i % p].levels);
	for (uint32_t i = 0; i < 4; i++)
		must(!dp_zero_test_forbids(&drawer.forbidden, codes + i * p));
}

static void
check_input(const uint8_t *data, size_t size)
{
	DpArena arena = dp_arena_malloc();
	unsigned char *bytes = seal(data, size);
	DpModel model;
	DpError error;

	arena.bytes_max = BYTES_MAX;
	if (dp_model_parse(bytes, size + 8, &model, &arena, &error) == DP_OK)
	{
		must(dp_model_check(&model, &error) == DP_OK);
		check_form(&model, &arena, bytes, size + 8);
		check_answers(&model, &arena);
		check_draws(&model, &arena);
		check_ranges(&model, &arena);
	}
	free(bytes);
	dp_arena_malloc_free(&arena);
}

static void
check_edits(const uint8_t *edit, size_t size, uint8_t which)
{
	static DpModel (*const models[])(DpArena *) = {unit_model,          unit_model_zeros,
												   unit_model_rows,     unit_model_graphical,
												   unit_model_gaussian, unit_model_ranges};
	DpArena arena = dp_arena_malloc();
	DpModel model = models[which % (sizeof(models) / sizeof(models[0]))](&arena);
	unsigned char *bytes;
	size_t length;

	must(dp_model_serialise(&model, &bytes, &length, &arena, NULL) == DP_OK);
	length -= 8;
	for (size_t i = 0; i + 1 < size; i += 2)
		bytes[edit[i] % length] = edit[i + 1];
	check_input(bytes, length);
	dp_arena_malloc_free(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0 && data[0] % 2 == 1)
		check_edits(data + 1, size - 1, data[0] / 2);
	check_input(data, size);
	return 0;
}
