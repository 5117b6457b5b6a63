/*
 * test_disjoint.c -- selections in disjoint groups: what each may cost, and what all of them do.
 */
#include "core/mechanism/disjoint.h"

#include "core/mechanism/mechanism.h"
#include "unit_stat.h"

int
main(void)
{
	static const int64_t score[] = {0, 1000000, 0, 0, 0, 1000000, 1000000, 0, 0};
	const DpDisjointScores scores = {score, 3, 3, 1};
	const DpUnit replaced = {DP_REPLACE_ONE, 3}, added = {DP_ADD_REMOVE, 4};
	uint32_t chosen[3];
	DpRng rng;
	DpMeter meter;
	DpNoiseSource noise = {.meter = &meter, .rng = &rng};

	unit_seeded(&rng);
	CHECK_I64(dp_disjoint_epsilon(1000, added), 250,
			  "epsilon of one choice: a fourth for four rows");
	CHECK_I64(dp_disjoint_epsilon(1000, replaced), 166,
			  "a sixth where three are replaced, rounded down");
	CHECK_I64(dp_disjoint_rho(1000, added), 62, "rho by the square, rounded down");
	CHECK_I64(dp_disjoint_epsilon(3, added), 0, "too little is 0");

	dp_meter_init(&meter, dp_cost_pure(4 * DP_EPSILON_ONE));
	CHECK_OK(dp_select_disjoint(&noise, &scores, 4 * DP_EPSILON_ONE, added, chosen),
			 "three choices");
	CHECK(chosen[0] == 1 && chosen[1] == 2 && chosen[2] == 0, "each by the scores of its group");
	CHECK_I64(meter.spent.epsilon_nano, 4 * DP_EPSILON_ONE, "for the price of one");
	CHECK_STATUS(dp_select_disjoint(&noise, &scores, DP_EPSILON_ONE, added, chosen),
				 DP_ERR_OVERDRAW, "which the meter must have");

	dp_meter_init(&meter, dp_cost_concentrated(DP_RHO_ONE));
	CHECK_OK(dp_select_disjoint_concentrated(&noise, &scores, DP_RHO_ONE, added, chosen), "by rho");
	CHECK(chosen[0] == 1 && chosen[1] == 2 && chosen[2] == 0, "the same");
	CHECK_I64(meter.spent.rho_pico, DP_RHO_ONE, "that is charged");
	unit_seeded_end(&rng);
	return unit_finish();
}
