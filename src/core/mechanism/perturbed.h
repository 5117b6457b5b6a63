/*
 * perturbed.h -- drawing values from perturbed distributions as a private
 * answer. The values themselves are what is released, and each draw spends budget.
 *
 * A draw is from the counts of a histogram,
 *
 *		P[c] = (n_c + alpha) / (N + C alpha),
 *
 * or from any distribution f that was fitted to the data,
 *
 *		P[c] = (f_c + alpha) / (1 + C alpha).
 *
 * Counts may also have a public shape: more than alpha for some categories, extra_c,
 *
 *		P[c] = (n_c + alpha + extra_c) / (N + C alpha + sum of extra).
 *
 * A block is what is paid for at once: all draws that make some rows. alpha is a
 * rational number, base / unit, rounded up, so that every draw is exact.
 *
 * Source: PeGS (perturbed Gibbs sampler); the proofs, with blocks, several
 * sweeps and units of several rows: docs/methods/pegs.md.
 */
#ifndef DP_PERTURBED_H
#define DP_PERTURBED_H

#include "core/accounting/privacy_unit.h"
#include "core/mechanism/noise_source.h"
#include "core/noise/categorical.h"

typedef enum DpPerturbedKind
{
	DP_PERTURBED_COUNTS, /* a row sits in one histogram of each attribute */
	DP_PERTURBED_FITTED  /* the distributions may depend on the data in any way */
} DpPerturbedKind;

/* The terms of one block. They are public. */
typedef struct DpPerturbedTerms
{
	DpPerturbedKind kind;
	DpUnit unit;
	int64_t epsilon_nano; /* epsilon of the block */
	uint32_t
		attributes;  /* attributes with two levels or more, which are those that are drawn; >= 1 */
	uint32_t rows;   /* rows that the block makes; >= 1, for FITTED 1. With several rows counts
						   * are reset after the first draw from them: they are uniform then */
	uint32_t sweeps; /* how often each attribute of a row is drawn; >= 1 */
} DpPerturbedTerms;

/* alpha = base / unit, unit a power of two. */
typedef struct DpAlpha
{
	uint64_t base;
	uint64_t unit;
} DpAlpha;

#define DP_ALPHA_UNIT_MAX (UINT64_C(1) << 22)
#define DP_ALPHA_BASE_MAX (UINT64_C(1) << 38)

/* The smallest alpha of that precision that the terms allow. It follows from public numbers
 * only. DP_ERR_ARGUMENT. DP_ERR_RANGE: epsilon is so small that alpha exceeds 2^38 rows. */
extern DpStatus dp_perturbed_alpha(const DpPerturbedTerms *terms, DpAlpha *alpha) DP_MUST_USE;

/* Draws under terms, block after block. */
typedef struct DpPerturbed
{
	DpNoiseSource noise;
	DpPerturbedTerms terms;
	DpAlpha alpha;
	uint64_t block;      /* blocks that were begun */
	uint64_t draws_left; /* in this block */
} DpPerturbed;

/* Sets alpha from the terms. It charges nothing yet. */
extern DpStatus dp_perturbed_init(DpPerturbed *perturbed, const DpNoiseSource *noise,
								  const DpPerturbedTerms *terms) DP_MUST_USE;
/* Charges for a block, whose draws may follow. DP_ERR_OVERDRAW: nothing is drawn. */
extern DpStatus dp_perturbed_begin(DpPerturbed *perturbed) DP_MUST_USE;
/*
 * Draws once. COUNTS: counts is one of the attribute's histograms, and is marked as visited.
 * FITTED: counts holds f in units of 1/alpha.unit, with total = alpha.unit; if not,
 * DP_ERR_INTERNAL. DP_ERR_OVERDRAW: the block did not pay for so many draws, and nothing is
 * drawn. DP_ERR_RANGE: there are more than 2^41 rows.
 */
extern DpStatus dp_perturbed_draw(DpPerturbed *perturbed, DpHistogram *counts,
								  uint32_t *code) DP_MUST_USE;

#endif
