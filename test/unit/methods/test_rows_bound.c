/*
 * test_rows_bound.c -- classes of units by their rows, and the bound that is chosen by noisy numbers of
 * them.
 */
#include "core/methods/rows_bound.h"

#include "unit.h"

/* Each number of rows from 1 to rows_max is in one class, and the classes go up. */
static bool
classes_divide(uint32_t rows_max)
{
	uint32_t classes = dp_rows_classes(rows_max), last = 0;

	for (uint32_t i = 0; i < classes; i++)
	{
		uint32_t next = dp_rows_class_last(i, rows_max);

		if (next <= last || (i + 1 < classes && next != UINT32_C(1) << i))
			return false;
		last = next;
	}
	return last == rows_max;
}

static uint32_t
bound(const double *units, uint32_t rows_max, double units_stddev, double rows_stddev)
{
	return dp_rows_bound(&(DpRowsFit){.rows_max = rows_max,
									  .units = units,
									  .units_stddev = units_stddev,
									  .rows_stddev = rows_stddev,
									  .groups = 1});
}

static void
test_classes(void)
{
	bool divide = true;

	for (uint32_t rows_max = 1; rows_max < 2000; rows_max++)
		divide &= classes_divide(rows_max);
	CHECK(divide, "each number of rows is in one class");
	CHECK(classes_divide(UINT32_MAX / 2 + 7), "also where there are very many");
	CHECK_I64(dp_rows_classes(1), 1, "one row, one class");
	CHECK_I64(dp_rows_classes(210), 9, "of 210 rows there are nine");
}

static void
test_bounds(void)
{
	const double few[] = {12, 3, -8, 5, 1, -3, 2, 9, -11};
	const double many[] = {0, 10, 30, 100, 500, 2200, 4000, 3000, 160};
	const double light[] = {400, 120, 25, 4, -9, 3, 7, -2, 1};
	uint32_t found = bound(light, 210, 14.1, 3.1);

	CHECK_I64(bound(few, 210, 14.1, 3.1), 1, "what is not clear of noise is no reason for noise");
	CHECK(bound(many, 210, 14.1, 3.1) > 150, "where units have many rows, many count");
	CHECK(found >= 2 && found <= 8, "where most have few, few count: %u", found);
	CHECK_I64(bound(many, 210, 1e-9, 1e-9), 210, "without noise all rows count");
}

/* Whatever noise says, the bound is one. */
static void
test_any_noise(void)
{
	uint64_t state = 7;
	bool within = true;

	for (uint32_t rows_max = 1; rows_max < 3000; rows_max = rows_max * 3 / 2 + 1)
		for (int run = 0; run < 200; run++)
		{
			double units[DP_ROWS_CLASSES_MAX];
			uint32_t chosen;

			for (uint32_t i = 0; i < DP_ROWS_CLASSES_MAX; i++)
			{
				state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
				units[i] = (double) (int64_t) (state >> 40) - 8e6 * (run % 3);
			}
			chosen = bound(units, rows_max, run % 5 == 0 ? 0 : 1e4, 1 + run);
			within &= chosen >= 1 && chosen <= rows_max;
		}
	CHECK(within, "1 <= bound <= rows_max");
}

int
main(void)
{
	test_classes();
	test_bounds();
	test_any_noise();
	return unit_finish();
}
