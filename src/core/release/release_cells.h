/*
 * release_cells.h -- planning and releasing one histogram over a domain that
 * need not be listed: by CatHist, with noise on every cell, or by stability.
 */
#ifndef DP_RELEASE_CELLS_H
#define DP_RELEASE_CELLS_H

#include "cells.h"

typedef enum DpCellMechanism
{
	DP_CELLS_CATHIST = 0,  /* (epsilon, 0)-DP; needs the size of the domain */
	DP_CELLS_LAPLACE = 1,  /* (epsilon, 0)-DP; noise on each cell of the domain */
	DP_CELLS_STABILITY = 2 /* (epsilon, delta)-DP; needs no domain */
} DpCellMechanism;

#define DP_CELLS_LAPLACE_MAX UINT64_C(10000000) /* cells that are all released */
/* Bytes of their labels, of the 1 GB that a stored release has at most. */
#define DP_CELLS_LABEL_BYTES_MAX UINT64_C(750000000)

#define DP_SPEC_RHO                                                                                \
	{                                                                                              \
		.name = "rho", .type = DP_OPTION_SHARE, .fallback = "0.9", .minimum = 1,                   \
		.maximum = 999999999,                                                                      \
		.summary = "Probability that no value appears which nobody has; a smaller one shows "      \
				   "smaller counts, and more values that are nothing but noise."                   \
	}

/* How one histogram is to be released. */
typedef struct DpCellRelease
{
	DpCellMechanism mechanism;
	DpBudget cost; /* of dp_cost_pure, or of dp_cost_approximate for stability */
	int64_t rho_nano;
} DpCellRelease;

/*
 * A stage for the histogram of these attributes, and its memory. DP_ERR_ARGUMENT: no size where one
 * is needed, too small a budget; DP_ERR_LIMIT: too many cells.
 */
extern DpStatus dp_plan_cells(DpPlan *plan, const char *name, const DpCellRelease *release,
							  const uint32_t *attributes, uint32_t n, DpArena *arena,
							  DpError *error) DP_MUST_USE;
/* Adds to plan->memory_bytes what such a histogram takes in the worker. dp_plan_cells does. */
extern void dp_plan_cells_memory(DpPlan *plan, const uint32_t *attributes, uint32_t n);
/* One stage of n sparse histograms at the same cost, of the sizes given: the largest threshold is shown,
 * and what is expected of all. */
extern DpStatus dp_plan_cathist(DpPlan *plan, const char *name, DpBudget each, int64_t rho_nano,
								const uint64_t *sizes, uint32_t n, DpArena *arena,
								DpError *error) DP_MUST_USE;

/*
 * Noise on settled cells. out is ready for the model, and the open attributes among its own get
 * their levels in domain: of CatHist and stability those of the released cells, and one for the rest;
 * with noise on every cell, all values. Charges release->cost.
 */
extern DpStatus dp_cells_release(const DpMeasurement *m, const DpSettledCells *exact,
								 const DpCellRelease *release, DpDomain *domain,
								 DpTable *out) DP_MUST_USE;
/* Of n cells with attributes indexes each the given number that have the largest values, in their order;
 * of equal values the first. Post-processing: values are noisy. */
extern DpStatus dp_cells_keep_largest(DpArena *arena, uint64_t *index, int64_t *value,
									  uint32_t attributes, uint64_t *n, uint64_t most) DP_MUST_USE;
/* The labels of the given values of a universe, ascending: n of them. */
extern DpStatus dp_universe_labels(DpArena *arena, const DpUniverse *universe,
								   const uint64_t *index, uint64_t n,
								   const char ***labels) DP_MUST_USE;

#endif
