/*
 * prng.h -- seeded streams, for drawing rows from what is already released.
 * Reproducible by design: xoshiro256** (Blackman and Vigna, 2018). Noise and
 * private choices take their bytes from DpRng (rng.h), which has no seed.
 */
#ifndef DP_PRNG_H
#define DP_PRNG_H

#include "core/base/status.h"

typedef struct DpPrng
{
	uint64_t state[4];
} DpPrng;

/* What a stream is for: the user's seed, the set of rows that is drawn, and the block within
 * that set. */
typedef struct DpStream
{
	uint64_t seed, set, block;
} DpStream;

/* Starts a stream. Streams of different triples are independent for every practical purpose:
 * splitmix64 fills the state from a mix of the three numbers. */
extern void dp_prng_seed(DpPrng *prng, DpStream stream);
extern uint64_t dp_prng_u64(DpPrng *prng);
/* The same n times. */
extern void dp_prng_fill(DpPrng *prng, uint64_t *out, size_t n);
/* 2^32 values each, two of a number of dp_prng_u64; n is even. */
extern void dp_prng_fill_32(DpPrng *prng, uint32_t *out, size_t n);
/* What dp_prng_below makes of a number of dp_prng_u64. */
static inline uint64_t
dp_prng_scale(uint64_t random, uint64_t bound)
{
	return (uint64_t) (((unsigned __int128) random * bound) >> 64);
}
/* A product of dp_prng_below_32 that may be one to draw again. */
extern uint64_t dp_prng_again_32(DpPrng *prng, uint64_t product, uint32_t bound);
/* Uniform in 0..bound-1 (Lemire's multiplication; bias at most bound / 2^64); bound >= 1. */
extern uint64_t dp_prng_below(DpPrng *prng, uint64_t bound);
/* A number of dp_prng_fill_32 as one in 0..bound-1, bound >= 1: as often each of them, since the
 * few that would make some more likely are drawn again (Lemire, "Fast random integer generation in
 * an interval", 2019). */
static inline uint32_t
dp_prng_below_32(DpPrng *prng, uint32_t random, uint32_t bound)
{
	uint64_t product = (uint64_t) random * bound;

	if ((uint32_t) product < bound)
		product = dp_prng_again_32(prng, product, bound);
	return (uint32_t) (product >> 32);
}
/* Uniform in [0, 1), a multiple of 2^-53. */
extern double dp_prng_unit(DpPrng *prng);

#endif
