/*
 * histogram.c -- dp_release_histogram and dp_histogram: releasing a histogram, and the cells of
 * a stored one with their error bars, which is post-processing of what was paid for.
 */
#include "core/base/row_major.h"
#include "pg/server/compat.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/estimate/noise_distribution.h"
#include "core/model/noisy_table.h"
#include "pg/sample/cell_json.h"
#include "pg/sample/release_query.h"
#include "pg/sample/sample.h"
#include "pg/server/arguments.h"
#include "pg/server/json.h"

PG_FUNCTION_INFO_V1(dp_release_histogram);
PG_FUNCTION_INFO_V1(dp_histogram);

#define HISTOGRAM_COLUMNS 6

Datum
dp_release_histogram(PG_FUNCTION_ARGS)
{
	DpReleaseRequest request = {.method = pstrdup("histogram"), .sets = 1, .rows = -1};

	for (int i = 1; i <= 3; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("epsilon, delta and options must not be null")));
	request.options = dp_options_argument(fcinfo, 3);
	if (dp_json_member(&PG_GETARG_JSONB_P(3)->root, "columns") == NULL)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("columns must not be null"),
						errhint("Write '{}' for the number of all rows.")));
	dp_request_target(fcinfo, 1, &request);
	PG_RETURN_INT64(dp_release_requested(&request, "dp_histogram"));
}

static const DpTable *
table_of(const DpStored *stored)
{
	const DpModel *model = &stored->model;

	if (strcmp(model->method, "histogram") != 0 || model->tables != 1 || model->replicates > 1 ||
		(model->table[0].n != model->domain.attributes && model->table[0].n != 0))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("release " INT64_FORMAT " is not a histogram", stored->id),
						errhint("dp_histogram makes one; dp_sample draws rows from any release.")));
	return &model->table[0];
}

/* Half of the interval of a released cell: the noise of one cell, whose distribution is Laplace's
 * in all mechanisms. */
static double
half_width(const DpTable *table, double confidence)
{
	DpNoiseTerm term = dp_noise_term(table);
	DpNoiseSum distribution = {1, &term};

	return dp_noise_distribution_half_width(&distribution, confidence);
}

static char *
basis_of(const DpStored *stored, const DpTable *table)
{
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfoString(&words, "measured");
	if (table->storage == DP_SPARSE)
		appendStringInfo(&words, "; only cells that reach " INT64_FORMAT " with their noise",
						 table->threshold_rows);
	if (stored->units_bounded)
		appendStringInfo(&words, "; at most %u row%s a unit", stored->model.unit.rows_max,
						 stored->model.unit.rows_max == 1 ? "" : "s");
	return words.data;
}

/* Writes the codes of a cell, in the order of the table's attributes. */
static void
cell_codes(const DpDomain *domain, const DpTable *table, uint64 cell, uint32 *code)
{
	uint32 levels[DP_ATTRIBUTES_MAX];

	if (table->storage == DP_SPARSE)
		memcpy(code, table->code + cell * table->n, table->n * sizeof(*code));
	else
	{
		dp_domain_levels(domain, table->attribute, table->n, levels);
		dp_row_major_codes(levels, table->n, cell, code);
	}
}

static void
put_cells(ReturnSetInfo *result, const DpStored *stored, const DpTable *table, double confidence)
{
	const DpDomain *domain = &stored->model.domain;
	DpAttributeSet set = {table->n, table->attribute};
	DpCellWriter *writer = dp_cell_writer(domain, &set);
	uint32 *code = palloc0(sizeof(uint32) * Max(table->n, 1));
	double stddev = sqrt(dp_table_variance(table)), half = half_width(table, confidence);
	Datum basis = CStringGetTextDatum(basis_of(stored, table));
	MemoryContext row =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn cell", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(row);

	for (uint64 i = 0; i < table->cells; i++)
	{
		double count = (double) table->value[i];
		bool nulls[HISTOGRAM_COLUMNS] = {false};
		Datum values[HISTOGRAM_COLUMNS];

		CHECK_FOR_INTERRUPTS();
		cell_codes(domain, table, i, code);
		values[0] = JsonbPGetDatum(dp_cell_json(writer, code, NULL));
		values[1] = Float8GetDatum(count);
		values[2] = Float8GetDatum(stddev);
		values[3] = Float8GetDatum(fmax(count - half, 0));
		values[4] = Float8GetDatum(fmax(count + half, 0));
		values[5] = basis;
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(caller);
}

Datum
dp_histogram(PG_FUNCTION_ARGS)
{
	DpStored *stored;
	const DpTable *table;
	double confidence;

	dp_check_not_null(fcinfo, 0, "release");
	dp_check_not_null(fcinfo, 1, "confidence");
	confidence = PG_GETARG_FLOAT8(1);
	dp_check_confidence(confidence);
	stored = dp_stored_get(PG_GETARG_INT64(0));
	table = table_of(stored);
	InitMaterializedSRF(fcinfo, 0);
	put_cells((ReturnSetInfo *) fcinfo->resultinfo, stored, table, confidence);
	return (Datum) 0;
}
