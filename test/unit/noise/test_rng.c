/*
 * test_rng.c -- buffering, wiping, failure, exact uniformity, and the fixed
 * streams of the seeded generator.
 */
#include "core/base/prng.h"
#include "core/noise/rng.h"

#include "unit_stat.h"

static void
test_buffer(void)
{
	UnitSource source = {.calls_good = 10, .word = {UINT64_C(0x1122334455667788)}, .word_n = 1};
	DpRng rng;
	uint64_t x;
	bool bit, dirty = false;

	dp_rng_init(&rng, unit_source_fill, &source);
	CHECK_I64(source.calls, 0, "nothing is fetched before it is needed");
	MUST(dp_rng_u64(&rng, &x));
	CHECK(x == UINT64_C(0x1122334455667788) && source.calls == 1, "the source's bytes come out");
	for (int i = 0; i < 8; i++)
		dirty |= rng.buffer[i] != 0;
	CHECK(!dirty && rng.buffer[8] != 0, "used bytes are wiped, unused ones are not");
	for (int i = 1; i < DP_RNG_BUFFER / 8; i++)
		MUST(dp_rng_u64(&rng, &x));
	CHECK_I64(source.calls, 1, "one fill serves a whole buffer");
	MUST(dp_rng_bit(&rng, &bit));
	CHECK_I64(source.calls, 2, "then it is filled again");
	CHECK_I64(bit, 0, "a bit is the low one of a byte");
	for (int i = 1; i < DP_RNG_BUFFER / 8; i++)
		MUST(dp_rng_u64(&rng, &x));
	CHECK_I64(source.calls, 2, "seven bytes are left");
	MUST(dp_rng_u64(&rng, &x));
	CHECK(source.calls == 3 && x == UINT64_C(0x1122334455667788),
		  "a rest that is too short is not mixed with new bytes");
	dp_rng_wipe(&rng);
	for (int i = 0; i < DP_RNG_BUFFER; i++)
		dirty |= rng.buffer[i] != 0;
	CHECK(!dirty && rng.position == DP_RNG_BUFFER, "wiping leaves no byte");
}

static bool
partial_fill(void *context, void *buffer, size_t bytes)
{
	(void) context;
	memset(buffer, 0x5A, bytes / 2);
	return false;
}

static void
test_failure(void)
{
	UnitSource source = {.calls_good = 1};
	DpRng rng;
	uint64_t x = 42;
	bool bit = true, dirty = false;

	dp_rng_init(&rng, unit_source_fill, &source);
	for (int i = 0; i < DP_RNG_BUFFER / 8; i++)
		MUST(dp_rng_u64(&rng, &x));
	x = 42;
	CHECK_STATUS(dp_rng_u64(&rng, &x), DP_ERR_RANDOM, "a failed fill is reported");
	CHECK_STATUS(dp_rng_bit(&rng, &bit), DP_ERR_RANDOM, "by every reader");
	CHECK_STATUS(dp_rng_below(&rng, 10, &x), DP_ERR_RANDOM, "again and again");
	CHECK(x == 42 && bit, "and nothing is handed out");
	dp_rng_init(&rng, partial_fill, NULL);
	CHECK_STATUS(dp_rng_u64(&rng, &x), DP_ERR_RANDOM, "a source that wrote a part has failed");
	for (int i = 0; i < DP_RNG_BUFFER; i++)
		dirty |= rng.buffer[i] != 0;
	CHECK(!dirty, "its bytes are wiped");
}

/* The first word decides, unless it is drawn again: then the second gives `again`. */
static bool
below_takes(uint64_t bound, uint64_t first, uint64_t *value)
{
	UnitSource source = {.calls_good = 1, .word = {first, UINT64_MAX / 2}, .word_n = 2};
	DpRng rng;

	dp_rng_init(&rng, unit_source_fill, &source);
	MUST(dp_rng_below(&rng, bound, value));
	return rng.position == 8;
}

/*
 * Counts, by their two ends, the words that give one value: the ends must be
 * taken, the words just outside must not, and there must be floor(2^64/bound).
 */
static bool
value_is_fair(uint64_t bound, uint64_t value)
{
	unsigned __int128 one = (unsigned __int128) 1 << 64;
	uint64_t rejected = (uint64_t) (one % bound), got;
	unsigned __int128 low = (one * value + rejected + bound - 1) / bound;
	unsigned __int128 high = (one * (value + 1) - 1) / bound;
	bool fair = high - low + 1 == one / bound;

	fair = fair && below_takes(bound, (uint64_t) low, &got) && got == value;
	fair = fair && below_takes(bound, (uint64_t) high, &got) && got == value;
	if (low > 0)
		fair = fair && !(below_takes(bound, (uint64_t) low - 1, &got) && got == value);
	if (high + 1 < one)
		fair = fair && !(below_takes(bound, (uint64_t) high + 1, &got) && got == value);
	return fair;
}

static void
test_below(void)
{
	const uint64_t bounds[] = {2,
							   3,
							   7,
							   10,
							   1000000000,
							   UINT64_C(1) << 63,
							   (UINT64_C(1) << 63) + 1,
							   UINT64_C(0xAAAAAAAAAAAAAAAB),
							   UINT64_MAX - 1,
							   UINT64_MAX};
	UnitSource source = {.calls_good = 0};
	DpRng rng;
	uint64_t x = 9;

	dp_rng_init(&rng, unit_source_fill, &source);
	CHECK(dp_rng_below(&rng, 1, &x) == DP_OK && x == 0 && source.calls == 0,
		  "a bound of 1 needs no bytes");
	CHECK_STATUS(dp_rng_below(&rng, 0, &x), DP_ERR_ARGUMENT, "a bound of 0 is refused");
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++)
	{
		uint64_t bound = bounds[i];
		bool fair = true;

		for (uint64_t v = 0; v < 12 && v < bound; v++)
			fair = fair && value_is_fair(bound, v) && value_is_fair(bound, bound - 1 - v) &&
				   value_is_fair(bound, bound / 2 + v < bound ? bound / 2 + v : 0);
		CHECK(fair, "below %" PRIu64 ": each value has exactly floor(2^64/bound) words", bound);
	}
}

static void
test_bits(void)
{
	const double half[2] = {0.5, 0.5};
	uint64_t seen[2] = {0, 0};
	DpRng rng;
	bool bit;

	unit_seeded(&rng);
	for (int i = 0; i < 1000000; i++)
	{
		MUST(dp_rng_bit(&rng, &bit));
		seen[bit]++;
	}
	CHECK(unit_chi_square_p(seen, half, 2, 1000000) > UNIT_P_MIN, "bits are fair");
	unit_seeded_end(&rng);
}

/* From the public reference code of xoshiro256**: state 1, 2, 3, 4. */
static void
test_prng_reference(void)
{
	const uint64_t want[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
	DpPrng prng = {{1, 2, 3, 4}};
	bool same = true;

	for (int i = 0; i < 4; i++)
		same = same && dp_prng_u64(&prng) == want[i];
	CHECK(same, "xoshiro256** gives the reference's numbers");
}

/* What a seed means is part of the interface: rows drawn today are drawn again next year. */
static void
test_prng_streams(void)
{
	DpPrng a, b;
	bool different = true;
	uint64_t first;

	dp_prng_seed(&a, (DpStream){1, 2, 3});
	dp_prng_seed(&b, (DpStream){1, 2, 3});
	first = dp_prng_u64(&a);
	CHECK(first == dp_prng_u64(&b), "a seed is reproducible");
	CHECK(first == UINT64_C(0x23B3CC97179699DD), "stream (1, 2, 3) begins as it always did");
	for (uint64_t i = 0; i < 64; i++)
	{
		const DpStream triples[] = {{i + 2, 2, 3}, {1, i + 3, 3}, {1, 2, i + 4}, {i, i, i}};

		for (int t = 0; t < 4; t++)
		{
			dp_prng_seed(&b, triples[t]);
			different = different && dp_prng_u64(&b) != first;
		}
	}
	CHECK(different, "other seeds, sets and blocks begin otherwise");
	dp_prng_seed(&a, (DpStream){0, 1, 0});
	dp_prng_seed(&b, (DpStream){1, 0, 0});
	CHECK(dp_prng_u64(&a) != dp_prng_u64(&b), "seed and set are not interchangeable");
}

/* First outputs of neighbouring streams, as blocks of one set use them, and one long stream. */
static void
test_prng_uniform(void)
{
	double tenth[10];
	uint64_t across[10] = {0}, along[10] = {0};
	double least = 1.0, greatest = 0.0, sum = 0.0;
	DpPrng prng;

	for (int i = 0; i < 10; i++)
		tenth[i] = 0.1;
	for (uint64_t block = 0; block < 200000; block++)
	{
		dp_prng_seed(&prng, (DpStream){7, 1, block});
		across[dp_prng_below(&prng, 10)]++;
	}
	dp_prng_seed(&prng, (DpStream){7, 1, 0});
	for (int i = 0; i < 200000; i++)
	{
		double u = dp_prng_unit(&prng);

		least = fmin(least, u);
		greatest = fmax(greatest, u);
		sum += u;
		along[(int) (u * 10.0)]++;
	}
	CHECK(unit_chi_square_p(across, tenth, 10, 200000) > UNIT_P_MIN, "across streams: uniform");
	CHECK(unit_chi_square_p(along, tenth, 10, 200000) > UNIT_P_MIN, "along a stream: uniform");
	CHECK(least >= 0.0 && greatest < 1.0, "units are in [0, 1)");
	CHECK_NEAR(sum / 200000.0, 0.5, 0.004, "their mean is a half");
	CHECK_I64(dp_prng_below(&prng, 1), 0, "below 1 is 0");
}

int
main(void)
{
	test_buffer();
	test_failure();
	test_below();
	test_bits();
	test_prng_reference();
	test_prng_streams();
	test_prng_uniform();
	return unit_finish();
}
