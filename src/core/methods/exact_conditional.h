/*
 * exact_conditional.h -- exact counts of one attribute by the values of others,
 * to be looked up by a row. SECRET, as the DpMarginal that they are taken from:
 * for what runs behind the wall only. (conditional.h is the noisy counterpart.)
 */
#ifndef DP_EXACT_CONDITIONAL_H
#define DP_EXACT_CONDITIONAL_H

#include "marginal.h"
#include "noise_categorical.h"

typedef struct DpExactConditional
{
	uint32_t parents;
	uint32_t *parent;       /* [parents] place in a row */
	uint64_t keys;          /* combinations of parents' values that occur */
	uint32_t *key;          /* [keys x parents] ascending */
	DpHistogram *histogram; /* [keys] of the last attribute; all have a row */
	DpHistogram none;       /* of every other combination: no rows */
} DpExactConditional;

/* Of a table over (parents..., attribute). The table may be freed afterwards. */
extern DpStatus dp_exact_conditional_build(const DpMarginal *exact, DpArena *arena,
										   DpExactConditional *out) DP_MUST_USE;
/* The histogram given the parents' codes in the row; never NULL. */
extern DpHistogram *dp_exact_conditional_find(DpExactConditional *conditional, const uint32_t *row);

#endif
