/*
 * test_unit_bound.c -- classes of units by their size, and the bound that is chosen by noisy numbers of
 * them.
 */
#include "core/methods/unit_bound.h"

#include "unit.h"

/* Each size up to the most is in one class, and the classes go up. */
static bool
classes_divide(int64_t least, int64_t most)
{
	DpUnitSizes sizes = {least, most};
	uint32_t classes = dp_unit_classes(sizes);
	int64_t last = 0;

	for (uint32_t i = 0; i < classes; i++)
	{
		int64_t next = dp_unit_class_last(sizes, i);

		if (next <= last || (i + 1 < classes && next != least << i) ||
			dp_unit_class(sizes, (unsigned __int128) last + 1) != i ||
			dp_unit_class(sizes, (unsigned __int128) next) != i)
			return false;
		last = next;
	}
	return last == most && dp_unit_class(sizes, (unsigned __int128) most * 1000) == classes - 1;
}

static DpUnitFit
fit_of(const double *units, int64_t rows_max, double units_stddev, double rows_stddev)
{
	return (DpUnitFit){.sizes = {1, rows_max},
					   .hidden = 1,
					   .units = units,
					   .units_stddev = units_stddev,
					   .noise_stddev = rows_stddev,
					   .cut_weight = 1,
					   .groups = 1};
}

static int64_t
bound(const double *units, int64_t rows_max, double units_stddev, double rows_stddev)
{
	DpUnitFit fit = fit_of(units, rows_max, units_stddev, rows_stddev);

	return dp_unit_bound(&fit);
}

static void
test_classes(void)
{
	bool divide = true;

	for (int64_t most = 1; most < 2000; most++)
		divide &= classes_divide(1, most) && (most < 32 || classes_divide(most / 32, most * 7));
	CHECK(divide, "each size is in one class");
	CHECK(classes_divide(1, UINT32_MAX / 2 + 7), "also where there are very many");
	CHECK(classes_divide(INT64_MAX / 1000, INT64_MAX), "or large ones");
	CHECK_I64(dp_unit_classes((DpUnitSizes){1, INT64_MAX}), DP_UNIT_CLASSES_MAX, "not too many");
	CHECK_I64(dp_unit_classes((DpUnitSizes){1, 1}), 1, "one row, one class");
	CHECK_I64(dp_unit_classes((DpUnitSizes){1, 210}), 9, "of 210 rows there are nine");
}

static void
test_bounds(void)
{
	const double few[] = {12, 3, -8, 5, 1, -3, 2, 9, -11};
	const double many[] = {0, 10, 30, 100, 500, 2200, 4000, 3000, 160};
	const double alike[] = {30, -25, 14, -40, 8, 190}, odd[] = {-20, 25, 180, -31, -44, 20};
	const double light[] = {400, 120, 25, 4, -9, 3, 7, -2, 1};
	int64_t found = bound(light, 210, 14.1, 3.1);
	DpUnitFit fit = fit_of(light, 210, 14.1, 3.1);

	CHECK_I64(bound(few, 210, 14.1, 3.1), 1, "what is not clear of noise is no reason for noise");
	CHECK(bound(many, 210, 14.1, 3.1) > 150, "where units have many rows, many count");
	CHECK(found >= 2 && found <= 8, "where most have few, few count: %d", (int) found);
	CHECK_I64(bound(alike, 20, 28.3, 3.1), 20, "units that all have many rows are seen");
	CHECK(bound(odd, 20, 28.3, 3.1) >= 4, "and those that all have some");
	CHECK_I64(bound(many, 210, 1e-9, 1e-9), 210, "without noise all rows count");
	CHECK(dp_units_over(&fit, 1) > 100 && dp_units_over(&fit, 1) < 200,
		  "of 150 units with more than one row it says %g", dp_units_over(&fit, 1));
	CHECK(dp_units_over(&fit, 2) > dp_units_over(&fit, 3) &&
			  dp_units_over(&fit, 100) > dp_units_over(&fit, 200) && dp_units_over(&fit, 200) >= 0,
		  "fewer have more");
	fit = fit_of(few, 210, 14.1, 3.1);
	fit.hidden = 7;
	CHECK_I64(dp_unit_bound(&fit), 7, "where noise hides them, the bound is the one for that");
	CHECK(dp_units_over(&fit, 7) > 100, "and as many as noise can hide may have more: %g",
		  dp_units_over(&fit, 7));
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
			double units[DP_UNIT_CLASSES_MAX];
			int64_t chosen;

			for (uint32_t i = 0; i < DP_UNIT_CLASSES_MAX; i++)
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
