/*
 * test_sums.c -- what a unit adds to sums that are cut by unit, for all units of a small domain; and
 * the numbers of units by size.
 */
#include "core/exact/sums.h"

#include "unit.h"

#define CELLS 2
#define ROWS 3 /* of a unit, at most */
#define UNITS_MAX 4096

typedef struct Unit
{
	uint32_t rows;
	uint64_t cell[ROWS];
	int64_t value[ROWS];
	int64_t added[CELLS]; /* to sums that nothing else is in */
	uint32_t class;
} Unit;

static void
add_unit(DpSums *sums, const Unit *unit)
{
	static const bool present[] = {true};
	static const uint32_t code[] = {0};

	for (uint32_t r = 0; r < unit->rows; r++)
		dp_sums_add(sums, &(DpSumRow){unit->cell[r], present, &unit->value[r], code});
	dp_sums_end_unit(sums);
}

/* All units: each row in one of the cells, with one of the values of the range. */
static uint32_t
make_units(const DpStatistic *statistic, uint32_t cells, Unit *unit)
{
	int64_t span = statistic->last - statistic->first + 1;
	uint32_t places = cells * (uint32_t) span, n = 0, combinations = 1;

	for (uint32_t rows = 0; rows <= ROWS; rows++, combinations *= places)
		for (uint32_t c = 0; c < combinations && n < UNITS_MAX; c++)
		{
			Unit one = {.rows = rows};

			for (uint32_t r = 0, at = c; r < rows; r++, at /= places)
			{
				one.cell[r] = at % places / span;
				one.value[r] = statistic->first + at % places % span;
			}
			unit[n++] = one;
		}
	return n;
}

static void
measure_unit(const DpStatistic *statistic, uint32_t cells, Unit *unit, DpArena *arena)
{
	DpDomain domain = {.attributes = 0};
	DpUnitSizes sizes = {1, ROWS * dp_statistic_most(statistic)};
	DpSums sums;

	MUST(dp_sums_init(&sums, statistic, 1, &domain, cells, arena));
	add_unit(&sums, unit);
	dp_sums_read(&sums, 0, unit->added);
	MUST(dp_sums_init_sizes(&sums, statistic, 1, &sizes, cells, arena));
	add_unit(&sums, unit);
	unit->class = DP_UNIT_CLASSES_MAX;
	for (uint32_t i = 0, found = 0; i < dp_unit_classes(sizes); i++)
		if (sums.of[0].units[i] != 0)
		{
			unit->class = i;
			CHECK(found++ == 0 && sums.of[0].units[i] == 1, "a unit is in one class, once");
		}
}

static int64_t
absolute(int64_t value)
{
	return value < 0 ? -value : value;
}

/* What is cut is in proportion, and what is not is as it was. */
static void
check_cut(const DpStatistic *statistic, const Unit *unit)
{
	int64_t whole[CELLS] = {0}, size, added;
	bool fits;

	for (uint32_t r = 0; r < unit->rows; r++)
		whole[unit->cell[r]] += unit->value[r];
	size = absolute(whole[0]) + absolute(whole[1]);
	added = absolute(unit->added[0]) + absolute(unit->added[1]);
	fits = size <= statistic->unit_max;
	for (uint32_t c = 0; c < CELLS; c++)
		if (unit->added[c] != (fits ? whole[c] : whole[c] * statistic->unit_max / size))
			CHECK(false, "%lld of %lld and %lld are cut at %lld", (long long) whole[c],
				  (long long) whole[0], (long long) whole[1], (long long) statistic->unit_max);
	if (added > statistic->unit_max || (!fits && added < statistic->unit_max - (CELLS - 1)))
		CHECK(false, "a unit adds %lld of %lld", (long long) added,
			  (long long) statistic->unit_max);
}

static void
check_neighbours(const DpStatistic *statistic, const Unit *unit, uint32_t n, bool single,
				 DpNeighbours neighbours)
{
	DpUnit protected = {neighbours, ROWS};
	DpCellFacts facts = {.single = single};
	int64_t l1 = dp_statistic_l1(statistic, &protected, facts);
	int64_t l2 = dp_statistic_l2_squared(statistic, &protected, facts);
	int64_t most_l1 = 0, most_l2 = 0;

	for (uint32_t i = 0; i < n; i++) /* the first one has no row */
		for (uint32_t j = 0; j < (neighbours == DP_ADD_REMOVE ? 1 : n); j++)
		{
			int64_t a = unit[i].added[0] - unit[j].added[0];
			int64_t b = unit[i].added[1] - unit[j].added[1];

			most_l1 = absolute(a) + absolute(b) > most_l1 ? absolute(a) + absolute(b) : most_l1;
			most_l2 = a * a + b * b > most_l2 ? a * a + b * b : most_l2;
		}
	CHECK(most_l1 <= l1 && most_l2 <= l2,
		  "cut at %lld, %lld..%lld%s%s: L1 %lld of %lld, L2 squared %lld of %lld",
		  (long long) statistic->unit_max, (long long) statistic->first,
		  (long long) statistic->last, single ? ", one cell" : "",
		  neighbours == DP_ADD_REMOVE ? "" : ", replaced", (long long) most_l1, (long long) l1,
		  (long long) most_l2, (long long) l2);
	if (statistic->unit_max <= dp_statistic_most(statistic))
		CHECK_I64(most_l1, l1, "a unit can do so much");
}

static void
test_units(DpStatistic statistic, bool single, DpArena *arena)
{
	static Unit unit[UNITS_MAX];
	uint32_t n = make_units(&statistic, single ? 1 : CELLS, unit);

	for (uint32_t i = 0; i < n; i++)
	{
		measure_unit(&statistic, CELLS, &unit[i], arena);
		check_cut(&statistic, &unit[i]);
	}
	check_neighbours(&statistic, unit, n, single, DP_ADD_REMOVE);
	check_neighbours(&statistic, unit, n, single, DP_REPLACE_ONE);
}

/* Units add up: what one adds does not depend on the others. */
static void
test_together(DpArena *arena)
{
	DpStatistic statistic = {
		.kind = DP_STATISTIC_SUM, .first = -9, .last = 9, .by_unit = true, .unit_max = 7};
	Unit unit[] = {{3, {0, 1, 0}, {9, -9, 9}, {0}, 0},
				   {1, {1}, {5}, {0}, 0},
				   {0, {0}, {0}, {0}, 0},
				   {2, {0, 0}, {9, -9}, {0}, 0}};
	DpDomain domain = {.attributes = 0};
	int64_t sum[CELLS], alone[CELLS] = {0};
	DpSums sums;

	MUST(dp_sums_init(&sums, &statistic, 1, &domain, CELLS, arena));
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
	{
		measure_unit(&statistic, CELLS, &unit[i], arena);
		alone[0] += unit[i].added[0];
		alone[1] += unit[i].added[1];
		add_unit(&sums, &unit[i]);
	}
	dp_sums_read(&sums, 0, sum);
	CHECK_I64(sum[0], alone[0], "units add up");
	CHECK_I64(sum[1], alone[1], "in each group");
	CHECK(unit[3].class == DP_UNIT_CLASSES_MAX && unit[2].class == DP_UNIT_CLASSES_MAX,
		  "who adds nothing is in no class");
}

/* Products that 128 bits do not hold. */
static void
test_large(DpArena *arena)
{
	DpStatistic statistic = {.kind = DP_STATISTIC_SUM,
							 .first = INT64_MIN / 4,
							 .last = INT64_MAX / 4,
							 .by_unit = true,
							 .unit_max = INT64_MAX / 8};
	DpDomain domain = {.attributes = 0};
	Unit unit = {3, {0, 0, 1}, {INT64_MAX / 4, INT64_MAX / 4, INT64_MIN / 4}, {0}, 0};
	DpSums sums;

	MUST(dp_sums_init(&sums, &statistic, 1, &domain, CELLS, arena));
	for (int i = 0; i < 1000; i++)
	{
		unit.value[2] = i % 2 == 0 ? INT64_MIN / 4 : INT64_MAX / 4;
		for (uint32_t r = 0; r < unit.rows; r++)
			dp_sums_add(&sums,
						&(DpSumRow){unit.cell[r], (bool[]){true}, &unit.value[r], (uint32_t[]){0}});
	}
	dp_sums_end_unit(&sums);
	dp_sums_read(&sums, 0, unit.added);
	CHECK(absolute(unit.added[0]) + absolute(unit.added[1]) <= statistic.unit_max &&
			  unit.added[0] > statistic.unit_max / 8 * 7,
		  "large sums are cut, too: %lld and %lld", (long long) unit.added[0],
		  (long long) unit.added[1]);
}

int
main(void)
{
	static const int64_t ranges[][2] = {{0, 3}, {-2, 2}, {-3, -1}, {2, 4}, {-1, 3}};
	DpArena arena = dp_arena_malloc();

	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
		for (int64_t most = 1; most <= 7; most += 2)
		{
			DpStatistic statistic = {.kind = DP_STATISTIC_SUM,
									 .first = ranges[r][0],
									 .last = ranges[r][1],
									 .by_unit = true,
									 .unit_max = most};

			test_units(statistic, false, &arena);
			test_units(statistic, true, &arena);
		}
	test_together(&arena);
	test_large(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
