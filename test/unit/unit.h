/*
 * unit.h -- a test harness that prints TAP.
 *
 * A test is one program, test_<name>.c (sanitizers) or stat_<name>.c (-O2, for
 * millions of draws):
 *
 *	int
 *	main(void)
 *	{
 *		CHECK(1 + 1 == 2, "one and one make %d", 2);
 *		CHECK_I64(f(), 7, "f gives seven");
 *		CHECK_STATUS(g(), DP_ERR_RANGE, "g overflows");
 *		CHECK_NEAR(h(), 0.5, 1e-9, "h is a half");
 *		return unit_finish();
 *	}
 *
 * Every check is one TAP line and gives its truth back, so that a test can stop
 * where going on makes no sense. A failed one says what it got.
 */
#ifndef UNIT_H
#define UNIT_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "unit_arena.h"

typedef struct UnitRun
{
	unsigned checks;
	unsigned failures;
} UnitRun;

static UnitRun unit_run;

/* Diagnostics are for people; TAP readers skip what begins with #. */
static inline void DP_PRINTF(1, 2) unit_note(const char *format, ...)
{
	va_list arguments;

	printf("# ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

/* Flushes, so that the lines before an abort are not lost with it. */
static inline bool DP_PRINTF(2, 3) unit_result(bool passed, const char *format, ...)
{
	va_list arguments;

	unit_run.checks++;
	unit_run.failures += !passed;
	printf("%s %u - ", passed ? "ok" : "not ok", unit_run.checks);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	return passed;
}

static inline bool
unit_explain_i64(bool passed, int64_t got, int64_t want)
{
	if (!passed)
		unit_note("got %" PRId64 ", want %" PRId64, got, want);
	return passed;
}

static inline bool
unit_explain_near(bool passed, long double got, long double want, long double tolerance)
{
	if (!passed)
		unit_note("got %.17Lg, want %.17Lg, tolerance %.3Lg", got, want, tolerance);
	return passed;
}

static inline bool
unit_explain_string(bool passed, const char *got, const char *want)
{
	if (!passed)
		unit_note("got \"%s\", want \"%s\"", got ? got : "(null)", want ? want : "(null)");
	return passed;
}

static inline bool
unit_explain_place(bool passed, const char *file, int line, const char *condition)
{
	if (!passed)
		unit_note("%s:%d: %s", file, line, condition);
	return passed;
}

static inline bool
unit_near(long double got, long double want, long double tolerance)
{
	return fabsl(got - want) <= tolerance; /* false for NaN */
}

static inline bool
unit_same_string(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The plan line and the exit status of main. */
static inline int
unit_finish(void)
{
	printf("1..%u\n", unit_run.checks);
	if (unit_run.failures > 0)
		unit_note("%u of %u failed", unit_run.failures, unit_run.checks);
	return unit_run.failures > 0 || unit_run.checks == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define CHECK(condition, ...)                                                                      \
	unit_explain_place(unit_result((condition), __VA_ARGS__), __FILE__, __LINE__, #condition)

/* The operands are evaluated twice: hand over values, not calls that draw or change something. */
#define CHECK_I64(got, want, ...)                                                                  \
	unit_explain_i64(unit_result((int64_t) (got) == (int64_t) (want), __VA_ARGS__),                \
					 (int64_t) (got), (int64_t) (want))
#define CHECK_NEAR(got, want, tolerance, ...)                                                      \
	unit_explain_near(unit_result(unit_near((got), (want), (tolerance)), __VA_ARGS__), (got),      \
					  (want), (tolerance))
#define CHECK_STRING(got, want, ...)                                                               \
	unit_explain_string(unit_result(unit_same_string((got), (want)), __VA_ARGS__), (got), (want))

/* Evaluates its operand once, so a call that draws may stand in it. */
#define CHECK_STATUS(got, want, ...)                                                               \
	do                                                                                             \
	{                                                                                              \
		DpStatus unit_status_ = (got);                                                             \
		CHECK_I64(unit_status_, (want), __VA_ARGS__);                                              \
	} while (0)
#define CHECK_OK(got, ...) CHECK_STATUS(got, DP_OK, __VA_ARGS__)

/* For steps that a test can't go on without, and that are not its subject. */
#define MUST(expression)                                                                           \
	do                                                                                             \
	{                                                                                              \
		DpStatus unit_must_ = (expression);                                                        \
		if (unit_must_ != DP_OK)                                                                   \
		{                                                                                          \
			printf("Bail out! %s:%d: %s: %s\n", __FILE__, __LINE__, #expression,                   \
				   dp_status_text(unit_must_));                                                    \
			exit(EXIT_FAILURE);                                                                    \
		}                                                                                          \
	} while (0)

#endif
