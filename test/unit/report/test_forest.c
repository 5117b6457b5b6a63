/*
 * test_forest.c -- coefficients with intervals.
 */
#include "unit_figure.h"

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

int
main(void)
{
	arena = dp_arena_malloc();
	test_forest();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
