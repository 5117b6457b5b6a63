/*
 * pairs.c -- the part of a report about pairs of columns: a matrix of shades, and the worst pairs.
 */
#include "pg/report/report.h"

#include <math.h>

#include "core/report/page.h"

#define WORST_MAX 10

static const double shades[DP_SHADES - 1] = {0.01, 0.02, 0.05, 0.1, 0.2};

typedef struct Pair
{
	uint32 i, j;
	double value;
} Pair;

static double
value_of(const DpReportPairs *pairs, uint32 i, uint32 j)
{
	return i < j ? pairs->value[(size_t) j * pairs->n + i]
				 : pairs->value[(size_t) i * pairs->n + j];
}

static int
compare_worst_first(const void *a, const void *b)
{
	const Pair *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->i != y->i ? (x->i < y->i ? -1 : 1) : x->j < y->j ? -1 : x->j > y->j;
}

/* Pairs of different columns whose number is known, the largest first. */
static uint64
sorted_pairs(const DpReportPairs *pairs, Pair **sorted)
{
	uint64 n = 0;

	*sorted =
		palloc_extended(sizeof(Pair) * Max((uint64) pairs->n * pairs->n / 2, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < pairs->n; i++)
		for (uint32 j = 0; j < i; j++)
			if (isfinite(value_of(pairs, i, j)))
				(*sorted)[n++] = (Pair){j, i, value_of(pairs, i, j)};
	qsort(*sorted, n, sizeof(Pair), compare_worst_first);
	return n;
}

/* Marks the columns of the matrix: all, or those of the worst pairs, and then the first ones. */
static void
choose_columns(const DpReportPairs *pairs, const Pair *sorted, uint64 n, bool *shown)
{
	uint32 left = Min(pairs->n, DP_MATRIX_COLUMNS);

	for (uint64 p = 0; p < n && left > 1; p++)
	{
		left -= !shown[sorted[p].i];
		shown[sorted[p].i] = true;
		left -= !shown[sorted[p].j];
		shown[sorted[p].j] = true;
	}
	for (uint32 i = 0; i < pairs->n && left > 0; i++)
	{
		left -= !shown[i];
		shown[i] = true;
	}
}

static void
put_matrix(DpPage *page, const DpReportPairs *pairs, const Pair *sorted, uint64 n)
{
	bool *shown = palloc0(sizeof(bool) * pairs->n);
	uint32 *column = palloc(sizeof(uint32) * pairs->n);
	const char **name = palloc(sizeof(char *) * DP_MATRIX_COLUMNS);
	double *value = palloc(sizeof(double) * DP_MATRIX_COLUMNS * DP_MATRIX_COLUMNS);
	DpMatrix matrix = {.name = name, .value = value, .unit = 0.01};
	bool any_unknown = false;

	choose_columns(pairs, sorted, n, shown);
	for (uint32 i = 0; i < pairs->n; i++)
		if (shown[i])
		{
			name[matrix.n] = pairs->name[i];
			column[matrix.n++] = i;
		}
	for (uint32 i = 0; i < matrix.n; i++)
		for (uint32 j = 0; j <= i; j++)
		{
			value[i * matrix.n + j] = value_of(pairs, column[i], column[j]);
			any_unknown = any_unknown || !isfinite(value[i * matrix.n + j]);
		}
	memcpy(matrix.shade, shades, sizeof(shades));
	matrix.words.title = pairs->title;
	matrix.words.description = psprintf("A triangle of squares, one for each pair of %u columns. "
										"Darker squares stand for more; the "
										"table after it lists the worst pairs.",
										matrix.n);
	dp_put(page, "<figure class=\"matrix\">");
	dp_put_matrix(page, &matrix);
	dp_put_matrix_key(page, &matrix, any_unknown ? pairs->unknown : NULL);
	if (matrix.n < pairs->n)
		dp_put(page,
			   "<figcaption>%u of %u columns are shown: those of the worst pairs.</figcaption>",
			   (unsigned) matrix.n, (unsigned) pairs->n);
	dp_put(page, "</figure>\n");
}

static void
put_worst(DpPage *page, const DpReportPairs *pairs, const Pair *sorted, uint64 n)
{
	uint64 shown = Min(n, WORST_MAX);

	dp_put(
		page,
		"<div><h3>The worst pairs</h3><div class=\"scroll\"><table><thead><tr>"
		"<th scope=\"col\">Columns</th><th scope=\"col\" class=\"n\">%s</th></tr></thead><tbody>\n",
		pairs->meaning);
	for (uint64 p = 0; p < shown; p++)
		dp_put(
			page,
			"<tr><th scope=\"row\" class=\"long\">%.*s and %.*s</th><td class=\"n\">%s</td></tr>\n",
			40, pairs->name[sorted[p].i], 40, pairs->name[sorted[p].j],
			dp_written_percent(sorted[p].value).text);
	dp_put(page, "</tbody></table></div>");
	if (n > shown)
		dp_put(page, "<p class=\"note\">There are %s pairs; half of them have %s or less.</p>",
			   dp_written_count((double) n).text, dp_written_percent(sorted[n / 2].value).text);
	dp_put(page, "</div>\n");
}

void
dp_put_pairs(DpReport *report, const DpReportPairs *pairs)
{
	Pair *sorted;
	uint64 n = sorted_pairs(pairs, &sorted);

	dp_put(&report->page, "<div class=\"pairs\">\n");
	put_matrix(&report->page, pairs, sorted, n);
	if (n > 0)
		put_worst(&report->page, pairs, sorted, n);
	dp_put(&report->page, "</div>\n");
	pfree(sorted);
}
