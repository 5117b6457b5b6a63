/*
 * report.h -- pages about a release, or about two tables, and what they share.
 *
 * Runs in the caller's backend, with the caller's rights alone: every figure comes from a function
 * or a view that the caller may call, or from a table that the caller may read.
 */
#ifndef DPSYN_REPORT_H
#define DPSYN_REPORT_H

#include "core/report/figure.h"
#include "core/report/page.h"
#include "pg/sample/store.h"
#include "pg/server/catalog.h"
#include "pg/server/compat.h"

#define DP_REPORT_BYTES_MAX 1000000 /* limit of a page; parts beyond it are left out, with a note */

typedef struct DpReport
{
	DpArena arena;
	DpPage page;
	int values_level;
	DpUserContext user_context;
} DpReport;

/* Connects to SPI with dp_caller_open. Values are written as they are in every session until
 * dp_report_end. */
extern void dp_report_begin(DpReport *report);
/* The page as text in the memory context of dp_report_begin. ERROR if there was no memory. */
extern text *dp_report_end(DpReport *report);
/* Runs a SELECT from these relations, which are locked, as dp_caller_open says. */
extern uint64 dp_report_read(const List *relations, const char *statement, DpArguments arguments);

/* A text of the database in UTF-8, which pages take. NULL stays NULL. */
extern char *dp_report_words(const char *words);
/* The same of a column of the last result. */
extern char *dp_report_text(uint64 row, int column);

/* A value as a label: what cannot be seen is said. */
extern const char *dp_report_label(const char *value);

/* Two shares beside their bars: "12.3 | <0.1 %". */
extern const char *dp_report_percents(double original, double synthetic);

/* So many characters of a text in UTF-8, and an ellipsis for others. */
extern const char *dp_report_clip(const char *words, int characters);

/* ---- parts of a page ---- */

#define DP_FIGURES_MAX 60 /* columns that are drawn */

/* Puts figures 0..n-1 as cards, DP_FIGURES_MAX at most, until the page is nearly full. Memory is
 * given back after each. The result is how many there are. */
extern uint32 dp_put_cards(DpReport *report, uint32 n, void (*put)(void *context, uint32 i),
						   void *context);

/* One of the large figures at the top. */
extern void dp_put_tile(DpPage *page, const char *value, const char *meaning);
/* A line of a list of facts. NULL: left out. */
extern void dp_put_fact(DpPage *page, const char *name, const char *value);
/* The figures of a drawing as a table, folded. A value that is NULL is an empty cell. */
typedef struct DpFigureTable
{
	int columns;
	const char *const *head; /* [columns]; the first column holds names, the others numbers */
	uint64 rows;
	const char *const *cell; /* [rows x columns] */
} DpFigureTable;
extern void dp_put_figure_table(DpPage *page, const DpFigureTable *table);
/* The same, not folded. */
extern void dp_put_open_table(DpPage *page, const DpFigureTable *table);

/* ---- pairs of columns ---- */

/* A share of rows for each pair of columns, and for each column with itself. */
typedef struct DpReportPairs
{
	uint32 n;
	const char **name;   /* [n] */
	double *value;       /* [n x n], [i x n + j] with j <= i; NAN: not known */
	const char *unknown; /* what a pair without a number means; NULL: there is none */
	const char *title;
	const char *meaning; /* of a number, after "10.0 %": "of the rows ..." */
} DpReportPairs;

/* The matrix of at most DP_MATRIX_COLUMNS columns, and the worst pairs as a table. */
#define DP_MATRIX_COLUMNS 24
extern void dp_put_pairs(DpReport *report, const DpReportPairs *pairs);

/* How well a release hides one person: what epsilon and delta bound, in words. */

/* A release, as the caller may see it. */
typedef struct DpReleased
{
	DpStored *stored;
	DpArgument release; /* its number, $1 of every statement */
	const char *relation;
	const char *when; /* it was made, in UTC */
	double epsilon, delta;
	bool guaranteed; /* whether it is differentially private */
} DpReleased;

/* ERROR unless the caller may draw rows from the release. Needs SPI. */
extern DpReleased dp_released_read(int64 release);

/* "one row", "one unit, of which at most 3 rows count". */
extern const char *dp_unit_words(const DpStored *stored);
/* The same "added or removed" or "replaced". */
extern const char *dp_neighbour_words(const DpStored *stored);
/* A section on the most that any test of membership can win, which begins with the sentence lead
 * (NULL: none). There is no such section without a guarantee. */
extern void dp_put_protection(DpPage *page, const DpReleased *of, const char *lead);

#endif
