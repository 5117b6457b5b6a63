/*
 * test_saturate.c -- sizes that stop at the largest number: every boundary, and
 * random sizes against 128 bits.
 */
#include "core/base/prng.h"
#include "core/base/saturate.h"

#include "unit.h"

static uint64_t
cut(unsigned __int128 value)
{
	return value > UINT64_MAX ? UINT64_MAX : (uint64_t) value;
}

static bool
agrees(uint64_t a, uint64_t b)
{
	return dp_add_saturated(a, b) == cut((unsigned __int128) a + b) &&
		   dp_multiply_saturated(a, b) == cut((unsigned __int128) a * b);
}

static void
test_boundaries(void)
{
	const uint64_t edge[] = {0,
							 1,
							 2,
							 3,
							 UINT32_MAX,
							 UINT64_C(1) << 32,
							 (UINT64_C(1) << 32) + 1,
							 INT64_MAX,
							 UINT64_C(1) << 63,
							 UINT64_MAX / 3,
							 UINT64_MAX / 3 + 1,
							 UINT64_MAX - 1,
							 UINT64_MAX};
	const size_t n = sizeof(edge) / sizeof(edge[0]);
	uint64_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			wrong += !agrees(edge[i], edge[k]);
	CHECK_I64((int64_t) wrong, 0, "sums and products at every pair of boundaries");
}

static void
test_random(void)
{
	uint64_t wrong = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){3, 0, 0});
	for (int round = 0; round < 100000; round++)
	{
		uint64_t a = dp_prng_u64(&prng) >> dp_prng_below(&prng, 64);
		uint64_t b = dp_prng_u64(&prng) >> dp_prng_below(&prng, 64);

		wrong += !agrees(a, b);
	}
	CHECK_I64((int64_t) wrong, 0, "sums and products of 10^5 random pairs");
}

/* A product that saturated on the way is 0 all the same where a later factor is 0. */
static void
test_products(void)
{
	const uint32_t limit[] = {65537, 641, 6700417, UINT32_MAX};
	const uint32_t over[] = {1u << 31, 1u << 31, 4, 1};
	const uint32_t zero[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0};

	CHECK(dp_product_saturated(NULL, 0) == 1, "the product of nothing is 1");
	CHECK(dp_product_saturated(limit, 3) == UINT64_C(281479271743489),
		  "a product that fits is exact");
	CHECK(dp_product_saturated(over, 2) == UINT64_C(1) << 62, "2^62 fits");
	CHECK(dp_product_saturated(over, 3) == UINT64_MAX, "2^64 saturates");
	CHECK(dp_product_saturated(over, 4) == UINT64_MAX, "and stays there");
	CHECK(dp_product_saturated(limit, 4) == UINT64_MAX, "so does one that is far above");
	CHECK(dp_product_saturated(zero, 4) == 0, "a factor of 0 makes it 0");
}

int
main(void)
{
	test_boundaries();
	test_random();
	test_products();
	return unit_finish();
}
