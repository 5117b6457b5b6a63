/*
 * fit_measure.h -- releases that are a list of noisy dense tables, and rows drawn from
 * these: what cipher and mwem have in common.
 */
#ifndef DP_FIT_MEASURE_H
#define DP_FIT_MEASURE_H

#include "core/domain/workload.h"
#include "core/model/model.h"
#include "core/plan/measurement.h"
#include "core/sample/fit.h"

/* Settings that travel in the model, as its parameters. */
typedef struct DpFitSettings
{
	DpSolver solver;
	int64_t lambda_nano; /* 1e-9 */
	int64_t cell_limit;
	int64_t residual_permille; /* DpFitInput's residual, in 1/1000 */
} DpFitSettings;

/*
 * Reads the workload of option "workload" and checks it against what models and solvers can
 * hold: each attribute is in a set, and there are not too many cells. domain: the request's at its
 * largest (dp_domain_discovery_bound). *solve_bytes is the memory that drawing will take.
 * DP_ERR_ARGUMENT, DP_ERR_LIMIT, DP_ERR_UNDEFINED.
 */
extern DpStatus dp_fit_plan(const DpPlan *plan, const DpDomain *domain,
							const DpFitSettings *settings, DpWorkload *workload,
							uint64_t *solve_bytes, DpArena *arena, DpError *error) DP_MUST_USE;
/* The worker memory of all exact tables and their noisy copies. */
extern uint64_t dp_fit_tables_memory(const DpWorkload *workload, const DpDomain *domain);
/* The bytes of the exact tables alone, while they are counted. */
extern uint64_t dp_fit_counted(const DpWorkload *workload, const DpDomain *domain);
/* Initialises exact[sets] and counts it in one scan. */
extern DpStatus dp_fit_count(const DpMeasurement *m, const DpWorkload *workload, DpMarginal **exact,
							 DpError *error) DP_MUST_USE;
/* Writes the settings as the model's parameters. */
extern DpStatus dp_fit_finalize(const DpMeasurement *m, const DpFitSettings *settings,
								DpModel *model) DP_MUST_USE;

#endif
