/*
 * aim_order.h -- sets of more columns than those of the default workload, as candidates.
 *
 * A dependence of high order, such as a parity of four columns, shows in no smaller set. So where
 * no workload is given, larger sets are candidates, too: as many columns as public sizes allow.
 */
#ifndef DP_AIM_ORDER_H
#define DP_AIM_ORDER_H

#include "core/methods/aim/aim_candidates.h"

/* A set is a candidate from when so many rows, in standard deviations of the noise, are in a mean
 * cell. With less even rows that lie in half of its cells would not stand out: see docs/methods/aim.md. */
#define DP_ORDER_ROWS_A_CELL 0.5

typedef struct DpAimOrder
{
	const DpDomain *domain; /* open attributes have the levels that a plan assumes */
	const int32_t *known;   /* as DpRequest has it */
	uint32_t predicted;     /* sets have it; DP_PREDICT_NONE: any set */
	uint64_t sets_max;      /* that may be added */
	uint64_t cells_max;     /* of all that are added */
	uint64_t members_max;   /* columns of all that are added: a row is counted in each */
	const DpTick *tick;
} DpAimOrder;

/* Appends larger sets to the candidates, one size after the other. If not all sets of a size fit,
 * those with the fewest cells are appended. */
extern DpStatus dp_aim_order_add(const DpAimOrder *order, DpCandidates *candidates,
								 DpArena *arena) DP_MUST_USE;

#endif
