/*
 * held_rows.h -- releases that are rows: drawn behind the wall, where each draw
 * spends, and kept as codes. Nothing more can be had from such a release than
 * what it holds.
 */
#ifndef DP_HELD_ROWS_H
#define DP_HELD_ROWS_H

#include "mechanism_perturbed.h"
#include "method.h"

/* Options of such methods. */
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

/* How rows are made: blocks, one after another, each from a public seed row. */
typedef struct DpRowRun
{
	uint64_t rows;
	uint32_t block;  /* rows of a block */
	uint32_t sweeps; /* of a row */
} DpRowRun;

extern uint64_t dp_row_run_blocks(const DpRowRun *run);

/* Reads the options; checks what holds for all such methods, and adds their memory to the plan.
 * block: 1 where there is no such option. DP_ERR_ARGUMENT, DP_ERR_LIMIT. */
extern DpStatus dp_plan_held_rows(DpPlan *plan, const DpOptionSpec *specs, uint32_t specs_n,
								  uint32_t block, DpRowRun *run, DpError *error) DP_MUST_USE;
/* Attributes that a draw has a choice for: those with two levels or more. */
extern uint32_t dp_drawn_attributes(const DpDomain *domain);
/* A stage of blocks by the perturbed mechanism, epsilon_nano for all of them; terms are those of one.
 * DP_ERR_ARGUMENT where that is too little. */
extern DpStatus dp_plan_perturbed(DpPlan *plan, DpArena *arena, DpPerturbedKind kind,
								  const DpRowRun *run, int64_t epsilon_nano,
								  DpPerturbedTerms *terms, DpError *error) DP_MUST_USE;

/* How a method draws: begin may be NULL. row is the chain's, as far as it has come. */
typedef struct DpRowSource
{
	void *context;
	DpStatus (*begin)(void *context); /* before each block */
	DpStatus (*draw)(void *context, uint32_t attribute, const uint32_t *row, uint32_t *code);
} DpRowSource;

/* Draws all rows of a run and keeps them in the model. Behind the wall; source pays. */
extern DpStatus dp_held_rows_make(const DpMeasurement *m, const DpRowRun *run,
								  const DpRowSource *source, DpModel *model) DP_MUST_USE;

/* The rows of a model, as a sampler. */
typedef struct DpHeldRows
{
	uint64_t rows;
	uint32_t attributes;
	const uint32_t *codes; /* [rows x attributes] */
} DpHeldRows;

/* DpMethod.prepare, fetch and draw_cost of such methods. DP_ERR_CORRUPT unless the model holds rows. */
extern DpStatus dp_held_rows_prepare(const DpModel *model, DpArena *arena, const DpTick *tick,
									 void **sampler, DpError *error) DP_MUST_USE;
extern bool dp_held_rows_fetch(const void *sampler, uint64_t row, uint32_t *codes);
extern uint64_t dp_held_rows_cost(const DpModel *model);

#endif
