/*
 * release_table.h -- the step that most methods consist of: one contingency table with noise, dense
 * or sparse, and the number of rows beside it.
 *
 * The first half plans from public facts alone; the second half runs behind the wall.
 */
#ifndef DP_RELEASE_TABLE_H
#define DP_RELEASE_TABLE_H

#include "core/model/model.h"
#include "core/plan/measurement.h"

/* The non-empty cells that a plan assumes for a sparse table. How many there will be is secret. */
#define DP_PLAN_SPARSE_CELLS UINT64_C(1000000)

/* Options that such methods share. Their limits and sentences are the same everywhere. */
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

/* The storage of a table: dense if it has at most dense_cells cells. This is public, as domain
 * and attributes are. */
extern DpStorage dp_table_storage(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								  uint64_t dense_cells);
/* Worker memory for one exact table (counted), and for it with its noisy copy (memory). */
extern uint64_t dp_table_counted(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								 DpStorage storage);
extern uint64_t dp_table_memory(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
								DpStorage storage);
/* Adds one that each row is counted in. A sparse one fills as rows come. */
extern void dp_expect_table(DpCostEstimate *estimate, const DpDomain *domain,
							const DpAttributeSet *set, DpStorage storage);

/* Appends a stage of tables with discrete Laplace noise on `cells` cells in all (0 = unknown).
 * It plans nothing for 0 tables. DP_ERR_ARGUMENT: epsilon is 0 or cannot calibrate noise. */
extern DpStatus dp_plan_laplace(DpPlan *plan, const char *name, uint64_t tables, DpBudget each,
								uint64_t cells, DpError *error) DP_MUST_USE;
/* Appends a stage of stability histograms. mechanism may say that some may turn out dense. */
extern DpStatus dp_plan_stability(DpPlan *plan, const char *name, const char *mechanism,
								  uint64_t tables, DpBudget each, DpError *error) DP_MUST_USE;
/* Completes stage, its noise and its total from each and tables, and appends it.
 * DP_ERR_ARGUMENT: the budget cannot calibrate noise. */
extern DpStatus dp_plan_noisy(DpPlan *plan, DpStage *stage, DpError *error) DP_MUST_USE;
/* Completes a stage of permute-and-flip, whose name, tables and each are given, and appends it.
 * DP_ERR_ARGUMENT: a selection would have no epsilon. DP_ERR_LIMIT: the sensitivity of its
 * scores does not fit the arithmetic. */
extern DpStatus dp_plan_selection(DpPlan *plan, DpStage *stage, int64_t sensitivity,
								  DpError *error) DP_MUST_USE;
/* Appends a stage for the noisy row count, which gets share_nano of plan->remaining.
 * *epsilon_nano is its cost. */
extern DpStatus dp_plan_rows(DpPlan *plan, int64_t share_nano, int64_t *epsilon_nano,
							 DpError *error) DP_MUST_USE;

/*
 * Adds noise to an exact table: discrete Laplace on every cell of a dense one (which spends no
 * delta), a stability histogram of a sparse one. out is ready for the model, and holds no exact
 * count.
 */
extern DpStatus dp_table_release(const DpMeasurement *m, const DpMarginal *exact, DpBudget cost,
								 DpTable *out) DP_MUST_USE;
/* The same for n exact tables at the same cost, which it frees. If `more`, the model has space
 * for one more table after them. */
extern DpStatus dp_tables_release(const DpMeasurement *m, DpMarginal *exact, uint32_t n,
								  DpBudget cost, bool more, DpModel *model) DP_MUST_USE;
/* Fills in what all kinds of noisy tables share: attributes, storage, sensitivity. */
extern DpStatus dp_table_describe(const DpMeasurement *m, const DpMarginal *exact,
								  DpTable *out) DP_MUST_USE;
/* Releases the noisy number of rows, as a table without attributes. */
extern DpStatus dp_rows_release(const DpMeasurement *m, int64_t rows, DpBudget cost,
								DpTable *out) DP_MUST_USE;
/* Sets model->rows: exact_rows if it is public, else the estimate. */
extern void dp_rows_finalize(const DpMeasurement *m, int64_t exact_rows, DpModel *model);

#endif
