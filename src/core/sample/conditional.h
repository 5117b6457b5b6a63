/*
 * conditional.h -- the conditional distributions in a noisy table: those of its last attribute
 * (the target), given the others (the parents).
 *
 * There are sets of distributions for lengths of a prefix of the parents, down to none. They are
 * margins of the same table, so that a key that was not released can fall back to a shorter
 * one. Draws take constant time: a directory finds the key of the parents, directly where there are
 * few keys, else hashed, and each key has an alias table.
 */
#ifndef DP_CONDITIONAL_H
#define DP_CONDITIONAL_H

#include "core/base/code_key.h"
#include "core/estimate/weights.h"
#include "core/sample/alias.h"
#include "core/sample/sampler.h"

/* Up to so many parents there is a set of distributions for each length of a prefix; with more
 * parents, so many lengths are spread over them. */
#define DP_CONDITIONAL_PREFIXES 16

typedef struct DpConditionalSlot
{
	uint32_t first; /* where its entries begin */
	uint32_t n;     /* 0 = this key is missing */
} DpConditionalSlot;

/* Distributions given the first `parents` parents. */
typedef struct DpConditionalLevel
{
	bool direct;
	uint32_t parents;
	uint32_t key_words; /* words of a key, if hashed */
	uint64_t slots;     /* hashed: a power of two */
	uint64_t *stride;   /* direct: [parents], slot = sum of code x stride */
	DpKeyField *field;  /* hashed: [parents] */
	uint64_t *keys;     /* hashed: [slots x key_words] */
	DpConditionalSlot *slot;
	DpAliasEntry *entry;
} DpConditionalLevel;

typedef struct DpConditional
{
	uint32_t parents;
	uint32_t *parent; /* [parents] index in a row */
	uint32_t target_levels;
	uint32_t levels;           /* number of levels built */
	DpConditionalLevel *level; /* from all parents down to none */
} DpConditional;

/*
 * Builds the distributions of a table with at least one attribute. with_prefixes: for shorter
 * prefixes too; otherwise only for all parents and for none. DP_ERR_CORRUPT: the table has no
 * attribute. DP_ERR_LIMIT: it has more than 2^32 cells.
 */
extern DpStatus dp_conditional_build(DpConditional *conditional, const DpEstimatedTable *from,
									 bool with_prefixes, const DpTick *tick,
									 DpArena *arena) DP_MUST_USE;

/* Where the distribution of a row's key stands at a level, or would stand if it is missing there.
 */
extern uint64_t dp_conditional_slot(const DpConditional *conditional,
									const DpConditionalLevel *level, const uint32_t *row);
/* Draws the target given the codes of the parents in the row, at one level. Returns false if the
 * key is missing there. */
extern bool dp_conditional_draw(const DpConditional *conditional, const DpConditionalLevel *level,
								const uint32_t *row, DpPrng *prng, uint32_t *value);
/* What a number of the stream makes of the longest level that has the key, from level `first` on,
 * which is the result. If no level has it, all values are alike, and the result is the number of
 * levels. */
extern uint32_t dp_conditional_pick(const DpConditional *conditional, uint32_t first,
									const uint32_t *row, uint64_t random, uint32_t *value);
/* Whether level `first` has all keys that there are. */
extern bool dp_conditional_is_total(const DpConditional *conditional, uint32_t first);
/* Writes the distribution from which dp_conditional_pick draws, distribution[target_levels], and
 * returns the prefix level that it comes from. */
extern uint32_t dp_conditional_distribution(const DpConditional *conditional, uint32_t first,
											const uint32_t *row, double *distribution);
/* The value that the next number of a stream makes. */
extern uint32_t dp_conditional_draw_backoff(const DpConditional *conditional, uint32_t first,
											const uint32_t *row, DpPrng *prng);

/*
 * Draws for all rows of a block at once. Neighbouring draws do not wait for each other then, which
 * is what takes longest in a chain of draws for one row. Codes stand column by column.
 */
typedef struct DpCodeColumns
{
	uint32_t rows;    /* 1..DP_BLOCK_ROWS */
	uint32_t columns; /* attributes */
	uint32_t *code; /* [columns x DP_BLOCK_ROWS]: that of row r is at column x DP_BLOCK_ROWS + r */
	uint64_t *random; /* [DP_BLOCK_ROWS] scratch */
	uint32_t *slot;   /* [DP_BLOCK_ROWS] scratch */
	uint32_t *row;    /* [columns] scratch */
} DpCodeColumns;

extern DpStatus dp_code_columns_init(DpCodeColumns *block, uint32_t columns,
									 DpArena *arena) DP_MUST_USE;
/* Copies the columns to rows: codes[row x columns + column]. */
extern void dp_code_columns_to_rows(const DpCodeColumns *block, uint32_t *codes);
/* Draws attribute `target` of all rows, one number of the stream for each. Where level `first`
 * lacks the key, it backs off to shorter ones, or (keep) leaves the code as it is. */
extern void dp_conditional_draw_block(const DpConditional *conditional, uint32_t first, bool keep,
									  DpCodeColumns *block, uint32_t target, DpPrng *prng);

#endif
