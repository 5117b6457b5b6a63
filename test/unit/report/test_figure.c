/*
 * test_figure.c -- figures of a report: what they draw, what they bound, and what they escape.
 */
#include "unit.h"

#include "core/report/figure.h"

static DpArena arena;
static DpPage page;

static unsigned
count(const char *what)
{
	unsigned n = 0;

	for (const char *at = page.text; (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static void
check_whole(const char *name)
{
	CHECK_STATUS(page.status, DP_OK, "%s is drawn", name);
	CHECK(count("<svg ") == 1 && count("</svg>") == 1, "%s is one figure", name);
	CHECK(count("<title id=") == 1 && count("<desc id=") == 1, "%s says what it is", name);
	CHECK(count("nan") + count("inf") == 0, "%s has a place for everything", name);
	CHECK_I64(count("<script"), 0, "%s lets no markup in", name);
}

static const DpFigureText words = {"<script>\"", "</desc>"};

static void
test_bars(void)
{
	DpBar bar[] = {{"<script>", 0.5, 0.4, 0.6, NAN, "50 %", false},
				   {"b", -0.1, 0, 0.01, NAN, NULL, false},
				   {"c", NAN, NAN, NAN, NAN, "", true}};
	DpBars bars = {words, 3, bar, false};

	dp_page_start(&page, &arena);
	dp_put_bars(&page, &bars);
	check_whole("a figure of bars");
	CHECK_I64(count("class=\"synthetic\""), 2, "each number has a bar");
	CHECK_I64(count("class=\"interval\""), 2, "each interval has a line");
	bars.paired = true;
	bar[0].original = 0.25;
	dp_page_start(&page, &arena);
	dp_put_bars(&page, &bars);
	check_whole("a figure of pairs of bars");
	CHECK_I64(count("class=\"original\""), 1, "the original has a bar where it is known");
	bars.stacked = bars.whole = true;
	dp_page_start(&page, &arena);
	dp_put_bars(&page, &bars);
	check_whole("a figure of bars under their labels");
	bars.n = 0;
	dp_page_start(&page, &arena);
	dp_put_bars(&page, &bars);
	check_whole("a figure without bars");
}

static void
test_long_labels(void)
{
	DpBar bar[] = {{.label = "value number 100", .value = 0.5},
				   {.label = "value number 200", .value = 0.5}};
	DpBars bars = {.words = words, .n = 2, .bar = bar};

	dp_page_start(&page, &arena);
	dp_put_bars(&page, &bars);
	check_whole("bars with long labels");
	CHECK_I64(count("class=\"label small\""), 2, "labels that differ when cut stand beside");
	bar[1].label = "value number 100, the other one";
	dp_page_start(&page, &arena);
	dp_put_bars(&page, &bars);
	CHECK_I64(count("class=\"label small\""), 0, "labels that would be cut alike stand above");
	CHECK_I64(count(">value number 100, the other one</text>"), 1, "and are whole");
}

static void
test_histogram(void)
{
	static const char *const label[] = {"<script>", "1", "2", "100000"};
	static const double edge[] = {0, 1, 2, 100000}, flat[] = {0, 1, 2, 3};
	static const double share[] = {0.9, -0.01, 0.11}, low[] = {0.8, 0, NAN}, high[] = {1, 0.1, NAN};
	DpHistogramFigure histogram = {words, 3, edge, label, share, low, high, NULL};

	CHECK(dp_histogram_is_even(&histogram), "a crowd in a thin bin is drawn in even bins");
	dp_page_start(&page, &arena);
	dp_put_histogram(&page, &histogram);
	check_whole("a histogram");
	CHECK_I64(count("class=\"synthetic\""), 3, "each bin is drawn");
	histogram.edge = flat;
	histogram.original = share;
	CHECK(!dp_histogram_is_even(&histogram), "even bins are areas");
	dp_page_start(&page, &arena);
	dp_put_histogram(&page, &histogram);
	check_whole("a histogram beside another");
	CHECK_I64(count("class=\"original-line\""), 1, "the other one is a line");
	histogram.share = (const double[]){0, 0, 0};
	histogram.edge = (const double[]){0, 0, NAN, INFINITY};
	histogram.original = NULL;
	CHECK(dp_histogram_is_even(&histogram), "edges without a place are drawn evenly");
	dp_page_start(&page, &arena);
	dp_put_histogram(&page, &histogram);
	check_whole("an empty histogram");
}

static void
test_matrix(void)
{
	static const char *const name[] = {"<script>", "b"};
	static const double value[] = {0, NAN, 0.05, NAN};
	DpMatrix matrix = {words, 2, name, value, {0.01, 0.02, 0.05, 0.1, 0.2}, 0.01};

	dp_page_start(&page, &arena);
	dp_put_matrix(&page, &matrix);
	check_whole("a matrix");
	CHECK_I64(count("<rect "), 3, "a matrix is a triangle with its diagonal");
	CHECK_I64(count("class=\"hatched\""), 1, "what is unknown is hatched");
	CHECK_I64(dp_matrix_shade(&matrix, 0.0099), 0, "below the first edge");
	CHECK_I64(dp_matrix_shade(&matrix, 0.05), 3, "at an edge");
	CHECK_I64(dp_matrix_shade(&matrix, 7), 5, "above the last edge");
	CHECK(count(">5.0</text>") == 1, "a cell has its number");
	dp_put_matrix_key(&page, &matrix, "<script>");
	CHECK_I64(count("<script"), 0, "a key lets no markup in");
}

static unsigned
won(double advantage)
{
	dp_page_start(&page, &arena);
	dp_put_guesses(&page, &words, advantage);
	CHECK_I64(count("<circle ") + count("<rect "), 100, "a hundred guesses");
	return count("<rect class=\"won\"");
}

static void
test_guesses(void)
{
	CHECK_I64(won(0), 0, "nothing is won");
	CHECK_I64(won(tanh(0.5)), 24, "a bound is rounded up");
	CHECK_I64(won(1), 50, "all is won");
	CHECK_I64(won(7), 50, "no more than all");
}

static void
test_forest(void)
{
	DpCoefficient coefficient[] = {{"<script>", "</text>", {0.5, 0.4}, {0.4, -9e9}, {0.6, 9e9}},
								   {"b", NULL, {-1, NAN}, {NAN, NAN}, {NAN, NAN}}};
	DpForest forest = {words, 2, coefficient};

	dp_page_start(&page, &arena);
	dp_put_forest(&page, &forest);
	check_whole("a forest");
	CHECK_I64(count("<circle "), 2, "each original has a ring");
	CHECK_I64(count("class=\"synthetic\""), 1, "and what is known of the synthetic rows a square");
	CHECK(count(">0</text>") == 1, "0 is shown");
	CHECK(count(": &#60;/text&#62;</text>") == 1, "a level stands behind the name of its column");
	forest.n = 0;
	dp_page_start(&page, &arena);
	dp_put_forest(&page, &forest);
	check_whole("a forest without coefficients");
}

/* Tables that refer to each other in all ways: below, above, to themselves, to none that is drawn. */
static void
test_database(void)
{
	DpTableBox table[] = {{"<script>", "1 row", DP_TABLE_ROOT, -1, 0, 2, 1},
						  {"</text>", "", DP_TABLE_MEMBER, 0, 1, 40, 2},
						  {"c", "", DP_TABLE_MEMBER, 1, 2, 0, 1},
						  {"d", "", DP_TABLE_PUBLIC, -1, 0, 0, 0},
						  {"e", "", DP_TABLE_UNPROTECTED, 2, 9, 0, 0}};
	DpTableArrow arrow[] = {{1, 3}, {2, 3}, {3, 3}, {0, 2}, {4, 0}, {1, 99}};
	DpDatabaseFigure database = {words, 5, table, 6, arrow};

	dp_page_start(&page, &arena);
	dp_put_database(&page, &database);
	check_whole("a database");
	CHECK_I64(count("class=\"frame\""), 5, "each table has a box");
	CHECK_I64(count("class=\"branch\""), 3, "what belongs to a table is joined to it");
	CHECK_I64(count("class=\"root\"") + count("class=\"open\""), 2, "signs say what each is");
	CHECK_I64(count("class=\"member\""), 2, "for each of them");
	CHECK_I64(count("class=\"arrow\""), 5 + 3 + 1,
			  "each key has a line, and each table it leads to");
	CHECK_I64(count("class=\"column\""), 2 + 20, "modelled columns are filled squares");
	CHECK_I64(count("class=\"no-column\""), 1 + 0 + 1, "and made-up ones empty");
	database.n = 0;
	dp_page_start(&page, &arena);
	dp_put_database(&page, &database);
	check_whole("a database without tables");
}

/* More tables than are drawn, each of which refers to all others. */
static void
test_large_database(void)
{
	enum
	{
		TABLES = DP_DATABASE_TABLES_MAX + 20
	};
	static DpTableBox table[TABLES];
	static DpTableArrow arrow[TABLES * TABLES];
	DpDatabaseFigure database = {words, TABLES, table, TABLES * TABLES, arrow};

	for (uint32_t t = 0; t < TABLES; t++)
	{
		table[t] = (DpTableBox){.name = "t", .words = "", .parent = -1, .made_up = 1};
		for (uint32_t u = 0; u < TABLES; u++)
			arrow[t * TABLES + u] = (DpTableArrow){t, u};
	}
	dp_page_start(&page, &arena);
	dp_put_database(&page, &database);
	check_whole("a large database");
	CHECK_I64(count("class=\"frame\""), DP_DATABASE_TABLES_MAX, "as many are drawn as may be");
}

int
main(void)
{
	arena = dp_arena_malloc();
	test_bars();
	test_long_labels();
	test_histogram();
	test_matrix();
	test_guesses();
	test_forest();
	test_database();
	test_large_database();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
