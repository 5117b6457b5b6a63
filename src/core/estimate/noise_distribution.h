/*
 * noise_distribution.h -- the distribution of a weighted sum of independent noises, whose
 * parameters are public: how wide an interval must be to hold the sum with a given probability.
 */
#ifndef DP_NOISE_DISTRIBUTION_H
#define DP_NOISE_DISTRIBUTION_H

#include "core/model/model.h"

/* So many independent noises of one distribution, each times a coefficient. */
typedef struct DpNoiseTerm
{
	DpNoise noise;      /* DP_NOISE_LAPLACE or DP_NOISE_GAUSSIAN */
	double scale;       /* Laplace: epsilon / sensitivity; Gaussian: sigma^2 */
	double variance;    /* of one noise */
	double coefficient; /* >= 0, since the distributions are symmetric */
	/* How many. It need not be whole: noises with unequal coefficients are taken as equal ones
	 * with the same second and fourth moment. */
	double count;
} DpNoiseTerm;

typedef struct DpNoiseSum
{
	uint32_t terms;
	DpNoiseTerm *term;
} DpNoiseSum;

/* The noise of one cell of a dense table, with coefficient 1. */
extern DpNoiseTerm dp_noise_term(const DpTable *table);
/* Whether tables with this noise have the same noise in every cell, whatever was counted. */
extern bool dp_noise_is_additive(const DpTable *table);
extern double dp_noise_distribution_variance(const DpNoiseSum *distribution);
/* Whether S is a whole number of small spread, so that quantiles are exact. */
extern bool dp_noise_distribution_is_exact(const DpNoiseSum *distribution);
/*
 * The smallest q with P[|S| <= q] >= confidence, confidence in (0, 1).
 *
 * How: the characteristic function of S is a product of known ones. Where S is an integer of small
 * spread, its distribution is the discrete Fourier transform of that product, and q is exact.
 * Otherwise the noises are taken as continuous, and the distribution function is a sine series
 * (Davies, "Numerical inversion of a characteristic function", 1973). Its error is below 1e-5 for
 * any sum of such noises.
 */
extern double dp_noise_distribution_half_width(const DpNoiseSum *distribution, double confidence);

#endif
