/*
 * release_page.c -- dp_report(release): a page about a release, made from the release and public
 * facts alone. It spends nothing, and whoever may draw from the release may ask for it.
 */
#include "pg/report/release.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "core/domain/query.h"
#include "core/model/noise_share.h"
#include "core/report/page.h"
#include "pg/domain/table_tree.h"
#include "pg/server/arguments.h"

PG_FUNCTION_INFO_V1(dp_report_release);

#define TABLE_LINES_MAX 12
#define ANSWERS_MAX 200
#define COLUMNS_MAX 200 /* columns all of whose pairs are asked about */

/* ---- what it is ---- */

static void
put_header(DpReleaseReport *of)
{
	const DpModel *model = &of->released.stored->model;
	DpPage *page = &of->report.page;
	const char *relation = of->released.relation;

	dp_put_page_head(page,
					 psprintf("Release " INT64_FORMAT " of %s", of->released.stored->id, relation));
	dp_put(page, "<header><p class=\"eyebrow\">Report of a release, by dpsyn</p><h1>%s</h1>\n",
		   relation);
	dp_put(page,
		   "<p class=\"lead\">Release %s, made by method <b>%s</b> on <span "
		   "class=\"keep\">%s</span>. ",
		   psprintf(INT64_FORMAT, of->released.stored->id), model->method, of->released.when);
	if (of->released.guaranteed)
		dp_put(page,
			   "Noise was added, so that what anybody can learn from it about %s is bounded.</p>\n",
			   dp_unit_words(of->released.stored));
	else
		dp_put(page,
			   "</p><div class=\"warning\"><p><b>It is not differentially private.</b> It is for "
			   "the custodian alone, and nothing bounds what it tells about a row.</p></div>\n");
	dp_put(page, "<ul class=\"tiles\">\n");
	if (!of->of_answers)
		dp_put_tile(page, dp_written_count((double) model->rows).text,
					dp_unit_rows_public(&model->unit) ? "rows, which is public"
													  : "rows, estimated");
	dp_put_tile(page, psprintf("%u", model->domain.attributes),
				model->domain.attributes == 1 ? "column" : "columns");
	if (of->released.guaranteed)
	{
		dp_put_tile(page, dp_written_number(of->released.epsilon).text,
					"epsilon, the price in privacy");
		dp_put_tile(page, of->released.delta == 0 ? "0" : psprintf("%g", of->released.delta),
					of->released.delta == 0 ? "delta: the bound has no exception"
											: "delta, the chance of an exception");
	}
	dp_put(page, "</ul></header>\n");
}

/* ---- what was measured ---- */

static void
put_measured_line(DpPage *page, uint64 r, double rows)
{
	double least = dp_spi_float8(r, 6), most = dp_spi_float8(r, 7);
	int32 ways = dp_spi_int32(r, 3);

	dp_put(page, "<tr><th scope=\"row\">%s, by %s</th><td class=\"n\">%s</td>",
		   dp_report_text(r, 1),
		   ways == 0   ? "no column"
		   : ways == 1 ? "1 column"
					   : psprintf("%d columns", ways),
		   dp_written_count((double) dp_spi_int64(r, 4)).text);
	if (dp_written_number(least).text[0] != 'u' && most > least * 1.05)
		dp_put(page, "<td class=\"n\">%s to %s</td>", dp_written_number(least).text,
			   dp_written_number(most).text);
	else
		dp_put(page, "<td class=\"n\">%s</td>", dp_written_number(most).text);
	dp_put(page, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
		   rows > 0 ? dp_written_percent(most / rows).text : "",
		   dp_written_count(dp_spi_float8(r, 5)).text, dp_report_text(r, 2));
}

/* The noise of the best counts; 0: there is none. */
static double
least_noise(uint64 lines)
{
	double least = 0;

	for (uint64 r = 0; r < lines; r++)
	{
		double noise = dp_spi_float8(r, 6);

		if (noise > 0 && (least == 0 || noise < least))
			least = noise;
	}
	return least;
}

/* How much of what the rows say is noise; in red where that is most. */
static void
put_noise_share(DpPage *page, double noise, double rows)
{
	double half = dp_noise_rows(noise);
	double share = dp_noise_share(half, fmax(rows, 1));

	if (share < DP_NOISE_WORTH_A_WORD)
		return;
	dp_put(page, "<div class=\"%s\"><p><b>Noise is %s of what these rows say.</b> ",
		   share > DP_NOISE_MOST ? "warning noise" : "warning", dp_noise_share_words(share));
	dp_put(page,
		   "There are about %s rows, and of about %s half would be noise. Fewer columns, ranges "
		   "that are declared, or more epsilon leave less of it.</p></div>\n",
		   dp_written_count(fmax(rows, 0)).text, dp_written_count(ceil(half)).text);
}

static void
put_measured(DpReleaseReport *of)
{
	DpPage *page = &of->report.page;
	uint64 lines = dp_spi_read_as_caller(
		"SELECT t.stage, t.mechanism, pg_catalog.cardinality(t.columns), pg_catalog.count(*),"
		" pg_catalog.sum(t.cells)::pg_catalog.float8, pg_catalog.min(t.std_error),"
		" pg_catalog.max(t.std_error) FROM @.dp_release_tables($1, $2) t GROUP BY 1, 2, 3"
		" ORDER BY pg_catalog.min(t.number)",
		DP_ARGUMENTS(of->released.release, of->relation));
	double tables = 0;

	for (uint64 r = 0; r < lines; r++)
		tables += (double) dp_spi_int64(r, 4);
	dp_put(page, "<section><h2>%sWhat was measured</h2>\n", of->heading);
	put_noise_share(page, least_noise(lines), (double) of->table->model.rows);
	dp_put(page,
		   "<p>The release holds %s: counts of rows by the "
		   "values of some columns. Chance added to each count, or took from it, about as many "
		   "rows as its noise says. Everything else is computed from these tables.</p>\n",
		   tables == 1 ? "one noisy table"
					   : psprintf("%s noisy tables", dp_written_count(tables).text));
	dp_put(page,
		   "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Measured for</th>"
		   "<th scope=\"col\" class=\"n\">Tables</th><th scope=\"col\" class=\"n\">Noise, rows</th>"
		   "<th scope=\"col\" class=\"n\">of all rows</th><th scope=\"col\" class=\"n\">Cells</th>"
		   "<th scope=\"col\">Distribution of the noise</th></tr></thead><tbody>\n");
	for (uint64 r = 0; r < Min(lines, TABLE_LINES_MAX); r++)
		put_measured_line(page, r, (double) of->table->model.rows);
	dp_put(page, "</tbody></table></div>\n<p class=\"note\">The noise is that of one cell, as a "
				 "standard deviation: "
				 "two of three counts are off by less, 19 of 20 by less than twice as much.");
	if (lines > TABLE_LINES_MAX)
		dp_put(page, " %u more kinds of tables are listed by dp_release_tables.",
			   (unsigned) (lines - TABLE_LINES_MAX));
	if (!of->relation.isnull)
		dp_put(page,
			   " Rows that belong to one row count alike, however many they are: as %u rows "
			   "in all, at most.",
			   (unsigned) of->table->model.unit.rows_max);
	dp_put(page, "</p>\n</section>\n");
	SPI_freetuptable(SPI_tuptable);
}

static void
put_row_release(DpReleaseReport *of)
{
	dp_put(
		&of->report.page,
		"<section><h2>What was released</h2>\n<p>Method %s releases rows, each of which was paid "
		"for when it was drawn, and no tables. So the figures below count these rows, and no "
		"interval says how far they are from the truth.</p></section>\n",
		of->released.stored->model.method);
}

/* ---- answers of dp_query ---- */

static void
put_answers(DpReleaseReport *of)
{
	DpPage *page = &of->report.page;
	uint64 rows = dp_spi_read_as_caller(
		"SELECT CASE WHEN q.cell = '{}' THEN 'all rows' ELSE"
		" (SELECT pg_catalog.string_agg(k || ' = ' || coalesce(v, 'NULL'), ', ')"
		" FROM pg_catalog.jsonb_each_text(q.cell) AS e(k, v)) END,"
		" q.measure, q.estimate, q.low, q.high FROM @.dp_query($1, 0.95::pg_catalog.float8) "
		"q",
		DP_ARGUMENTS(of->released.release));

	dp_put(
		page,
		"<section><h2>The answers</h2>\n<p>Each answer holds noise. The true one lies between "
		"the two numbers on the right in 95 of 100 such lines.</p>\n<div class=\"scroll\"><table>"
		"<thead><tr><th scope=\"col\">Of</th><th scope=\"col\" class=\"n\">Answer</th>"
		"<th scope=\"col\" class=\"n\">Between</th></tr></thead><tbody>\n");
	for (uint64 r = 0; r < Min(rows, ANSWERS_MAX); r++)
	{
		dp_put(page, "<tr><th scope=\"row\" class=\"long\"><b>%s</b> of %.*s</th>",
			   dp_report_text(r, 2), 200, dp_report_text(r, 1));
		dp_put(page, "<td class=\"n\">%s</td><td class=\"n\">%s and %s</td></tr>\n",
			   dp_written_number(dp_spi_float8(r, 3)).text,
			   dp_written_number(dp_spi_float8(r, 4)).text,
			   dp_written_number(dp_spi_float8(r, 5)).text);
	}
	dp_put(page, "</tbody></table></div>\n");
	if (rows > ANSWERS_MAX)
		dp_put(page, "<p class=\"note\">%s more are listed by dp_query(release).</p>\n",
			   dp_written_count((double) (rows - ANSWERS_MAX)).text);
	dp_put(page, "</section>\n");
	SPI_freetuptable(SPI_tuptable);
}

/* ---- facts ---- */

static void
put_facts(DpReleaseReport *of)
{
	DpPage *page = &of->report.page;

	if (dp_spi_read_as_caller(
			"SELECT r.relation_name, r.role::pg_catalog.text, m.summary, m.source, "
			"r.options::pg_catalog.text,"
			" r.epsilon::pg_catalog.text, r.delta::pg_catalog.text, r.sets::pg_catalog.text,"
			" (SELECT pg_catalog.string_agg(pg_catalog.format('release %s of %s, epsilon %s',"
			"   o.release, o.relation_name, o.epsilon), '; ' ORDER BY o.release)"
			"   FROM @.dp_releases o WHERE o.forest = r.forest AND o.release <> r.release),"
			" nullif(pg_catalog.array_to_string(r.public_relations, ', '), '')"
			" FROM @.dp_releases r LEFT JOIN @.dp_methods m ON m.method = r.method"
			" WHERE r.release = $1",
			DP_ARGUMENTS(of->released.release)) != 1)
		return;
	dp_put(page, "<section><h2>Facts</h2>\n<dl>\n");
	dp_put_fact(page, "Relation", dp_report_text(0, 1));
	dp_put_fact(page, "Asked by", dp_report_text(0, 2));
	dp_put_fact(page, "By the same call", dp_report_text(0, 9));
	dp_put_fact(page, "Public tables", dp_report_text(0, 10));
	dp_put_fact(page, "Method",
				psprintf("%s: %s", of->released.stored->model.method, dp_report_text(0, 3)));
	dp_put_fact(page, "Source", dp_report_text(0, 4));
	dp_put_fact(page, "Options", dp_report_text(0, 5));
	dp_put_fact(page, "Cost",
				psprintf("epsilon %s, delta %s", dp_spi_text(0, 6), dp_spi_text(0, 7)));
	dp_put_fact(page, "Neighbours",
				of->released.guaranteed ? dp_neighbour_words(of->released.stored) : NULL);
	dp_put_fact(page, "Independent sets",
				of->released.stored->sets > 1 ? dp_report_text(0, 8) : NULL);
	dp_put_fact(page, "Made of", "the release and public facts alone; this page has cost nothing");
	dp_put_fact(page, "Version", "dpsyn " DPSYN_VERSION);
	dp_put(page, "</dl>\n</section>\n");
}

/* ---- tables that were released together ---- */

/* The attributes of a table are followed by what is known of the rows that its rows belong to. */
static uint32
own_columns(const DpStoredPart *part, const char *parent)
{
	const DpDomain *domain = &part->stored.model.domain;
	const char *siblings = dp_tree_siblings_name(part->name);
	const char *above = dp_tree_parent_name(parent, "");
	uint32 n = 0;

	while (n < domain->attributes && strcmp(domain->attribute[n].name, siblings) != 0 &&
		   strncmp(domain->attribute[n].name, above, strlen(above)) != 0)
		n++;
	return n;
}

static void
put_child(DpReleaseReport *of, const DpStoredPart *part, const char *parent)
{
	DpPage *page = &of->report.page;

	of->table = &part->stored;
	of->relation = DP_REGCLASS(part->relation);
	of->columns = own_columns(part, parent);
	of->heading = psprintf("%s: ", dp_report_words(part->name));
	dp_put(page, "<section><h2>%sIts rows</h2>\n<p>Each row belongs to one of ", of->heading);
	dp_put(page, "<b>%.*s</b>.", 63, dp_report_words(parent));
	if (!OidIsValid(part->relation))
	{
		dp_put(page, " The table was dropped since, so that nothing can be asked of it.</p>"
					 "</section>\n");
		return;
	}
	(void) dp_spi_read_as_caller("SELECT a.estimate FROM @.dp_answer($1, '{}'::pg_catalog.name[], "
								 "NULL::pg_catalog.jsonb, 0.95::pg_catalog.float8,"
								 " 'count'::pg_catalog.text, $2) a",
								 DP_ARGUMENTS(of->released.release, of->relation));
	dp_put(page, " There are about %s of them.</p></section>\n",
		   dp_written_count(dp_spi_float8(0, 1)).text);
	SPI_freetuptable(SPI_tuptable);
	put_measured(of);
	dp_put_release_columns(of);
}

static void
put_children(DpReleaseReport *of)
{
	List *parts = dp_stored_parts(of->released.stored);
	ListCell *cell;

	foreach (cell, parts)
	{
		const DpStoredPart *part = lfirst(cell);
		const DpStoredPart *parent = part->parent > 0 ? list_nth(parts, part->parent - 1) : NULL;

		put_child(of, part, parent != NULL ? parent->name : part->root_name);
	}
}

/* ---- pairs of columns ---- */

/*
 * By how much pairs of columns are off among drawn rows.
 *
 * dp_error tells the root mean square error of the share of a cell. The sum of the absolute errors
 * of all cells is at most that times the number of cells, and half of the sum is the share of rows
 * that stand in a wrong cell (total variation distance).
 */

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

static void
put_pairs(DpReleaseReport *of)
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

static void
put_parts(DpReleaseReport *of)
{
	dp_put_protection(&of->report.page, &of->released, NULL);
	if (of->of_answers)
		put_answers(of);
	else
	{
		if (of->released.stored->model.tables == 0)
			put_row_release(of);
		else
			put_measured(of);
		dp_put_release_columns(of);
		put_pairs(of);
		put_children(of);
	}
	put_facts(of);
}

Datum
dp_report_release(PG_FUNCTION_ARGS)
{
	DpReleaseReport of = {.of_answers = false};

	dp_check_not_null(fcinfo, 0, "release");
	dp_report_begin(&of.report);
	of.released = dp_released_read(PG_GETARG_INT64(0));
	of.table = of.released.stored;
	of.columns = of.table->model.domain.attributes;
	of.relation = (DpArgument){REGCLASSOID, (Datum) 0, true};
	of.heading = "";
	of.of_answers = strcmp(of.released.stored->model.method, DP_QUERY_METHOD) == 0;
	put_header(&of);
	put_parts(&of);
	dp_put_page_foot(&of.report.page);
	PG_RETURN_TEXT_P(dp_report_end(&of.report));
}
