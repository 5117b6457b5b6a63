/*
 * conditional.h -- the conditional distributions in a noisy table: what its
 * last attribute (the target) is, given the others (the parents).
 *
 * There is one set of distributions for each length of a prefix of the
 * parents, down to none: the margins of the same table, so that a key that was
 * not released can fall back to a shorter one. Draws take constant time: a
 * directory by parent key, direct where the keys are few, else hashed, and an
 * alias table for each key.
 */
#ifndef DP_CONDITIONAL_H
#define DP_CONDITIONAL_H

#include "alias.h"
#include "model.h"

#define DP_CONDITIONAL_PARENTS_MAX 16

typedef struct DpConditionalSlot
{
	uint32_t first; /* in entry */
	uint32_t n;     /* 0 = this key is missing */
} DpConditionalSlot;

/* Distributions given the first `parents` parents. */
typedef struct DpConditionalLevel
{
	bool direct;
	uint32_t parents;
	uint32_t key_words;                           /* hashed */
	uint64_t slots;                               /* hashed: a power of two */
	uint64_t stride[DP_CONDITIONAL_PARENTS_MAX];  /* direct: slot = sum of code x stride */
	DpKeyField field[DP_CONDITIONAL_PARENTS_MAX]; /* hashed */
	uint64_t *keys;                               /* hashed: [slots x key_words] */
	DpConditionalSlot *slot;
	DpAliasEntry *entry;
} DpConditionalLevel;

typedef struct DpConditional
{
	uint32_t parents;
	uint32_t parent[DP_CONDITIONAL_PARENTS_MAX]; /* index in a row */
	uint32_t target_levels;
	uint32_t levels;           /* number of levels built */
	DpConditionalLevel *level; /* from all parents down to none */
} DpConditional;

/*
 * Of a table with 1..DP_CONDITIONAL_PARENTS_MAX + 1 attributes. with_prefixes:
 * all prefix lengths; otherwise all parents and none only. estimate and rows: see
 * dp_weights_make. DP_ERR_CORRUPT: too many attributes;
 * DP_ERR_LIMIT: over 2^32 cells.
 */
extern DpStatus dp_conditional_build(DpConditional *conditional, const DpDomain *domain,
									 const DpTable *table, const double *estimate, int64_t rows,
									 bool with_prefixes, DpArena *arena,
									 const DpTick *tick) DP_MUST_USE;

/* The target given the parents' codes in the row, at one level; false if that key is missing. */
extern bool dp_conditional_draw(const DpConditional *conditional, const DpConditionalLevel *level,
								const uint32_t *row, DpPrng *prng, uint32_t *value);
/* The same at the longest level that has the key, from level first on; at last uniform. */
extern uint32_t dp_conditional_draw_backoff(const DpConditional *conditional, uint32_t first,
											const uint32_t *row, DpPrng *prng);

#endif
