/*
 * test_query.c -- reading measures, what a row adds to a statistic, and how far a unit can move it.
 */
#include "core/domain/query.h"

#include "unit.h"

static void
check_reads(DpArena *arena, const char *text, const char *written)
{
	DpMeasure measure;
	const char *column, *again = NULL;
	DpError error = {0};
	DpStatus status = dp_measure_read(text, &measure, &column, arena, &error);

	if (written == NULL)
	{
		CHECK_STATUS(status, DP_ERR_ARGUMENT, "%s is refused", text);
		return;
	}
	if (CHECK(status == DP_OK, "%s is read", text))
	{
		MUST(dp_measure_write(&measure, column, &again, arena));
		CHECK(strcmp(again, written) == 0, "and written as %s", written);
	}
}

static void
test_reading(DpArena *arena)
{
	check_reads(arena, "count(*)", "count(*)");
	check_reads(arena, " COUNT ( * ) ", "count(*)");
	check_reads(arena, "count(Ward)", "count(ward)");
	check_reads(arena, "count(distinct x)", "count(distinct x)");
	check_reads(arena, "count(distinct)", "count(distinct)");
	check_reads(arena, "sum(\"A \"\"b\"\"\")", "sum(\"A \"\"b\"\"\")");
	check_reads(arena, "Median(x)", "median(x)");
	check_reads(arena, "quantile(x, .5)", "median(x)");
	check_reads(arena, "quantile(x,0.90)", "quantile(x, 0.9)");
	check_reads(arena, "stddev(x)", "stddev(x)");
	check_reads(arena, "", NULL);
	check_reads(arena, "count", NULL);
	check_reads(arena, "count()", NULL);
	check_reads(arena, "sum(*)", NULL);
	check_reads(arena, "min(x)", NULL);
	check_reads(arena, "sum(x) FROM t", NULL);
	check_reads(arena, "sum(x); DROP TABLE t", NULL);
	check_reads(arena, "sum(x + 1)", NULL);
	check_reads(arena, "sum(\"x)", NULL);
	check_reads(arena, "sum(\"\")", NULL);
	check_reads(arena, "quantile(x)", NULL);
	check_reads(arena, "quantile(x, 0)", NULL);
	check_reads(arena, "quantile(x, 1)", NULL);
	check_reads(arena, "quantile(x, 1e-3)", NULL);
	check_reads(arena, "median(x, 0.5)", NULL);
}

/* ---- what a row adds ---- */

static void
test_clamped(void)
{
	DpStatistic sum = {.kind = DP_STATISTIC_SUM, .first = -5, .last = 20};
	DpStatistic squares = {.kind = DP_STATISTIC_SQUARES, .first = -5, .last = 20};
	DpStatistic wide = {.kind = DP_STATISTIC_SUM, .first = INT64_MIN, .last = INT64_MAX};
	DpStatistic leaves = {.kind = DP_STATISTIC_CHOICE, .height = 3, .first = -5, .last = 20};
	int64_t least, largest;
	bool inside = true, ascending = true;

	CHECK_I64(dp_statistic_value(&sum, INT64_MAX), 20, "a value above the range is clamped");
	CHECK_I64(dp_statistic_value(&sum, INT64_MIN), -5, "and one below");
	CHECK_I64(dp_statistic_value(&squares, 1000), 13 * 13, "squares are of the distance, clamped");
	dp_statistic_bounds(&squares, &least, &largest);
	CHECK(least == 0 && largest == 169, "which bounds them");
	squares.shift = 3;
	CHECK_I64(dp_statistic_value(&squares, 20), (169 + 4) / 8, "it is the square that is rounded");
	wide.kind = DP_STATISTIC_SQUARES;
	wide.shift = dp_statistic_shift(&wide, 36);
	CHECK(wide.shift == 90 && dp_statistic_value(&wide, INT64_MIN) == INT64_C(1) << 36,
		  "a square of 126 bits, too: %u", wide.shift);
	wide.kind = DP_STATISTIC_SUM;
	wide.shift = dp_statistic_shift(&wide, 20);
	dp_statistic_bounds(&wide, &least, &largest);
	CHECK(largest <= 1 << 20 && least >= -(1 << 20) && largest > 1 << 18,
		  "a wide range is shifted to its bits");
	for (int64_t c = -10; c <= 25; c++)
	{
		uint32_t leaf = dp_statistic_leaf(&leaves, c);

		inside = inside && leaf < 8;
		ascending = ascending && leaf >= dp_statistic_leaf(&leaves, c - 1);
		if (c >= -5 && c <= 20)
			inside = inside && dp_statistic_leaf_begin(&leaves, leaf) <= (double) c &&
					 dp_statistic_leaf_begin(&leaves, leaf + 1) > (double) c;
	}
	CHECK(inside && ascending, "each value has its leaf");
}

/* ---- what a unit changes ---- */

#define CELLS 2
#define ROWS 2 /* of a unit, at most */

/* All units of up to that many rows, each in a cell with a value or in none: what they add. */
static uint32_t
units(const DpStatistic *statistic, uint32_t cells, bool always, int64_t (*out)[CELLS])
{
	int64_t span = statistic->last - statistic->first + 3;
	uint32_t places = cells * (uint32_t) span + 1, n = 0;

	for (uint32_t one = 0; one < places; one++)
		for (uint32_t two = 0; two < (always ? 1 : places); two++)
		{
			uint32_t place[ROWS] = {one, two};
			int64_t sum[CELLS] = {0};

			if (always && one == 0)
				continue;
			for (uint32_t r = 0; r < ROWS; r++)
				if (place[r] > 0)
					sum[(place[r] - 1) / span] +=
						dp_statistic_value(statistic, statistic->first - 1 + (place[r] - 1) % span);
			memcpy(out[n++], sum, sizeof(sum));
		}
	return n;
}

static void
check_sensitivity(DpStatistic statistic, DpUnit unit, DpCellFacts facts)
{
	static int64_t added[4096][CELLS];
	uint32_t cells = facts.single ? 1 : CELLS;
	uint32_t n = units(&statistic, cells, facts.always, added);
	int64_t l1 = dp_statistic_l1(&statistic, &unit, facts);
	int64_t l2 = dp_statistic_l2_squared(&statistic, &unit, facts);
	int64_t most_l1 = 0, most_l2 = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < (unit.neighbours == DP_ADD_REMOVE ? 1 : n); j++)
		{
			int64_t one = 0, two = 0;

			for (uint32_t c = 0; c < cells; c++)
			{
				int64_t moved = added[i][c] - (unit.neighbours == DP_ADD_REMOVE ? 0 : added[j][c]);

				one += moved < 0 ? -moved : moved;
				two += moved * moved;
			}
			most_l1 = one > most_l1 ? one : most_l1;
			most_l2 = two > most_l2 ? two : most_l2;
		}
	CHECK(most_l1 == l1 || (facts.always && most_l1 < l1 && most_l1 == 0),
		  "kind %d of %lld..%lld, %s%s%s: L1 is %lld, attained", (int) statistic.kind,
		  (long long) statistic.first, (long long) statistic.last,
		  unit.neighbours == DP_ADD_REMOVE ? "add/remove" : "replace",
		  facts.single ? ", one cell" : "", facts.always ? ", always" : "", (long long) l1);
	CHECK(most_l2 <= l2 && (most_l2 == l2 || unit.neighbours == DP_REPLACE_ONE),
		  "and L2 squared at most %lld", (long long) l2);
}

/* What a release is planned for covers every bound of a unit's sum that it can find. */
static void
check_plans_for(DpStatistic statistic, DpUnit unit, DpCellFacts facts)
{
	int64_t most = dp_statistic_most(&statistic) * unit.rows_max;
	DpStatistic found = statistic;

	for (found.unit_max = 1; found.unit_max <= most; found.unit_max++)
		CHECK(dp_statistic_l1(&found, &unit, facts) <= dp_statistic_l1(&statistic, &unit, facts) &&
				  dp_statistic_l2_squared(&found, &unit, facts) <=
					  dp_statistic_l2_squared(&statistic, &unit, facts),
			  "a sum of %lld..%lld, cut at %lld, %s%s, moves no further than was planned for",
			  (long long) statistic.first, (long long) statistic.last, (long long) found.unit_max,
			  unit.neighbours == DP_ADD_REMOVE ? "add/remove" : "replace",
			  facts.single ? ", one cell" : "");
	CHECK_I64(dp_statistic_l1(&found, &unit, facts) > dp_statistic_l1(&statistic, &unit, facts), 1,
			  "which covers no more than these");
}

static void
test_plans_for_bounds(void)
{
	static const int64_t ranges[][2] = {{0, 5}, {-2, 4}, {-7, -3}, {-1, 100}, {-4, 4}};
	static const DpNeighbours neighbours[] = {DP_ADD_REMOVE, DP_REPLACE_ONE};

	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
		for (size_t i = 0; i < 4; i++)
			check_plans_for((DpStatistic){.kind = DP_STATISTIC_SUM,
										  .first = ranges[r][0],
										  .last = ranges[r][1],
										  .by_unit = true},
							(DpUnit){neighbours[i / 2], 3}, (DpCellFacts){i % 2 == 0, false});
}

static void
test_sensitivity(void)
{
	static const int64_t ranges[][2] = {{0, 5}, {-2, 4}, {-7, -3}, {3, 9}, {-4, 1}};
	static const DpStatisticKind kinds[] = {DP_STATISTIC_PRESENT, DP_STATISTIC_SUM,
											DP_STATISTIC_CENTRED, DP_STATISTIC_SQUARES};

	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		{
			DpStatistic statistic = {.kind = kinds[k], .first = ranges[r][0], .last = ranges[r][1]};

			check_sensitivity(statistic, (DpUnit){DP_ADD_REMOVE, ROWS},
							  (DpCellFacts){false, false});
			check_sensitivity(statistic, (DpUnit){DP_REPLACE_ONE, ROWS},
							  (DpCellFacts){false, false});
			check_sensitivity(statistic, (DpUnit){DP_REPLACE_ONE, ROWS},
							  (DpCellFacts){true, false});
			check_sensitivity(statistic, (DpUnit){DP_REPLACE_ONE, 1}, (DpCellFacts){true, true});
		}
	CHECK_I64(dp_statistic_l1(&(DpStatistic){.kind = DP_STATISTIC_ZONES, .height = 3},
							  &(DpUnit){DP_REPLACE_ONE, 3}, (DpCellFacts){true, false}),
			  6, "rows that go and come can be in different zones, where there is one group, too");
	CHECK_I64(dp_statistic_l2_squared(&(DpStatistic){.kind = DP_STATISTIC_ZONES, .height = 3},
									  &(DpUnit){DP_REPLACE_ONE, 3}, (DpCellFacts){true, false}),
			  18, "and their squares with them");
	CHECK_I64(dp_statistic_l1(&(DpStatistic){.kind = DP_STATISTIC_SUM, .last = INT64_MAX / 2},
							  &(DpUnit){DP_REPLACE_ONE, 1000}, (DpCellFacts){false, false}),
			  INT64_MAX, "what does not fit is the largest number");
}

/* Each quantile has a choice and the rows around it. */
static void
test_statistics(void)
{
	DpGrid grid[] = {{.first = 0, .last = 9, .step = 1}};
	bool nullable[] = {true};
	DpMeasure measure[DP_MEASURES_MAX];
	DpStatistic statistic[DP_STATISTICS_MAX];
	DpQuery query = {.measures = 4, .measure = measure, .grid = grid, .nullable = nullable};
	uint32_t n;

	for (uint32_t i = 0; i < 4; i++)
		measure[i] = (DpMeasure){.kind = DP_QUANTILE, .quantile_nano = 100000000 * (1 + i / 2)};
	n = dp_query_statistics(&query, statistic);
	CHECK_I64(n, 4, "two quantiles, asked for twice, need a choice and zones each");
	CHECK(dp_statistic_find_quantile(statistic, n, DP_STATISTIC_CHOICE, 0, 200000000) == 2 &&
			  dp_statistic_find_quantile(statistic, n, DP_STATISTIC_ZONES, 0, 200000000) == 3 &&
			  dp_statistic_find_quantile(statistic, n, DP_STATISTIC_CHOICE, 0, 300000000) < 0,
		  "which are found by quantile");
	CHECK_I64(dp_choice_row_sensitivity(&statistic[2]), 1600000000, "0.8 rows, in half billionths");
	statistic[2].choice_nano = 100000000;
	CHECK_I64(dp_choice_margin_rows(&statistic[2]), 16, "a margin of 2 x 0.8 / epsilon rows");
	measure[4] = (DpMeasure){.kind = DP_AVG};
	query.measures = 5;
	CHECK_I64(dp_query_statistics(&query, statistic), 6,
			  "a mean needs a sum and a count beside them");
	for (uint32_t i = 0; i < DP_MEASURES_MAX; i++)
		measure[i] = (DpMeasure){.kind = DP_QUANTILE, .quantile_nano = 1 + i};
	query.measures = DP_MEASURES_MAX;
	CHECK_I64(dp_query_statistics(&query, statistic), 2 * DP_MEASURES_MAX, "there is room for all");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_reading(&arena);
	test_clamped();
	test_sensitivity();
	test_plans_for_bounds();
	test_statistics();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
