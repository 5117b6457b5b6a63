/*
 * release_pure.h -- contingency tables of any size with noise and no delta: dense ones get noise on
 * every cell, larger ones are released as sparse histograms.
 */
#ifndef DP_RELEASE_PURE_H
#define DP_RELEASE_PURE_H

#include "core/model/model.h"
#include "core/plan/measurement.h"

#define DP_SPEC_DENSE_LIMIT                                                                        \
	{                                                                                              \
		.name = "dense_cells", .type = DP_OPTION_INTEGER, .fallback = "1000000", .minimum = 0,     \
		.maximum = 10000000,                                                                       \
		.summary = "Tables with at most so many cells get noise on every cell; of larger ones "    \
				   "only the cells are kept whose noisy count reaches a threshold."                \
	}

/* How one table is to be released. */
typedef struct DpPureRelease
{
	int64_t epsilon_nano;
	uint64_t dense_cells; /* the table is dense iff it has at most so many cells */
	int64_t
		no_false_positives_nano; /* probability that no empty cell of a sparse one is kept, 1e-9 */
} DpPureRelease;

/*
 * Appends a stage of one table of `cells` cells. If its size is not certain, because a selection or
 * a discovery decides it, cells is the most that it can have. DP_ERR_LIMIT: these are too many even
 * for a sparse histogram.
 */
extern DpStatus dp_plan_pure(DpPlan *plan, const char *name, const DpPureRelease *release,
							 uint64_t cells, bool certain, DpError *error) DP_MUST_USE;
/* Adds noise to an exact table, (epsilon, 0)-DP. out is ready for the model, and holds no exact
 * count. */
extern DpStatus dp_table_release_pure(const DpMeasurement *m, const DpMarginal *exact,
									  const DpPureRelease *release, DpTable *out) DP_MUST_USE;

#endif
