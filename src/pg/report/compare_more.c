/*
 * compare_more.c -- parts of the page about two tables that the caller asks for: a regression of
 * both, whether rows can be distinguished, and what an intruder learns.
 */
#include "pg/report/compare.h"

#include <math.h>

#include "executor/spi.h"
#include "utils/builtins.h"

#include "core/report/page.h"
#include "pg/server/arguments.h"

#define TERMS_MAX 40
#define Z 1.96 /* of a 95 % interval, where the number of rows is large */

/* ---- regression ---- */

typedef struct Agreement
{
	uint64 terms, same_sign, same_significance;
	double overlap;
} Agreement;

static Agreement
agreement_of(uint64 rows)
{
	Agreement sum = {0, 0, 0, 0};

	for (uint64 r = 0; r < rows; r++)
	{
		double overlap = dp_spi_float8(r, 8);

		if (!isfinite(overlap))
			continue;
		sum.terms++;
		sum.overlap += overlap;
		sum.same_sign += dp_spi_bool(r, 9);
		sum.same_significance += dp_spi_bool(r, 10);
	}
	return sum;
}

/* Where in a term "column = level" the level begins. Names and levels may hold " = " themselves; of
 * two predictors that fit, it is the one with the longer name. NULL: a term of a number. */
static char *
level_of(char *term, Datum predictors)
{
	int n;
	Datum *name = dp_elements(predictors, NULL, &n);
	size_t longest = 0;
	char *level = NULL;

	for (int i = 0; i < n; i++)
	{
		const char *column = NameStr(*DatumGetName(name[i]));
		size_t length = strlen(column);

		if (strcmp(term, column) == 0)
			return NULL;
		if (length > longest && strncmp(term, column, length) == 0 &&
			strncmp(term + length, " = ", 3) == 0)
		{
			longest = length;
			level = term + length + 3;
		}
	}
	return level;
}

/* The label of a term: "column = level" becomes two texts. */
static void
label_term(DpCoefficient *of, char *term, Datum predictors)
{
	of->label = term;
	of->level = level_of(term, predictors);
	if (of->level != NULL)
		term[of->level - term - 3] = '\0';
}

static void
put_forest(DpPage *page, uint64 rows, Datum predictors)
{
	DpCoefficient *coefficient = palloc0(sizeof(DpCoefficient) * Max(rows, 1));
	DpForest forest = {.coefficient = coefficient};

	for (uint64 r = 0; r < rows && forest.n < TERMS_MAX; r++)
	{
		DpCoefficient *of = &coefficient[forest.n];
		char *term = dp_report_text(r, 1);

		if (strcmp(term, "(intercept)") == 0)
			continue;
		label_term(of, term, predictors);
		for (int s = 0; s < 2; s++)
		{
			of->value[s] = dp_spi_float8(r, 2 + 2 * s);
			of->low[s] = of->value[s] - Z * dp_spi_float8(r, 3 + 2 * s);
			of->high[s] = of->value[s] + Z * dp_spi_float8(r, 3 + 2 * s);
		}
		forest.n++;
	}
	if (forest.n == 0)
		return;
	forest.words.title = "Coefficients of both regressions";
	forest.words.description = "A line for each coefficient: a ring is the original, and a square "
							   "below it the synthetic rows, "
							   "with 95 % intervals. The table has the numbers.";
	dp_put(page, "<figure class=\"chart\">");
	dp_put_forest(page, &forest);
	dp_put(page,
		   "<ul class=\"key\"><li><span class=\"swatch original round\"></span>original (ring)</li>"
		   "<li><span class=\"swatch synthetic\"></span>synthetic (square)</li>"
		   "<li><span class=\"swatch bar\"></span>95&#160;%% interval</li></ul></figure>\n");
}

/* What sign and significance come to, in words for the classes of dp_compare_regression. */
static const char *
conclusion_of(const char *sss)
{
	static const char *const words[][2] = {{"best", "the same"},
										   {"neutral", "neither is significant"},
										   {"II+", "no longer significant"},
										   {"I+", "only now significant"},
										   {"II-", "no longer significant, other sign"},
										   {"I-", "only now significant, other sign"},
										   {"worst", "the opposite"}};

	for (int i = 0; sss != NULL && i < (int) lengthof(words); i++)
		if (strcmp(words[i][0], sss) == 0)
			return words[i][1];
	return sss == NULL ? "" : sss;
}

static void
put_terms(DpPage *page, uint64 rows)
{
	dp_put(
		page,
		"<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Coefficient</th>"
		"<th scope=\"col\" class=\"n\">Original</th><th scope=\"col\" class=\"n\">Synthetic</th>"
		"<th scope=\"col\" class=\"n\">Overlap</th><th scope=\"col\">Conclusion</th></tr></thead>"
		"<tbody>\n");
	for (uint64 r = 0; r < Min(rows, TERMS_MAX); r++)
	{
		double overlap = dp_spi_float8(r, 8);

		dp_put(page,
			   "<tr><th scope=\"row\" class=\"long\">%.*s</th><td class=\"n\">%s</td>"
			   "<td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
			   60, dp_report_text(r, 1), dp_written_number(dp_spi_float8(r, 2)).text,
			   dp_written_number(dp_spi_float8(r, 4)).text,
			   isfinite(overlap) ? dp_written_percent(fmax(overlap, 0)).text : "",
			   conclusion_of(dp_report_text(r, 11)));
	}
	dp_put(page, "</tbody></table></div>\n");
	if (rows > TERMS_MAX)
		dp_put(page, "<p class=\"note\">%s more are listed by dp_compare_regression.</p>\n",
			   dp_written_count((double) (rows - TERMS_MAX)).text);
}

/* Names with commas between them. */
static const char *
list_of(Datum names)
{
	StringInfoData list;
	int n;
	Datum *name = dp_elements(names, NULL, &n);

	initStringInfo(&list);
	for (int i = 0; i < n; i++)
		appendStringInfo(&list, "%s%s",
						 i == 0       ? ""
						 : i == n - 1 ? " and "
									  : ", ",
						 dp_report_words(NameStr(*DatumGetName(name[i]))));
	return list.data;
}

void
dp_put_compared_regression(DpCompareReport *of)
{
	const DpCompareOptions *options = &of->options;
	DpPage *page = &of->report.page;
	Agreement agreement;
	uint64 rows;

	if (options->outcome.isnull)
		return;
	rows = dp_spi_read_as_caller(
		"SELECT c.term, c.original_estimate, c.original_std_error, c.synthetic_estimate,"
		" c.synthetic_std_error, c.original_p, c.synthetic_p, c.overlap, c.same_sign,"
		" c.same_significance, c.sss FROM @.dp_compare_regression($1, $2, $3, $4, $5,"
		" 0.95::pg_catalog.float8, '{}'::pg_catalog.name[], NULL::pg_catalog.text) c",
		DP_ARGUMENTS(DP_REGCLASS(of->relation[0]), DP_REGCLASS(of->relation[1]), options->outcome,
					 options->predictors, options->family));
	agreement = agreement_of(rows);
	dp_put(
		page,
		"<section><h2>Would an analysis say the same?</h2>\n<p>A regression of <b>%.*s</b> on %.*s "
		"was computed of the original and of the synthetic rows.",
		60, dp_report_words(NameStr(*DatumGetName(options->outcome.value))), 120,
		list_of(options->predictors.value));
	if (agreement.terms > 0)
		dp_put(page,
			   " Of %s coefficients, %s have the same sign, and %s are significant in both or in "
			   "neither. On average their intervals have %s in common.",
			   dp_written_count((double) agreement.terms).text,
			   dp_written_count((double) agreement.same_sign).text,
			   dp_written_count((double) agreement.same_significance).text,
			   dp_written_percent(fmax(agreement.overlap / (double) agreement.terms, 0)).text);
	dp_put(page, "</p>\n<div class=\"two\">");
	put_forest(page, rows, options->predictors.value);
	put_terms(page, rows);
	dp_put(page, "</div></section>\n");
	SPI_freetuptable(SPI_tuptable);
}

/* ---- propensity ---- */

/* The row of a measure, which stands in the first column; rows: there is none. */
static uint64
find_measure(uint64 rows, const char *measure)
{
	uint64 r = 0;

	while (r < rows && strcmp(dp_spi_text(r, 1), measure) != 0)
		r++;
	return r;
}

static void
put_judge(DpPage *page, double distance, double null)
{
	int more = (int) ceil(50 * fmin(fmax(distance, 0), 1) - 1e-9);
	DpFigureText words = {
		"A hundred guesses which table a row is from",
		psprintf("Of 100 guesses, 50 are right by chance, %d more are right by the score of a "
				 "regression, and the others are wrong.",
				 more)};

	dp_put(page,
		   "<div><p>Show a judge one row, from the original or from the synthetic rows with equal "
		   "chances. A judge who goes by the score of a regression on all columns is right in "
		   "<b>%s</b> of all cases. Tossing a coin is right in 50&#160;%%.</p>\n",
		   dp_written_percent(0.5 + distance / 2).text);
	if (isfinite(null))
		dp_put(page,
			   "<p class=\"soft\">Fresh rows of the original itself would be distinguished in %s, "
			   "which is chance alone.</p>\n",
			   dp_written_percent(0.5 + null / 2).text);
	dp_put(page, "</div><figure class=\"chart\">");
	dp_put_guesses(page, &words, distance);
	dp_put(page,
		   "<ul class=\"key\"><li><span class=\"swatch chance\"></span>50 right by chance</li>"
		   "<li><span class=\"swatch won\"></span>%d more right by the score</li>"
		   "<li><span class=\"swatch lost\"></span>%d wrong</li></ul></figure>",
		   more, 50 - more);
}

void
dp_put_compared_propensity(DpCompareReport *of)
{
	DpPage *page = &of->report.page;
	uint64 rows, specks, ratio;

	if (!of->options.propensity)
		return;
	rows = dp_spi_read_as_caller(
		"SELECT p.measure, p.value, p.null_expectation FROM @.dp_propensity($1, $2, "
		"'{}'::pg_catalog.jsonb) p",
		DP_ARGUMENTS(DP_REGCLASS(of->relation[0]), DP_REGCLASS(of->relation[1])));
	specks = find_measure(rows, "specks");
	ratio = find_measure(rows, "pmse_ratio");
	dp_put(page, "<section><h2>Can the rows be distinguished?</h2>\n<div class=\"two\">");
	if (specks < rows && isfinite(dp_spi_float8(specks, 2)))
		put_judge(page, dp_spi_float8(specks, 2), dp_spi_float8(specks, 3));
	dp_put(page, "</div>\n");
	if (ratio < rows && isfinite(dp_spi_float8(ratio, 2)))
		dp_put(page,
			   "<p class=\"note\">The ratio of the propensity score's mean squared error to its "
			   "expectation (pMSE ratio) is %s; 1 is perfect.</p>\n",
			   dp_written_number(dp_spi_float8(ratio, 2)).text);
	dp_put(page, "</section>\n");
	SPI_freetuptable(SPI_tuptable);
}

/* ---- risk ---- */

/* How a measure of risk is shown. */
typedef enum RiskKind
{
	RISK_NUMBER,
	RISK_SHARE,
	RISK_DRAWN, /* a share with a baseline */
} RiskKind;

typedef struct RiskWords
{
	const char *measure, *label;
	RiskKind kind;
} RiskWords;

static const RiskWords risk_words[] = {
	{"unique_original", "Rows of the original that are unique in what is known", RISK_SHARE},
	{"unique_synthetic", "Synthetic rows that are unique in it", RISK_SHARE},
	{"meets_unique", "Synthetic rows that meet a unique person", RISK_NUMBER},
	{"unique_met", "Unique people with whom a row agrees", RISK_DRAWN},
	{"intruder_right", "People whose secret is guessed", RISK_DRAWN},
	{"intruder_error", "How far a guessed number is off", RISK_NUMBER},
	{"intruder_right_unique", "Unique people whose secret is guessed", RISK_DRAWN},
	{"intruder_error_unique", "How far it is off for unique people", RISK_NUMBER},
	{"closest_record_mean", "Distance to the closest record, mean", RISK_NUMBER},
	{"closest_record_5_percent", "Distance below which 5 % are", RISK_NUMBER},
	{"closest_record_same", "Rows that equal one of the original", RISK_DRAWN}};

static const RiskWords *
words_of_risk(const char *measure)
{
	for (int i = 0; i < (int) lengthof(risk_words); i++)
		if (strcmp(risk_words[i].measure, measure) == 0)
			return &risk_words[i];
	return NULL;
}

static void
put_risk_figure(DpPage *page, uint64 rows)
{
	DpBar bar[lengthof(risk_words)];
	DpBars bars = {.bar = bar, .paired = true, .stacked = true};

	for (uint64 r = 0; r < rows && bars.n < lengthof(bar); r++)
	{
		const RiskWords *words = words_of_risk(dp_spi_text(r, 1));
		double value = dp_spi_float8(r, 2), baseline = dp_spi_float8(r, 3);

		if (words == NULL || words->kind != RISK_DRAWN || !isfinite(value) || !isfinite(baseline))
			continue;
		bar[bars.n++] = (DpBar){.label = words->label,
								.value = value,
								.original = baseline,
								.low = NAN,
								.high = NAN,
								.words = dp_report_percents(baseline, value)};
	}
	if (bars.n == 0)
		return;
	bars.words.title = "What an intruder learns, with and without the synthetic rows";
	bars.words.description =
		"Two bars for each risk: the lower one, filled, is of the synthetic rows, and "
		"the upper one, an outline, what it is compared with. The table has the "
		"numbers.";
	dp_put(page, "<figure class=\"chart\">");
	dp_put_bars(page, &bars);
	dp_put(page,
		   "<ul class=\"key\"><li><span class=\"swatch original\"></span>for comparison "
		   "(outline, first number)</li><li><span class=\"swatch synthetic\"></span>synthetic rows "
		   "(filled, second number)</li></ul>"
		   "</figure>\n");
}

static const char *
risk_value(const RiskWords *words, double value)
{
	if (!isfinite(value))
		return "";
	return pstrdup(words == NULL || words->kind == RISK_NUMBER ? dp_written_number(value).text
															   : dp_written_percent(value).text);
}

static void
put_risk_table(DpPage *page, uint64 rows)
{
	dp_put(page, "<div class=\"scroll\"><table class=\"compared\"><thead><tr><th scope=\"col\">"
				 "Measure</th><th scope=\"col\" class=\"n\">Synthetic</th>"
				 "<th scope=\"col\" class=\"n\">To compare</th></tr></thead><tbody>\n");
	for (uint64 r = 0; r < rows; r++)
	{
		const RiskWords *words = words_of_risk(dp_spi_text(r, 1));
		double value = dp_spi_float8(r, 2);
		const char *detail = dp_report_text(r, 4);

		dp_put(page, "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td>",
			   words == NULL ? dp_report_text(r, 1) : words->label,
			   isfinite(value) ? risk_value(words, value) : "none");
		dp_put(page, "<td class=\"n\">%s</td></tr>\n", risk_value(words, dp_spi_float8(r, 3)));
		dp_put(page, "<tr><td colspan=\"3\" class=\"soft\">%s</td></tr>\n",
			   detail == NULL ? "" : detail);
	}
	dp_put(page, "</tbody></table></div>\n");
}

void
dp_put_compared_risk(DpCompareReport *of)
{
	const DpCompareOptions *options = &of->options;
	DpPage *page = &of->report.page;
	uint64 rows, right;

	if (options->secret.isnull)
		return;
	rows = dp_spi_read_as_caller(
		"SELECT r.measure, r.value, r.baseline, r.detail FROM @.dp_evaluate_risk($1, $2, $3, $4,"
		" '{}'::pg_catalog.jsonb) r",
		DP_ARGUMENTS(DP_REGCLASS(of->relation[0]), DP_REGCLASS(of->relation[1]), options->known,
					 options->secret));
	right = find_measure(rows, "intruder_right");
	dp_put(page, "<section><h2>What does an intruder learn?</h2>\n");
	if (right < rows)
		dp_put(
			page,
			"<p>Somebody knows some columns of a person, looks for synthetic rows that agree with "
			"them, and takes their commonest <b>%.*s</b> for that of the person. That is right in "
			"<b>%s</b> of all cases. Whoever guesses the commonest value without these rows is "
			"right "
			"in %s.</p>\n",
			60, dp_report_words(NameStr(*DatumGetName(options->secret.value))),
			dp_written_percent(dp_spi_float8(right, 2)).text,
			dp_written_percent(dp_spi_float8(right, 3)).text);
	dp_put(page,
		   "<p class=\"soft\">A difference is not a leak in itself: rows that are any good tell "
		   "how columns hang together, and so something about everybody, also about people "
		   "who are not in the data.</p>\n<div class=\"two\">");
	put_risk_figure(page, rows);
	put_risk_table(page, rows);
	dp_put(page, "</div></section>\n");
	SPI_freetuptable(SPI_tuptable);
}
