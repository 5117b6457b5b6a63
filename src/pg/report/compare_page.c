/*
 * compare_page.c -- dp_report(original, synthetic): a page about two tables, for who may read both.
 *
 * It runs with the rights of the caller alone and adds no noise. So the page is as secret as the
 * original, and says so.
 */
#include "pg/report/compare.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "core/report/page.h"
#include "pg/evaluate/evaluation_options.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_report_tables);

#define STRENGTHS_MAX 10
#define NAME_CHARACTERS 23 /* of each column of a pair, above its bars */
#define PAIRS_COLUMNS_MAX 500

/* ---- the results of dp_evaluate, sorted for the page ---- */

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

/* Fills all that dp_evaluate says. */
static void
measure_all(DpCompareReport *of)
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

/* ---- options ---- */

static const DpOptionSpec report_options[] = {
	{.name = "known", .type = DP_OPTION_NAMES, .summary = "columns that an intruder knows"},
	{.name = "secret", .type = DP_OPTION_TEXT, .summary = "the column that an intruder infers"},
	{.name = "outcome", .type = DP_OPTION_TEXT, .summary = "outcome of a regression"},
	{.name = "predictors", .type = DP_OPTION_NAMES, .summary = "its predictors"},
	{.name = "family",
	 .type = DP_OPTION_CHOICE,
	 .choices = "linear|logistic",
	 .summary = "its family; by the type of the outcome"},
	{.name = "propensity",
	 .type = DP_OPTION_BOOLEAN,
	 .fallback = "false",
	 .summary = "whether a regression can tell the rows apart"},
	{.name = "release",
	 .type = DP_OPTION_INTEGER,
	 .minimum = 1,
	 .maximum = PG_INT64_MAX,
	 .summary = "the release that the synthetic rows come from"},
	/* of dp_evaluate */
	{.name = "columns", .type = DP_OPTION_NAMES, .summary = "the columns to compare"},
	{.name = "sample",
	 .type = DP_OPTION_INTEGER,
	 .minimum = 1,
	 .maximum = 1000000,
	 .summary = "where there are more sets of one size, so many are drawn"},
	DP_EVALUATION_SEED("which sets are drawn"),
	DP_EVALUATION_BINS,
	DP_EVALUATION_LEVEL,
	DP_EVALUATION_MEMORY,
};

/* The members of the options that dp_evaluate takes, as they were given. */
static const char *
evaluation_options(Jsonb *json)
{
	static const char *const name[] = {"columns", "sample", "seed", "bins", "level", "memory"};
	StringInfoData members;

	initStringInfo(&members);
	for (size_t i = 0; i < lengthof(name); i++)
	{
		JsonbValue *value =
			getKeyJsonValueFromContainer(&json->root, name[i], (int) strlen(name[i]), NULL);
		Jsonb *own = value == NULL ? NULL : JsonbValueToJsonb(value);

		if (own != NULL && value->type != jbvNull)
			appendStringInfo(&members, "%s\"%s\": %s", members.len > 0 ? ", " : "", name[i],
							 JsonbToCString(NULL, &own->root, VARSIZE(own)));
	}
	return members.data;
}

static DpArgument
names_argument(const DpOptions *options, const char *name)
{
	const DpOption *option = dp_option_lists(options, name);
	Datum *names;

	if (option == NULL)
		return (DpArgument){NAMEARRAYOID, (Datum) 0, true};
	names = palloc(sizeof(Datum) * Max(option->list[0].n, 1));
	for (uint32 i = 0; i < option->list[0].n; i++)
		names[i] = DirectFunctionCall1(namein, CStringGetDatum(option->list[0].name[i]));
	return (DpArgument){NAMEARRAYOID,
						PointerGetDatum(construct_array(names, (int) option->list[0].n, NAMEOID,
														NAMEDATALEN, false, TYPALIGN_CHAR)),
						false};
}

static void
check_together(const char *a, bool has_a, const char *b, bool has_b)
{
	if (has_a != has_b)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("options \"%s\" and \"%s\" must be given together", a, b)));
}

static DpCompareOptions
read_options(Jsonb *json)
{
	const DpEvaluationOptions known = {"dp_report", lengthof(report_options), report_options};
	DpOptions options;
	DpCompareOptions read;

	dp_evaluation_options(&known, json, &options);
	read = (DpCompareOptions){.known = names_argument(&options, "known"),
							  .secret = dp_name_argument(dp_option_text(&options, "secret")),
							  .outcome = dp_name_argument(dp_option_text(&options, "outcome")),
							  .predictors = names_argument(&options, "predictors"),
							  .family = dp_text_argument(dp_option_text(&options, "family"))};
	read.evaluation = evaluation_options(json);
	read.columns = dp_option_lists(&options, "columns") != NULL;
	read.propensity = dp_option_integer(&options, report_options, known.n, "propensity") != 0;
	if (dp_option_given(&options, "release"))
		read.release = dp_option_integer(&options, report_options, known.n, "release");
	check_together("known", !read.known.isnull, "secret", !read.secret.isnull);
	check_together("outcome", !read.outcome.isnull, "predictors", !read.predictors.isnull);
	return read;
}

/* ---- parts ---- */

/* What is not compared stands before any figure of the rest. */
static void
put_skipped(DpCompareReport *of)
{
	if (of->skipped != NULL)
		dp_put(&of->report.page,
			   "<div class=\"warning\"><p><b>Not all columns are compared.</b> Figures are of the "
			   "others alone. Left out: %s</p></div>\n",
			   dp_report_words(of->skipped));
}

static void
put_header(DpCompareReport *of)
{
	DpPage *page = &of->report.page;
	const char *original = dp_report_words(of->name[0]), *synthetic = dp_report_words(of->name[1]);

	dp_put_page_head(page, psprintf("%s beside %s", synthetic, original));
	dp_put(
		page,
		"<header><p class=\"eyebrow\">Report of synthetic rows, by dpsyn</p><h1>%s</h1>\n"
		"<p class=\"lead\">Synthetic rows, beside those of the original <b>%s</b>.</p>\n"
		"<div class=\"warning\"><p><b>This page is as secret as the original.</b> It holds exact "
		"figures of it, without noise.</p></div>\n",
		synthetic, original);
	put_skipped(of);
	dp_put(page, "<ul class=\"tiles\">\n");
	dp_put_tile(page, dp_written_count(of->rows[0]).text, "rows of the original");
	dp_put_tile(page, dp_written_count(of->rows[1]).text, "synthetic rows");
	dp_put_tile(page, psprintf("%u", of->n), of->n == 1 ? "column compared" : "columns compared");
	if (isfinite(of->ways[1].mean))
		dp_put_tile(
			page, dp_written_percent(of->ways[1].mean).text,
			"of the rows would have to change, on average, for a pair of columns to be right");
	dp_put(page, "</ul></header>\n");
}

static void
put_nearness(DpCompareReport *of)
{
	static const char *const label[] = {"1 column", "2 columns", "3 columns"};
	DpPage *page = &of->report.page;
	DpBar bar[DP_COMPARED_WAYS_MAX];
	DpBars bars = {
		.words = {"How far tables of one, two and three columns are from the original",
				  "A bar for each number of columns: the share of rows that would have to "
				  "change, on average. A thin line goes on to the worst. The table has the "
				  "numbers."},
		.bar = bar,
		.whole = true};

	dp_put(page, "<section><h2>%sHow near are they?</h2>\n", of->heading);
	dp_put(page,
		   "<p>Count the rows by the values of some columns. "
		   "The distance is the share of the synthetic rows that would have to change for all "
		   "counts to be as in the original: 0&#160;%% is perfect, 100&#160;%% has nothing in "
		   "common. The "
		   "more columns are looked at together, the harder it is.</p>\n<div class=\"two\"><figure "
		   "class=\"chart\">");
	for (int k = 0; k < DP_COMPARED_WAYS_MAX; k++)
		if (isfinite(of->ways[k].mean))
			bar[bars.n++] = (DpBar){.label = label[k],
									.value = of->ways[k].mean,
									.low = of->ways[k].mean,
									.high = of->ways[k].worst,
									.original = NAN,
									.words = pstrdup(dp_written_percent(of->ways[k].mean).text)};
	dp_put_bars(page, &bars);
	dp_put(page, "<ul class=\"key\"><li><span class=\"swatch synthetic\"></span>mean</li>"
				 "<li><span class=\"swatch bar\"></span>to the worst</li></ul></figure>\n"
				 "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Tables of</th>"
				 "<th scope=\"col\" class=\"n\">Mean</th><th scope=\"col\" class=\"n\">Worst</th>"
				 "<th scope=\"col\">which is</th></tr></thead><tbody>\n");
	for (int k = 0; k < DP_COMPARED_WAYS_MAX; k++)
		if (isfinite(of->ways[k].mean))
			dp_put(page,
				   "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td><td class=\"n\">%s</td>"
				   "<td class=\"long\">%.*s</td></tr>\n",
				   label[k], dp_written_percent(of->ways[k].mean).text,
				   dp_written_percent(of->ways[k].worst).text, 120,
				   of->ways[k].which == NULL ? "" : of->ways[k].which);
	dp_put(page, "</tbody></table></div></div>\n</section>\n");
}

static void
put_pairs(DpCompareReport *of)
{
	DpPage *page = &of->report.page;
	DpReportPairs pairs = {.n = of->n,
						   .value = of->pair,
						   .title = "How far pairs of columns are from the original",
						   .meaning = "Rows that would have to change",
						   .unknown = "not compared"};

	if (of->n < 2 || of->n > PAIRS_COLUMNS_MAX)
		return;
	pairs.name = palloc(sizeof(char *) * of->n);
	for (uint32 i = 0; i < of->n; i++)
		pairs.name[i] = of->column[i].name;
	dp_put(page, "<section><h2>%sTwo columns at a time</h2>\n", of->heading);
	dp_put(page,
		   "<p>A square stands for two columns. Its number "
		   "says how many of a hundred synthetic rows would have to change for these two to be as "
		   "in the original. Pale squares are good. Those on the diagonal are about one "
		   "column.</p>\n");
	dp_put_pairs(&of->report, &pairs);
	dp_put(page, "</section>\n");
}

static double
strength_lost(const DpReportPair *pair)
{
	double lost = fabs(pair->strength[1] - pair->strength[0]);

	return isfinite(lost) ? lost : -1;
}

static int
compare_lost(const void *a, const void *b)
{
	double x = strength_lost(a), y = strength_lost(b);

	return x > y ? -1 : x < y;
}

static void
put_strengths(DpCompareReport *of)
{
	DpPage *page = &of->report.page;
	DpBar bar[STRENGTHS_MAX];
	DpBars bars = {
		.words = {"How strongly pairs of columns hang together",
				  "Two bars for each pair: the upper one, an outline, is the original, and "
				  "the lower one, filled, the synthetic rows. The numbers stand beside."},
		.bar = bar,
		.paired = true,
		.stacked = true};
	const char *cell[3 * STRENGTHS_MAX];
	const char *head[] = {"Columns", "Original", "Synthetic"};

	if (of->pairs == 0)
		return;
	qsort(of->strength, of->pairs, sizeof(DpReportPair), compare_lost);
	while (bars.n < Min(of->pairs, STRENGTHS_MAX))
	{
		const DpReportPair *pair = &of->strength[bars.n];

		cell[3 * bars.n] = psprintf("%s and %s", dp_report_clip(pair->name[0], NAME_CHARACTERS),
									dp_report_clip(pair->name[1], NAME_CHARACTERS));
		cell[3 * bars.n + 1] = psprintf("%.2f", pair->strength[0]);
		cell[3 * bars.n + 2] = psprintf("%.2f", pair->strength[1]);
		if (strength_lost(pair) < 0)
			break;
		bar[bars.n] =
			(DpBar){.label = cell[3 * bars.n],
					.value = pair->strength[1],
					.original = pair->strength[0],
					.low = NAN,
					.high = NAN,
					.words = psprintf("%s | %s", cell[3 * bars.n + 1], cell[3 * bars.n + 2])};
		bars.n++;
	}
	dp_put(page, "<section><h2>%sDo columns hang together as they did?</h2>\n", of->heading);
	dp_put(
		page,
		"<p>Cramer's V says how well one "
		"column tells another: 0 not at all, 1 exactly. These are the pairs that differ most.</p>\n"
		"<ul class=\"key\"><li><span class=\"swatch original\"></span>original (outline, first "
		"number)</li><li><span class=\"swatch synthetic\"></span>synthetic (filled, second "
		"number)</li></ul>\n<div class=\"two\"><figure class=\"chart\">");
	dp_put_bars(page, &bars);
	dp_put(page, "</figure>");
	dp_put_open_table(page, &(DpFigureTable){3, head, bars.n, cell});
	dp_put(page, "</div></section>\n");
}

/* The release that the rows come from, in a line. */
static const char *
release_words(const DpReleased *released)
{
	const char *of = psprintf(INT64_FORMAT " of %s", released->stored->id, released->relation);

	if (!released->guaranteed)
		return psprintf("%s, which is not differentially private", of);
	return psprintf("%s: epsilon %s, delta %g, %s", of, dp_written_number(released->epsilon).text,
					released->delta, dp_neighbour_words(released->stored));
}

static void
put_protection(DpCompareReport *of)
{
	if (of->options.release > 0)
		dp_put_protection(
			&of->report.page, &of->released,
			psprintf("The synthetic rows are said to be those of release " INT64_FORMAT ".",
					 of->options.release));
}

static void
put_facts(DpCompareReport *of)
{
	DpPage *page = &of->report.page;

	dp_put(page, "<section><h2>Facts</h2>\n<dl>\n");
	dp_put_fact(page, "Original", dp_report_words(of->name[0]));
	dp_put_fact(page, "Synthetic", dp_report_words(of->name[1]));
	if (of->options.release > 0)
		dp_put_fact(page, "Release", release_words(&of->released));
	dp_put_fact(page, "Not compared", of->skipped);
	dp_put_fact(page, "Made of",
				"all rows of both that the caller may read, counted without noise");
	dp_put_fact(page, "Privacy", "none: whoever sees this page sees figures of the original");
	dp_put_fact(page, "Version", "dpsyn " DPSYN_VERSION);
	dp_put(page, "</dl>\n</section>\n");
}

/* ---- pages ---- */

static void
put_table(DpCompareReport *of)
{
	put_nearness(of);
	dp_put_compared_columns(of);
	put_pairs(of);
	put_strengths(of);
}

static void
take_relations(DpCompareReport *of, Oid original, Oid synthetic)
{
	of->relation[0] = original;
	of->relation[1] = synthetic;
	for (int side = 0; side < 2; side++)
		of->name[side] = dp_relation_label(of->relation[side]);
}

static void
put_page(DpCompareReport *of)
{
	measure_all(of);
	put_header(of);
	put_table(of);
	dp_put_compared_regression(of);
	dp_put_compared_propensity(of);
	dp_put_compared_risk(of);
}

static char *
joined_names(List *relations)
{
	StringInfoData names;
	ListCell *cell;

	initStringInfo(&names);
	foreach (cell, relations)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
						 dp_relation_label(lfirst_oid(cell)));
	return names.data;
}

static void
check_options_of_tree(const DpCompareOptions *options)
{
	if (options->known.isnull && options->outcome.isnull && !options->propensity &&
		!options->columns)
		return;
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("a report of several relations takes no columns"),
					errdetail("Options \"columns\", \"known\", \"outcome\" and \"propensity\" are "
							  "of one relation."),
					errhint("Ask for a report of one of them.")));
}

#define LISTED_MAX 4 /* tables that a heading names */

/* The tables of one side, in a heading. */
static const char *
tables_words(List *relations)
{
	Oid schema = get_rel_namespace(linitial_oid(relations));
	ListCell *cell;

	if (list_length(relations) <= LISTED_MAX)
		return joined_names(relations);
	foreach (cell, relations)
		if (get_rel_namespace(lfirst_oid(cell)) != schema)
			return psprintf("%d tables", list_length(relations));
	return psprintf("%d tables of %s", list_length(relations), get_namespace_name(schema));
}

static void
put_header_of_tree(DpCompareReport *of, const DpCompareTree *tree, const char *const all[2])
{
	DpPage *page = &of->report.page;
	const char *original = dp_report_words(all[0]), *synthetic = dp_report_words(all[1]);

	dp_put_page_head(page, psprintf("%s beside %s", synthetic, original));
	dp_put(page,
		   "<header><p class=\"eyebrow\">Report of synthetic tables, by dpsyn</p><h1>%s</h1>\n",
		   synthetic);
	dp_put(page,
		   "<p class=\"lead\">Synthetic tables, beside the originals <b>%s</b>.</p>\n"
		   "<div class=\"warning\"><p><b>This page is as secret as the originals.</b> It holds "
		   "exact figures of them, without noise.</p></div>",
		   original);
	dp_put_compared_totals(page, tree);
	dp_put(page, "</header>\n");
}

/* Each table, and what hangs together across them. */
static void
put_page_of_tree(DpCompareReport *of, List *original, List *synthetic)
{
	const DpCompareTree *tree;
	const char *all[2] = {tables_words(original), tables_words(synthetic)};

	check_options_of_tree(&of->options);
	tree = dp_compare_tree_measure(original, synthetic);
	put_header_of_tree(of, tree, all);
	dp_put_compared_database(of, tree);
	dp_put_compared_tree(of, tree);
	for (int i = 0; i < list_length(original); i++)
	{
		take_relations(of, list_nth_oid(original, i), list_nth_oid(synthetic, i));
		of->columns = dp_compare_tree_columns(tree, of->relation[0]);
		of->heading = psprintf("%s: ", dp_report_words(get_rel_name(of->relation[0])));
		if (of->columns == NULL)
			continue;
		measure_all(of);
		put_table(of);
	}
	of->name[0] = joined_names(original);
	of->name[1] = joined_names(synthetic);
}

/* dp_report(original, synthetic, options), each a regclass, a regclass[], or a text that is written
 * as either, or names a schema */
Datum
dp_report_tables(PG_FUNCTION_ARGS)
{
	DpCompareReport of = {.heading = ""};
	List *original, *synthetic;
	bool several;

	dp_check_not_null(fcinfo, 0, "original");
	dp_check_not_null(fcinfo, 1, "synthetic");
	dp_check_not_null(fcinfo, 2, "options");
	several = dp_compared_arguments(fcinfo, &original, &synthetic);
	of.options = read_options(PG_GETARG_JSONB_P(2));
	dp_report_begin(&of.report);
	if (of.options.release > 0)
		of.released = dp_released_read(of.options.release);
	if (several)
		put_page_of_tree(&of, original, synthetic);
	else
	{
		take_relations(&of, linitial_oid(original), linitial_oid(synthetic));
		put_page(&of);
	}
	put_protection(&of);
	put_facts(&of);
	dp_put_page_foot(&of.report.page);
	PG_RETURN_TEXT_P(dp_report_end(&of.report));
}
