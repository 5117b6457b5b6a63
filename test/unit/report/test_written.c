/*
 * test_written.c -- numbers as a report writes them.
 */
#include "core/base/code_key.h"
#include "core/report/page.h"

#include "unit.h"

static DpArena arena;

static void
check_written(DpWritten written, const char *want)
{
	if (!CHECK(strcmp(written.text, want) == 0, "%s is written so", want))
		unit_note("got %s", written.text);
}

static void
test_written(void)
{
	check_written(dp_written_count(0), "0");
	check_written(dp_written_count(-0.2), "0");
	check_written(dp_written_count(999), "999");
	check_written(dp_written_count(48842.4), "48,842");
	check_written(dp_written_count(-1234567), "-1,234,567");
	check_written(dp_written_count(NAN), "unknown");
	check_written(dp_written_count(2e15), "2e+15");
	check_written(dp_written_number(0), "0");
	check_written(dp_written_number(1), "1");
	check_written(dp_written_number(12.345), "12.3");
	check_written(dp_written_number(0.5), "0.5");
	check_written(dp_written_number(-0.00123), "-0.0012");
	check_written(dp_written_number(1e-9), "1e-09");
	check_written(dp_written_number(1234.4), "1,234");
	check_written(dp_written_number(INFINITY), "unknown");
	check_written(dp_written_percent(0), "0\xC2\xA0%");
	check_written(dp_written_percent(-0.0001), "0\xC2\xA0%");
	check_written(dp_written_percent(0.1234), "12.3\xC2\xA0%");
	check_written(dp_written_percent(1), "100\xC2\xA0%");
	check_written(dp_written_percent(0.000123), "0.012\xC2\xA0%");
	check_written(dp_written_percent(NAN), "unknown");
}

int
main(void)
{
	arena = dp_arena_malloc();
	test_written();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
