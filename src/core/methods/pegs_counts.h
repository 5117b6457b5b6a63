/*
 * pegs_counts.h -- the hashed conditional counts that the perturbed Gibbs sampler draws
 * from: those of each attribute by the values of its parents. This is behind the wall.
 */
#ifndef DP_PEGS_COUNTS_H
#define DP_PEGS_COUNTS_H

#include "core/methods/exact_conditional.h"
#include "core/plan/row_release.h"
#include "core/select/parents.h"

#define DP_STAGE_MARGINS "margins that shape alpha"

/* What rows are drawn from. */
typedef struct DpPegsShape
{
	const DpParents *parents;    /* [attributes]; NULL: no attribute has any */
	uint32_t buckets;            /* for keys of parents; 0: each key has counts of its own */
	int64_t epsilon_margin_nano; /* of one noisy margin, to shape alpha by; 0: alpha is flat */
} DpPegsShape;

/* The worker memory, from public sizes. Where parents is NULL, parents_n of each attribute are
 * to be selected. */
extern DpStatus dp_pegs_memory(const DpDomain *domain, const DpParents *parents, uint32_t parents_n,
							   uint64_t *bytes, DpArena *arena) DP_MUST_USE;
/* Counts conditional[attributes] in one scan. */
extern DpStatus dp_pegs_count(const DpMeasurement *m, const DpPegsShape *shape,
							  DpExactConditional *conditional, DpError *error) DP_MUST_USE;

/* Counts the same, draws rows from perturbed counts, and keeps them in the model. */
extern DpStatus dp_pegs_make(const DpMeasurement *m, const DpRowRun *run,
							 const DpPerturbedTerms *terms, const DpPegsShape *shape,
							 DpModel *model, DpError *error) DP_MUST_USE;

#endif
