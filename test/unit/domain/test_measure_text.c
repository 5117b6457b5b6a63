/*
 * test_measure_text.c -- measures as text: one form is written, and what is read back is the same.
 */
#include "core/domain/query.h"

#include "unit.h"

static DpArena *arena;

static void
test_text(const char *text, const char *form, const char *column)
{
	DpMeasure measure = {0}, again = {0};
	const char *name = NULL, *written = NULL;
	DpError error;

	CHECK_OK(dp_measure_read(text, &measure, &name, arena, &error), "%s is read", text);
	CHECK_STRING(name, column, "its column");
	MUST(dp_measure_write(&measure, name, &written, arena));
	CHECK_STRING(written, form, "its form");
	MUST(dp_measure_read(written, &again, &name, arena, &error));
	CHECK(again.kind == measure.kind && again.quantile_nano == measure.quantile_nano,
		  "the form is read as the same measure");
}

static void
test_refused(const char *text)
{
	DpMeasure measure;
	const char *name;
	DpError error;

	CHECK_STATUS(dp_measure_read(text, &measure, &name, arena, &error), DP_ERR_ARGUMENT,
				 "%s is refused", text);
}

int
main(void)
{
	DpArena malloced = dp_arena_malloc();

	arena = &malloced;
	test_text("count(*)", "count(*)", NULL);
	test_text(" COUNT ( * ) ", "count(*)", NULL);
	test_text("count(Age)", "count(age)", "age");
	test_text("count(distinct Age)", "count(distinct age)", "age");
	test_text("avg(\"Age\")", "avg(\"Age\")", "Age");
	test_text("sum(\"a\"\"b\")", "sum(\"a\"\"b\")", "a\"b");
	test_text("quantile(age, 0.90)", "quantile(age, 0.9)", "age");
	test_text("median(age)", "median(age)", "age");
	test_refused("");
	test_refused("avg");
	test_refused("avg(*)");
	test_refused("avg()");
	test_refused("mode(age)");
	test_refused("quantile(age)");
	test_refused("quantile(age, 1.5)");
	test_refused("avg(age) x");
	test_refused("avg(\"age)");
	dp_arena_malloc_free(arena);
	return unit_finish();
}
