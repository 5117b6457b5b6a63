/*
 * test_model_bytes.c -- stored models with structural zeros, and without attributes.
 */
#include "core/domain/domain_bytes.h"

#include "unit_model.h"
#include "unit_zeros.h"

static void
test_bytes(DpArena *arena)
{
	for (int structured = 0; structured < 2; structured++)
	{
		DpModel model = unit_model_zeros(arena);
		unsigned char *bytes, *again;
		size_t length, again_length;
		DpModel parsed;
		unsigned taken = 0;

		if (!structured)
			model.structure_n = model.replicates = 0, model.replicate = NULL;
		MUST(dp_model_serialise(&model, &bytes, &length, arena, NULL));
		CHECK_I64(bytes[0], 4, "a model with zeros is of format 4");
		CHECK_OK(dp_model_parse(bytes, length, &parsed, arena, NULL), "it is read");
		MUST(dp_model_serialise(&parsed, &again, &again_length, arena, NULL));
		CHECK(again_length == length && memcmp(again, bytes, length) == 0, "and written the same");
		CHECK(parsed.domain.zeros.sets == 2 && parsed.domain.zeros.set[1].code[2] == 2,
			  "with its zeros");
		for (size_t cut = 1; cut < length; cut++)
			taken += dp_model_parse(bytes, length - cut, &parsed, arena, NULL) == DP_OK;
		CHECK_I64(taken, 0, "cut off it is refused");
		model.domain.zeros.sets = 0;
		MUST(dp_model_serialise(&model, &bytes, &length, arena, NULL));
		CHECK_I64(bytes[0], 4, "a prior alone makes it that, too");
		MUST(dp_model_parse(bytes, length, &parsed, arena, NULL));
		CHECK(parsed.domain.priors == 1 && parsed.domain.prior[0].count[8] == INT64_C(1) << 40,
			  "and is read");
		model.domain.priors = 0;
		MUST(dp_model_serialise(&model, &bytes, &length, arena, NULL));
		CHECK_I64(bytes[0], 1 + structured, "without them it is what it was");
	}
}

/* A prior over an attribute of a domain that has none. */
static void
test_no_attributes(DpArena *arena)
{
	unsigned char bytes[40] = {0x04, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
							   0x03, 0x00, 0x00, 0x04, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
							   0x45, 0xf4, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0xfa};
	uint64_t digest = dp_bytes_digest(bytes, 32);
	DpModel model;

	for (int i = 0; i < 8; i++)
		bytes[32 + i] = (unsigned char) (digest >> (8 * i));
	CHECK_STATUS(dp_model_parse(bytes, sizeof(bytes), &model, arena, NULL), DP_ERR_CORRUPT,
				 "zeros and priors over no attribute there is");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_bytes(&arena);
	test_no_attributes(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
