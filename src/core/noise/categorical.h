/*
 * categorical.h -- one category of many, by integer weights. This is a distribution only:
 * epsilon belongs to the mechanism (perturbed.h).
 */
#ifndef DP_CATEGORICAL_H
#define DP_CATEGORICAL_H

#include "core/noise/rng.h"

/* Counts of the categories 0..levels-1, of which only those above 0 are listed. */
typedef struct DpHistogram
{
	uint32_t levels;
	uint64_t n;           /* categories listed */
	const uint32_t *code; /* [n], each < levels */
	const int64_t *count; /* [n], >= 0 */
	const int64_t *upto;  /* [n] running sums of count, for fast draws; may be NULL */
	int64_t total;        /* sum of count */
	/*
	 * [levels] running sums of the weight that each category has beyond base; NULL: none. Public.
	 */
	const uint64_t *extra_upto;
	uint64_t visited; /* the last block of perturbed.c that drew from it; 0 = none */
} DpHistogram;

/*
 * Draws with P[code = c] = (unit x count[c] + base + extra[c]) / (unit x total + base x levels +
 * sum of extra), exactly. DP_ERR_ARGUMENT: all weights are 0. DP_ERR_RANGE: the sum of the weights
 * exceeds 64 bits. DP_ERR_RANDOM. code is untouched after an error.
 */
extern DpStatus dp_categorical(DpRng *rng, const DpHistogram *histogram, uint64_t unit,
							   uint64_t base, uint32_t *code) DP_MUST_USE;

#endif
