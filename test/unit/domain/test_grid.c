/*
 * test_grid.c -- values of grids as texts, at all coordinates.
 */
#include "core/base/code_key.h"
#include "core/base/prng.h"
#include "core/domain/grid.h"

#include "unit.h"

static void
expect(DpGridKind kind, int64_t step, int digits, int64_t coordinate, const char *text)
{
	DpGrid grid = {
		.kind = kind, .first = coordinate, .last = coordinate, .step = step, .digits = digits};
	char buffer[DP_GRID_TEXT_BYTES];

	CHECK_OK(dp_grid_check(&grid, NULL), "the grid of %s is valid", text);
	CHECK_I64(dp_grid_print(&grid, coordinate, buffer), strlen(text), "the length of %s", text);
	CHECK_STRING(buffer, text, "%s is printed", text);
}

static void
test_texts(void)
{
	expect(DP_GRID_NUMBER, 1, 0, 0, "0");
	expect(DP_GRID_NUMBER, 1, 0, -7, "-7");
	expect(DP_GRID_NUMBER, 1, 0, INT64_MIN, "-9223372036854775808");
	expect(DP_GRID_NUMBER, 1, 0, INT64_MAX, "9223372036854775807");
	expect(DP_GRID_NUMBER, 25, 2, 5, "1.25");
	expect(DP_GRID_NUMBER, 25, 2, -2, "-0.5");
	expect(DP_GRID_NUMBER, 1, 2, 100, "1");
	expect(DP_GRID_NUMBER, 1, 2, 0, "0");
	expect(DP_GRID_NUMBER, 1, 30, -1, "-0.000000000000000000000000000001");
	expect(DP_GRID_NUMBER, 5, -3, 7, "35000");
	expect(DP_GRID_NUMBER, 1, -3, 0, "0");
	expect(DP_GRID_NUMBER, 1, -30, INT64_MIN, "-9223372036854775808000000000000000000000000000000");
	expect(DP_GRID_DATE, 1, 0, 0, "2000-01-01");
	expect(DP_GRID_DATE, 1, 0, 59, "2000-02-29");
	expect(DP_GRID_DATE, 7, 0, 1, "2000-01-08");
	expect(DP_GRID_DATE, 1, 0, -730119, "0001-01-01");
	expect(DP_GRID_DATE, 1, 0, -730120, "0001-12-31 BC");
	expect(DP_GRID_DATE, 1, 0, -2451545, "4714-11-24 BC");
	expect(DP_GRID_DATE, 1, 0, 2145031948, "5874897-12-31");
	expect(DP_GRID_TIMESTAMP, 1, 0, 0, "2000-01-01 00:00:00");
	expect(DP_GRID_TIMESTAMP, 1, 0, -1, "1999-12-31 23:59:59.999999");
	expect(DP_GRID_TIMESTAMP, 1000000, 0, -1, "1999-12-31 23:59:59");
	expect(DP_GRID_TIMESTAMP, 1, 0, INT64_C(-211813488000000000), "4714-11-24 00:00:00 BC");
	expect(DP_GRID_TIMESTAMP, 1, 0, INT64_C(9223371331199999999), "294276-12-31 23:59:59.999999");
	expect(DP_GRID_TIMESTAMPTZ, 500000, 0, 3, "2000-01-01 00:00:01.5+00");
	expect(DP_GRID_TIMESTAMPTZ, 1, 0, INT64_C(-211813488000000000), "4714-11-24 00:00:00+00 BC");
	expect(DP_GRID_TIME, 60000000, 0, 61, "01:01:00");
	expect(DP_GRID_TIME, 60000000, 0, 1440, "24:00:00");
	expect(DP_GRID_TIMETZ, 1, 0, 1, "00:00:00.000001+00");
	expect(DP_GRID_INTERVAL, 1, 0, -1500000, "-00:00:01.5");
	expect(DP_GRID_INTERVAL, 3600000000, 0, 1000, "1000:00:00");
	expect(DP_GRID_INTERVAL, 1, 0, INT64_MAX, "2562047788:00:54.775807");
}

/* Texts of any coordinates of all kinds fit, and those of neighbours differ. */
static void
test_any_coordinates(void)
{
	const DpGrid grids[] = {
		{DP_GRID_NUMBER, INT64_MIN, INT64_MAX, 1, 9},
		{DP_GRID_NUMBER, -1000000, 1000000, 7, 30},
		{DP_GRID_NUMBER, -1000000, 1000000, 7, -30},
		{DP_GRID_DATE, -2451545, 2145031948, 1, 0},
		{DP_GRID_TIMESTAMP, INT64_C(-211813488000000000), INT64_C(9223371331199999999), 1, 0},
		{DP_GRID_TIMESTAMPTZ, -211813488, INT64_C(9223371331), 1000000000, 0},
		{DP_GRID_TIME, 0, INT64_C(86400000000), 1, 0},
		{DP_GRID_TIMETZ, 0, 86400, 1000000, 0},
		{DP_GRID_INTERVAL, -INT64_MAX, INT64_MAX, 1, 0},
	};
	DpPrng prng;
	char text[DP_GRID_TEXT_BYTES], next[DP_GRID_TEXT_BYTES];

	dp_prng_seed(&prng, (DpStream){.seed = 1});
	for (size_t g = 0; g < sizeof(grids) / sizeof(*grids); g++)
	{
		int failures = dp_grid_check(&grids[g], NULL) != DP_OK;

		for (int i = 0; i < 20000; i++)
		{
			uint64_t size = dp_grid_size(&grids[g]);
			/* all sizes of coordinates, not only large ones */
			uint64_t place = dp_prng_below(&prng, size) >> (i % 3 == 0 ? i % 64 : 0);
			int64_t c = (int64_t) ((uint64_t) grids[g].first + place);
			int64_t beside = c == grids[g].last ? c - 1 : c + 1;

			failures += dp_grid_print(&grids[g], c, text) >= sizeof(text) ||
						dp_grid_print(&grids[g], beside, next) >= sizeof(next) ||
						strcmp(text, next) == 0;
		}
		CHECK_I64(failures, 0, "coordinates of grid %zu are told apart", g);
	}
}

static void
test_check(void)
{
	const DpGrid bad[] = {
		{DP_GRID_NUMBER, 1, 0, 1, 0},
		{DP_GRID_NUMBER, 0, 1, 0, 0},
		{DP_GRID_NUMBER, 0, 1, -1, 0},
		{DP_GRID_NUMBER, 0, 1, 1, 31},
		{DP_GRID_NUMBER, 0, 1, 1, -31},
		{DP_GRID_DATE, 0, 1, 1, 1},
		{DP_GRID_TIME, -1, 1, 1, 0},
		{DP_GRID_TIME, 0, INT64_C(86400000001), 1, 0},
		{DP_GRID_DATE, 0, INT64_MAX, 1, 0},
		{DP_GRID_NUMBER, 0, INT64_MAX, 2, 0},
		{DP_GRID_NUMBER, INT64_MIN, 0, 2, 0},
		{(DpGridKind) 7, 0, 1, 1, 0},
		{DP_GRID_TIMESTAMP, 0, INT64_MAX, 1, 0},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(dp_grid_check(&bad[i], NULL) != DP_OK, "bad grid %zu is refused", i);
}

static void
test_same(void)
{
	const DpGrid grid = {DP_GRID_NUMBER, 1, 9, 2, 1};
	DpGrid others[] = {grid, grid, grid, grid, grid};

	others[0].kind = DP_GRID_DATE;
	others[1].first++;
	others[2].last++;
	others[3].step++;
	others[4].digits++;
	CHECK(dp_grid_same(&grid, &(DpGrid){DP_GRID_NUMBER, 1, 9, 2, 1}),
		  "a grid is the same as its copy");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		CHECK(!dp_grid_same(&grid, &others[i]), "but not with another member %zu", i);
}

int
main(void)
{
	test_texts();
	test_any_coordinates();
	test_check();
	test_same();
	return unit_finish();
}
