/*
 * release_pure.h -- contingency tables with noise and no delta, whatever their
 * size: dense ones with noise on every cell, larger ones by the sparse
 * histogram.
 */
#ifndef DP_RELEASE_PURE_H
#define DP_RELEASE_PURE_H

#include "method.h"
#include "mechanism_sparse.h"

#define DP_SPEC_DENSE_LIMIT                                                                        \
	{                                                                                              \
		.name = "dense_cells", .type = DP_OPTION_INTEGER, .fallback = "1000000", .minimum = 0,     \
		.maximum = 10000000,                                                                       \
		.summary = "Tables with at most so many cells get noise on every cell; of larger ones "    \
				   "only the cells are kept whose noisy count reaches a threshold."                \
	}
#define DP_SPEC_TOLERANCE                                                                          \
	{                                                                                              \
		.name = "tolerance", .type = DP_OPTION_SHARE, .fallback = "0.9", .minimum = 1,             \
		.maximum = 999999999,                                                                      \
		.summary = "Probability with which none of the empty cells of a large table is kept; a "   \
				   "smaller one keeps smaller counts, and more cells that are nothing but noise."  \
	}

/*
 * A stage of one table of cells cells, dense iff at most dense_cells, and where its size is not
 * certain (a selection or a discovery decides), cells is the most that it can have.
 * DP_ERR_LIMIT: too many cells even for a sparse histogram.
 */
extern DpStatus dp_plan_pure(DpPlan *plan, const char *name, int64_t epsilon_nano, uint64_t cells,
							 bool certain, uint64_t dense_cells, int64_t tolerance_nano,
							 DpError *error) DP_MUST_USE;
/* Noise on an exact table, (epsilon, 0)-DP. out is ready for the model; no exact count is left in it. */
extern DpStatus dp_table_release_pure(const DpMeasurement *m, const DpMarginal *exact,
									  int64_t epsilon_nano, int64_t tolerance_nano,
									  DpTable *out) DP_MUST_USE;

#endif
