/*
 * expected.c -- how long a release and its rows will take, and how much memory, by public facts.
 */
#include "pg/release/expected.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/base/saturate.h"
#include "core/methods/registry.h"
#include "core/sample/raking.h"
#include "pg/server/catalog.h"

/* ---- rows ---- */

/*
 * Methods whose releases may have fewer or more rows than the relation: as many as the caller asked
 * for, or only the rows whose values are in a domain that the caller wrote, or whose values reach a
 * threshold.
 */
static Datum
methods_of_other_rows(void)
{
	Datum *names = palloc(sizeof(Datum) * dp_methods_n);
	int n = 0;

	for (uint32 i = 0; i < dp_methods_n; i++)
		if (dp_methods[i]->sampler->fetch != NULL || dp_methods[i]->keeps_open)
			names[n++] = CStringGetTextDatum(dp_methods[i]->name);
	return PointerGetDatum(construct_array(names, n, TEXTOID, -1, false, TYPALIGN_INT));
}

int64
dp_rows_released(int32 dataset, Oid user)
{
	DpUserContext user_context;
	int64 rows = 0;

	dp_catalog_open(&user_context);
	/* They are put in order before it is asked who may read them: the first is mostly enough. */
	if (dp_spi_read(
			"SELECT r.rows FROM (SELECT * FROM dp_catalog.dp_release_store WHERE dataset = $1"
			"  AND rows > 0 AND NOT unprotected AND method <> ALL ($3)"
			"  ORDER BY rows_stddev, id DESC OFFSET 0) r"
			" WHERE r.public OR EXISTS (SELECT FROM pg_catalog.pg_authid a"
			"  JOIN ROWS FROM (pg_catalog.unnest(r.readers || r.role || r.payer),"
			"  pg_catalog.unnest(r.reader_names || r.role_name || r.payer_name)) who(role, name)"
			"  ON a.oid = who.role AND a.rolname = who.name"
			"  WHERE pg_catalog.pg_has_role($2, a.oid, 'USAGE'))"
			" LIMIT 1",
			DP_ARGUMENTS(DP_INT32(dataset), DP_OID(user),
						 {TEXTARRAYOID, methods_of_other_rows(), false})) == 1)
		rows = dp_spi_int64(0, 1);
	dp_catalog_close(&user_context);
	return rows;
}

int64
dp_rows_known(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	if (request->table_rows > 0)
		return request->table_rows;
	return dp_rows_released(prepared->dataset.id, request->user);
}

/* How many rows are counted of a table of a tree: those of one row of its parent are counted as so
 * many, and no more rows of the parent have any than there are rows here, where that is known. */
static uint64
rows_of_part(const DpReleaseRequest *request, const DpPrepared *prepared, int number,
			 const uint64 *rows)
{
	const DpTreeTable *table = &prepared->tree->table[number];
	uint64 parents = rows[table->parent];
	int64 released = dp_rows_released(table->dataset.id, request->user);

	if (released > 0)
		parents = Min(parents, (uint64) released);
	return dp_multiply_saturated(parents, table->full * table->full_row);
}

/* Rows that are counted of each table of a release, as far as they are publicly known. */
static uint64 *
rows_counted(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	uint64 *rows = palloc(sizeof(uint64) * (prepared->tree != NULL ? prepared->tree->tables : 1));

	rows[0] = (uint64) dp_rows_known(request, prepared);
	for (int t = 1; prepared->tree != NULL && t < prepared->tree->tables; t++)
		rows[t] = rows_of_part(request, prepared, t, rows);
	return rows;
}

/* The expected work of a release, from public facts. bench/held_out_estimates.py fits the prices to
 * it. */
static void
tell_work(const DpPlan *plan, uint64 rows)
{
	DpCostEstimate expected = dp_plan_cost_estimate(plan, rows);
	const DpCostRounds *rounds = &expected.rounds;
	StringInfoData clear;

	initStringInfo(&clear);
	for (int k = 0; rounds->cells > 0 && k < DP_EXPECTED_SIZES; k++)
		appendStringInfo(&clear, "%s%g", k > 0 ? "," : "", expected.sets_of_size[k]);
	ereport(DEBUG1,
			(errmsg_internal(
				"work: {\"columns\": %u, \"rows\": " UINT64_FORMAT
				", \"seconds\": %g, \"cells\": " UINT64_FORMAT ", \"tables\": " UINT64_FORMAT
				", \"batched\": %d, \"stddev\": %g, \"levels\": %g, \"fits\": %g, \"sizes\": [%s]}",
				plan->request->domain->attributes, rows, dp_plan_seconds(plan, rows), rounds->cells,
				rounds->tables, rounds->batched, rounds->noise_stddev, expected.levels,
				dp_cost_estimate_fit_seconds(&expected, rows), clear.data)));
}

double
dp_cost_estimate_seconds(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	int tables = prepared->tree != NULL ? prepared->tree->tables : 1;
	const uint64 *rows = rows_counted(request, prepared);
	double seconds = 0;

	for (int t = 0; t < tables; t++)
	{
		const DpPlan *plan = t == 0 ? &prepared->plan : &prepared->part[t]->plan;

		tell_work(plan, rows[t]);
		seconds += dp_plan_seconds(plan, rows[t]);
	}
	return seconds;
}

uint64
dp_cost_estimate_bytes(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	int tables = prepared->tree != NULL ? prepared->tree->tables : 1;
	const uint64 *rows = rows_counted(request, prepared);
	uint64 bytes = 0;

	for (int t = 0; t < tables; t++) /* one after the other */
		bytes =
			Max(bytes, dp_plan_bytes(t == 0 ? &prepared->plan : &prepared->part[t]->plan, rows[t]));
	return bytes;
}

/* ---- drawing ---- */

/* On one core, of a model's attribute: of a table below another one, rows are drawn given those above
 * and are weighed by what is known of them. */
#define SECONDS_A_VALUE 4e-8
#define SECONDS_A_VALUE_BELOW 1e-7
/* The time to fit the model before the first row, for each attribute. */
#define SECONDS_A_FIT 2e-3
#define SECONDS_A_FIT_BELOW 5e-3
#define ROWS_ASSUMED 10000 /* of a root, where nothing tells: as for method auto */

/* Rows that will be drawn of each table: as many as are asked for, or as are known. */
static double *
rows_drawn(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	int tables = prepared->tree != NULL ? prepared->tree->tables : 1;
	double *rows = palloc(sizeof(double) * tables);
	double known = (double) dp_rows_known(request, prepared), scale;

	rows[0] = request->draws && request->rows >= 0 ? (double) request->rows
			  : known > 0                          ? known
												   : ROWS_ASSUMED;
	scale = known > 0 ? rows[0] / known : 1;
	for (int t = 1; t < tables; t++)
	{
		const DpTreeTable *table = &prepared->tree->table[t];
		double released = (double) dp_rows_released(table->dataset.id, request->user);

		rows[t] = released > 0 && known > 0 ? released * scale
											: rows[table->parent] * table->full * table->full_row;
	}
	return rows;
}

/* To draw the rows of one table, without those above. trials: rows that are drawn for trial. */
static double
draw_seconds(const DpPrepared *part, double rows, double trials, bool below)
{
	double attributes = part->request.domain->attributes;

	return (below ? SECONDS_A_FIT_BELOW : SECONDS_A_FIT) * attributes +
		   (rows + trials) * attributes * (below ? SECONDS_A_VALUE_BELOW : SECONDS_A_VALUE);
}

double
dp_cost_estimate_draw_seconds(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	int tables = prepared->tree != NULL ? prepared->tree->tables : 1;
	const double *rows = rows_drawn(request, prepared);
	double seconds = 0;

	/* whoever draws a table draws those above it, too; trials are made once */
	for (int t = 0; t < tables; t++)
		for (int at = t; at >= 0;
			 at = prepared->tree != NULL ? prepared->tree->table[at].parent : -1)
			seconds += draw_seconds(at == 0 ? prepared : prepared->part[at], rows[at],
									at == t && t > 0 ? dp_raking_trials_rows(rows[0], rows[t]) : 0,
									at > 0);
	return seconds;
}
