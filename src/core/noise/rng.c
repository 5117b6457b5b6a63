/*
 * rng.c -- cryptographic bytes for noise (DpRng), seeded numbers for drawing
 * rows of what is released already (DpPrng).
 */
#include "rng.h"

#include <string.h>

/*
 * Zeroes memory in a way that the optimiser can't drop as a dead store: bytes
 * that made noise, found later in a core dump or a reused page, would undo it.
 */
static void
wipe(void *memory, size_t bytes)
{
#if defined(__GNUC__)
	memset(memory, 0, bytes);
	__asm__ __volatile__("" : : "r"(memory) : "memory");
#else
	volatile unsigned char *byte = memory;

	while (bytes-- > 0)
		*byte++ = 0;
#endif
}

void
dp_rng_init(DpRng *rng, bool (*fill)(void *, void *, size_t), void *context)
{
	rng->fill = fill;
	rng->context = context;
	dp_rng_wipe(rng);
}

void
dp_rng_wipe(DpRng *rng)
{
	wipe(rng->buffer, sizeof(rng->buffer));
	rng->position = DP_RNG_BUFFER;
}

/* A source that failed may have written a part: no byte of it is ever used. */
static DpStatus
refill(DpRng *rng)
{
	if (!rng->fill(rng->context, rng->buffer, sizeof(rng->buffer)))
	{
		dp_rng_wipe(rng);
		return DP_ERR_RANDOM;
	}
	rng->position = 0;
	return DP_OK;
}

/* A rest shorter than asked for is thrown away: the refill writes over it. */
static DpStatus
take(DpRng *rng, void *out, size_t bytes)
{
	if (DP_RNG_BUFFER - rng->position < bytes)
		DP_TRY(refill(rng));
	memcpy(out, rng->buffer + rng->position, bytes);
	wipe(rng->buffer + rng->position, bytes);
	rng->position += bytes;
	return DP_OK;
}

DpStatus
dp_rng_u64(DpRng *rng, uint64_t *out)
{
	return take(rng, out, sizeof(*out));
}

DpStatus
dp_rng_bit(DpRng *rng, bool *out)
{
	unsigned char byte;

	DP_TRY(take(rng, &byte, sizeof(byte)));
	*out = byte & 1;
	return DP_OK;
}

/*
 * dp_rng_below -- an exactly uniform integer in 0..bound-1
 *
 * Why:         x uniform in 0..2^64-1, x bound = high 2^64 + low. Of the x that
 *              give one value of high, bound divides out evenly once those with
 *              low < 2^64 mod bound are drawn again: floor(2^64/bound) are left
 *              for each value, no more and no fewer.
 * Source:      Lemire, "Fast random integer generation in an interval" (2019);
 *              the division is reached with probability bound/2^64 only.
 * Numerics:    a bound of 1 takes no bytes.
 */
DpStatus
dp_rng_below(DpRng *rng, uint64_t bound, uint64_t *out)
{
	unsigned __int128 product;
	uint64_t bits;

	if (bound <= 1)
	{
		*out = 0;
		return bound == 1 ? DP_OK : DP_ERR_ARGUMENT;
	}
	do
	{
		DP_TRY(dp_rng_u64(rng, &bits));
		product = (unsigned __int128) bits * bound;
	} while ((uint64_t) product < bound && (uint64_t) product < (0 - bound) % bound);
	*out = (uint64_t) (product >> 64);
	return DP_OK;
}

/* The output function of splitmix64: a bijection of 64 bits that scatters well. */
static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/*
 * Each word of the state is a chain of bijections of seed, set and block: so two
 * blocks of one set can't share even a word, and two triples share a state only
 * if four such chains meet at once. The steps are splitmix64's odd constant.
 */
void
dp_prng_seed(DpPrng *prng, uint64_t seed, uint64_t set, uint64_t block)
{
	const uint64_t step = UINT64_C(0x9E3779B97F4A7C15);
	uint64_t any = 0;

	for (uint64_t i = 0; i < 4; i++)
	{
		uint64_t word = mix(seed + (i + 1) * step);

		word = mix(word + (set + 1) * step);
		prng->state[i] = mix(word + (block + 1) * step);
		any |= prng->state[i];
	}
	if (any == 0)
		prng->state[0] = 1; /* the one state that xoshiro never leaves */
}

static uint64_t
rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

/* xoshiro256** 1.0, Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2018). */
uint64_t
dp_prng_u64(DpPrng *prng)
{
	uint64_t *s = prng->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t
dp_prng_below(DpPrng *prng, uint64_t bound)
{
	return (uint64_t) (((unsigned __int128) dp_prng_u64(prng) * bound) >> 64);
}

double
dp_prng_unit(DpPrng *prng)
{
	return (double) (dp_prng_u64(prng) >> 11) * 0x1p-53;
}
