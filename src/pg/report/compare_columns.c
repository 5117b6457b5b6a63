/*
 * compare_columns.c -- the columns of two tables, each as a figure: original beside synthetic.
 *
 * The counts are those of SELECTs with the rights of the caller.
 */
#include "pg/report/compare.h"

#include <math.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/memutils.h"

#include "core/report/page.h"
#include "pg/server/numbers.h"
#include "pg/server/values.h"

#define BARS_MAX 12 /* the most values of a column that are drawn; the last stands for all others */
#define BINS 20
#define DAY 86400.0

#define DP_FLOAT8(of) ((DpArgument){FLOAT8OID, Float8GetDatum(of), false})

/* Shares of one value or bin in both tables. */
typedef struct Share
{
	const char *label;
	double original, synthetic;
} Share;

static const char *
percent(double share)
{
	return pstrdup(dp_written_percent(share).text);
}

static void
put_table(DpPage *page, const char *what, const Share *share, uint32 n)
{
	const char *head[] = {what, "Original", "Synthetic"};
	const char **cell = palloc(sizeof(char *) * 3 * Max(n, 1));

	for (uint32 i = 0; i < n; i++)
	{
		cell[3 * i] = share[i].label;
		cell[3 * i + 1] = percent(share[i].original);
		cell[3 * i + 2] = percent(share[i].synthetic);
	}
	dp_put_figure_table(page, &(DpFigureTable){3, head, n, cell});
}

/* ---- bars ---- */

/* Values with how many rows have each, as what stands behind FROM. Both relations need not have one
 * owner, so each is read as its own, or else is one of those that the statement reads. */
static const char *
counts_of(const DpCompareReport *of, const DpReportColumn *column, int side, List **read)
{
	char *statement =
		psprintf("SELECT %s AS v, pg_catalog.count(*) AS n FROM %s c GROUP BY 1",
				 dp_text_expression(psprintf("c.%s", column->quoted)), of->name[side]);

	if (dp_is_custodian(of->relation[side], GetUserId()))
		return psprintf("(SELECT * FROM dp_catalog.dp_read_as_owner(%u::pg_catalog.oid"
						"::pg_catalog.regclass, %s) AS r(v pg_catalog.text, n pg_catalog.int8))",
						of->relation[side], quote_literal_cstr(statement));
	*read = lappend_oid(*read, of->relation[side]);
	return psprintf("(%s)", statement);
}

/* The most frequent values of the original, and all others as one. levels: their number. */
static uint32
read_values(const DpCompareReport *of, const DpReportColumn *column, Share *share, uint64 *levels)
{
	List *read = NIL;
	const char *original = counts_of(of, column, 0, &read);
	const char *synthetic = counts_of(of, column, 1, &read);
	uint64 rows = dp_report_read(
		read,
		psprintf("SELECT left(x.v, 200), sum(x.o)::float8, sum(x.s)::float8, count(*) OVER () FROM"
				 " (SELECT o.v, o.n AS o, 0::bigint AS s FROM %s o"
				 " UNION ALL SELECT s.v, 0::bigint, s.n FROM %s s) x"
				 " GROUP BY x.v ORDER BY sum(x.o) DESC, sum(x.s) DESC, x.v COLLATE \"C\" LIMIT %d",
				 original, synthetic, BARS_MAX),
		DP_NO_ARGUMENTS);
	uint32 n = 0;
	double left[2] = {1, 1};

	*levels = rows == 0 ? 0 : (uint64) dp_spi_int64(0, 4);
	for (uint64 r = 0; r < rows && (*levels <= BARS_MAX || n < BARS_MAX - 1); r++, n++)
	{
		share[n] = (Share){pstrdup(dp_report_label(dp_spi_text(r, 1))),
						   dp_spi_float8(r, 2) / of->rows[0], dp_spi_float8(r, 3) / of->rows[1]};
		left[0] -= share[n].original;
		left[1] -= share[n].synthetic;
	}
	SPI_freetuptable(SPI_tuptable);
	if (*levels > BARS_MAX)
	{
		DpWritten others = dp_written_count((double) (*levels - n));

		share[n++] =
			(Share){psprintf("%s others", others.text), fmax(left[0], 0), fmax(left[1], 0)};
	}
	return n;
}

static void
put_bars(DpPage *page, const DpReportColumn *column, const Share *share, uint32 n, bool rest)
{
	DpBar bar[BARS_MAX];
	DpBars bars = {.bar = bar, .n = n, .paired = true};

	for (uint32 i = 0; i < n; i++)
		bar[i] = (DpBar){.label = share[i].label,
						 .value = share[i].synthetic,
						 .original = share[i].original,
						 .low = NAN,
						 .high = NAN,
						 .words = dp_report_percents(share[i].original, share[i].synthetic),
						 .rest = rest && i + 1 == n};
	bars.words.title = psprintf("Shares of the values of %s", column->name);
	bars.words.description =
		"Two bars for each value: the upper one, an outline, is the original, and the lower one, "
		"filled, the synthetic rows. The table below has the numbers.";
	dp_put_bars(page, &bars);
	put_table(page, "Value", share, n);
}

/* ---- histograms ---- */

/* Bins of one width; what lies beyond them is counted in the first and in the last one. */
typedef struct Bins
{
	double first, width;
	uint32 n;
} Bins;

static bool
is_time(const DpReportColumn *column)
{
	return column->type == DATEOID || column->type == TIMESTAMPOID ||
		   column->type == TIMESTAMPTZOID;
}

/* What a bin's width is a multiple of; 0: any. */
static double
step_of(const DpReportColumn *column)
{
	if (is_time(column))
		return DAY;
	return dp_is_integer(column->type) ? 1 : 0;
}

/* The column as a number, in a statement. */
static const char *
number_of(const DpReportColumn *column)
{
	return is_time(column) ? psprintf("extract(epoch FROM c.%s)::float8", column->quoted)
						   : psprintf("c.%s::float8", column->quoted);
}

/* Between which values 98 of 100 rows lie. False: nobody has a number. */
static bool
read_span(const DpCompareReport *of, const DpReportColumn *column, int side, double span[2])
{
	uint64 rows = dp_report_read(
		list_make1_oid(of->relation[side]),
		psprintf("SELECT p[1], p[2] FROM (SELECT percentile_disc(ARRAY[0.01, 0.99]::float8[])"
				 " WITHIN GROUP (ORDER BY x) AS p FROM (SELECT %s AS x FROM %s c) y"
				 " WHERE x > '-Infinity' AND x < 'Infinity') z",
				 number_of(column), of->name[side]),
		DP_NO_ARGUMENTS);

	span[0] = rows == 1 ? dp_spi_float8(0, 1) : NAN;
	span[1] = rows == 1 ? dp_spi_float8(0, 2) : NAN;
	SPI_freetuptable(SPI_tuptable);
	return isfinite(span[0]) && isfinite(span[1]);
}

/* Bins over the rows of both, but for synthetic rows that lie far away from the original. False:
 * there is one value. */
static bool
choose_bins(const DpCompareReport *of, const DpReportColumn *column, Bins *bins)
{
	double step = step_of(column), span[2], other[2], width;

	if (!read_span(of, column, 0, span))
		return false;
	width = span[1] - span[0];
	if (read_span(of, column, 1, other))
	{
		span[0] = fmax(fmin(span[0], other[0]), span[0] - width);
		span[1] = fmin(fmax(span[1], other[1]), span[1] + width);
	}
	if (!(span[1] > span[0]))
		return false;
	if (step > 0)
	{
		span[0] = floor(span[0] / step) * step;
		span[1] = (floor(span[1] / step) + 1) * step;
		bins->width = fmax(ceil((span[1] - span[0]) / BINS / step), 1) * step;
	}
	else
		bins->width = (span[1] - span[0]) / BINS;
	bins->first = span[0];
	bins->n = (uint32) fmin(fmax(ceil((span[1] - span[0]) / bins->width - 1e-9), 1), BINS);
	return isfinite(bins->width) && bins->width > 0;
}

static const char *
edge_label(const DpReportColumn *column, double edge)
{
	if (is_time(column))
		return DatumGetCString(DirectFunctionCall1(
			date_out, DateADTGetDatum((DateADT) (floor(edge / DAY) -
												 (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)))));
	if (step_of(column) > 0 && fabs(edge) < 1e6)
		return psprintf("%.0f", edge);
	return pstrdup(dp_written_number(edge).text);
}

/* The share of each bin among rows that have a number. */
static void
count_bins(const DpCompareReport *of, const DpReportColumn *column, const Bins *bins, int side,
		   double *share)
{
	uint64 rows = dp_report_read(
		list_make1_oid(of->relation[side]),
		psprintf("SELECT least(greatest(floor((x - $1) / $2), 0), $3 - 1)::int, count(*)"
				 " FROM (SELECT %s AS x FROM %s c) y WHERE x > '-Infinity' AND x < 'Infinity'"
				 " GROUP BY 1",
				 number_of(column), of->name[side]),
		DP_ARGUMENTS(DP_FLOAT8(bins->first), DP_FLOAT8(bins->width), DP_FLOAT8((double) bins->n)));
	double all = 0;

	for (uint32 i = 0; i < bins->n; i++)
		share[i] = 0;
	for (uint64 r = 0; r < rows; r++)
	{
		share[dp_spi_int32(r, 1)] = (double) dp_spi_int64(r, 2);
		all += (double) dp_spi_int64(r, 2);
	}
	for (uint32 i = 0; i < bins->n && all > 0; i++)
		share[i] /= all;
	SPI_freetuptable(SPI_tuptable);
}

static void
put_histogram(DpPage *page, const DpCompareReport *of, const DpReportColumn *column,
			  const Bins *bins)
{
	double edge[BINS + 1], original[BINS], synthetic[BINS];
	const char *label[BINS + 1];
	Share share[BINS];
	DpHistogramFigure histogram = {.bins = bins->n,
								   .edge = edge,
								   .edge_label = label,
								   .share = synthetic,
								   .original = original};

	count_bins(of, column, bins, 0, original);
	count_bins(of, column, bins, 1, synthetic);
	for (uint32 i = 0; i <= bins->n; i++)
	{
		edge[i] = bins->first + i * bins->width;
		label[i] = edge_label(column, edge[i]);
	}
	for (uint32 i = 0; i < bins->n; i++)
		share[i] = (Share){i + 1 == bins->n ? psprintf("%s and more", label[i])
						   : i == 0         ? psprintf("below %s", label[1])
											: psprintf("%s to %s", label[i], label[i + 1]),
						   original[i], synthetic[i]};
	histogram.words.title = psprintf("How the rows lie along %s", column->name);
	histogram.words.description =
		"A histogram: filled areas are the synthetic rows, and the line is the original. The table "
		"below has the numbers.";
	dp_put_histogram(page, &histogram);
	put_table(page, "Range", share, bins->n);
}

/* ---- a column ---- */

/* binned: drawn as a histogram. Its bins are finer than those that the distance knows. */
static void
put_caption(DpPage *page, const DpReportColumn *column, bool binned)
{
	dp_put(page, "<figcaption>");
	if (isfinite(column->distance))
		dp_put(page,
			   binned ? "<b>%s</b> of the rows would have to change, in the bins of dp_evaluate."
					  : "<b>%s</b> of the rows would have to change.",
			   dp_written_percent(column->distance).text);
	if (column->is_number && !is_time(column) && isfinite(column->mean[0]) &&
		isfinite(column->mean[1]))
		dp_put(page, " Mean %s, synthetic %s.", dp_written_number(column->mean[0]).text,
			   dp_written_number(column->mean[1]).text);
	if (column->is_number && !is_time(column) && isfinite(column->sd[0]) && isfinite(column->sd[1]))
		dp_put(page, " Standard deviation %s, synthetic %s.", dp_written_number(column->sd[0]).text,
			   dp_written_number(column->sd[1]).text);
	if (column->nulls[0] > 0 || column->nulls[1] > 0)
		dp_put(page, " NULL: %s, synthetic %s.", dp_written_percent(column->nulls[0]).text,
			   dp_written_percent(column->nulls[1]).text);
	dp_put(page, "</figcaption>\n");
}

/* The number that a label says; of NULL the last one. */
static double
label_number(const Share *share)
{
	char *end;
	double number = strtod(share->label, &end);

	return end == share->label ? INFINITY : number;
}

static int
compare_numbers(const void *a, const void *b)
{
	double x = label_number(a), y = label_number(b);

	return x < y ? -1 : x > y;
}

static int
compare_words(const void *a, const void *b)
{
	return strcmp(((const Share *) a)->label, ((const Share *) b)->label);
}

static void
put_column(DpCompareReport *of, const DpReportColumn *column)
{
	DpPage *page = &of->report.page;
	Share share[BARS_MAX];
	uint64 levels;
	uint32 n = read_values(of, column, share, &levels);
	bool all = levels <= BARS_MAX, binned;
	Bins bins;

	binned = column->is_number && !all && choose_bins(of, column, &bins);
	dp_put(page, "<figure><h3>%.*s</h3>", 63, column->name);
	put_caption(page, column, binned);
	if (column->is_number && all)
		qsort(share, n, sizeof(share[0]), is_time(column) ? compare_words : compare_numbers);
	if (binned)
		put_histogram(page, of, column, &bins);
	else
		put_bars(page, column, share, n, !all);
	dp_put(page, "</figure>\n");
}

static int
compare_worst_first(const void *a, const void *b)
{
	const DpReportColumn *x = *(DpReportColumn *const *) a, *y = *(DpReportColumn *const *) b;
	double p = isfinite(x->distance) ? x->distance : -1;
	double q = isfinite(y->distance) ? y->distance : -1;

	if (p != q)
		return p > q ? -1 : 1;
	return x < y ? -1 : x > y;
}

typedef struct Cards
{
	DpCompareReport *of;
	DpReportColumn **column; /* in the order of the page */
} Cards;

static void
put_card(void *context, uint32 i)
{
	const Cards *cards = context;

	put_column(cards->of, cards->column[i]);
}

void
dp_put_compared_columns(DpCompareReport *of)
{
	DpPage *page = &of->report.page;
	DpReportColumn **sorted = palloc(sizeof(DpReportColumn *) * Max(of->n, 1));
	Cards cards = {of, sorted};
	uint32 shown;

	for (uint32 i = 0; i < of->n; i++)
		sorted[i] = &of->column[i];
	qsort(sorted, of->n, sizeof(sorted[0]), compare_worst_first);
	dp_put(page, "<section><h2>%sColumn by column</h2>\n", of->heading);
	dp_put(page,
		   "<p>The worst column comes first. Where outline and "
		   "filled form are the same, the synthetic rows are right.</p>\n"
		   "<ul class=\"key\"><li><span class=\"swatch original\"></span>original (outline, first "
		   "number)</li><li><span class=\"swatch synthetic\"></span>synthetic (filled, second "
		   "number)</li></ul>\n");
	shown = dp_put_cards(&of->report, of->n, put_card, &cards);
	if (shown < of->n)
		dp_put(page, "<p class=\"note\">%u of %u columns are shown. The others are nearer.</p>\n",
			   (unsigned) shown, (unsigned) of->n);
	dp_put(page, "</section>\n");
}
