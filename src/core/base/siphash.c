/*
 * siphash.c -- SipHash-2-4: Aumasson, Bernstein, "SipHash: a fast short-input
 * PRF" (2012), section 2. Words are little-endian.
 */
#include "core/base/siphash.h"

static uint64_t
rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

/* The paper's SipRound on v0 .. v3. */
static inline void
siphash_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static inline void
compress(DpSiphash *hash, uint64_t word)
{
	hash->v[3] ^= word;
	siphash_round(hash->v);
	siphash_round(hash->v);
	hash->v[0] ^= word;
}

static uint64_t
load_word(const unsigned char *bytes)
{
	return (uint64_t) bytes[0] | (uint64_t) bytes[1] << 8 | (uint64_t) bytes[2] << 16 |
		   (uint64_t) bytes[3] << 24 | (uint64_t) bytes[4] << 32 | (uint64_t) bytes[5] << 40 |
		   (uint64_t) bytes[6] << 48 | (uint64_t) bytes[7] << 56;
}

void
dp_siphash_start(DpSiphash *hash, const unsigned char key[DP_SIPHASH_KEY_BYTES])
{
	uint64_t k0 = load_word(key), k1 = load_word(key + 8);

	/* "somepseudorandomlygeneratedbytes" */
	hash->v[0] = k0 ^ UINT64_C(0x736f6d6570736575);
	hash->v[1] = k1 ^ UINT64_C(0x646f72616e646f6d);
	hash->v[2] = k0 ^ UINT64_C(0x6c7967656e657261);
	hash->v[3] = k1 ^ UINT64_C(0x7465646279746573);
	hash->tail = 0;
	hash->length = 0;
}

void
dp_siphash_add(DpSiphash *hash, const void *bytes, size_t n)
{
	const unsigned char *next = bytes;
	unsigned shift = (unsigned) (8 * (hash->length % 8));

	for (; n >= 8; n -= 8, next += 8, hash->length += 8)
	{
		uint64_t word = load_word(next);

		compress(hash, hash->tail | word << shift);
		hash->tail = shift > 0 ? word >> (64 - shift) : 0;
	}
	for (size_t i = 0; i < n; i++)
	{
		hash->tail |= (uint64_t) next[i] << (8 * (hash->length % 8));
		if (++hash->length % 8 == 0)
		{
			compress(hash, hash->tail);
			hash->tail = 0;
		}
	}
}

uint64_t
dp_siphash_finish(DpSiphash *hash)
{
	compress(hash, hash->tail | hash->length << 56);
	hash->v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		siphash_round(hash->v);
	return hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3];
}
