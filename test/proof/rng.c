/*
 * rng.c -- random bytes are used once, and numbers below a bound are exactly uniform.
 */
#include "core/noise/rng.c"
#include "proof.h"

/* A source that gives any bytes, or fails and leaves any bytes behind. */
static bool
any_fill(void *context, void *buffer, size_t bytes)
{
	(void) context;
	__CPROVER_havoc_slice(buffer, bytes);
	return nondet_bool();
}

/*
 * For all contents of the buffer, all positions in it and 1 to 8 bytes that are taken: nothing
 * outside of the buffer is read or written. What was taken is gone from the buffer, and the
 * position stands behind it, so that it cannot be taken twice. A source that fails leaves zeros.
 */
void
prove_take(void)
{
	DpRng rng;
	unsigned char out[8];
	size_t bytes = nondet_byte(), position, k = nondet_byte();
	DpStatus status;

	rng.fill = any_fill;
	given(rng.position <= DP_RNG_BUFFER);
	given(bytes >= 1 && bytes <= sizeof(out) && k < bytes);
	position = rng.position;
	status = take(&rng, out, bytes);
	holds(rng.position <= DP_RNG_BUFFER);
	if (status == DP_OK)
	{
		holds(rng.position == (DP_RNG_BUFFER - position < bytes ? bytes : position + bytes));
		holds(rng.buffer[rng.position - bytes + k] == 0);
	}
	else
	{
		size_t i = nondet_uint32();

		given(i < DP_RNG_BUFFER);
		holds(status == DP_ERR_RANDOM && rng.position == DP_RNG_BUFFER && rng.buffer[i] == 0);
	}
}

/* The first 64 bits that the code asks for are `bits`; the source fails where it asks again. */
static uint64_t bits;
static int asked;

DpStatus
one_word(DpRng *rng, uint64_t *out)
{
	(void) rng;
	*out = bits;
	return asked++ == 0 ? DP_OK : DP_ERR_RANDOM;
}

/*
 * For a bound b and all values v below it: of the 2^64 words of random bits, those that give v are
 * floor(2^64/b) that follow one another, and no others. So each value comes up with the same
 * number of words, and the other words are drawn again.
 */
void
prove_below_uniform(void)
{
	const unsigned __int128 all = (unsigned __int128) 1 << 64;
	const uint64_t each = (uint64_t) (all / BOUND), rest = (uint64_t) (all % BOUND);
	uint64_t v = nondet_uint64(), out = UINT64_MAX;
	unsigned __int128 first;
	DpRng rng;
	bool gives;

	bits = nondet_uint64();
	asked = 0;
	given(v < BOUND);
	first = (((unsigned __int128) v << 64) + rest + (BOUND - 1)) / BOUND;
	gives = dp_rng_below(&rng, BOUND, &out) == DP_OK && out == v;
	holds(gives == (bits >= first && bits - first < each));
	holds(first + each <= all);
}

/* For all bounds: 0 is refused, and 1 takes no bits. */
void
prove_below_bounds(void)
{
	uint64_t bound = nondet_uint64(), out = 7;
	DpRng rng;
	DpStatus status;

	bits = nondet_uint64();
	asked = 0;
	given(bound <= 1);
	status = dp_rng_below(&rng, bound, &out);
	holds(out == 0 && asked == 0);
	holds((status == DP_OK) == (bound == 1));
}
