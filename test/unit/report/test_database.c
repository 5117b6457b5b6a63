/*
 * test_database.c -- the picture of tables and their references.
 */
#include "unit_figure.h"

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
	test_database();
	test_large_database();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
