/*
 * test_prng.c -- 32-bit numbers of a stream: what they are, and that none below a bound is
 * likelier.
 */
#include "core/base/prng.h"

#include <math.h>

#include "unit.h"

#define NUMBERS 512
#define DRAWS 300000

/* Two numbers of 32 bits are one of 64, the low half first, on every machine. */
static void
test_halves(void)
{
	DpPrng one, two;
	uint32_t half[NUMBERS];
	bool same = true;

	dp_prng_seed(&one, (DpStream){1, 2, 3});
	dp_prng_seed(&two, (DpStream){1, 2, 3});
	dp_prng_fill_32(&one, half, NUMBERS);
	for (int i = 0; i < NUMBERS; i += 2)
	{
		uint64_t whole = dp_prng_u64(&two);

		same &= half[i] == (uint32_t) whole && half[i + 1] == (uint32_t) (whole >> 32);
	}
	CHECK(same, "numbers of 32 bits are the halves of those of 64");
	CHECK(dp_prng_u64(&one) == dp_prng_u64(&two), "and the stream goes on behind them");
}

/* Of 2^32 numbers a third would be two thirds of those below 3 * 2^30, without a second draw. */
static void
test_fair(void)
{
	const uint32_t bound = UINT32_C(3) << 30;
	uint32_t number[NUMBERS], count[3] = {0};
	double worst = 0;
	bool below = true;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){5, 1, 1});
	for (int i = 0; i < DRAWS; i++)
	{
		uint32_t drawn;

		if (i % NUMBERS == 0)
			dp_prng_fill_32(&prng, number, NUMBERS);
		drawn = dp_prng_below_32(&prng, number[i % NUMBERS], bound);
		below &= drawn < bound;
		count[drawn % 3]++;
	}
	for (int i = 0; i < 3; i++)
		worst = fmax(worst, fabs(count[i] - DRAWS / 3.0) / sqrt(DRAWS * 2 / 9.0));
	CHECK(below, "numbers are below their bound");
	CHECK(worst < 5, "each residue comes as often, %.1f standard deviations off at most", worst);
	CHECK(dp_prng_below_32(&prng, UINT32_MAX, 1) == 0 && dp_prng_below_32(&prng, 0, 1) == 0,
		  "below 1 there is 0 alone");
}

int
main(void)
{
	test_halves();
	test_fair();
	return unit_finish();
}
