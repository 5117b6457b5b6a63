/*
 * pegs_counts.h -- the hashed conditional counts that the perturbed Gibbs sampler draws
 * from: those of each attribute by the values of its parents. This is behind the wall.
 */
#ifndef DP_PEGS_COUNTS_H
#define DP_PEGS_COUNTS_H

#include "core/exact/marginal.h"
#include "core/noise/categorical.h"
#include "core/plan/row_release.h"
#include "core/select/parents.h"

/*
 * Exact counts of one attribute by the values of others, which a row looks up. SECRET, as the
 * DpMarginal is that they are taken from. (conditional.h is the noisy counterpart.)
 */
typedef struct DpExactConditional
{
	uint32_t parents;
	uint32_t *parent;       /* [parents] places in a row */
	uint32_t buckets;       /* 0: a key is the parents' codes; otherwise the bucket of them */
	uint32_t key_codes;     /* codes of a key: parents, or 1 */
	uint64_t keys;          /* keys that occur */
	uint32_t *key;          /* [keys x key_codes] ascending */
	DpHistogram *histogram; /* [keys] counts of the last attribute; each has a row */
	DpHistogram none;       /* the histogram of every other combination, without rows */
} DpExactConditional;

/*
 * Builds it from a table over (parents..., attribute). The table may be freed afterwards. With
 * buckets >= 1 a public hash puts each combination of parents' values into one of so many buckets,
 * and combinations of one bucket share their counts.
 */
extern DpStatus dp_exact_conditional_build(const DpMarginal *exact, uint32_t buckets,
										   DpExactConditional *out, DpArena *arena) DP_MUST_USE;
/* The histogram given the parents' codes in the row; never NULL. */
extern DpHistogram *dp_exact_conditional_find(DpExactConditional *conditional, const uint32_t *row);

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
