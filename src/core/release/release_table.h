/*
 * release_table.h -- the step that most methods are made of: one contingency
 * table with noise, dense or sparse, and the number of rows beside it.
 *
 * The first half plans (public facts only), the second half runs behind the wall.
 */
#ifndef DP_RELEASE_TABLE_H
#define DP_RELEASE_TABLE_H

#include "method.h"

/* Non-empty cells that a plan reckons with for a sparse table: how many there will be is secret. */
#define DP_PLAN_SPARSE_CELLS UINT64_C(1000000)

/* Options that such methods share; their limits and sentences are the same everywhere. */
#define DP_SPEC_COUNT_SHARE                                                                        \
	{                                                                                              \
		.name = "count_share", .type = DP_OPTION_SHARE, .fallback = "0.02", .minimum = 100000,     \
		.maximum = 500000000,                                                                      \
		.summary = "Share of epsilon for the number of rows, where it is neither public nor the "  \
				   "total of a dense table."                                                       \
	}
#define DP_SPEC_DENSE_CELLS(value)                                                                 \
	{                                                                                              \
		.name = "dense_cells", .type = DP_OPTION_INTEGER, .fallback = value, .minimum = 0,         \
		.maximum = 10000000,                                                                       \
		.summary = "Histograms with at most so many cells get noise on every cell and need no "    \
				   "delta; larger ones are stability histograms."                                  \
	}

/* Dense iff it has at most dense_cells cells: public, as domain and attributes are. */
extern DpStorage dp_table_storage(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								  uint64_t dense_cells);
/* Worker memory for one exact table; for it and its noisy copy. */
extern uint64_t dp_table_counted(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								 DpStorage storage);
extern uint64_t dp_table_memory(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								DpStorage storage);

/* A stage of tables with discrete Laplace noise on cells cells in all (0 = unknown), epsilon each.
 * DP_ERR_ARGUMENT where epsilon is 0 or cannot calibrate noise; nothing is planned for 0 tables. */
extern DpStatus dp_plan_laplace(DpPlan *plan, const char *name, uint64_t tables,
								int64_t epsilon_nano, uint64_t cells, DpError *error) DP_MUST_USE;
/* A stage of stability histograms; mechanism may say that some may turn out dense. */
extern DpStatus dp_plan_stability(DpPlan *plan, const char *name, const char *mechanism,
								  uint64_t tables, DpBudget each, DpError *error) DP_MUST_USE;
/* Completes stage: noise and total from each and tables, and appends it. DP_ERR_ARGUMENT where the
 * budget cannot calibrate noise. */
extern DpStatus dp_plan_noisy(DpPlan *plan, DpStage *stage, DpError *error) DP_MUST_USE;
/* A stage of the noisy row count at share_nano of plan->remaining; *epsilon_nano is its cost. */
extern DpStatus dp_plan_rows(DpPlan *plan, int64_t share_nano, int64_t *epsilon_nano,
							 DpError *error) DP_MUST_USE;

/*
 * Noise on an exact table: discrete Laplace on every cell of a dense one (delta
 * is not spent), a stability histogram of a sparse one. out is ready for the
 * model; no exact count is left in it.
 */
extern DpStatus dp_table_release(const DpMeasurement *m, const DpMarginal *exact, DpBudget cost,
								 DpTable *out) DP_MUST_USE;
/* What all kinds of noisy table have in common: attributes, storage, sensitivity. */
extern DpStatus dp_table_describe(const DpMeasurement *m, const DpMarginal *exact,
								  DpTable *out) DP_MUST_USE;
/* Variance of the noise in one cell, rows^2, whatever its law; of released cells only if that is not on all. */
extern double dp_table_variance(const DpTable *table);
/* The noisy number of rows, as a table without attributes. */
extern DpStatus dp_rows_release(const DpMeasurement *m, int64_t rows, int64_t epsilon_nano,
								DpTable *out) DP_MUST_USE;
/* The number of rows that noisy tables tell: their totals' mean, weighted by inverse variance; >= 0. */
extern int64_t dp_rows_estimate(const DpModel *model);
/* Sets model->rows: exact_rows where it is public, else the estimate. */
extern void dp_rows_settle(const DpMeasurement *m, int64_t exact_rows, DpModel *model);

#endif
