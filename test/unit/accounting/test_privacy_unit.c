/*
 * test_privacy_unit.c -- sensitivities of histograms by the unit, also by enumeration, and where
 * the number of rows is public.
 */
#include "core/accounting/privacy_unit.h"
#include "core/base/code_key.h"

#include "unit.h"

static void
test_unit(void)
{
	const DpUnit most = {DP_REPLACE_ONE, UINT32_MAX};

	CHECK_I64(dp_unit_l1(&(DpUnit){DP_ADD_REMOVE, 1}), 1, "L1: add or remove a row");
	CHECK_I64(dp_unit_l1(&(DpUnit){DP_REPLACE_ONE, 1}), 2, "L1: replace a row");
	CHECK_I64(dp_unit_l1(&(DpUnit){DP_ADD_REMOVE, 7}), 7, "L1: a unit of 7 rows");
	CHECK_I64(dp_unit_l1(&most), INT64_C(8589934590), "L1 does not wrap at 32 bits");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 1}), 1, "L2^2: add or remove a row");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_REPLACE_ONE, 1}), 2, "L2^2: replace a row");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 7}), 49, "L2^2: 7 rows in one cell");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 3037000499}),
			  INT64_C(9223372030926249001), "L2^2: the most that fits");
	CHECK_I64(dp_unit_l2_squared(&(DpUnit){DP_ADD_REMOVE, 3037000500}), INT64_MAX, "and more");
	CHECK_I64(dp_unit_l2_squared(&most), INT64_MAX, "2 (2^32 - 1)^2 does not wrap at 64 bits");
}

/* The largest |u - w|^2 over all ways to put up to rows rows of each unit into three cells. */
static int64_t
worst_l2_squared(DpUnit unit)
{
	const int64_t k = unit.rows_max, other = unit.neighbours == DP_REPLACE_ONE ? k : 0;
	int64_t worst = 0;

	for (int64_t u = 0; u < (k + 1) * (k + 1) * (k + 1); u++)
		for (int64_t w = 0; w < (other + 1) * (other + 1) * (other + 1); w++)
		{
			int64_t come[] = {u % (k + 1), u / (k + 1) % (k + 1), u / (k + 1) / (k + 1)};
			int64_t go[] = {w % (other + 1), w / (other + 1) % (other + 1),
							w / (other + 1) / (other + 1)};
			int64_t sum = 0;

			if (come[0] + come[1] + come[2] > k || go[0] + go[1] + go[2] > other)
				continue;
			for (int i = 0; i < 3; i++)
				sum += (come[i] - go[i]) * (come[i] - go[i]);
			worst = sum > worst ? sum : worst;
		}
	return worst;
}

static void
test_unit_l2(void)
{
	bool attained = true;

	for (uint32_t k = 1; k <= 4; k++)
		for (int neighbours = 0; neighbours < 2; neighbours++)
		{
			DpUnit unit = {(DpNeighbours) neighbours, k};

			attained = attained && dp_unit_l2_squared(&unit) == worst_l2_squared(unit);
		}
	CHECK(attained, "L2^2 is the most that neighbours differ by, by enumeration");
}

static void
test_rows_public(void)
{
	CHECK(dp_unit_rows_public(&(DpUnit){DP_REPLACE_ONE, 1}), "one row replaced: rows are public");
	CHECK(!dp_unit_rows_public(&(DpUnit){DP_REPLACE_ONE, 2}) &&
			  !dp_unit_rows_public(&(DpUnit){DP_ADD_REMOVE, 1}) &&
			  !dp_unit_rows_public(&(DpUnit){DP_REPLACE_ONE, 1, true}),
		  "they are not where a unit can have more or fewer");
	CHECK(!dp_unit_valid(&(DpUnit){DP_ADD_REMOVE, 1, true}), "one unit more is one row more");
}

int
main(void)
{
	test_rows_public();
	test_unit();
	test_unit_l2();
	return unit_finish();
}
