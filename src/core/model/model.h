/*
 * model.h -- what a release holds: the public domain, noisy tables, and how they were made.
 * The budget has been paid for it, and everything done with it is post-processing.
 *
 * A model is stored as bytes: a version, LEB128 varints (zigzag where signed), zero runs for dense
 * tables, and a 64-bit digest (FNV-1a) of all that stands before it. The reader trusts nothing: it
 * checks every length, count, code and product against what is left, and every invariant of
 * dp_model_check() holds for what it returns.
 */
#ifndef DP_MODEL_H
#define DP_MODEL_H

#include "core/accounting/budget.h"
#include "core/accounting/privacy_unit.h"
#include "core/domain/domain.h"

#define DP_MODEL_TABLES_MAX 100000
#define DP_MODEL_PARAMETERS_MAX 64
#define DP_MODEL_STRUCTURE_MAX 10000000
#define DP_REPLICATES_MAX 1000
#define DP_MODEL_CELLS_MAX UINT64_C(100000000) /* cells of all dense tables together */

typedef enum DpNoise
{
	DP_NOISE_LAPLACE = 1,   /* discrete Laplace on every cell */
	DP_NOISE_STABILITY = 2, /* on non-empty cells, which are released at >= threshold */
	DP_NOISE_SPARSE = 3,    /* sparse histogram: on every cell, released at >= threshold */
	DP_NOISE_GAUSSIAN = 4   /* discrete Gaussian on every cell */
} DpNoise;

typedef struct DpTable
{
	uint32_t n;          /* attributes; 0 = the number of rows: dense, one cell */
	uint32_t *attribute; /* [n] index in the model's domain; distinct */
	DpStorage storage;
	uint64_t cells; /* dense: product of levels; sparse: cells released */
	int64_t *value; /* [cells] noisy counts, rows; may be negative if dense; >= 1 if sparse */
	uint32_t *code; /* sparse: [cells x n], strictly ascending; dense: NULL */
	DpNoise noise;
	DpBudget cost;                  /* (epsilon, delta), or rho alone if Gaussian */
	int64_t sensitivity_l1;         /* rows */
	int64_t sensitivity_l2_squared; /* rows^2; Gaussian, 0 otherwise */
	int64_t threshold_rows;         /* stability; 0 otherwise */
} DpTable;

/* One of several measurements in one model. Each was paid with its own part of the budget. */
typedef struct DpReplicate
{
	int64_t rows;       /* as in DpModel */
	uint32_t tables;    /* number of its tables, which follow those of the one before */
	uint32_t structure; /* number of its integers of structure, in the same way */
} DpReplicate;

/* A small public number that drawing needs ("sweeps"). */
typedef struct DpParameter
{
	const char *name;
	int64_t value;
} DpParameter;

typedef struct DpModel
{
	const char *method;
	DpUnit unit;
	int64_t rows;    /* to draw by default: public, or estimated; >= 0 */
	DpDomain domain; /* no attribute is open (open = false) */
	uint32_t tables;
	DpTable *table;
	uint32_t parameters;
	DpParameter *parameter;
	uint32_t structure_n; /* public or released integers that a sampler needs to read the tables */
	uint32_t *structure;
	uint32_t replicates; /* 0 = one measurement, and replicate is NULL */
	DpReplicate *replicate;
} DpModel;

/*
 * A release can also consist of rows, each of which was paid for when it was drawn. No other rows
 * can be drawn from it. Then this parameter is 1, there are no tables, and the structure (of each
 * replicate) is rows x attributes codes, row by row.
 */
#define DP_MODEL_HOLDS_ROWS "holds_rows"
/* So many rows of one row of a parent were counted in full, and more as so many; absent: 1. */
#define DP_MODEL_FULL_ROWS "full_rows"
/* The attribute in whose order rows that belong to one row of a parent are; absent: in none. */
#define DP_MODEL_ORDER "order"
extern bool dp_model_holds_rows(const DpModel *model);

/* The value of a parameter; fallback if the model does not have it. */
extern int64_t dp_model_parameter(const DpModel *model, const char *name, int64_t fallback);
/* The model of one replicate, set in 1..replicates. It shares the memory of model, so it is
 * valid as long as model is. A model without replicates is its own view for every set.
 * DP_ERR_ARGUMENT: there is no such replicate. */
extern DpStatus dp_model_view(const DpModel *model, uint32_t set, DpModel *view) DP_MUST_USE;
/* Checks every invariant stated above. */
extern DpStatus dp_model_check(const DpModel *model, DpError *error) DP_MUST_USE;
extern DpStatus dp_model_serialise(const DpModel *model, unsigned char **bytes, size_t *length,
								   DpArena *arena, DpError *error) DP_MUST_USE;
extern DpStatus dp_model_parse(const unsigned char *bytes, size_t length, DpModel *model,
							   DpArena *arena, DpError *error) DP_MUST_USE;

#endif
