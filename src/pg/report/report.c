/*
 * report.c -- what the pages share: begin and end, texts, batches, facts, tables of figures.
 */
#include "pg/report/report.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/names.h"
#include "pg/server/values.h"

#define BYTES_OF_FIGURE 40000
#define WORDS_CHARACTERS 4000 /* of any text; nobody reads more */
#define LABEL_CHARACTERS 200  /* of a value */

void
dp_report_begin(DpReport *report)
{
	report->arena = dp_arena_for(CurrentMemoryContext);
	dp_page_start(&report->page, &report->arena);
	report->values_level = dp_values_begin();
	dp_caller_open(&report->user_context, NIL);
}

text *
dp_report_end(DpReport *report)
{
	const DpPage *page = &report->page;

	dp_caller_close(&report->user_context);
	dp_values_end(report->values_level);
	if (page->status != DP_OK)
		dp_raise(&(DpError){.status = page->status});
	return cstring_to_text_with_len(page->text, (int) page->length);
}

uint64
dp_report_read(const List *relations, const char *statement, DpArguments arguments)
{
	DpUserContext user_context;
	uint64 rows;

	dp_become_owner(&user_context, dp_common_owner(relations));
	if (relations != NIL)
		(void) dp_expect_relations(NULL, relations);
	rows = dp_spi_read_as_caller(statement, arguments);
	dp_unelevate(&user_context);
	return rows;
}

/* Whether so many bytes more would be too many for a page. */
static bool
is_full(const DpReport *report, size_t more)
{
	return report->page.length + more > DP_REPORT_BYTES_MAX;
}

/*
 * With SQL_ASCII, PostgreSQL does not know the encoding, and the bytes need not be UTF-8. They are
 * passed on; the page shows invalid ones as replacement characters (core/report/page.c).
 */
char *
dp_report_words(const char *words)
{
	if (words == NULL)
		return NULL;
	if (GetDatabaseEncoding() != PG_SQL_ASCII)
		words = pg_server_to_any(words, (int) strlen(words), PG_UTF8);
	return pstrdup(dp_report_clip(words, WORDS_CHARACTERS));
}

char *
dp_report_text(uint64 row, int column)
{
	return dp_report_words(dp_spi_text(row, column));
}

const char *
dp_report_label(const char *value)
{
	if (value == NULL)
		return "NULL";
	if (value[0] == '\0')
		return "(empty)";
	return value[strspn(value, " \t\n\r")] == '\0'
			   ? "(blank)"
			   : dp_report_clip(dp_report_words(value), LABEL_CHARACTERS);
}

/* As short as it can be: whole numbers from 99.95 on. */
static const char *
percent_words(double share)
{
	if (share > 0 && share < 0.00095)
		return "<0.1";
	return psprintf(share >= 0.9995 ? "%.0f" : "%.1f", 100 * share);
}

const char *
dp_report_percents(double original, double synthetic)
{
	return psprintf("%s | %s %%", percent_words(original), percent_words(synthetic));
}

const char *
dp_report_clip(const char *words, int characters)
{
	const char *end = words;

	/* bytes that are no character count as one each, and none is read behind the end */
	for (int n = 0; *end != '\0' && n < characters; n++)
		end += strnlen(end, (size_t) Max(pg_encoding_mblen(PG_UTF8, end), 1));
	return *end == '\0' ? words : psprintf("%.*s\xE2\x80\xA6", (int) (end - words), words);
}

uint32
dp_put_cards(DpReport *report, uint32 n, void (*put)(void *context, uint32 i), void *context)
{
	MemoryContext each =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn figure", ALLOCSET_DEFAULT_SIZES);
	uint32 shown = 0;

	dp_put(&report->page, "<div class=\"cards\">\n");
	while (shown < n && shown < DP_FIGURES_MAX && !is_full(report, 2 * BYTES_OF_FIGURE))
	{
		MemoryContext before = MemoryContextSwitchTo(each);

		CHECK_FOR_INTERRUPTS();
		put(context, shown++);
		MemoryContextSwitchTo(before);
		MemoryContextReset(each);
	}
	dp_put(&report->page, "</div>\n");
	return shown;
}

void
dp_put_tile(DpPage *page, const char *value, const char *meaning)
{
	dp_put(page, "<li><b>%s</b><span>%s</span></li>\n", value, meaning);
}

void
dp_put_fact(DpPage *page, const char *name, const char *value)
{
	if (value != NULL)
		dp_put(page, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

void
dp_put_figure_table(DpPage *page, const DpFigureTable *table)
{
	dp_put(page, "<details><summary>As a table</summary>");
	dp_put_open_table(page, table);
	dp_put(page, "</details>\n");
}

void
dp_put_open_table(DpPage *page, const DpFigureTable *table)
{
	dp_put(page, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">%s</th>",
		   table->head[0]);
	for (int c = 1; c < table->columns; c++)
		dp_put(page, "<th scope=\"col\" class=\"n\">%s</th>", table->head[c]);
	dp_put(page, "</tr></thead><tbody>\n");
	for (uint64 r = 0; r < table->rows; r++)
	{
		const char *const *cell = &table->cell[r * table->columns];

		dp_put(page, "<tr><th scope=\"row\" class=\"long\">%s</th>", cell[0]);
		for (int c = 1; c < table->columns; c++)
			dp_put(page, "<td class=\"n\">%s</td>", cell[c] == NULL ? "" : cell[c]);
		dp_put(page, "</tr>\n");
	}
	dp_put(page, "</tbody></table></div>\n");
}
