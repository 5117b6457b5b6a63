/*
 * compare_tree.c -- what hangs together across tables: pairs of columns across foreign keys, how
 * many rows belong to one, rows of one parent, and rows without the row that they refer to.
 */
#include "pg/report/compare.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "core/report/page.h"

#define LINES_MAX 40 /* of a table; the worst come first */

typedef DpTreeRow Row;

/* ---- what dp_evaluate tells ---- */

static DpArgument
regclass_array(List *relations)
{
	Datum *element = palloc(sizeof(Datum) * list_length(relations));
	ListCell *cell;

	foreach (cell, relations)
		element[foreach_current_index(cell)] = ObjectIdGetDatum(lfirst_oid(cell));
	return (DpArgument){
		REGCLASSARRAYOID,
		PointerGetDatum(construct_array(element, list_length(relations), REGCLASSOID, sizeof(Oid),
										true, TYPALIGN_INT)),
		false};
}

DpCompareTree *
dp_compare_tree_measure(List *original, List *synthetic)
{
	DpCompareTree *tree = palloc0(sizeof(DpCompareTree));

	tree->n = dp_spi_read_as_caller(
		"SELECT e.measure, e.columns[1]::text, e.columns[2]::text, e.value, e.original,"
		" e.synthetic, e.detail FROM dp_catalog.dp_evaluate($1, $2,"
		" '{\"ways\": 2, \"each\": true}'::pg_catalog.jsonb) e",
		DP_ARGUMENTS(regclass_array(original), regclass_array(synthetic)));
	tree->row = palloc_extended(sizeof(Row) * Max(tree->n, 1), MCXT_ALLOC_HUGE);
	for (uint64 r = 0; r < tree->n; r++)
		tree->row[r] = (Row){.measure = dp_spi_text(r, 1),
							 .column = {dp_spi_text(r, 2), dp_spi_text(r, 3)},
							 .value = dp_spi_float8(r, 4),
							 .original = dp_spi_float8(r, 5),
							 .synthetic = dp_spi_float8(r, 6),
							 .detail = dp_spi_text(r, 7)};
	SPI_freetuptable(SPI_tuptable);
	tree->tables = dp_compared_tables(original, synthetic, NIL);
	return tree;
}

const DpTreeRow *
dp_tree_row(const DpCompareTree *tree, const char *measure, const char *column, const char *second)
{
	for (uint64 r = 0; r < tree->n; r++)
	{
		const Row *row = &tree->row[r];

		if (strcmp(row->measure, measure) == 0 && row->column[0] != NULL &&
			strcmp(row->column[0], column) == 0 &&
			(second == NULL ? row->column[1] == NULL
							: row->column[1] != NULL && strcmp(row->column[1], second) == 0))
			return row;
	}
	return NULL;
}

static bool
is_measure(const Row *row, const char *measure)
{
	return strcmp(row->measure, measure) == 0;
}

/* The part of a name behind "visits."; NULL: it does not begin with that. */
static const char *
within(const char *name, const char *table)
{
	size_t length = strlen(table);

	return strncmp(name, table, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

char *
dp_compare_tree_columns(const DpCompareTree *tree, Oid relation)
{
	const char *table = get_rel_name(relation);
	StringInfoData json;

	initStringInfo(&json);
	for (uint64 r = 0; r < tree->n; r++)
	{
		const Row *row = &tree->row[r];
		const char *column = is_measure(row, "null_share") ? within(row->column[0], table) : NULL;

		if (column == NULL)
			continue;
		appendStringInfoString(&json, json.len > 0 ? ", " : "[");
		escape_json(&json, column);
	}
	if (json.len == 0)
		return NULL;
	appendStringInfoChar(&json, ']');
	return json.data;
}

/* ---- which rows are of which query ---- */

static bool
ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), n = strlen(end);

	return length >= n && strcmp(name + length - n, end) == 0;
}

static bool
is_summary(const Row *row)
{
	return ends_with(row->column[0], ".*") || strcmp(row->column[0], "*") == 0;
}

static bool
is_next(const Row *row)
{
	return row->column[1] != NULL && strstr(row->column[1], ".next.") != NULL;
}

static bool
is_count(const Row *row)
{
	return ends_with(row->column[1] != NULL ? row->column[1] : row->column[0], ".count");
}

/* Two columns whose names begin with different tables. */
static bool
is_across(const Row *row)
{
	size_t table = strcspn(row->column[0], ".");

	return row->column[1] != NULL && !is_next(row) && !is_count(row) &&
		   (strncmp(row->column[0], row->column[1], table) != 0 || row->column[1][table] != '.');
}

/* ---- lines ---- */

static int
compare_value(const void *a, const void *b)
{
	double x = fabs((*(Row *const *) a)->value), y = fabs((*(Row *const *) b)->value);

	return x > y ? -1 : x < y;
}

/* The rows of a measure that are of a query, the largest first. */
static Row **
rows_of(const DpCompareTree *tree, const char *measure, bool (*is_requested)(const Row *row),
		uint64 *n)
{
	Row **found = palloc(sizeof(Row *) * Max(tree->n, 1));

	*n = 0;
	for (uint64 r = 0; r < tree->n; r++)
		if (is_measure(&tree->row[r], measure) && !is_summary(&tree->row[r]) &&
			(is_requested == NULL || is_requested(&tree->row[r])))
			found[(*n)++] = &tree->row[r];
	qsort(found, *n, sizeof(Row *), compare_value);
	return found;
}

static const char *
names_of(const Row *row)
{
	return row->column[1] == NULL ? dp_report_words(row->column[0])
								  : psprintf("%s and %s", dp_report_words(row->column[0]),
											 dp_report_words(row->column[1]));
}

static const char *
number(double value, bool is_share)
{
	if (isnan(value))
		return NULL;
	return pstrdup(is_share ? dp_written_percent(value).text : dp_written_number(value).text);
}

typedef struct Lines
{
	const char *measure;
	bool (*is_requested)(const Row *row);
	bool of_sides; /* original and synthetic; else the value */
	bool shares;   /* in percent */
	const char *head;
	const char *value; /* the head of the value */
} Lines;

static uint64
put_lines(DpPage *page, const DpCompareTree *tree, const Lines *of)
{
	const char *of_sides[] = {of->head, "Original", "Synthetic"};
	const char *of_value[] = {of->head, of->value};
	uint64 n;
	Row **row = rows_of(tree, of->measure, of->is_requested, &n);
	int columns = of->of_sides ? 3 : 2;
	const char **cell = palloc(sizeof(char *) * columns * Max(n, 1));
	DpFigureTable table = {columns, of->of_sides ? of_sides : of_value, Min(n, LINES_MAX), cell};

	for (uint64 r = 0; r < table.rows; r++)
	{
		const char **line = &cell[r * columns];

		line[0] = names_of(row[r]);
		line[1] = number(of->of_sides ? row[r]->original : row[r]->value, of->shares);
		if (of->of_sides)
			line[2] = number(row[r]->synthetic, of->shares);
	}
	if (n > 0)
		dp_put_open_table(page, &table);
	if (n > table.rows)
		dp_put(page, "<p class=\"note\">The worst %d of %u; dp_evaluate tells all.</p>\n",
			   LINES_MAX, (unsigned) n);
	return n;
}

/* ---- the page ---- */

static void
put_pairs_across(DpPage *page, const DpCompareTree *tree)
{
	static const Lines distance = {"tvd2", is_across, false,
								   true,   "Pairs",   "Rows that would have to change"};
	static const Lines strength = {"cramers_v", is_across, true, false, "Pairs", NULL};

	dp_put(page, "<section><h2>Across tables</h2>\n<p>Join the tables along their foreign keys, "
				 "and count the rows by a column of each. The distance is the share of the "
				 "synthetic rows that would have to change for the counts to be as in the "
				 "original.</p>\n");
	(void) put_lines(page, tree, &distance);
	dp_put(page, "<p>How well one column tells the other (Cramer's V): 0 not at all, 1 exactly. "
				 "The pairs that differ most:</p>\n");
	(void) put_lines(page, tree, &strength);
	dp_put(page, "</section>\n");
}

static void
put_numbers(DpPage *page, const DpCompareTree *tree)
{
	static const Lines mean = {"mean", is_count, true, false, "On average", NULL};
	static const Lines alone = {"tvd1", is_count, false,
								true,   "Number", "Rows of the parent that would have to change"};
	static const Lines given = {"tvd2",
								is_count,
								false,
								true,
								"Number by a column",
								"Rows of the parent that would have to change"};

	dp_put(page, "<section><h2>How many rows belong to one</h2>\n");
	(void) put_lines(page, tree, &mean);
	(void) put_lines(page, tree, &alone);
	(void) put_lines(page, tree, &given);
	dp_put(page, "</section>\n");
}

static void
put_siblings(DpPage *page, const DpCompareTree *tree)
{
	static const Lines alike = {"same_as_sibling", NULL, true, true, "Column", NULL};
	static const Lines next = {
		"tvd2", is_next, false, true, "A row and the next", "Rows that would have to change"};

	dp_put(page, "<section><h2>Rows of one parent</h2>\n<p>The share of pairs of rows of one "
				 "parent that have the same value:</p>\n");
	(void) put_lines(page, tree, &alike);
	(void) put_lines(page, tree, &next);
	dp_put(page, "</section>\n");
}

static void
put_orphans(DpPage *page, const DpCompareTree *tree)
{
	static const Lines orphans = {"orphans", NULL, true, false, "Foreign key", NULL};

	dp_put(page, "<section><h2>Rows without the row that they refer to</h2>\n");
	if (put_lines(page, tree, &orphans) == 0)
		dp_put(page, "<p>No foreign key connects these tables.</p>\n");
	dp_put(page, "</section>\n");
}

void
dp_put_compared_tree(DpCompareReport *of, const DpCompareTree *tree)
{
	DpPage *page = &of->report.page;

	put_pairs_across(page, tree);
	put_numbers(page, tree);
	put_siblings(page, tree);
	put_orphans(page, tree);
}
