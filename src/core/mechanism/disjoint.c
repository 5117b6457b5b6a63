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

int64_t
dp_disjoint_rho(int64_t rho_pico, DpUnit unit)
{
	return rho_pico / dp_unit_l1(&unit) / dp_unit_l1(&unit);
}

typedef DpStatus (*Select)(const DpNoiseSource *noise, const DpScores *scores, int64_t amount,
						   size_t *chosen);

/* One selection in each group; what was charged covers them all. */
static DpStatus
select_each(const DpNoiseSource *noise, const DpDisjointScores *scores, Select select,
			int64_t amount, DpBudget cost, uint32_t *chosen)
{
	DpScores group = {.n = scores->candidates, .sensitivity = scores->row_sensitivity};

	for (uint64_t g = 0; g < scores->groups; g++)
	{
		DpMeter own;
		DpNoiseSource source = {.meter = &own, .rng = noise->rng};
		size_t one;

		if (g % TICK_GROUPS == 0)
			dp_tick(noise->tick, -1.0);
		dp_meter_init(&own, cost);
		group.score = scores->score + g * group.n;
		DP_TRY(select(&source, &group, amount, &one));
		chosen[g] = (uint32_t) one;
	}
	return DP_OK;
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
 *              distribution by a factor of at most exp(epsilon/L1), and the other choices do not
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

	if (each_nano < 1 || scores->row_sensitivity < 1 || scores->groups < 1 ||
		scores->candidates < 1)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_pure(epsilon_nano)));
	return select_each(noise, scores, dp_select, each_nano, dp_cost_pure(each_nano), chosen);
}

/*
 * dp_select_disjoint_concentrated -- one exponential mechanism for each group of rows
 *
 * Inputs:      as dp_select_disjoint, with rho_pico
 * Output:      chosen[groups], in 0..candidates-1
 * Neighbours:  unit.neighbours
 * Guarantee:   rho-zCDP for all of chosen
 * Why: a neighbour differs by at most L1 = dp_unit_l1 rows that join or leave groups, k_g of
 *              them group g. These move its scores by k_g row_sensitivity at most, so its choice is
 *              of range k_g e, where e = dp_select_epsilon(rho / L1^2), and so (k_g e)^2/8-zCDP
 *              (exponential.c). The choices are independent, so their rho add up: the sum of
 *              k_g^2 e^2/8 is at most L1^2 e^2/8 <= rho, since the k_g add up to L1 at most.
 * Errors:      those of dp_select_concentrated; chosen is not to be used then
 */
DpStatus
dp_select_disjoint_concentrated(const DpNoiseSource *noise, const DpDisjointScores *scores,
								int64_t rho_pico, DpUnit unit, uint32_t *chosen)
{
	int64_t each_pico = dp_disjoint_rho(rho_pico, unit);

	if (each_pico < 1 || scores->row_sensitivity < 1 || scores->groups < 1 ||
		scores->candidates < 1)
		return DP_ERR_ARGUMENT;
	DP_TRY(dp_meter_charge(noise->meter, dp_cost_concentrated(rho_pico)));
	return select_each(noise, scores, dp_select_concentrated, each_pico,
					   dp_cost_concentrated(each_pico), chosen);
}
