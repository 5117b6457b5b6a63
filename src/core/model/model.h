/*
 * model.h -- what a release holds: public domain, noisy tables, how they were
 * made. It was paid for; everything done with it is post-processing.
 *
 * Stored as bytes: a version, LEB128 varints (zigzag where signed), zero runs for
 * dense tables, and a 64-bit digest (FNV-1a) of all that stands before it. The
 * reader trusts nothing: every length, count, code and product is checked
 * against what is left, and every invariant of dp_model_check() holds after it.
 */
#ifndef DP_MODEL_H
#define DP_MODEL_H

#include "account.h"
#include "domain.h"
#include "marginal.h"

#define DP_MODEL_TABLES_MAX 100000
#define DP_MODEL_PARAMETERS_MAX 64
#define DP_MODEL_STRUCTURE_MAX 10000000
#define DP_MODEL_SETS_MAX 1000
#define DP_MODEL_CELLS_MAX UINT64_C(100000000) /* cells of all dense tables together */

typedef enum DpNoise
{
	DP_NOISE_LAPLACE = 1,   /* discrete Laplace on every cell */
	DP_NOISE_STABILITY = 2, /* on non-empty cells, released at >= threshold */
	DP_NOISE_SPARSE = 3,    /* on every cell, released at >= threshold: the sparse histogram */
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
	DpBudget
		cost; /* of this table: that of an (epsilon, delta)-DP mechanism; Gaussian: rho alone */
	int64_t sensitivity_l1;         /* rows */
	int64_t sensitivity_l2_squared; /* rows^2; Gaussian, 0 otherwise */
	int64_t threshold_rows;         /* stability; 0 otherwise */
} DpTable;

/* One of several measurements in one model, each with its own part of the budget. */
typedef struct DpModelSet
{
	int64_t rows;       /* as of a model */
	uint32_t tables;    /* how many of the model's, in order */
	uint32_t structure; /* likewise */
} DpModelSet;

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
	int64_t
		rows; /* rows to draw unless asked otherwise: public or estimated from noisy tables; >= 0 */
	DpDomain domain; /* no attribute is open any more (open = false) */
	uint32_t tables;
	DpTable *table;
	uint32_t parameters;
	DpParameter *parameter;
	uint32_t structure_n; /* public or released integers, by which a method reads its tables */
	uint32_t *structure;
	uint32_t sets; /* measurements; 0 = one, and set is NULL */
	DpModelSet *set;
} DpModel;

/*
 * A release can also be rows, which drawing itself spent for: no others can be had
 * from it. Then this parameter is 1, there are no tables, and the structure (of each
 * set) is rows x attributes codes, row by row.
 */
#define DP_MODEL_HOLDS_ROWS "holds_rows"
extern bool dp_model_holds_rows(const DpModel *model);

/* The value of a parameter, or fallback. */
extern int64_t dp_model_parameter(const DpModel *model, const char *name, int64_t fallback);
/* The model of one measurement alone, 1..sets, without copying: *view is good while model is. A model
 * of one measurement is its own view for every set. DP_ERR_ARGUMENT. */
extern DpStatus dp_model_view(const DpModel *model, uint32_t set, DpModel *view) DP_MUST_USE;
/* Every invariant stated above. */
extern DpStatus dp_model_check(const DpModel *model, DpError *error) DP_MUST_USE;
extern DpStatus dp_model_serialise(const DpModel *model, DpArena *arena, unsigned char **bytes,
								   size_t *length, DpError *error) DP_MUST_USE;
extern DpStatus dp_model_parse(const unsigned char *bytes, size_t length, DpArena *arena,
							   DpModel *model, DpError *error) DP_MUST_USE;

#endif
