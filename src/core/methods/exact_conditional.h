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
	uint64_t keys;          /* combinations of parents' values that occur */
	uint32_t *key;          /* [keys x parents] ascending */
	DpHistogram *histogram; /* [keys] counts of the last attribute; each has a row */
	DpHistogram none;       /* the histogram of every other combination, without rows */
} DpExactConditional;

/* Builds it from a table over (parents..., attribute). The table may be freed afterwards. */
extern DpStatus dp_exact_conditional_build(const DpMarginal *exact, DpExactConditional *out,
										   DpArena *arena) DP_MUST_USE;
/* The histogram given the parents' codes in the row; never NULL. */
extern DpHistogram *dp_exact_conditional_find(DpExactConditional *conditional, const uint32_t *row);

#endif
