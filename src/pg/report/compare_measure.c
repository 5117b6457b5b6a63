/*
 * compare_measure.c -- the results of dp_evaluate for two tables, sorted for the page.
 */
#include "pg/report/compare.h"

#include <math.h>

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define TRIPLES_COLUMNS_MAX 40
#define SKIPPED_MAX 20

static bool
is_measure(uint64 row, const char *name)
{
	return strcmp(dp_spi_text(row, 1), name) == 0;
}

/* Columns are named by rows "null_share", one for each that is compared. */
static void
read_columns(DpCompareReport *of, uint64 rows)
{
	of->column = palloc0(sizeof(DpReportColumn) * Max(rows, 1));
	for (uint64 r = 0; r < rows; r++)
	{
		DpReportColumn *column = &of->column[of->n];
		AttrNumber number;

		if (!is_measure(r, "null_share"))
			continue;
		*column = (DpReportColumn){.name = dp_spi_text(r, 2),
								   .distance = NAN,
								   .nulls = {dp_spi_float8(r, 5), dp_spi_float8(r, 6)},
								   .mean = {NAN, NAN},
								   .sd = {NAN, NAN},
								   .median = {NAN, NAN}};
		number = get_attnum(of->relation[0], column->name);
		if (number == InvalidAttrNumber)
			continue;
		column->type = getBaseType(get_atttype(of->relation[0], number));
		column->quoted = quote_identifier(column->name);
		of->n++;
	}
}

/* The number of a column, of->n for none. */
static uint32
find_column(const DpCompareReport *of, const char *name)
{
	uint32 i = 0;

	while (i < of->n && (name == NULL || strcmp(of->column[i].name, name) != 0))
		i++;
	return i;
}

static void
note_ways(DpReportWays *ways, uint64 row, const char *which)
{
	double value = dp_spi_float8(row, 4);

	if (which == NULL)
		ways->mean = value;
	else if (!(value <= ways->worst))
	{
		ways->worst = value;
		ways->which = which;
	}
}

static void
note_skipped(DpCompareReport *of, uint64 row, uint32 *n)
{
	const char *words = psprintf("%s (%s)", dp_report_text(row, 7), dp_report_text(row, 8));

	if ((*n)++ < SKIPPED_MAX)
		of->skipped = of->skipped == NULL ? words : psprintf("%s, %s", of->skipped, words);
	else if (*n == SKIPPED_MAX + 1)
		of->skipped = psprintf("%s, and more", of->skipped);
}

static void
note_number(DpReportColumn *column, uint64 row)
{
	double *pair = is_measure(row, "mean")     ? column->mean
				   : is_measure(row, "sd")     ? column->sd
				   : is_measure(row, "median") ? column->median
											   : NULL;

	if (pair == NULL)
		return;
	column->is_number = true;
	pair[0] = dp_spi_float8(row, 5);
	pair[1] = dp_spi_float8(row, 6);
}

static void
note_row(DpCompareReport *of, uint64 row, uint32 *skipped)
{
	uint32 i = find_column(of, dp_spi_text(row, 2)), j = find_column(of, dp_spi_text(row, 3));
	double value = dp_spi_float8(row, 4);

	if (is_measure(row, "rows"))
	{
		of->rows[0] = dp_spi_float8(row, 5);
		of->rows[1] = dp_spi_float8(row, 6);
	}
	else if (is_measure(row, "skipped"))
		note_skipped(of, row, skipped);
	else if (is_measure(row, "tvd1"))
	{
		note_ways(&of->ways[0], row, dp_report_text(row, 7));
		if (i < of->n)
			of->column[i].distance = of->pair[(size_t) i * of->n + i] = value;
	}
	else if (is_measure(row, "tvd2"))
	{
		note_ways(&of->ways[1], row, dp_report_text(row, 7));
		if (i < of->n && j < of->n)
			of->pair[(size_t) Max(i, j) * of->n + Min(i, j)] = value;
	}
	else if (is_measure(row, "cramers_v") && i < of->n && j < of->n)
		of->strength[of->pairs++] = (DpReportPair){
			{dp_report_words(of->column[i].name), dp_report_words(of->column[j].name)},
			{dp_spi_float8(row, 5), dp_spi_float8(row, 6)}};
	else if (i < of->n && j == of->n)
		note_number(&of->column[i], row);
}

static const char evaluation[] =
	"SELECT e.measure, e.columns[1]::text, e.columns[2]::text, e.value, e.original, e.synthetic,"
	" array_to_string(e.columns, ', '), e.detail FROM @.dp_evaluate($1, $2, $3) e";

/* options: members of an object. */
static uint64
evaluate(const DpCompareReport *of, const char *options)
{
	if (of->options.evaluation[0] != '\0')
		options = psprintf("%s%s%s", options, options[0] ? ", " : "", of->options.evaluation);
	if (of->columns != NULL)
		options = psprintf("%s%s\"columns\": %s", options, options[0] ? ", " : "", of->columns);
	options = psprintf("{%s}", options);
	return dp_spi_read_as_caller(
		evaluation,
		DP_ARGUMENTS(DP_REGCLASS(of->relation[0]), DP_REGCLASS(of->relation[1]),
					 (DpArgument){JSONBOID, DirectFunctionCall1(jsonb_in, CStringGetDatum(options)),
								  false}));
}

void
dp_compare_measure(DpCompareReport *of)
{
	uint64 rows = evaluate(of, "\"ways\": 2, \"each\": true");
	uint32 skipped = 0;

	of->n = 0;
	of->pairs = 0;
	of->skipped = NULL;
	for (int k = 0; k < DP_COMPARED_WAYS_MAX; k++)
		of->ways[k] = (DpReportWays){NAN, NAN, NULL};
	read_columns(of, rows);
	of->pair = palloc_extended(sizeof(double) * Max((size_t) of->n * of->n, 1), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < (size_t) of->n * of->n; i++)
		of->pair[i] = NAN;
	of->strength = palloc_extended(sizeof(DpReportPair) * Max(rows, 1), MCXT_ALLOC_HUGE);
	for (uint64 r = 0; r < rows; r++)
		note_row(of, r, &skipped);
	SPI_freetuptable(SPI_tuptable);
	for (uint32 i = 0; i < of->n; i++)
		of->column[i].name = dp_report_words(of->column[i].name);
	if (of->n < DP_COMPARED_WAYS_MAX || of->n > TRIPLES_COLUMNS_MAX)
		return;
	rows = evaluate(of, "");
	for (uint64 r = 0; r < rows; r++)
		if (is_measure(r, "tvd3"))
			note_ways(&of->ways[2], r, dp_report_text(r, 7));
	SPI_freetuptable(SPI_tuptable);
}
