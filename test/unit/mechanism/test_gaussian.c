/*
 * test_gaussian.c -- the discrete Gaussian mechanism: what it adds, charges and refuses.
 */
#include "core/mechanism/mechanism.h"

#include "unit_bench.h"

static void
test_refusals_gaussian(void)
{
	Bench b;

	bench_init(&b, (DpBudget){0, 0, INT64_MAX}, 100);
	CHECK_STATUS(gaussian(&b, 0, 1), DP_ERR_ARGUMENT, "Gaussian: rho 0");
	CHECK_STATUS(gaussian(&b, -5, 1), DP_ERR_ARGUMENT, "Gaussian: rho < 0");
	CHECK_STATUS(gaussian(&b, DP_RHO_PICO_MAX + 1, 1), DP_ERR_ARGUMENT, "Gaussian: rho over 1e6");
	CHECK_STATUS(gaussian(&b, 1, 0), DP_ERR_ARGUMENT, "Gaussian: sensitivity 0");
	CHECK_STATUS(gaussian(&b, 1, 2305844), DP_ERR_RANGE, "Gaussian: sigma over 2^30 rows");
	CHECK_STATUS(gaussian(&b, 999999999989, INT64_MAX), DP_ERR_RANGE,
				 "Gaussian: the sensitivity of too many rows a unit");
	/* what does not fit 64 bits is more than it says, also where so much noise could be drawn */
	CHECK_STATUS(gaussian(&b, DP_RHO_PICO_MAX, INT64_MAX), DP_ERR_RANGE,
				 "Gaussian: a sensitivity that does not fit");
	CHECK(untouched(&b) && !b.meter.broken, "all before the charge: nothing drawn, nothing spent");
}

static void
test_release_gaussian(DpRng *rng)
{
	static int64_t counts[20000];
	int ticks = 0;
	DpTick tick = {count_tick, &ticks};
	bool right = true;
	DpMeter meter;

	for (size_t i = 0; i < 20000; i++)
		counts[i] = 1000;
	dp_meter_init(&meter, dp_cost_concentrated(DP_RHO_ONE));
	MUST(dp_gaussian_release(&(DpNoiseSource){.meter = &meter, .rng = rng, .tick = &tick},
							 (DpGaussian){.rho_pico = DP_RHO_ONE / 2, .sensitivity_l2_squared = 16},
							 counts, 20000, counts));
	for (size_t i = 0; i < 20000; i++)
		right = right && llabs(counts[i] - 1000) < 60;
	CHECK(right, "Gaussian noise of 4 rows; out may alias counts");
	CHECK(ticks >= 4, "the tick is called, and told no share of secret work");
	CHECK(meter.spent.epsilon_nano == 0 && meter.spent.delta_atto == 0 &&
			  meter.spent.rho_pico == DP_RHO_ONE / 2,
		  "rho alone is charged");
	CHECK_STATUS(
		dp_gaussian_release(&(DpNoiseSource){.meter = &meter, .rng = rng},
							(DpGaussian){.rho_pico = DP_RHO_ONE, .sensitivity_l2_squared = 1}, NULL,
							0, NULL),
		DP_ERR_OVERDRAW, "no cells at all still have to be paid for");
	memset(counts, 0, sizeof(counts));
	MUST(dp_gaussian_release(
		&(DpNoiseSource){.meter = &(DpMeter){.limit = dp_cost_concentrated(DP_RHO_PICO_MAX)},
						 .rng = rng},
		(DpGaussian){.rho_pico = DP_RHO_PICO_MAX, .sensitivity_l2_squared = 1}, counts, 20000,
		counts));
	for (size_t i = 0; i < 20000; i++)
		right = right && counts[i] == 0;
	CHECK(right, "rho 1e6 moves no count in 20,000 by a row");
	MUST(dp_gaussian_release(
		&(DpNoiseSource){.meter = &(DpMeter){.limit = dp_cost_concentrated(1)}, .rng = rng},
		(DpGaussian){.rho_pico = 1, .sensitivity_l2_squared = 2305843}, counts, 10, counts));
	CHECK(llabs(counts[0]) < INT64_C(1) << 34, "the widest noise, nearly 2^30 rows");
}

int
main(void)
{
	DpRng rng;

	unit_seeded(&rng);
	test_refusals_gaussian();
	test_release_gaussian(&rng);
	unit_seeded_end(&rng);
	return unit_finish();
}
