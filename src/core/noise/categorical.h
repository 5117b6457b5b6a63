/*
 * noise_categorical.h -- one category of many, by integer weights. A distribution
 * only: no epsilon here, that is mechanism_perturbed.h's.
 */
#ifndef DP_NOISE_CATEGORICAL_H
#define DP_NOISE_CATEGORICAL_H

#include "rng.h"

/* Counts of the categories 0..levels-1, of which only those above 0 are listed. */
typedef struct DpHistogram
{
	uint32_t levels;
	uint64_t n;           /* categories listed */
	const uint32_t *code; /* [n], each < levels */
	const int64_t *count; /* [n], >= 0 */
	const int64_t *upto;  /* [n] their sums so far, which make a draw fast; may be NULL */
	int64_t total;        /* sum of count */
	uint64_t visited;     /* mechanism_perturbed.c: the last block that drew from it; 0 = none */
} DpHistogram;

/*
 * P[code = c] = (unit x count[c] + base) / (unit x total + base x levels), exactly.
 * DP_ERR_ARGUMENT where all weights are 0; DP_ERR_RANGE where their sum is over
 * 64 bits; DP_ERR_RANDOM. code is untouched then.
 */
extern DpStatus dp_categorical(DpRng *rng, const DpHistogram *histogram, uint64_t unit,
							   uint64_t base, uint32_t *code) DP_MUST_USE;

#endif
