/*
 * test_categorical.c -- one category of many: all integers that the draw could
 * have got, and how many of them give each category.
 */
#include "core/noise/categorical.h"

#include "unit.h"

/* ---- the source of chance: one number after another ---- */

static uint64_t next_drawn;
static uint64_t last_bound;

DpStatus
dp_rng_below(DpRng *rng, uint64_t bound, uint64_t *out)
{
	(void) rng;
	last_bound = bound;
	*out = bound > 0 ? next_drawn % bound : 0;
	return bound > 0 ? DP_OK : DP_ERR_ARGUMENT;
}

static const uint32_t codes[] = {0, 2, 3};
static const int64_t counts[] = {4, 1, 2};
static const int64_t sums[] = {4, 5, 7};

static DpHistogram
small_histogram(void)
{
	return (DpHistogram){.levels = 5, .n = 3, .code = codes, .count = counts, .total = 7};
}

/* How many of the equally likely integers give each code. */
static bool
weights_are(const DpHistogram *histogram, uint64_t unit, uint64_t base, const uint64_t *expected)
{
	uint64_t seen[8] = {0};
	bool good = true;

	next_drawn = 0;
	do
	{
		uint32_t code;

		MUST(dp_categorical(NULL, histogram, unit, base, &code));
		seen[code]++;
	} while (++next_drawn < last_bound);
	for (uint32_t c = 0; c < histogram->levels; c++)
		good = good && seen[c] == expected[c];
	return good;
}

static void
check_categorical(void)
{
	static const uint64_t mixed[] = {15, 3, 6, 9, 3}, pure[] = {4, 0, 1, 2, 0},
						  flat[] = {2, 2, 2, 2, 2}, extra[] = {0, 7, 7, 7, 8},
						  shaped[] = {15, 10, 6, 9, 4}, shape[] = {2, 9, 2, 2, 3};
	DpHistogram histogram = small_histogram();
	DpHistogram none = {.levels = 5};
	DpHistogram large = {.levels = 5, .n = 3, .code = codes, .count = counts, .total = INT64_MAX};
	uint32_t code;

	CHECK(weights_are(&histogram, 3, 3, mixed), "weights are unit x count + base");
	CHECK(weights_are(&histogram, 1, 0, pure), "without a pseudo-count only what was counted");
	CHECK(weights_are(&histogram, 0, 2, flat), "a row of weight 0 does not count");
	CHECK(weights_are(&none, 3, 2, flat), "without rows all are alike");
	histogram.upto = sums;
	CHECK(weights_are(&histogram, 3, 3, mixed) && weights_are(&histogram, 1, 0, pure) &&
			  weights_are(&histogram, 0, 2, flat),
		  "and the same by their sums");
	histogram.extra_upto = extra;
	CHECK(weights_are(&histogram, 3, 3, shaped), "what a category has beyond base is added");
	histogram.upto = NULL;
	CHECK(weights_are(&histogram, 3, 3, shaped) && weights_are(&histogram, 0, 2, shape),
		  "the same without sums, and without rows");
	CHECK_STATUS(dp_categorical(NULL, &none, 1, 0, &code), DP_ERR_ARGUMENT, "no weight at all");
	CHECK_STATUS(dp_categorical(NULL, &large, 4, 1, &code), DP_ERR_RANGE, "over 64 bits");
}

int
main(void)
{
	check_categorical();
	return unit_finish();
}
