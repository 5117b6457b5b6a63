/*
 * exact_conditional.h -- exact counts of one attribute by the values of others, which a row
 * looks up. SECRET, as the DpMarginal is that they are taken from: only what runs behind the
 * wall may use them. (conditional.h is the noisy counterpart.)
 */
#ifndef DP_EXACT_CONDITIONAL_H
#define DP_EXACT_CONDITIONAL_H

#include "core/exact/marginal.h"
#include "core/noise/categorical.h"

typedef struct DpExactConditional
{
	uint32_t parents;
	uint32_t *parent;       /* [parents] places in a row */
	uint32_t buckets;       /* 0: a key is the parents' codes; otherwise the bucket of them */
	uint32_t key_codes;     /* codes of a key: parents, or 1 */
	uint64_t keys;          /* keys that occur */
	uint32_t *key;          /* [keys x key_codes] ascending */
	DpHistogram *histogram; /* [keys] counts of the last attribute; each has a row */
	DpHistogram none;       /* the histogram of every other combination, without rows */
} DpExactConditional;

/*
 * Builds it from a table over (parents..., attribute). The table may be freed afterwards. With
 * buckets >= 1 a public hash puts each combination of parents' values into one of so many buckets,
 * and combinations of one bucket share their counts.
 */
extern DpStatus dp_exact_conditional_build(const DpMarginal *exact, uint32_t buckets,
										   DpExactConditional *out, DpArena *arena) DP_MUST_USE;
/* The histogram given the parents' codes in the row; never NULL. */
extern DpHistogram *dp_exact_conditional_find(DpExactConditional *conditional, const uint32_t *row);

#endif
