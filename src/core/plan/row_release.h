/*
 * row_release.h -- releases that consist of rows. The rows are drawn behind the wall, where each
 * draw spends, and kept as codes. Nobody can draw other rows from such a release.
 */
#ifndef DP_ROW_RELEASE_H
#define DP_ROW_RELEASE_H

#include "core/domain/seed_pool.h"
#include "core/mechanism/perturbed.h"
#include "core/model/model.h"
#include "core/noise/rng.h"
#include "core/plan/measurement.h"

/* Draws a row of the pool, each copy with the same probability. If pool is NULL, it is a uniform
 * row of the whole domain. */
extern DpStatus dp_seed_pool_draw(const DpSeedPool *pool, const DpDomain *domain, DpRng *rng,
								  uint32_t *row) DP_MUST_USE;

/* The options of methods that release rows. */
#define DP_SPEC_ROWS                                                                               \
	{                                                                                              \
		.name = "rows", .type = DP_OPTION_INTEGER, .minimum = 1,                                   \
		.maximum = DP_MODEL_STRUCTURE_MAX,                                                         \
		.summary = "Rows to be drawn, which share epsilon; a public number. No more can be drawn " \
				   "from the release later."                                                       \
	}
#define DP_SPEC_ROW_SWEEPS                                                                         \
	{                                                                                              \
		.name = "sweeps", .type = DP_OPTION_INTEGER, .fallback = "1", .minimum = 1,                \
		.maximum = 1000, .summary = "Times that each row redraws every column."                    \
	}
#define DP_SPEC_SEED_POOL                                                                          \
	{                                                                                              \
		.name = DP_OPTION_SEED_POOL, .type = DP_OPTION_TEXT,                                       \
		.summary = "A public table, not a protected one, with the rows at which chains start; "    \
				   "left out: uniformly random rows of the domain."                                \
	}

/* How rows are made: in blocks, one after another, each of which starts at a public seed row. */
typedef struct DpRowRun
{
	uint64_t rows;
	uint32_t block;  /* rows in a block */
	uint32_t sweeps; /* for each row */
} DpRowRun;

/* Reads the options, checks what holds for all such methods, and adds their memory to the plan.
 * block is 1 for a method without that option. DP_ERR_ARGUMENT, DP_ERR_LIMIT. */
extern DpStatus dp_plan_row_release(DpPlan *plan, uint32_t block, DpRowRun *run,
									DpError *error) DP_MUST_USE;
/* The terms of one block of a run, whose blocks share epsilon_nano equally. */
extern DpPerturbedTerms dp_row_run_terms(const DpPlan *plan, const DpRowRun *run,
										 DpPerturbedKind kind, int64_t epsilon_nano);
/* Appends a stage for the blocks of a run: each uses the perturbed mechanism under terms.
 * DP_ERR_ARGUMENT: their epsilon is too little. */
extern DpStatus dp_plan_perturbed(DpPlan *plan, const DpRowRun *run, const DpPerturbedTerms *terms,
								  DpArena *arena, DpError *error) DP_MUST_USE;

/* How a method draws. begin may be NULL. row is the present state of the chain. */
typedef struct DpRowSource
{
	void *context;
	DpStatus (*begin)(void *context); /* before each block */
	DpStatus (*draw)(void *context, uint32_t attribute, const uint32_t *row, uint32_t *code);
} DpRowSource;

/* Draws all rows of a run and keeps them in the model. It runs behind the wall; source pays. */
extern DpStatus dp_row_release_make(const DpMeasurement *m, const DpRowRun *run,
									const DpRowSource *source, DpModel *model) DP_MUST_USE;

#endif
