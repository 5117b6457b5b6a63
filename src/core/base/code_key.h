/*
 * code_key.h -- several codes packed into 64-bit words: the keys of hash tables.
 *
 * The first code is the most significant, no code lies across two words, and
 * unused bits are 0. So word-wise order of keys is the lexicographic order of
 * codes, and the key of the first r codes alone is the same key with all
 * later fields zero.
 */
#ifndef DP_CODE_KEY_H
#define DP_CODE_KEY_H

#include "core/base/status.h"

/* Where a code sits in a key. */
typedef struct DpKeyField
{
	uint32_t word;
	uint8_t shift;
	uint8_t bits;
} DpKeyField;

/* Places n codes with the given numbers of levels (>= 1); returns the number of words, >= 1. */
extern uint32_t dp_key_layout(const uint32_t *levels, uint32_t n, DpKeyField *field);

static inline void
dp_key_put(const DpKeyField *field, uint32_t code, uint64_t *key)
{
	key[field->word] |= (uint64_t) code << field->shift;
}

static inline uint32_t
dp_key_get(const DpKeyField *field, const uint64_t *key)
{
	return (uint32_t) ((key[field->word] >> field->shift) & ((UINT64_C(1) << field->bits) - 1));
}

/* Mixes all bits into all bits, since keys differ in few of them. This is the output function of
 * splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t
dp_key_hash(const uint64_t *key, uint32_t words)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < words; i++)
	{
		hash = (hash ^ key[i]) + UINT64_C(0x9e3779b97f4a7c15);
		hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
		hash ^= hash >> 31;
	}
	return hash;
}

static inline bool
dp_key_equal(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
	{
		if (a[i] != b[i])
			return false;
	}
	return true;
}

static inline bool
dp_key_before(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
	{
		if (a[i] != b[i])
			return a[i] < b[i];
	}
	return false;
}

#endif
