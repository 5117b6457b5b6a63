/*
 * method_cipher.c -- noisy low-order marginals, and the joint distribution that
 * is fitted to them.
 *
 * cipher
 *
 * Inputs:      a public list Q of distinct sets of attributes that covers all of them
 * Output:      for each set its table with noise on every cell
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, 0)-DP by basic composition of |Q| tables, epsilon/|Q| each, rounded down:
 *              a row is in one cell of each table, so one table has L1 sensitivity D = rows_max under
 *              add/remove, 2 rows_max under replacement, and noise of scale D |Q| / epsilon. The list is
 *              public; the tables are counted in one scan, but each is charged by itself
 *              (dp_table_release). All else (fit.c) is post-processing: the number of rows too, where it
 *              is not public, is estimated from the noisy tables.
 * Source:      Eugenio, Liu, "CIPHER: construction of differentially private microdata from
 *              low-dimensional histograms via solving linear equations with Tikhonov
 *              regularization" (2018). Departures: docs/methods/cipher.md. The paper prints the
 *              noise scale upside down.
 */
#include "fit_model.h"
#include "methods.h"
#include "release_table.h"
#include "saturate.h"

#define TABLES "marginal tables"
#define RESIDUAL_PERMILLE 850 /* DP_FIT_RESIDUAL */

static const DpOptionSpec specs[] = {
	{
		.name = "marginals",
		.type = DP_OPTION_SETS,
		.fallback = "2",
		.minimum = 1,
		.maximum = DP_JOINT_WAYS_MAX,
		.summary = "Sets of columns whose tables are released, or how many columns each set has, "
				   "for all sets of that size.",
	},
	DP_SPEC_SOLVER,
	DP_SPEC_LAMBDA,
	DP_SPEC_CELL_LIMIT,
};
#define SPECS_N (sizeof(specs) / sizeof(specs[0]))

typedef struct CipherPlan
{
	DpWorkload workload;
	DpFitSettings settings;
	int64_t epsilon_each_nano;
} CipherPlan;

static int64_t
read_option(const DpPlan *plan, const char *name)
{
	return dp_option_integer(plan->request->options, specs, SPECS_N, name);
}

static DpStatus
cipher_plan(DpPlan *plan, DpArena *arena, DpError *error)
{
	const DpDomain *domain = plan->request->domain;
	CipherPlan *cipher = dp_alloc(arena, 1, sizeof(*cipher));
	uint64_t solve_bytes, worker_bytes;

	if (cipher == NULL)
		return DP_ERR_MEMORY;
	plan->private_data = cipher;
	cipher->settings = (DpFitSettings){.solver = (DpSolver) read_option(plan, "solver"),
									   .lambda_nano = read_option(plan, "lambda"),
									   .cell_limit = read_option(plan, "cell_limit"),
									   .residual_permille = RESIDUAL_PERMILLE};
	DP_TRY(dp_fit_plan(plan, &cipher->settings, arena, &cipher->workload, &solve_bytes, error));
	cipher->epsilon_each_nano = plan->remaining.epsilon_nano / cipher->workload.sets;
	plan->scans++;
	dp_plan_counts(plan, dp_fit_counted(&cipher->workload, domain));
	/* The backend solves after the worker has gone: what is stated is the larger of the two. */
	worker_bytes =
		dp_add_saturated(plan->memory_bytes, dp_fit_tables_memory(&cipher->workload, domain));
	plan->memory_bytes = worker_bytes > solve_bytes ? worker_bytes : solve_bytes;
	return dp_plan_laplace(plan, TABLES, cipher->workload.sets, cipher->epsilon_each_nano,
						   dp_workload_cells(&cipher->workload, domain), error);
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
	model->tables = cipher->workload.sets;
	model->table = dp_alloc(m->arena, model->tables, sizeof(*model->table));
	if (model->table == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t t = 0; t < model->tables; t++)
	{
		DP_TRY(dp_table_release(m, &exact[t], dp_cost_pure(cipher->epsilon_each_nano),
								&model->table[t]));
		dp_marginal_free(&exact[t]);
	}
	dp_free(m->arena, exact, model->tables, sizeof(*exact));
	dp_rows_settle(m, rows, model);
	return dp_fit_settle(m, &cipher->settings, model);
}

const DpMethod dp_method_cipher = {
	.name = "cipher",
	.summary = "Noisy tables of small sets of columns, and the joint distribution that fits them.",
	.guarantee = "epsilon-DP",
	.source = "CIPHER, Eugenio and Liu 2018",
	.specs = specs,
	.specs_n = SPECS_N,
	.plan = cipher_plan,
	.measure = cipher_measure,
	.prepare = dp_fit_model_prepare,
	.draw = dp_fit_draw,
	.draw_cost = dp_fit_model_draw_cost,
};
