/*
 * stddev.c -- the discrete Laplace and Gaussian distributions and their standard deviations.
 */
#include "core/accounting/stddev.h"

#include <math.h>

#include "core/accounting/budget.h"

DpLaplace
dp_unit_laplace(const DpUnit *unit, int64_t epsilon_nano)
{
	return (DpLaplace){.epsilon_nano = epsilon_nano, .sensitivity_l1 = dp_unit_l1(unit)};
}

DpGaussian
dp_unit_gaussian(const DpUnit *unit, int64_t rho_pico)
{
	return (DpGaussian){.rho_pico = rho_pico, .sensitivity_l2_squared = dp_unit_l2_squared(unit)};
}

double
dp_laplace_stddev(DpLaplace distribution)
{
	double e0 = (double) distribution.epsilon_nano /
				((double) DP_EPSILON_ONE * (double) distribution.sensitivity_l1);

	return sqrt(2.0 * exp(-e0)) / -expm1(-e0); /* 1 - a would be 0 for a tiny e0 */
}

#define SIGMA_WIDE 2.0 /* from here on the discrete variance is sigma^2 to 1e-30 of it */

/* Where the integers are a coarse grid for the distribution, its sum is taken directly: z^2 and 1,
 * each weighted, are summed over z. */
double
dp_gaussian_stddev(DpGaussian distribution)
{
	double rho = (double) distribution.rho_pico / (double) DP_RHO_ONE;
	double sigma = sqrt((double) distribution.sensitivity_l2_squared / (2.0 * rho));
	double squares = 0.0, mass = 1.0;

	if (sigma >= SIGMA_WIDE)
		return sigma;
	for (double z = 1.0; z <= 40.0 * SIGMA_WIDE; z += 1.0)
	{
		double weight = 2.0 * exp(-z * z / (2.0 * sigma * sigma));

		squares += z * z * weight;
		mass += weight;
	}
	return sqrt(squares / mass);
}
