/*
 * fit_model.h -- releases that are a list of noisy dense tables, and rows from
 * them: what cipher and mwem have in common.
 */
#ifndef DP_FIT_MODEL_H
#define DP_FIT_MODEL_H

#include "fit.h"
#include "joint.h"
#include "method.h"
#include "workload.h"

/* Settings that travel in the model, as its parameters. */
typedef struct DpFitSettings
{
	DpSolver solver;
	int64_t lambda_nano; /* 1e-9 */
	int64_t cell_limit;
	int64_t residual_permille; /* DpFitInput's residual, in 1/1000 */
} DpFitSettings;

/*
 * The workload of option "marginals", checked against what models and solvers can hold: no
 * open attribute, each attribute in a set, not too many cells. DP_ERR_ARGUMENT, DP_ERR_LIMIT,
 * DP_ERR_UNDEFINED. *solve_bytes: memory that drawing will take.
 */
extern DpStatus dp_fit_plan(const DpPlan *plan, const DpFitSettings *settings, DpArena *arena,
							DpWorkload *workload, uint64_t *solve_bytes,
							DpError *error) DP_MUST_USE;
/* Worker memory of all exact tables and their noisy copies. */
extern uint64_t dp_fit_tables_memory(const DpWorkload *workload, const DpDomain *domain);
/* Bytes of the exact tables alone, while they are counted. */
extern uint64_t dp_fit_counted(const DpWorkload *workload, const DpDomain *domain);
/* exact[sets], initialised and counted in one scan. */
extern DpStatus dp_fit_count(const DpMeasurement *m, const DpWorkload *workload, DpMarginal **exact,
							 DpError *error) DP_MUST_USE;
/* Writes the settings as the model's parameters. */
extern DpStatus dp_fit_settle(const DpMeasurement *m, const DpFitSettings *settings,
							  DpModel *model) DP_MUST_USE;
/* One noisy table, as the solvers want it. DP_ERR_CORRUPT for one that is not dense Laplace. */
extern DpStatus dp_fit_table(const DpTable *table, DpFitTable *out) DP_MUST_USE;

/* prepare, draw and draw_cost of both methods. */
extern DpStatus dp_fit_model_prepare(const DpModel *model, DpArena *arena, const DpTick *tick,
									 void **sampler, DpError *error) DP_MUST_USE;
extern uint64_t dp_fit_model_draw_cost(const DpModel *model);

#endif
