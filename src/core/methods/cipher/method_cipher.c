/*
 * method_cipher.c -- noisy low-order marginals, and the joint distribution that
 * is fitted to them.
 *
 * cipher
 *
 * Inputs:      a public list Q of distinct sets of attributes that covers all of them
 * Output:      for each set its table with noise on every cell
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, 0)-DP by basic composition of |Q| tables, epsilon/|Q| each, rounded
 *              down. A row is in one cell of each table, so one table has L1 sensitivity
 *              D = rows_max under add/remove, 2 rows_max under replacement, and noise of scale
 *              D |Q| / epsilon. The list is public. The tables are counted in one scan, but
 *              each is charged by itself (dp_table_release). All else (fit.c) is
 *              post-processing. Where the number of rows is not public, it is estimated from
 *              the noisy tables.
 * Source:      Eugenio, Liu, "CIPHER: construction of differentially private microdata from
 *              low-dimensional histograms via solving linear equations with Tikhonov
 *              regularization" (2018). Departures: docs/methods/cipher.md. The paper prints the
 *              noise scale upside down.
 */
#include "core/base/saturate.h"
#include "core/estimate/joint.h"
#include "core/methods/fit_measure.h"
#include "core/methods/registry.h"
#include "core/plan/domain_discovery.h"
#include "core/plan/method.h"
#include "core/plan/release_table.h"
#include "core/sample/fit.h"

#define TABLES "marginal tables"
#define RESIDUAL_PERMILLE 850 /* DP_FIT_RESIDUAL */

static const DpOptionSpec specs[] = {
	DP_SPEC_MARGINALS(
		"Sets of columns whose tables are released, or how many columns each set has, "
		"for all sets of that size."),
	DP_SPEC_SOLVER,
	DP_SPEC_LAMBDA,
	DP_SPEC_CELL_LIMIT,
	DP_SPEC_OPEN_LEVELS,
};

typedef struct CipherPlan
{
	DpWorkload workload;
	DpFitSettings settings;
	int64_t epsilon_each_nano;
} CipherPlan;

static DpStatus
cipher_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	CipherPlan *cipher = dp_alloc(arena, 1, sizeof(*cipher));
	uint64_t solve_bytes, worker_bytes;
	DpDomain bound;

	DP_TRY_ALLOC(cipher);
	plan->private_data = cipher;
	cipher->settings = (DpFitSettings){.solver = (DpSolver) dp_plan_option(plan, "solver"),
									   .lambda_nano = dp_plan_option(plan, "lambda"),
									   .cell_limit = dp_plan_option(plan, "cell_limit"),
									   .residual_permille = RESIDUAL_PERMILLE};
	if (cipher->settings.solver == DP_SOLVER_GRAPHICAL &&
		dp_open_attributes(plan->request->domain) > 0)
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "solver graphical takes no open columns");
		dp_fail_detail(error, "Its size does not grow with levels, so it is not known before they "
							  "are found.");
		dp_fail_hint(error, "Take another solver, or method mst or aim.");
		return DP_ERR_ARGUMENT;
	}
	DP_TRY(dp_domain_discovery_bound(plan, &bound, arena));
	DP_TRY(dp_fit_plan(plan, &bound, &cipher->settings, &cipher->workload, &solve_bytes, arena,
					   error));
	cipher->epsilon_each_nano = plan->remaining.epsilon_nano / cipher->workload.sets;
	plan->scans++;
	dp_plan_counts(plan, dp_fit_counted(&cipher->workload, &bound));
	dp_expect_counts(&plan->estimate, dp_workload_cells(&cipher->workload, &bound));
	/* The backend solves after the worker has gone. The larger of the two is what is stated. */
	worker_bytes =
		dp_add_saturated(plan->memory_bytes, dp_fit_tables_memory(&cipher->workload, &bound));
	plan->memory_bytes = worker_bytes > solve_bytes ? worker_bytes : solve_bytes;
	return dp_plan_laplace(plan, TABLES, cipher->workload.sets,
						   dp_cost_pure(cipher->epsilon_each_nano),
						   dp_workload_cells(&cipher->workload, &bound), error);
}

static DpStatus
cipher_measure(const DpMeasurement *m, DpModel *model, DpError *error)
{
	const CipherPlan *cipher = m->plan->private_data;
	DpMarginal *exact;
	int64_t rows;

	dp_announce(m, TABLES);
	DP_TRY(dp_fit_count(m, &cipher->workload, &exact, error));
	rows = exact[0].total;
	DP_TRY(dp_tables_release(m, exact, cipher->workload.sets,
							 dp_cost_pure(cipher->epsilon_each_nano), false, model));
	dp_free(m->arena, exact, model->tables, sizeof(*exact));
	dp_rows_finalize(m, rows, model);
	return dp_fit_finalize(m, &cipher->settings, model);
}

const DpMethod dp_method_cipher = {
	.name = "cipher",
	.summary = "Noisy tables of small sets of columns, and the joint distribution that fits them.",
	.guarantee = "epsilon-DP",
	.source = "CIPHER, Eugenio and Liu 2018",
	DP_SPECS(specs),
	.bounds_open = true,
	.plan = cipher_plan,
	.measure = cipher_measure,
	.sampler = &dp_fit_sampler,
};
