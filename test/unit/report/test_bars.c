/*
 * test_bars.c -- bars of a report: what they draw and how long labels are cut.
 */
#include "unit_figure.h"

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

int
main(void)
{
	arena = dp_arena_malloc();
	test_bars();
	test_long_labels();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
