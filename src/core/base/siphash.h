/*
 * siphash.h -- a keyed hash: without the key, nobody can tell or steer what a
 * value hashes to.
 */
#ifndef DP_SIPHASH_H
#define DP_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

#define DP_SIPHASH_KEY_BYTES 16

typedef struct DpSiphash
{
	uint64_t v[4];
	uint64_t tail; /* bytes that do not fill a word yet; the first one is lowest */
	uint64_t length;
} DpSiphash;

extern void dp_siphash_start(DpSiphash *hash, const unsigned char key[DP_SIPHASH_KEY_BYTES]);
/* Adds bytes to the hash. The result depends on all bytes in their order, and not on how they
 * are cut into calls. */
extern void dp_siphash_add(DpSiphash *hash, const void *bytes, size_t n);
extern uint64_t dp_siphash_finish(DpSiphash *hash);

#endif
