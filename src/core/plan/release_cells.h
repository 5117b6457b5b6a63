/*
 * release_cells.h -- planning and releasing one histogram over a domain that need not be listed: by
 * CatHist, with noise on every cell, or by stability.
 */
#ifndef DP_RELEASE_CELLS_H
#define DP_RELEASE_CELLS_H

#include "core/model/model.h"
#include "core/plan/measurement.h"

/*
 * The non-empty cells of one table, some of whose attributes have more values than could be
 * listed. They are SECRET, as every exact count is.
 */

/* A DpCells whose indexes are in order. */
typedef struct DpFinalCells
{
	DpCells cells; /* ascending by index; DP_CELL_OTHER comes last */
	const DpUniverse *
		*universe; /* [n] what an index of an open attribute means; NULL: it is a code */
} DpFinalCells;

/*
 * Counts n tables at once; sets[i].cells.n and .attribute are given. It takes at most two scans:
 * m->counter->count counts the tables without open attributes, m->counter->cells the others.
 */
extern DpStatus dp_cells_count(const DpMeasurement *m, DpFinalCells *sets, uint32_t n,
							   DpError *error) DP_MUST_USE;

typedef enum DpCellMechanism
{
	DP_CELLS_CATHIST = 0,  /* (epsilon, 0)-DP; needs the size of the domain */
	DP_CELLS_LAPLACE = 1,  /* (epsilon, 0)-DP; noise on each cell of the domain */
	DP_CELLS_STABILITY = 2 /* (epsilon, delta)-DP; needs no domain */
} DpCellMechanism;

#define DP_CELLS_LAPLACE_MAX UINT64_C(10000000) /* most cells, all of which are released */
/* The most bytes of their labels, of the 1 GB that a stored release has at most. */
#define DP_CELLS_LABEL_BYTES_MAX UINT64_C(750000000)

/* How one histogram is to be released. */
typedef struct DpCellRelease
{
	const char *stage; /* its name in the plan */
	DpCellMechanism mechanism;
	DpBudget cost; /* from dp_cost_pure, or from dp_cost_approximate for stability */
	int64_t no_false_positives_nano; /* CatHist: probability that no empty cell is released, 1e-9 */
} DpCellRelease;

/*
 * Appends a stage for the histogram of these attributes, and adds its memory. DP_ERR_ARGUMENT: a
 * universe is missing where its size is needed, or the budget is too small. DP_ERR_LIMIT: there are
 * too many cells.
 */
extern DpStatus dp_plan_cells(DpPlan *plan, const DpCellRelease *release,
							  const uint32_t *attributes, uint32_t n, DpArena *arena,
							  DpError *error) DP_MUST_USE;
/* Adds the memory that such a histogram takes in the worker to plan->memory_bytes. dp_plan_cells
 * calls it. */
extern void dp_plan_cells_memory(DpPlan *plan, const uint32_t *attributes, uint32_t n);
/* Appends one stage of n sparse histograms of the given sizes, each released by the same rules.
 * It shows the largest threshold, and how many empty cells are expected in all. */
extern DpStatus dp_plan_cathist(DpPlan *plan, const DpCellRelease *release, const uint64_t *sizes,
								uint32_t n, DpArena *arena, DpError *error) DP_MUST_USE;

/*
 * Adds noise to final cells and charges release->cost. out is ready for the model. The open
 * attributes of the histogram get their levels in domain. By CatHist and stability these are the
 * values of the released cells, and one level "other". With noise on every cell they are all
 * values.
 */
extern DpStatus dp_cells_release(const DpMeasurement *m, const DpFinalCells *exact,
								 const DpCellRelease *release, DpDomain *domain,
								 DpTable *out) DP_MUST_USE;
/* Keeps the `most` cells with the largest values among n cells with that number of attributes,
 * in their order; among equal values the first. This is post-processing: values are noisy. */
extern DpStatus dp_cells_keep_largest(uint64_t *index, int64_t *value, uint32_t attributes,
									  uint64_t *n, uint64_t most, DpArena *arena) DP_MUST_USE;
/* Makes the labels of the given n values of a universe, in ascending order. */
extern DpStatus dp_universe_labels(const DpUniverse *universe, const uint64_t *index, uint64_t n,
								   const char ***labels, DpArena *arena) DP_MUST_USE;

#endif
