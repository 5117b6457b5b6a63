/*
 * prng.c -- xoshiro256**, and how a seed becomes its state.
 */
#include "core/base/prng.h"

/* The output function of splitmix64: a bijection of 64 bits that scatters well. */
static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/*
 * Each word of the state is a chain of bijections of seed, set and block. So two blocks of
 * one set cannot share even a word, and two streams share a state only if four such chains
 * meet at once. The steps are splitmix64's odd constant.
 */
void
dp_prng_seed(DpPrng *prng, DpStream stream)
{
	const uint64_t step = UINT64_C(0x9E3779B97F4A7C15);
	uint64_t any = 0;

	for (uint64_t i = 0; i < 4; i++)
	{
		uint64_t word = mix(stream.seed + (i + 1) * step);

		word = mix(word + (stream.set + 1) * step);
		prng->state[i] = mix(word + (stream.block + 1) * step);
		any |= prng->state[i];
	}
	if (any == 0)
		prng->state[0] = 1; /* the one state that xoshiro never leaves */
}

static inline uint64_t
rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

/* xoshiro256** 1.0: Blackman and Vigna, "Scrambled linear pseudorandom number generators"
 * (2018). */
static inline uint64_t
step_state(uint64_t s[4])
{
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
dp_prng_u64(DpPrng *prng)
{
	return step_state(prng->state);
}

/* The state stays in registers. */
void
dp_prng_fill(DpPrng *prng, uint64_t *out, size_t n)
{
	DpPrng local = *prng;

	for (size_t i = 0; i < n; i++)
		out[i] = step_state(local.state);
	*prng = local;
}

void
dp_prng_fill_32(DpPrng *prng, uint32_t *out, size_t n)
{
	DpPrng local = *prng;

	for (size_t i = 0; i + 1 < n; i += 2)
	{
		uint64_t both = step_state(local.state);

		out[i] = (uint32_t) both;
		out[i + 1] = (uint32_t) (both >> 32);
	}
	*prng = local;
}

uint64_t
dp_prng_again_32(DpPrng *prng, uint64_t product, uint32_t bound)
{
	uint32_t unfair = -bound % bound; /* 2^32 modulo bound */

	while ((uint32_t) product < unfair)
		product = (dp_prng_u64(prng) >> 32) * bound;
	return product;
}

uint64_t
dp_prng_below(DpPrng *prng, uint64_t bound)
{
	return dp_prng_scale(dp_prng_u64(prng), bound);
}

double
dp_prng_unit(DpPrng *prng)
{
	return (double) (dp_prng_u64(prng) >> 11) * 0x1p-53;
}
