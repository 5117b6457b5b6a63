/*
 * value_measures.c -- what dp_evaluate measures of the values of columns: NULLs, and numbers.
 */
#include "pg/evaluate/table_measures.h"

#include <math.h>

#include "miscadmin.h"

#include "core/evaluate/number_statistics.h"
#include "core/exact/count_kernel.h"
#include "pg/server/bridge.h"

/* A measure of one column with two sides, whose value is their difference. */
static void
put_sides(DpEvaluation *evaluation, const char *measure, const DpComparedColumn *column,
		  const double side[2], const char *detail)
{
	dp_measured_put(&evaluation->sink, &(DpMeasured){.measure = measure,
													 .column = &column->name,
													 .columns = 1,
													 .value = side[1] - side[0],
													 .original = side[0],
													 .synthetic = side[1],
													 .detail = detail});
}

static void
put_null_share(DpEvaluation *evaluation, const DpComparedColumn *column)
{
	double share[2];

	for (int side = 0; side < 2; side++)
		share[side] = (double) column->nulls[side] / (double) evaluation->tables.rows[side];
	put_sides(evaluation, "null_share", column, share, NULL);
}

static void
put_numbers(DpEvaluation *evaluation, const DpComparedColumn *column)
{
	static const char *const quartile[] = {"q1", "median", "q3"};
	const char *unit = column->time ? "seconds since 1970" : NULL;
	DpNumbers numbers = {&column->values, column->order};
	DpNumberStatistics found[2] = {dp_number_statistics(&numbers, DP_ORIGINAL),
								   dp_number_statistics(&numbers, DP_SYNTHETIC)};
	double distance = dp_wasserstein(&numbers);
	double sd = found[DP_ORIGINAL].sd;

	put_sides(evaluation, "mean", column, (double[]){found[0].mean, found[1].mean}, unit);
	put_sides(evaluation, "sd", column, (double[]){found[0].sd, found[1].sd},
			  column->time ? "seconds" : NULL);
	for (int i = 0; i < 3; i++)
		put_sides(evaluation, quartile[i], column,
				  (double[]){found[0].quartile[i], found[1].quartile[i]}, unit);
	dp_measured_put(
		&evaluation->sink,
		&(DpMeasured){
			.measure = "wasserstein1",
			.column = &column->name,
			.columns = 1,
			.value = distance,
			.original = NAN,
			.synthetic = NAN,
			.detail = isnan(distance) || !(sd > 0)
						  ? NULL
						  : psprintf("%.4g standard deviations of the original", distance / sd)});
}

void
dp_evaluate_values(DpEvaluation *evaluation)
{
	const DpTwoTables *tables = &evaluation->tables;

	for (uint32 a = 0; a < tables->domain.attributes; a++)
		put_null_share(evaluation, &tables->column[tables->column_of[a]]);
	for (uint32 a = 0; a < tables->domain.attributes; a++)
	{
		const DpComparedColumn *column = &tables->column[tables->column_of[a]];

		CHECK_FOR_INTERRUPTS();
		if (column->kind == DP_KIND_NUMBER)
			put_numbers(evaluation, column);
	}
}

/* ---- correlations ---- */

/* Columns of numbers, and what makes their values of the order of 1. */
typedef struct NumberColumns
{
	uint32 n;
	uint32 *column;
	double **scaled; /* [n][values] by code; NaN: none */
} NumberColumns;

static double *
scaled_values(const DpComparedColumn *column)
{
	DpNumbers numbers = {&column->values, column->order};
	DpNumberStatistics found = dp_number_statistics(&numbers, DP_ORIGINAL);
	double *scaled = palloc_extended(sizeof(double) * column->values.n, MCXT_ALLOC_HUGE);
	double mean = isnan(found.mean) ? 0 : found.mean;
	double sd = found.sd > 0 ? found.sd : 1;

	scaled[DP_CODE_NULL] = NAN;
	for (uint32 code = 1; code < column->values.n; code++)
		scaled[code] =
			isfinite(column->values.number[code]) ? (column->values.number[code] - mean) / sd : NAN;
	return scaled;
}

static NumberColumns
number_columns(const DpTwoTables *tables)
{
	NumberColumns found = {.column = palloc(sizeof(uint32) * tables->columns),
						   .scaled = palloc(sizeof(double *) * tables->columns)};

	for (uint32 a = 0; a < tables->domain.attributes; a++)
	{
		uint32 c = tables->column_of[a];

		if (tables->column[c].kind != DP_KIND_NUMBER)
			continue;
		found.column[found.n] = c;
		found.scaled[found.n++] = scaled_values(&tables->column[c]);
	}
	return found;
}

static void
sum_products(DpCodeRows *rows, const NumberColumns *numbers, DpCorrelations *sums)
{
	uint32 code[DP_BATCH_ROWS];
	uint32 n;

	dp_code_rows_rewind(rows);
	while ((n = dp_code_rows_next(rows)) > 0)
	{
		for (uint32 k = 0; k < numbers->n; k++)
		{
			double *value = sums->value + (Size) k * sums->rows_max;
			double *present = sums->present + (Size) k * sums->rows_max;

			dp_code_rows_read(rows, numbers->column[k], code);
			for (uint32 i = 0; i < n; i++)
			{
				double scaled = numbers->scaled[k][code[i]];

				present[i] = isnan(scaled) ? 0 : 1;
				value[i] = isnan(scaled) ? 0 : scaled;
			}
		}
		dp_correlations_add(sums, n);
	}
}

static void
put_correlation(DpEvaluation *evaluation, const char *const name[2], const DpPairSums *first,
				const DpPairSums *second)
{
	double original = dp_correlation(first);
	double synthetic = dp_correlation(second);

	dp_measured_put(&evaluation->sink,
					&(DpMeasured){.measure = "correlation",
								  .column = name,
								  .columns = 2,
								  .value = synthetic - original,
								  .original = original,
								  .synthetic = synthetic,
								  .detail = isnan(original) || isnan(synthetic)
												? "a column is constant, or has no values"
												: NULL});
}

void
dp_evaluate_correlations(DpEvaluation *evaluation)
{
	DpTwoTables *tables = &evaluation->tables;
	NumberColumns numbers = number_columns(tables);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpCorrelations sums[2];
	uint32 pair = 0;

	if (numbers.n < 2)
		return;
	for (int side = 0; side < 2; side++)
	{
		if (dp_correlations_init(&sums[side], numbers.n, DP_BATCH_ROWS, &arena) != DP_OK)
			ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
		sum_products(tables->codes[side], &numbers, &sums[side]);
	}
	for (uint32 i = 0; i < numbers.n; i++)
		for (uint32 j = i + 1; j < numbers.n; j++, pair++)
			put_correlation(evaluation,
							(const char *const[2]){tables->column[numbers.column[i]].name,
												   tables->column[numbers.column[j]].name},
							&sums[0].pair[pair], &sums[1].pair[pair]);
}
