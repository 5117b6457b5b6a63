/*
 * perturbed.c -- draws from perturbed distributions.
 */
#include "core/mechanism/perturbed.h"

#include <math.h>

#include "core/mechanism/internal.h"

/* This is above the error of all floating-point steps below, relative to alpha. */
#define ALPHA_MARGIN 1e-11
#define EXPONENT_MAX 700.0 /* exp() is finite; a smaller exponent makes a larger alpha */

/* The most that the draws of a block can add up to: a product of `factors` ratios of 1 +
 * mass/alpha each. */
typedef struct Worst
{
	double factors;
	double mass; /* rows */
} Worst;

/*
 * worst_case -- the largest ratio of the probabilities of a block on neighbours
 *
 * Fitted:      each draw has a ratio of at most 1 + 1/alpha, whatever f is.
 * Counts, one row: each draw has a ratio of at most 1 + k/alpha (k = rows_max), under
 *              either relation.
 * Counts, several rows: a histogram counts once and is uniform afterwards. The rows of
 *              a unit sit in at most k histograms of an attribute, those of two units in
 *              2k. So M = k (or 2k) rows change, in q = min(M, draws of an attribute)
 *              histograms. The product is largest where M is spread evenly: it has q
 *              ratios of 1 + (M/q)/alpha for each attribute.
 */
static Worst
worst_case(const DpPerturbedTerms *terms)
{
	double k = terms->unit.rows_max;
	double draws = (double) terms->rows * terms->sweeps;
	double moved = (double) dp_unit_l1(&terms->unit);
	double histograms = moved < draws ? moved : draws;

	if (terms->kind == DP_PERTURBED_FITTED)
		return (Worst){terms->attributes * draws, 1.0};
	if (terms->rows == 1)
		return (Worst){terms->attributes * draws, k};
	return (Worst){terms->attributes * histograms, moved / histograms};
}

static bool
terms_valid(const DpPerturbedTerms *terms)
{
	return dp_epsilon_valid(terms->epsilon_nano) && terms->attributes >= 1 && terms->rows >= 1 &&
		   terms->sweeps >= 1 && terms->unit.rows_max >= 1 &&
		   (terms->kind == DP_PERTURBED_COUNTS || terms->rows == 1);
}

/*
 * dp_perturbed_alpha -- the pseudo-count that a block's epsilon asks for
 *
 * Why:         (1 + mass/alpha)^factors <= exp(epsilon) holds iff alpha >= mass /
 *              (exp(epsilon/factors) - 1). A larger alpha is more private.
 * Numerics:    expm1 of up to 700 turns relative errors of its argument into 701 times
 *              as much: below 1e-12 in all, so a margin of 1e-11 and the ceiling are
 *              outward. The unit is the finest with which alpha x levels and the
 *              counts stay in 64 bits.
 */
DpStatus
dp_perturbed_alpha(const DpPerturbedTerms *terms, DpAlpha *alpha)
{
	Worst worst;
	double exponent, value;

	if (!terms_valid(terms))
		return DP_ERR_ARGUMENT;
	worst = worst_case(terms);
	exponent = (double) terms->epsilon_nano / DP_EPSILON_ONE / worst.factors;
	value = worst.mass / expm1(exponent < EXPONENT_MAX ? exponent : EXPONENT_MAX);
	value *= 1 + ALPHA_MARGIN;
	if (!(value <= (double) DP_ALPHA_BASE_MAX))
		return DP_ERR_RANGE;
	alpha->unit = DP_ALPHA_UNIT_MAX;
	while (ceil(value * (double) alpha->unit) > (double) DP_ALPHA_BASE_MAX)
		alpha->unit /= 2;
	alpha->base = (uint64_t) ceil(value * (double) alpha->unit);
	return DP_OK;
}

DpStatus
dp_perturbed_init(DpPerturbed *perturbed, const DpNoiseSource *noise, const DpPerturbedTerms *terms)
{
	*perturbed = (DpPerturbed){.noise = *noise, .terms = *terms};
	return dp_perturbed_alpha(terms, &perturbed->alpha);
}

DpStatus
dp_perturbed_begin(DpPerturbed *perturbed)
{
	const DpPerturbedTerms *terms = &perturbed->terms;

	perturbed->draws_left = 0;
	DP_TRY(dp_meter_charge(perturbed->noise.meter, dp_cost_pure(terms->epsilon_nano)));
	perturbed->block++;
	perturbed->draws_left = (uint64_t) terms->attributes * terms->rows * terms->sweeps;
	return DP_OK;
}

/* The weight of a row. It is 0 once its histogram is reset. */
static uint64_t
row_weight(const DpPerturbed *perturbed, const DpHistogram *counts)
{
	bool reset = perturbed->terms.kind == DP_PERTURBED_COUNTS && perturbed->terms.rows > 1 &&
				 counts->visited == perturbed->block;

	if (reset)
		return 0;
	return perturbed->terms.kind == DP_PERTURBED_COUNTS ? perturbed->alpha.unit : 1;
}

/*
 * dp_perturbed_draw -- one value from a perturbed distribution
 *
 * Inputs:      a begun block; counts
 * Output:      *code in 0..levels-1
 * Neighbours:  the dataset's, in terms.unit
 * Guarantee:   all draws of a block together are epsilon-DP, exactly: see worst_case.
 *              That they follow each other, each from a histogram that earlier values
 *              chose, makes no difference: the ratio of a sequence of values is the
 *              product of the ratios of its draws, for every sequence
 * Source:      PeGS; blocks under replacement corrected, see docs/methods/pegs.md
 * Numerics:    integers only
 */
DpStatus
dp_perturbed_draw(DpPerturbed *perturbed, DpHistogram *counts, uint32_t *code)
{
	uint64_t weight = row_weight(perturbed, counts);

	if (perturbed->draws_left == 0)
		return DP_ERR_OVERDRAW;
	if (perturbed->terms.kind == DP_PERTURBED_FITTED &&
		counts->total != (int64_t) perturbed->alpha.unit)
		return DP_ERR_INTERNAL;
	perturbed->draws_left--;
	counts->visited = perturbed->block;
	return dp_categorical(perturbed->noise.rng, counts, weight, perturbed->alpha.base, code);
}
