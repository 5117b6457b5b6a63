/*
 * test_grid_marks.c -- values that are cells of their own: ends, and what stands for "no end".
 */
#include "core/domain/grid.h"

#include "unit.h"

static bool
has(const DpGrid *grid, const char *text)
{
	int64_t mark[DP_GRID_MARKS_MAX];
	uint32_t n = dp_grid_marks(grid, mark);
	char printed[DP_GRID_TEXT_BYTES];

	for (uint32_t i = 0; i < n; i++)
	{
		dp_grid_print(grid, mark[i], printed);
		if (strcmp(printed, text) == 0)
			return true;
	}
	return false;
}

static void
test_order(const DpGrid *grid, const char *what)
{
	int64_t mark[DP_GRID_MARKS_MAX];
	uint32_t n = dp_grid_marks(grid, mark), wrong = n < 2 || n > DP_GRID_MARKS_MAX;

	for (uint32_t i = 1; i < n; i++)
		wrong += mark[i - 1] >= mark[i];
	CHECK_I64(wrong, 0, "%s: marks ascend", what);
	CHECK(n > 1 && mark[0] == grid->first && mark[n - 1] == grid->last, "%s: ends are marks", what);
}

int
main(void)
{
	const DpGrid number = {DP_GRID_NUMBER, -1000000, 200000000, 1, 0};
	const DpGrid cents = {DP_GRID_NUMBER, 0, INT64_C(20000000000), 1, 2};
	const DpGrid days = {DP_GRID_DATE, -100000, 2921939, 1, 0}; /* the last is 9999-12-31 */
	const DpGrid terms = {DP_GRID_INTERVAL, 0, INT64_C(100) * 366 * 86400 * 1000000, 1, 0};
	const DpGrid few = {DP_GRID_NUMBER, 1, DP_GRID_FEW, 1, 0};
	int64_t mark[DP_GRID_MARKS_MAX];

	test_order(&number, "numbers");
	test_order(&cents, "cents");
	test_order(&days, "days");
	test_order(&terms, "terms");
	CHECK(has(&number, "99999999") && has(&number, "-999999"), "99999999 and -999999 are marks");
	CHECK(has(&cents, "99999999.99"), "99999999.99 is a mark of cents");
	CHECK(has(&days, "9999-12-31"), "9999-12-31 is a mark");
	CHECK(has(&terms, "720:00:00"), "30 days are a mark");
	CHECK(!has(&number, "123456"), "an ordinary number is none");
	CHECK_I64(dp_grid_marks(&few, mark), 0, "a grid of few values has no marks");
	return unit_finish();
}
