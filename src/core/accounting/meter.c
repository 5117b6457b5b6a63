/*
 * meter.c -- no charge beyond what was debited.
 */
#include "core/accounting/meter.h"

void
dp_meter_init(DpMeter *meter, DpBudget limit)
{
	*meter = (DpMeter){.limit = limit, .broken = !dp_budget_valid(limit)};
}

static bool
meter_covers(const DpMeter *meter, DpBudget cost, DpBudget *spent)
{
	return dp_budget_add(meter->spent, cost, spent) == DP_OK &&
		   spent->epsilon_nano <= meter->limit.epsilon_nano &&
		   spent->delta_atto <= meter->limit.delta_atto && spent->rho_pico <= meter->limit.rho_pico;
}

/*
 * A charge that does not fit means that a method's plan and its measure step
 * disagree. Nothing that follows can be trusted to be within the plan, so the
 * meter stays broken, even for a smaller charge that would fit.
 */
DpStatus
dp_meter_charge(DpMeter *meter, DpBudget cost)
{
	DpBudget spent;

	if (meter->broken || !meter_covers(meter, cost, &spent))
	{
		meter->broken = true;
		return DP_ERR_OVERDRAW;
	}
	meter->spent = spent;
	return DP_OK;
}
