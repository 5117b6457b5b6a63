/*
 * parents_number.h -- how many parents pay off, chosen with budget.
 */
#ifndef DP_PARENTS_NUMBER_H
#define DP_PARENTS_NUMBER_H

#include "core/accounting/stddev.h"
#include "core/select/parents_plan.h"

#define DP_STAGE_NUMBER "choose the number of parents"

/* A choice among 0..most parents, the first so many of each attribute. */
typedef struct DpParentsNumber
{
	uint32_t most;
	int64_t epsilon_nano;
	DpLaplace distribution; /* of the noise that each cell will have */
} DpParentsNumber;

/* The most parents with which every table has at most cells_max cells, whichever they are, and at
 * most wanted. It follows from public sizes alone; open attributes count as too large. */
extern DpStatus dp_parents_number_bound(const DpDomain *domain, uint32_t wanted, uint64_t cells_max,
										uint32_t *most, DpArena *arena) DP_MUST_USE;
/* Adds the stage of the choice to a plan, with a scan and its memory. DP_ERR_ARGUMENT,
 * DP_ERR_LIMIT. */
extern DpStatus dp_parents_number_plan(DpPlan *plan, const DpParentsNumber *number, DpArena *arena,
									   DpError *error) DP_MUST_USE;
/* Chooses the number, and shortens parents[attributes] to it. Each has number->most; the first are
 * kept. parents_number.c has the proof. */
extern DpStatus dp_parents_number_choose(const DpMeasurement *m, const DpParentsNumber *number,
										 DpParents *parents, DpError *error) DP_MUST_USE;

#endif
