/*
 * alias.h -- categorical draws in constant time.
 *
 * n outcomes become n columns of equal height, and at most two outcomes share a column. One 64-bit
 * number picks the column (its high part times n) and the height within the column (the rest).
 */
#ifndef DP_ALIAS_H
#define DP_ALIAS_H

#include "core/base/prng.h"

typedef struct DpAliasEntry
{
	uint32_t threshold; /* share of `own` in the column, in units of 2^-32 */
	uint32_t own;
	uint32_t other;
} DpAliasEntry;

/*
 * Builds the table of n >= 1 outcomes with weights >= 0, which are finite and not all zero.
 * outcome[i] is what is drawn for i (NULL: i itself). weight is overwritten; work has space for n.
 */
extern void dp_alias_build(double *weight, const uint32_t *outcome, uint32_t n, uint32_t *work,
						   DpAliasEntry *table);

/*
 * Each column is exact to 2^-32 / n. An outcome that is the `other` of many columns gets what is
 * cut off in all of them, so that it can be off by up to 2^-32: about one in four billion rows.
 */
static inline uint32_t
dp_alias_pick(const DpAliasEntry *table, uint32_t n, uint64_t random)
{
	unsigned __int128 product = (unsigned __int128) random * n;
	const DpAliasEntry *entry = &table[(uint64_t) (product >> 64)];
	uint32_t height = (uint32_t) ((uint64_t) product >> 32);

	return height < entry->threshold ? entry->own : entry->other;
}

/* Adds the probability of each outcome, as it is drawn, to distribution[outcome]. */
extern void dp_alias_distribution(const DpAliasEntry *table, uint32_t n, double *distribution);

static inline uint32_t
dp_alias_draw(const DpAliasEntry *table, uint32_t n, DpPrng *prng)
{
	return dp_alias_pick(table, n, dp_prng_u64(prng));
}

#endif
