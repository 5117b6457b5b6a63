/*
 * pegs_counts.h -- the hashed conditional counts that the perturbed Gibbs sampler
 * draws from: of each attribute by the values of its parents. Behind the wall.
 */
#ifndef DP_PEGS_COUNTS_H
#define DP_PEGS_COUNTS_H

#include "exact_conditional.h"
#include "held_rows.h"
#include "parents_plan.h"

/* Worker memory, from public sizes. parents NULL: parents_n of each are to be selected. */
extern DpStatus dp_pegs_memory(const DpDomain *domain, const DpParents *parents, uint32_t parents_n,
							   DpArena *arena, uint64_t *bytes) DP_MUST_USE;
/* One scan; conditional[attributes]. parents NULL: none for any attribute. */
extern DpStatus dp_pegs_count(const DpMeasurement *m, const DpParents *parents,
							  DpExactConditional *conditional, DpError *error) DP_MUST_USE;

/* The same, and rows that are drawn from perturbed counts, kept in the model. */
extern DpStatus dp_pegs_make(const DpMeasurement *m, const DpRowRun *run,
							 const DpPerturbedTerms *terms, const DpParents *parents,
							 DpModel *model, DpError *error) DP_MUST_USE;

#endif
