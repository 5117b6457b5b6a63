/*
 * mechanism_disjoint.c -- parallel composition of selections.
 */
#include "mechanism_disjoint.h"

#define TICK_GROUPS 1024

int64_t
dp_disjoint_epsilon(int64_t epsilon_nano, DpUnit unit)
{
	return epsilon_nano / dp_unit_l1(&unit);
}

/*
 * dp_select_disjoint -- one permute-and-flip for each group of rows
 *
 * Inputs:      scores[groups x candidates]; row_sensitivity >= 1, of the scores of one group,
 *              for one row that joins or leaves it
 * Output:      chosen[groups], in 0..candidates-1
 * Neighbours:  unit.neighbours
 * Guarantee:   (epsilon, 0)-DP for all of chosen
 * Why:         one unit more or less, or another one, is a sequence of at most L1 = dp_unit_l1
 *              single rows that join or leave. Each such row is in one group, so it moves the
 *              scores of that group alone, by row_sensitivity at most: the choice there changes
 *              its law by a factor of at most exp(epsilon/L1), the others not at all. L1 steps
 *              multiply to exp(epsilon), wherever the rows of the unit lie. That the groups
 *              exist may depend on earlier releases only.
 * Source:      parallel composition: McSherry, "Privacy integrated queries" (2009). Under
 *              replacement a row leaves one group and joins another, so a choice gets half of
 *              epsilon: the STEPS paper gives it all of it.
 * Errors:      those of dp_select; chosen is not to be used then
 */
DpStatus
dp_select_disjoint(DpMeter *meter, DpRng *rng, const int64_t *scores, uint64_t groups,
				   uint64_t candidates, int64_t epsilon_nano, DpUnit unit, int64_t row_sensitivity,
				   uint32_t *chosen, const DpTick *tick)
{
	int64_t each_nano = dp_disjoint_epsilon(epsilon_nano, unit);

	if (each_nano < 1 || row_sensitivity < 1 || groups < 1 || candidates < 1)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_meter_charge(meter, dp_cost_pure(epsilon_nano)));
	for (uint64_t g = 0; g < groups; g++)
	{
		DpMeter own; /* what was charged covers one choice in every group */
		size_t one;

		if (g % TICK_GROUPS == 0)
			dp_tick(tick, -1.0);
		dp_meter_init(&own, dp_cost_pure(each_nano));
		DP_TRY(dp_select(&own, rng, scores + g * candidates, candidates, each_nano, row_sensitivity,
						 &one));
		chosen[g] = (uint32_t) one;
	}
	return DP_OK;
}
