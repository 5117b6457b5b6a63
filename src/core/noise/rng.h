/*
 * rng.h -- cryptographic bytes from the source that it is handed. All noise and
 * all private choices draw from a DpRng. It has no seed, and it is another type
 * than DpPrng (prng.h), so that the two cannot be mistaken for each other.
 */
#ifndef DP_RNG_H
#define DP_RNG_H

#include "core/base/status.h"

#define DP_RNG_BUFFER 4096

typedef struct DpRng
{
	bool (*fill)(void *context, void *buffer, size_t bytes); /* false = failure */
	void *context;
	size_t position; /* index of the first unused byte; DP_RNG_BUFFER = empty */
	unsigned char buffer[DP_RNG_BUFFER];
} DpRng;

extern void dp_rng_init(DpRng *rng, bool (*fill)(void *, void *, size_t), void *context);
/* Wipes the buffer. Call it before the memory goes away. */
extern void dp_rng_wipe(DpRng *rng);
/* 64 unpredictable bits. Bytes are wiped from the buffer as they are used. DP_ERR_RANDOM. */
extern DpStatus dp_rng_u64(DpRng *rng, uint64_t *out) DP_MUST_USE;
/* One unpredictable bit. */
extern DpStatus dp_rng_bit(DpRng *rng, bool *out) DP_MUST_USE;
/* Exactly uniform in 0..bound-1; bound >= 1. Values are rejected, so there is no modulo bias. */
extern DpStatus dp_rng_below(DpRng *rng, uint64_t bound, uint64_t *out) DP_MUST_USE;

#endif
