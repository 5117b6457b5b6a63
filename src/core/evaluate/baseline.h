/*
 * baseline.h -- synthetic rows without any privacy, for what privacy costs, next to what a model
 * costs.
 *
 * Each value of a drawn row is that of some original row in the same column: its donor. So a draw
 * is a list of donors, and what values are does not matter here. Codes say which values are equal
 * or near; they decide who may be a donor.
 *
 * SECRET: all of it, and what is drawn too.
 *
 * Source: Park, Ghosh, Shankar, "Perturbed Gibbs samplers for generating large-scale privacy-safe
 *         synthetic health data" (2013), without its noise; Raghunathan, Reiter, Rubin, "Multiple
 *         imputation for statistical disclosure limitation" (2003).
 */
#ifndef DP_BASELINE_H
#define DP_BASELINE_H

#include "core/base/arena.h"
#include "core/base/prng.h"

typedef enum DpBaselineMethod
{
	DP_BASELINE_EMPIRICAL = 0, /* whole rows, with replacement */
	DP_BASELINE_MARGINAL,      /* each column by itself */
	DP_BASELINE_GIBBS,         /* each column given its parents */
	DP_BASELINE_IMPUTATION     /* each column by a regression on all others */
} DpBaselineMethod;

typedef struct DpBaselineRows
{
	uint64_t rows; /* fewer than 2^32 */
	uint32_t attributes;
	const uint32_t *levels; /* [attributes] */
	const uint32_t *code;   /* [rows x attributes] */
} DpBaselineRows;

typedef struct DpBaselineTask
{
	DpBaselineMethod method;
	uint32_t parents; /* of gibbs: at most; those that tell most of the column */
	uint32_t sweeps;  /* over all columns, from a row of the table */
	uint64_t seed;
	DpBaselineRows rows;
} DpBaselineTask;

typedef struct DpBaseline DpBaseline;

/* Prepares the draws. rows.rows >= 1. DP_ERR_LIMIT: a regression has too many parameters. */
extern DpStatus dp_baseline_prepare(const DpBaselineTask *task, DpBaseline **out,
									const DpTick *tick, DpArena *arena) DP_MUST_USE;
/* Sets donor[attributes] of row number `row` of those that are drawn: for each column a row of the
 * table. */
extern void dp_baseline_draw(DpBaseline *baseline, uint64_t row, uint32_t *donor);

/* The regressions may have this many parameters together. */
#define DP_BASELINE_PARAMETERS_MAX UINT64_C(20000000)

#endif
