/*
 * alias.h -- categorical draws in constant time.
 *
 * n outcomes become n columns of equal height, each shared by at most two
 * outcomes. One 64-bit number picks the column (its high part times n) and the
 * height within the column (what is left).
 */
#ifndef DP_ALIAS_H
#define DP_ALIAS_H

#include "rng.h"

typedef struct DpAliasEntry
{
	uint32_t threshold; /* share of own in the column, in 2^-32 */
	uint32_t own;
	uint32_t other;
} DpAliasEntry;

/*
 * Builds the table of n >= 1 outcomes with weights >= 0, finite, not all zero.
 * outcome[i] is what is drawn (NULL: i itself). weight is used up; work has
 * room for n.
 */
extern void dp_alias_build(double *weight, const uint32_t *outcome, uint32_t n, uint32_t *work,
						   DpAliasEntry *table);

/*
 * Each column is exact to 2^-32 / n. An outcome that is the other of many columns
 * gets what is cut off in all of them, so it can be off by up to 2^-32: of four
 * billion drawn rows about one.
 */
static inline uint32_t
dp_alias_draw(const DpAliasEntry *table, uint32_t n, DpPrng *prng)
{
	unsigned __int128 product = (unsigned __int128) dp_prng_u64(prng) * n;
	const DpAliasEntry *entry = &table[(uint64_t) (product >> 64)];
	uint32_t height = (uint32_t) ((uint64_t) product >> 32);

	return height < entry->threshold ? entry->own : entry->other;
}

#endif
