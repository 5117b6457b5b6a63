/*
 * rng.h -- bytes for noise, and bytes for everything else. Two types, so that
 * they cannot be mistaken for each other:
 *
 *   DpRng   cryptographic bytes from the source that it is handed; all noise
 *           and all selection draw from it. It has no seed.
 *   DpPrng  xoshiro256** (Blackman and Vigna, 2018), seeded; only for drawing
 *           rows from what is already released. Reproducible by design.
 */
#ifndef DP_RNG_H
#define DP_RNG_H

#include "status.h"

#define DP_RNG_BUFFER 4096

typedef struct DpRng
{
	bool (*fill)(void *context, void *buffer, size_t bytes); /* false = failure */
	void *context;
	size_t position; /* of the first unused byte; DP_RNG_BUFFER = empty */
	unsigned char buffer[DP_RNG_BUFFER];
} DpRng;

extern void dp_rng_init(DpRng *rng, bool (*fill)(void *, void *, size_t), void *context);
/* Wipes the buffer. Call it before the memory goes away. */
extern void dp_rng_wipe(DpRng *rng);
/* 64 unpredictable bits. Bytes are wiped from the buffer as they are used. DP_ERR_RANDOM. */
extern DpStatus dp_rng_u64(DpRng *rng, uint64_t *out) DP_MUST_USE;
/* One unpredictable bit. */
extern DpStatus dp_rng_bit(DpRng *rng, bool *out) DP_MUST_USE;
/* Exactly uniform in 0..bound-1; bound >= 1. Rejection, no modulo bias. */
extern DpStatus dp_rng_below(DpRng *rng, uint64_t bound, uint64_t *out) DP_MUST_USE;

typedef struct DpPrng
{
	uint64_t state[4];
} DpPrng;

/* A stream for (seed, set, block): streams of different triples are independent
 * for every practical purpose (state filled by splitmix64 over a mix of the three). */
extern void dp_prng_seed(DpPrng *prng, uint64_t seed, uint64_t set, uint64_t block);
extern uint64_t dp_prng_u64(DpPrng *prng);
/* Uniform in 0..bound-1 (Lemire's multiplication; bias at most bound / 2^64); bound >= 1. */
extern uint64_t dp_prng_below(DpPrng *prng, uint64_t bound);
/* Uniform in [0, 1), a multiple of 2^-53. */
extern double dp_prng_unit(DpPrng *prng);

#endif
