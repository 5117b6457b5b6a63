/*
 * test_figure.c -- histograms of numbers.
 */
#include "unit_figure.h"

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

int
main(void)
{
	arena = dp_arena_malloc();
	test_histogram();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
