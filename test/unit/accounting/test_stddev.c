/*
 * test_stddev.c -- standard deviations of discrete noise, at their edges.
 */
#include "core/accounting/budget.h"
#include "core/accounting/stddev.h"
#include "core/base/code_key.h"

#include "unit_stat.h"

static void
test_stddev(void)
{
	CHECK_NEAR(dp_laplace_stddev((DpLaplace){.epsilon_nano = 1000000000, .sensitivity_l1 = 1}),
			   sqrt(2 * exp(-1)) / (1 - exp(-1)), 1e-12, "standard deviation at epsilon 1");
	CHECK_NEAR(dp_laplace_stddev((DpLaplace){.epsilon_nano = 1, .sensitivity_l1 = 1}) /
				   (sqrt(2) * 1e9),
			   1, 1e-8, "at epsilon 1e-9");
	CHECK(dp_laplace_stddev((DpLaplace){.epsilon_nano = DP_EPSILON_NANO_MAX, .sensitivity_l1 = 1}) <
			  1e-100,
		  "at epsilon 1e6");
}

static void
test_gaussian_stddev(void)
{
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = DP_RHO_ONE / 2, .sensitivity_l2_squared = 16}),
		4, 1e-12, "sigma is 4 rows");
	CHECK_NEAR(dp_gaussian_stddev((DpGaussian){.rho_pico = 1, .sensitivity_l2_squared = 1}),
			   sqrt(5e11), 1e-6, "at rho 1e-12");
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = DP_RHO_ONE, .sensitivity_l2_squared = 8}), 2,
		1e-12, "2 rows, by the formula");
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = DP_RHO_ONE + 1, .sensitivity_l2_squared = 8}),
		2, 1e-11, "and just below, by the sum");
	/* of the distribution with sigma^2 = 1/8: 2 (e^-4 + 4 e^-16 + ...)/(1 + 2 (e^-4 + e^-16 +
	 * ...)) */
	CHECK_NEAR(
		dp_gaussian_stddev((DpGaussian){.rho_pico = 4 * DP_RHO_ONE, .sensitivity_l2_squared = 1}),
		sqrt(2 * (exp(-4) + 4 * exp(-16)) / (1 + 2 * (exp(-4) + exp(-16)))), 1e-12, "a fine sigma");
	CHECK(dp_gaussian_stddev(
			  (DpGaussian){.rho_pico = DP_RHO_PICO_MAX, .sensitivity_l2_squared = 1}) < 1e-100,
		  "at rho 1e6");
}

int
main(void)
{
	DpRng rng;

	unit_seeded(&rng);
	test_stddev();
	test_gaussian_stddev();
	unit_seeded_end(&rng);
	return unit_finish();
}
