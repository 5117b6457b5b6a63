/*
 * release_columns.c -- the columns of a release, each as a figure with its intervals.
 *
 * Every number is an answer of dp_answer.
 */
#include "pg/report/release.h"

#include <math.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/report/page.h"
#include "pg/domain/levels.h"
#include "pg/server/values.h"

#define LEVELS_MAX 100000 /* of a column that is asked about */
#define BARS_MAX 12       /* values of a column that are drawn; the last one is the rest */
#define BINS_MAX 200      /* of a histogram */
#define TABLE_ROWS_MAX 60 /* of the figures as a table */

/* The answer about one level of a column. */
typedef struct Level
{
	uint32 code;
	const char *label;
	double share, low, high;
	bool measured; /* low and high are an interval, and not mere bounds */
} Level;

typedef struct Column
{
	const DpAttribute *attribute;
	const char *name;
	uint32 n;
	Level *level; /* by code */
	bool measured;
} Column;

static bool
is_other(const DpAttribute *attribute, uint32 code)
{
	return attribute->has_other && code == attribute->levels - 1;
}

static const char *
label_of(const DpAttribute *attribute, uint32 code)
{
	if (!is_other(attribute, code))
		return dp_report_label(dp_level_text(attribute, code));
	return attribute->other != NULL     ? dp_report_label(attribute->other)
		   : attribute->kind == DP_BINS ? "NULL"
										: "NULL, unlisted";
}

/* Noise can make an estimate less than nothing, or more than all. */
static double
share_at(uint64 row, int column)
{
	double share = dp_spi_float8(row, column);

	return isfinite(share) ? fmin(fmax(share, 0), 1) : share;
}

/* Asks about all levels of a column. */
static void
read_column(DpReleaseReport *of, const DpAttribute *attribute, Column *column)
{
	DpLevels levels = {0};
	uint64 rows = dp_spi_read_as_caller(
		/* a level of a boolean is written as its type does */
		"SELECT CASE jsonb_typeof(a.cell->$2::text) WHEN 'boolean' THEN left(a.cell->>$2::text, 1)"
		" ELSE a.cell->>$2::text END, a.estimate, a.low, a.high, a.basis LIKE 'measured%'"
		" FROM @.dp_answer($1, ARRAY[$2], NULL::pg_catalog.jsonb, 0.95::pg_catalog.float8,"
		" 'share'::pg_catalog.text, $3) a",
		DP_ARGUMENTS(of->released.release, dp_name_argument(attribute->name), of->relation));

	*column = (Column){.attribute = attribute,
					   .name = dp_report_words(attribute->name),
					   .level = palloc_extended(sizeof(Level) * Max(rows, 1), MCXT_ALLOC_HUGE),
					   .measured = true};
	for (uint64 r = 0; r < rows; r++)
	{
		char *text = dp_spi_text(r, 1);
		bool stands_for_other = attribute->has_other && attribute->other != NULL && text != NULL &&
								strcmp(text, attribute->other) == 0;
		int64 code = dp_level_find(attribute, &levels, stands_for_other ? NULL : text);
		Level *level = &column->level[column->n];

		if (code < 0)
			continue;
		*level = (Level){.code = (uint32) code,
						 .label = label_of(attribute, (uint32) code),
						 .share = share_at(r, 2),
						 .low = share_at(r, 3),
						 .high = share_at(r, 4),
						 .measured = dp_spi_bool(r, 5)};
		column->measured = column->measured && level->measured;
		if (isfinite(level->share))
			column->n++;
	}
	SPI_freetuptable(SPI_tuptable);
}

/* What stands at the end of a bar: the share, and how far its interval reaches, in percent. */
static const char *
words_of(double share, double low, double high)
{
	double reach = 100 * fmax(high - share, share - low);

	if (!isfinite(reach))
		return pstrdup(dp_written_percent(share).text);
	return psprintf("%.*f \xC2\xB1 %.*f %%", reach < 0.095 ? 2 : 1, 100 * share,
					reach < 0.095 ? 2 : 1, fmax(reach, 0.01));
}

static int
compare_share(const void *a, const void *b)
{
	const Level *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

static void
put_table(DpPage *page, const Column *column)
{
	const char *head[] = {"Value", "Share", "From", "To"};
	uint64 rows = Min(column->n, TABLE_ROWS_MAX);
	const char **cell = palloc(sizeof(char *) * 4 * Max(rows, 1));

	for (uint64 r = 0; r < rows; r++)
	{
		const Level *level = &column->level[r];

		cell[4 * r] = level->label;
		cell[4 * r + 1] = pstrdup(dp_written_percent(level->share).text);
		cell[4 * r + 2] =
			isfinite(level->low) ? pstrdup(dp_written_percent(level->low).text) : NULL;
		cell[4 * r + 3] =
			isfinite(level->high) ? pstrdup(dp_written_percent(level->high).text) : NULL;
	}
	dp_put_figure_table(page, &(DpFigureTable){4, head, rows, cell});
}

/* ---- categories ---- */

static DpBar
bar_of(const Level *level)
{
	double low = level->measured ? level->low : NAN, high = level->measured ? level->high : NAN;

	return (DpBar){.label = level->label,
				   .value = level->share,
				   .low = low,
				   .high = high,
				   .original = NAN,
				   .words = words_of(level->share, low, high)};
}

static DpBar
rest_of(const Column *column, uint32 from)
{
	double share = 0;

	for (uint32 i = from; i < column->n; i++)
		share += column->level[i].share;
	return (DpBar){.label = psprintf("%u others", column->n - from),
				   .value = share,
				   .low = NAN,
				   .high = NAN,
				   .original = NAN,
				   .words = pstrdup(dp_written_percent(fmin(share, 1)).text),
				   .rest = true};
}

/* The commonest value. What the noise lets another one be, too, is not certain. */
static void
put_commonest(DpPage *page, const Column *column)
{
	const Level *most = &column->level[0];
	bool certain = column->measured;

	for (uint32 i = 1; i < column->n; i++)
		if (column->level[i].share > most->share)
			most = &column->level[i];
	for (uint32 i = 0; i < column->n; i++)
		certain = certain && (&column->level[i] == most || column->level[i].high < most->low);
	dp_put(page, "<figcaption>%s: <b>%.*s</b>, %s of the rows.</figcaption>\n",
		   certain ? "Most common" : "Probably most common", 60, most->label,
		   dp_written_percent(most->share).text);
}

static void
put_bars(DpPage *page, Column *column)
{
	DpBar bar[BARS_MAX];
	DpBars bars = {.bar = bar};

	put_commonest(page, column);
	if (column->n > BARS_MAX)
		qsort(column->level, column->n, sizeof(Level), compare_share);
	while (bars.n < column->n && (column->n <= BARS_MAX || bars.n < BARS_MAX - 1))
	{
		bar[bars.n] = bar_of(&column->level[bars.n]);
		bars.n++;
	}
	if (column->n > BARS_MAX)
	{
		bar[bars.n] = rest_of(column, bars.n);
		bars.n++;
	}
	bars.words.title = psprintf("Shares of the values of %s", column->name);
	bars.words.description =
		"Horizontal bars, one for each value, with the interval of each as a thin line. The table "
		"below has the numbers.";
	dp_put_bars(page, &bars);
}

/* ---- bins ---- */

/* The position of an edge on the line of its type. NAN: unknown. */
static double
edge_position(const char *edge, Oid type)
{
	char *end;
	double number = strtod(edge, &end);

	if (type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		return (double) dp_value_word(dp_value_in(edge, type, -1), type);
	return *edge != '\0' && *end == '\0' ? number : NAN;
}

/* The bins of a column; false: some have no answer, or no place on a line. */
static bool
make_histogram(const Column *column, DpHistogramFigure *histogram)
{
	const DpAttribute *attribute = column->attribute;
	Oid type = attribute->type == NULL ? InvalidOid : dp_type_of_label(attribute->type);
	uint32 bins = attribute->levels - attribute->has_other, found = 0;
	double *edge = palloc(sizeof(double) * (bins + 1)), *share = palloc(sizeof(double) * 3 * bins);
	const char **label = palloc(sizeof(char *) * (bins + 1));

	for (uint32 i = 0; i <= bins; i++)
	{
		label[i] = dp_report_words(attribute->labels[i]);
		edge[i] = edge_position(attribute->labels[i], type);
	}
	for (uint32 i = 0; i < column->n; i++)
	{
		const Level *level = &column->level[i];

		if (level->code >= bins)
			continue;
		share[level->code] = level->share;
		share[bins + level->code] = level->measured ? level->low : NAN;
		share[2 * bins + level->code] = level->measured ? level->high : NAN;
		found++;
	}
	*histogram = (DpHistogramFigure){.bins = bins,
									 .edge = edge,
									 .edge_label = label,
									 .share = share,
									 .low = share + bins,
									 .high = share + 2 * bins};
	return found == bins;
}

/* The bin in which half of the rows are reached. */
static uint32
middle_bin(const DpHistogramFigure *histogram)
{
	double all = 0, sum = 0;

	for (uint32 i = 0; i < histogram->bins; i++)
		all += histogram->share[i];
	for (uint32 i = 0; i < histogram->bins; i++)
	{
		sum += histogram->share[i];
		if (sum >= all / 2)
			return i;
	}
	return histogram->bins - 1;
}

static void
put_histogram(DpPage *page, const Column *column, DpHistogramFigure *histogram)
{
	uint32 middle = middle_bin(histogram);

	dp_put(page, "<figcaption>The middle value lies between <b>%.*s</b> and <b>%.*s</b>.", 30,
		   histogram->edge_label[middle], 30, histogram->edge_label[middle + 1]);
	for (uint32 i = 0; i < column->n; i++)
		if (is_other(column->attribute, column->level[i].code))
			dp_put(page, " No value: %s.", dp_written_percent(column->level[i].share).text);
	if (dp_histogram_is_even(histogram))
		dp_put(page, " All bins are drawn equally wide.");
	dp_put(page, "</figcaption>\n");
	histogram->words.title = psprintf("How the rows lie along %s", column->name);
	histogram->words.description = "A histogram: the larger the area above a range, the more rows "
								   "have such a value. The table "
								   "below has the numbers.";
	dp_put_histogram(page, histogram);
}

/* ---- a column ---- */

static void
put_column(DpReleaseReport *of, const DpAttribute *attribute)
{
	DpPage *page = &of->report.page;
	DpHistogramFigure histogram;
	Column column;

	if (attribute->levels > LEVELS_MAX)
		return;
	read_column(of, attribute, &column);
	if (column.n == 0)
		return;
	dp_put(page, "<figure><h3>%.*s</h3>", 63, column.name);
	if (attribute->kind == DP_BINS && attribute->levels - attribute->has_other <= BINS_MAX &&
		make_histogram(&column, &histogram))
		put_histogram(page, &column, &histogram);
	else
		put_bars(page, &column);
	if (!column.measured && of->relation.isnull)
		dp_put(page, "<p class=\"note\">By the model: no table of the release holds this column by "
					 "itself, and so no interval is known.</p>");
	put_table(page, &column);
	dp_put(page, "</figure>\n");
}

static void
put_card(void *context, uint32 i)
{
	DpReleaseReport *of = context;

	put_column(of, &of->table->model.domain.attribute[i]);
}

void
dp_put_release_columns(DpReleaseReport *of)
{
	DpPage *page = &of->report.page;
	uint32 shown;

	dp_put(page, "<section><h2>%sColumn by column</h2>\n", of->heading);
	if (of->relation.isnull)
		dp_put(
			page,
			"<p>Each figure shows how the rows are spread over the values of one column. The thin "
			"dark line at the end of a bar is its interval: noise was added on purpose, and the "
			"true share lies within the line in 95 of 100 such figures.</p>\n"
			"<ul class=\"key\"><li><span class=\"swatch synthetic\"></span>estimate of the "
			"release</li><li><span class=\"swatch bar\"></span>95&#160;%% interval</li></ul>\n");
	else
		dp_put(page, "<p>Each figure shows how rows that were drawn from the release are spread "
					 "over the values of one column. No interval is known.</p>\n");
	shown = dp_put_cards(&of->report, of->columns, put_card, of);
	if (shown < of->columns)
		dp_put(
			page,
			"<p class=\"note\">The first %u of %u columns are shown. dp_answer tells the shares of "
			"the others.</p>\n",
			(unsigned) shown, (unsigned) of->columns);
	dp_put(page, "</section>\n");
}
