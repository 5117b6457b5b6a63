/*
 * pegs_counts.h -- the hashed conditional counts that the perturbed Gibbs sampler draws
 * from: those of each attribute by the values of its parents. This is behind the wall.
 */
#ifndef DP_PEGS_COUNTS_H
#define DP_PEGS_COUNTS_H

#include "core/methods/exact_conditional.h"
#include "core/release/held_rows.h"
#include "core/select/parents.h"

/* The worker memory, from public sizes. Where parents is NULL, parents_n of each attribute are
 * to be selected. */
extern DpStatus dp_pegs_memory(const DpDomain *domain, const DpParents *parents, uint32_t parents_n,
							   uint64_t *bytes, DpArena *arena) DP_MUST_USE;
/* Counts conditional[attributes] in one scan. Where parents is NULL, no attribute has any. */
extern DpStatus dp_pegs_count(const DpMeasurement *m, const DpParents *parents,
							  DpExactConditional *conditional, DpError *error) DP_MUST_USE;

/* Counts the same, draws rows from perturbed counts, and keeps them in the model. */
extern DpStatus dp_pegs_make(const DpMeasurement *m, const DpRowRun *run,
							 const DpPerturbedTerms *terms, const DpParents *parents,
							 DpModel *model, DpError *error) DP_MUST_USE;

#endif
