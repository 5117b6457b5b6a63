/*
 * test_meter.c -- the meter of a release: it never holds more than its limit, and breaks for good.
 */
#include "core/accounting/budget.h"
#include "core/accounting/meter.h"

#include "unit_budget.h"

static void
test_meter_rho(void)
{
	const DpBudget half = dp_cost_pure(500000000);
	DpMeter meter;

	dp_meter_init(&meter, (DpBudget){1000000000, 0, 2 * half.rho_pico});
	CHECK_OK(dp_meter_charge(&meter, half), "half of epsilon and of rho");
	CHECK_OK(dp_meter_charge(&meter, half), "and the other half");
	CHECK(same_budget(meter.spent, 1000000000, 0, 2 * half.rho_pico), "all three are added up");
	dp_meter_init(&meter, (DpBudget){1000000000, 0, half.rho_pico - 1});
	CHECK_STATUS(dp_meter_charge(&meter, half), DP_ERR_OVERDRAW, "an overdraw of rho is one");
	CHECK(meter.broken && same_budget(meter.spent, 0, 0, 0), "it breaks the meter");
	dp_meter_init(&meter, (DpBudget){0, 0, 10});
	CHECK_OK(dp_meter_charge(&meter, dp_cost_concentrated(10)), "rho alone");
	CHECK_STATUS(dp_meter_charge(&meter, dp_cost_concentrated(1)), DP_ERR_OVERDRAW,
				 "one pico more");
	dp_meter_init(&meter, (DpBudget){0, 0, -1});
	CHECK_STATUS(dp_meter_charge(&meter, dp_cost_concentrated(0)), DP_ERR_OVERDRAW,
				 "a negative limit of rho covers nothing");
}

static void
test_meter(void)
{
	DpMeter meter;

	dp_meter_init(&meter, (DpBudget){100, 10, 0});
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){60, 10, 0}), "a charge within the limit");
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){40, 0, 0}), "exactly what is left");
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){0, 0, 0}),
			 "a full meter gives nothing for nothing");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 0, 0}), DP_ERR_OVERDRAW, "one nano more");
	CHECK(meter.broken && same_budget(meter.spent, 100, 10, 0), "breaks it and charges nothing");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){0, 0, 0}), DP_ERR_OVERDRAW, "for good");

	dp_meter_init(&meter, (DpBudget){100, 10, 0});
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 11, 0}), DP_ERR_OVERDRAW,
				 "delta alone counts");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 1, 0}), DP_ERR_OVERDRAW,
				 "a smaller charge does not mend it");
	dp_meter_init(&meter, (DpBudget){100, 10, 0});
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){-5, 0, 0}), DP_ERR_OVERDRAW,
				 "a negative charge is no refill");
	CHECK(meter.broken && same_budget(meter.spent, 0, 0, 0), "it breaks the meter too");
	dp_meter_init(&meter, (DpBudget){INT64_MAX, DP_DELTA_ONE, 0});
	CHECK_OK(dp_meter_charge(&meter, (DpBudget){INT64_MAX, 0, 0}), "the largest charge");
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){1, 0, 0}), DP_ERR_OVERDRAW, "does not wrap");
	dp_meter_init(&meter, (DpBudget){-1, 0, 0});
	CHECK_STATUS(dp_meter_charge(&meter, (DpBudget){0, 0, 0}), DP_ERR_OVERDRAW,
				 "an invalid limit covers nothing");
}

int
main(void)
{
	test_meter();
	test_meter_rho();
	return unit_finish();
}
