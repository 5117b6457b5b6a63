/*
 * release_pairs.c -- by how much pairs of columns are off among drawn rows.
 *
 * dp_error tells the root mean square error of the share of a cell. The sum of the absolute errors
 * of all cells is at most that times the number of cells, and half of the sum is the share of rows
 * that stand in a wrong cell (total variation distance).
 */
#include "pg/report/release.h"

#include <math.h>

#include "executor/spi.h"

#include "core/report/page.h"

#define COLUMNS_MAX 200 /* columns all of whose pairs are asked about */

/* The distance of dp_error's answer in a row: total, or else what is known of it. */
static double
distance_of(uint64 row, double cells)
{
	double noise = dp_spi_float8(row, 3), fit = dp_spi_float8(row, 4);
	double drawing = dp_spi_float8(row, 5);
	double error = hypot(noise + (isfinite(fit) ? fit : 0), isfinite(drawing) ? drawing : 0);

	return isfinite(noise) ? fmin(error * cells / 2, 1) : NAN;
}

static double
levels_of(const DpDomain *domain, int column)
{
	return column < 0 ? NAN : (double) domain->attribute[column].levels;
}

static bool
read_pairs(DpReleaseReport *of, DpReportPairs *pairs)
{
	const DpDomain *domain = &of->released.stored->model.domain;
	bool any = false;
	uint64 rows = dp_spi_read_as_caller(
		"SELECT e.columns[1]::text, e.columns[pg_catalog.cardinality(e.columns)]::text,"
		" e.noise, e.fit, e.drawing FROM @.dp_error($1, NULL::pg_catalog.int8) e",
		DP_ARGUMENTS(of->released.release));

	for (uint64 r = 0; r < rows; r++)
	{
		int i = dp_domain_find(domain, dp_spi_text(r, 1));
		int j = dp_domain_find(domain, dp_spi_text(r, 2));
		double cells = levels_of(domain, i) * (i == j ? 1 : levels_of(domain, j));

		if (i < 0 || j < 0)
			continue;
		pairs->value[(size_t) Max(i, j) * pairs->n + Min(i, j)] = distance_of(r, cells);
		any = any || (i != j && isfinite(distance_of(r, cells)));
	}
	SPI_freetuptable(SPI_tuptable);
	return any;
}

void
dp_put_release_pairs(DpReleaseReport *of)
{
	const DpDomain *domain = &of->released.stored->model.domain;
	DpPage *page = &of->report.page;
	DpReportPairs pairs = {
		.n = domain->attributes,
		.title = "How far pairs of columns may be off",
		.meaning = "Rows in a wrong cell, at most",
		.unknown = "no table holds this pair: the model tells it, and nobody knows how well"};
	size_t cells = (size_t) pairs.n * pairs.n;

	if (pairs.n < 2 || pairs.n > COLUMNS_MAX)
		return;
	pairs.name = palloc(sizeof(char *) * pairs.n);
	for (uint32 i = 0; i < pairs.n; i++)
		pairs.name[i] = dp_report_words(domain->attribute[i].name);
	pairs.value = palloc(sizeof(double) * cells);
	for (size_t i = 0; i < cells; i++)
		pairs.value[i] = NAN;
	dp_put(page, "<section><h2>Two columns at a time</h2>\n");
	if (!read_pairs(of, &pairs))
		dp_put(page,
			   "<p>No two columns were measured together. What drawn rows say of pairs comes from "
			   "the model alone, and nobody knows how near it is: ask dp_answer for bounds.</p>\n");
	else
	{
		dp_put(
			page,
			"<p>A square stands for two columns. Its number says how many of a hundred rows that "
			"are drawn from this release have a wrong combination of values in them, at most: for "
			"the noise that was added, for the model, and by the chance of drawing. Pale squares "
			"are good. Those on the diagonal are about one column.</p>\n");
		dp_put_pairs(&of->report, &pairs);
	}
	dp_put(page, "</section>\n");
}
