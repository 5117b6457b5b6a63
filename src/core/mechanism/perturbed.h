/*
 * mechanism_perturbed.h -- drawing values from perturbed distributions, as a
 * private answer: here the values drawn are what is released, and each draw
 * spends.
 *
 * A draw is from the counts of a histogram,
 *
 *		P[c] = (n_c + alpha) / (N + C alpha),
 *
 * or from any distribution f that was fitted to the data,
 *
 *		P[c] = (f_c + alpha) / (1 + C alpha).
 *
 * What is paid for at once is a block: all draws that make some rows. alpha is a
 * rational, base / unit, rounded up, so that every draw is exact.
 *
 * Source: PeGS (perturbed Gibbs sampler); the proofs, with blocks, several
 * sweeps and units of several rows: docs/methods/pegs.md.
 */
#ifndef DP_MECHANISM_PERTURBED_H
#define DP_MECHANISM_PERTURBED_H

#include "mechanism.h"
#include "noise_categorical.h"

typedef enum DpPerturbedKind
{
	DP_PERTURBED_COUNTS, /* a row sits in one histogram of each attribute */
	DP_PERTURBED_FITTED  /* the distributions may depend on the data in any way */
} DpPerturbedKind;

/* One block. Public. */
typedef struct DpPerturbedTerms
{
	DpPerturbedKind kind;
	DpUnit unit;
	int64_t epsilon_nano; /* of the block */
	uint32_t attributes;  /* with two levels or more: those that are drawn; >= 1 */
	uint32_t rows;        /* that the block makes; >= 1. Over 1: counts that were drawn from once
						   * are reset, uniform from then on. FITTED: 1 only */
	uint32_t sweeps;      /* draws of each attribute for a row; >= 1 */
} DpPerturbedTerms;

/* alpha = base / unit, unit a power of two. */
typedef struct DpAlpha
{
	uint64_t base;
	uint64_t unit;
} DpAlpha;

#define DP_ALPHA_UNIT_MAX (UINT64_C(1) << 22)
#define DP_ALPHA_BASE_MAX (UINT64_C(1) << 38)

/* The smallest alpha of that precision that the terms allow. DP_ERR_ARGUMENT; DP_ERR_RANGE where
 * epsilon is so small that alpha is over 2^38 rows. Public numbers only. */
extern DpStatus dp_perturbed_alpha(const DpPerturbedTerms *terms, DpAlpha *alpha) DP_MUST_USE;

/* Draws under terms, block after block. */
typedef struct DpPerturbed
{
	DpMeter *meter;
	DpRng *rng;
	DpPerturbedTerms terms;
	DpAlpha alpha;
	uint64_t block;      /* blocks that were begun */
	uint64_t draws_left; /* in this block */
} DpPerturbed;

/* Charges nothing yet. */
extern DpStatus dp_perturbed_init(DpPerturbed *perturbed, DpMeter *meter, DpRng *rng,
								  const DpPerturbedTerms *terms) DP_MUST_USE;
/* Charges for a block, whose draws may follow. DP_ERR_OVERDRAW: nothing is drawn. */
extern DpStatus dp_perturbed_begin(DpPerturbed *perturbed) DP_MUST_USE;
/*
 * One draw. COUNTS: counts is one of the attribute's histograms, marked as visited.
 * FITTED: counts are f in units of 1/alpha.unit, with total = alpha.unit, else
 * DP_ERR_INTERNAL. DP_ERR_OVERDRAW: more draws than the block paid for; nothing is
 * drawn. DP_ERR_RANGE: over 2^41 rows.
 */
extern DpStatus dp_perturbed_draw(DpPerturbed *perturbed, DpHistogram *counts,
								  uint32_t *code) DP_MUST_USE;

#endif
