/*
 * meter.h -- the budget of one release while it is being spent.
 */
#ifndef DP_METER_H
#define DP_METER_H

#include "core/accounting/budget.h"

/*
 * The meter of one release holds the budget that was debited for it, and is the only way to
 * noise. Each mechanism charges it before it draws. A charge that does not fit is
 * DP_ERR_OVERDRAW: nothing is drawn, and the meter stays broken, so that every later charge
 * fails too. The meter sums all three parts of a cost; too much rho is an overdraw like any
 * other.
 */
typedef struct DpMeter
{
	DpBudget limit;
	DpBudget spent;
	bool broken;
} DpMeter;

extern void dp_meter_init(DpMeter *meter, DpBudget limit);
extern DpStatus dp_meter_charge(DpMeter *meter, DpBudget cost) DP_MUST_USE;

#endif
