/*
 * gaussian.c -- discrete Gaussian noise, which zCDP accounts for.
 */
#include "core/mechanism/internal.h"
#include "core/mechanism/mechanism.h"
#include "core/noise/noise.h"

#define HALF_RHO_ONE ((uint64_t) DP_RHO_ONE / 2)

static bool
distribution_valid(DpGaussian distribution)
{
	return distribution.rho_pico >= 1 && distribution.rho_pico <= DP_RHO_PICO_MAX &&
		   distribution.sensitivity_l2_squared >= 1;
}

/*
 * Sets *out to numerator/denominator where that fits DP_GAUSSIAN_TERM_MAX. Otherwise *out is
 * the next larger fraction whose denominator is the largest power of two for which it fits.
 * Less than 2^-59 of the fraction is added. Noise that is wider than what rho asks for costs
 * less than rho. numerator < 2^102, denominator < 2^60.
 */
static DpStatus
fit_terms(unsigned __int128 numerator, uint64_t denominator, DpFraction *out)
{
	const unsigned __int128 most = DP_GAUSSIAN_TERM_MAX;
	uint64_t power = 1;

	if (numerator <= most)
	{
		*out = (DpFraction){(uint64_t) numerator, denominator};
		return DP_OK;
	}
	if (numerator > most * denominator)
		return DP_ERR_RANGE;
	while (numerator * power * 2 <= most * denominator)
		power *= 2;
	*out = (DpFraction){(uint64_t) ((numerator * power + denominator - 1) / denominator), power};
	return DP_OK;
}

/* sigma^2 = sensitivity^2/(2 rho), reduced before it is multiplied out. */
static DpStatus
gaussian_variance(DpGaussian distribution, DpFraction *variance)
{
	uint64_t rho = (uint64_t) distribution.rho_pico,
			 squared = (uint64_t) distribution.sensitivity_l2_squared;
	uint64_t unit = HALF_RHO_ONE, common;

	if (!distribution_valid(distribution))
		return DP_ERR_ARGUMENT;
	if (distribution.sensitivity_l2_squared == DP_SENSITIVITY_TOO_LARGE)
		return DP_ERR_RANGE;
	common = dp_common_divisor(rho, unit);
	rho /= common;
	unit /= common;
	common = dp_common_divisor(rho, squared);
	return fit_terms((unsigned __int128) unit * (squared / common), rho / common, variance);
}

/*
 * dp_gaussian_release -- add discrete Gaussian noise to a vector of counts
 *
 * Inputs:      counts[n], rows per cell; distribution: rho_pico in 1..DP_RHO_PICO_MAX,
 *              sensitivity_l2_squared in rows^2, >= 1
 * Output:      out[n], rows, may be negative; may alias counts
 * Neighbours:  the dataset's relation, already in sensitivity_l2_squared
 * Guarantee:   rho-zCDP, rho = rho_pico x 1e-12; charges dp_cost_concentrated
 * Why:         the Renyi divergence of order alpha of two such noises, shifted by
 *              whole numbers that differ by m, is at most alpha m^2/(2 sigma^2): the
 *              square is completed as in the continuous case, and the sum of
 *              exp(-(z - c)^2/(2 sigma^2)) over the integers z that is left is largest
 *              at c = 0, since its Fourier coefficients in c are positive. Cells are
 *              independent, so divergences add up, to alpha |difference|^2/(2 sigma^2)
 *              <= alpha rho.
 * Source:      Canonne, Kamath, Steinke, "The discrete Gaussian for differential
 *              privacy" (2020), proposition 5, theorem 14; sampler: noise.h
 * Numerics:    integers only; sigma^2 is that fraction exactly, or, where its terms
 *              exceed 2^60, rounded up by less than 2^-59 of it
 * Errors:      before the charge: DP_ERR_ARGUMENT; DP_ERR_RANGE where sigma is over 2^30 rows
 *              or the sensitivity does not fit 64 bits. DP_ERR_OVERDRAW: nothing was drawn.
 *              After the charge: DP_ERR_RANDOM, DP_ERR_RANGE (count + Z over 63 bits). After
 *              any error out is all zeros.
 */
DpStatus
dp_gaussian_release(const DpNoiseSource *noise, DpGaussian distribution, const int64_t *counts,
					size_t n, int64_t *out)
{
	DpFraction variance;
	DpStatus status = gaussian_variance(distribution, &variance);

	if (status == DP_OK)
		status = dp_meter_charge(noise->meter, dp_cost_concentrated(distribution.rho_pico));
	if (status != DP_OK)
		return dp_noise_cleared(status, out, n);
	return dp_noise_add(noise, (DpNoiseDistribution){dp_discrete_gaussian, variance}, counts, n,
						out);
}
