/*
 * marginal.h -- exact contingency tables. SECRET: a DpMarginal never leaves
 * the release worker. (Noisy tables are another type, DpTable in model.h.)
 */
#ifndef DP_MARGINAL_H
#define DP_MARGINAL_H

#include "core/exact/contingency_table.h"

#define DP_DENSE_CELLS_MAX (UINT64_C(1) << 31) /* cells of one dense table */

/* Makes an empty table over n >= 1 distinct attributes, whose levels are known. DP_ERR_LIMIT: it
 * is dense and too large. */
extern DpStatus dp_marginal_init(DpMarginal *marginal, const DpDomain *domain,
								 const DpAttributeSet *set, DpStorage storage, DpArena *arena,
								 DpError *error) DP_MUST_USE;
/* Counts rows that are given as columns. codes[a][i] is the code of attribute a (an index in the
 * domain) in row i. The encoder guarantees that it is < levels; DP_ERR_INTERNAL if it is not. */
extern DpStatus dp_marginal_add(DpMarginal *marginal, const uint32_t *const *codes,
								uint32_t rows) DP_MUST_USE;
/* Adds from to into. Both must have the same attributes, levels and storage; if not,
 * DP_ERR_ARGUMENT. */
extern DpStatus dp_marginal_merge(DpMarginal *into, const DpMarginal *from) DP_MUST_USE;
/* Makes the dense margin over the attributes at the given positions (0..n-1 of marginal). */
extern DpStatus dp_marginal_project(const DpMarginal *marginal, const uint32_t *positions,
									uint32_t n, DpMarginal *out, DpArena *arena) DP_MUST_USE;
/*
 * Lists the non-empty cells in ascending order of codes: codes_out[i x n + k],
 * counts_out[i], and *used_out of them. They are sorted, since the order in which rows came
 * must not show.
 */
extern DpStatus dp_marginal_cells(const DpMarginal *marginal, uint32_t **codes_out,
								  int64_t **counts_out, uint64_t *used_out,
								  DpArena *arena) DP_MUST_USE;
extern void dp_marginal_free(DpMarginal *marginal);
/* The bytes that a table needs. For dense storage the number is exact; for sparse storage it is
 * that of a table with cells_used non-empty cells. */
extern uint64_t dp_marginal_bytes(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								  DpStorage storage, uint64_t cells_used);

#endif
