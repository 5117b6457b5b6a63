/*
 * monte_carlo.h -- rows of a model that are drawn once and counted often, for queries that have no
 * closed form.
 */
#ifndef DP_MONTE_CARLO_H
#define DP_MONTE_CARLO_H

#include "core/sample/draw.h"

#define DP_SIMULATED_ROWS (UINT64_C(200) * DP_BLOCK_ROWS)
#define DP_SIMULATED_SEED UINT64_C(0x6a09e667f3bcc908) /* the same query has the same answer */

/* The codes of some attributes, column by column, each as wide as its levels need. */
typedef struct DpMonteCarlo
{
	uint64_t rows;
	void **column;         /* [attributes]; NULL: not kept */
	unsigned char *stride; /* [attributes] 1, 2 or 4 bytes a code */
} DpMonteCarlo;

/*
 * Draws DP_SIMULATED_ROWS from a seed of its own, so that they are always the same; of a release
 * that consists of rows, those. kept: the attributes whose codes are kept.
 */
extern DpStatus dp_monte_carlo_make(const DpSampler *sampler, const DpModel *model,
									const DpAttributeSet *kept, DpMonteCarlo *drawn,
									const DpTick *tick, DpArena *arena, DpError *error) DP_MUST_USE;
/* Memory for the codes of so many rows, which dp_monte_carlo_keep fills. */
extern DpStatus dp_monte_carlo_allocate(const DpDomain *domain, const DpAttributeSet *kept,
										uint64_t rows, DpMonteCarlo *drawn,
										DpArena *arena) DP_MUST_USE;
/* Keeps codes[rows x attributes] as the rows from number `first` on, which counts from 0. */
extern void dp_monte_carlo_keep(DpMonteCarlo *drawn, const DpAttributeSet *kept,
								uint32_t attributes, const uint32_t *codes, uint64_t first,
								uint64_t rows);
/* How many bytes the codes of all attributes take. */
extern uint64_t dp_monte_carlo_bytes(const DpModel *model);
/* The codes of a kept attribute in n rows from number `first` on, which counts from 0. */
extern void dp_monte_carlo_codes(const DpMonteCarlo *drawn, uint32_t attribute, uint64_t first,
								 uint32_t n, uint32_t *code);

#endif
