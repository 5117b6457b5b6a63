/*
 * rng.c -- cryptographic bytes, wiped as they are used.
 */
#include "core/noise/rng.h"

#include <string.h>

/*
 * Zeroes memory in a way that the optimiser cannot drop as a dead store. Bytes that made
 * noise would undo it if they were found later in a core dump or a reused page.
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

/* A source that failed may have written a part of the buffer. No byte of that is ever used. */
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

/* If less than what is asked for is left in the buffer, the rest is thrown away: the refill
 * overwrites it. */
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
