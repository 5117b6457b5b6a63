/*
 * disjoint.c -- parallel composition of selections.
 */
#include "core/mechanism/disjoint.h"

#include "core/mechanism/mechanism.h"

#define TICK_GROUPS 1024

int64_t
dp_disjoint_epsilon(int64_t epsilon_nano, DpUnit unit)
{
	return epsilon_nano / dp_unit_l1(&unit);
}

/*
 * dp_select_disjoint -- one permute-and-flip for each group of rows
 *
 * Inputs:      scores[groups x candidates]; row_sensitivity >= 1, which says how far a
 *              score of one group moves when one row joins or leaves the group
 * Output:      chosen[groups], in 0..candidates-1
 * Neighbours:  unit.neighbours
 * Guarantee:   (epsilon, 0)-DP for all of chosen
 * Why:         a neighbour differs by a sequence of at most L1 = dp_unit_l1 single rows that
 *              join or leave. Each such row is in one group, so it moves the scores of that
 *              group alone, by row_sensitivity at most. The choice in that group changes its
 *              law by a factor of at most exp(epsilon/L1), and the other choices do not
 *              change. L1 steps multiply to exp(epsilon), wherever the rows of the unit lie.
 *              Which groups exist may depend on earlier releases only.
 * Source:      parallel composition: McSherry, "Privacy integrated queries" (2009). Under
 *              replacement a row leaves one group and joins another, so a choice gets half
 *              of epsilon. The STEPS paper gives it all of epsilon.
 * Errors:      those of dp_select; chosen is not to be used then
 */
DpStatus
dp_select_disjoint(const DpNoiseSource *noise, const DpDisjointScores *scores, int64_t epsilon_nano,
				   DpUnit unit, uint32_t *chosen)
{
	int64_t each_nano = dp_disjoint_epsilon(epsilon_nano, unit);
	DpScores group = {.n = scores->candidates, .sensitivity = scores->row_sensitivity};

	if (each_nano < 1 || group.sensitivity < 1 || scores->groups < 1 || group.n < 1)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_pure(epsilon_nano)));
	for (uint64_t g = 0; g < scores->groups; g++)
	{
		DpMeter own; /* what was charged covers one choice in every group */
		DpNoiseSource source = {.meter = &own, .rng = noise->rng};
		size_t one;

		if (g % TICK_GROUPS == 0)
			dp_tick(noise->tick, -1.0);
		dp_meter_init(&own, dp_cost_pure(each_nano));
		group.score = scores->score + g * group.n;
		DP_TRY(dp_select(&source, &group, each_nano, &one));
		chosen[g] = (uint32_t) one;
	}
	return DP_OK;
}
