/*
 * query.c -- the statistics behind measures, and what one row can change in them.
 */
#include "core/domain/query.h"

#include <math.h>

#define NANO INT64_C(1000000000)

/* Shares of the budget: of a number that is asked for, of the leaf of a quantile, and of the rows
 * around it. */
#define NUMBER_SHARE 6
#define CHOICE_SHARE 6
#define ZONES_SHARE 5

bool
dp_measure_needs_range(DpMeasureKind kind)
{
	return kind >= DP_SUM;
}

/* ---- what a row adds ---- */

int64_t
dp_statistic_middle(const DpStatistic *statistic)
{
	return (int64_t) (((__int128) statistic->first + statistic->last) >> 1);
}

static int64_t
clamp(const DpStatistic *statistic, int64_t coordinate)
{
	if (coordinate < statistic->first)
		return statistic->first;
	return coordinate > statistic->last ? statistic->last : coordinate;
}

/* |value| <= 2^126, shift <= DP_SHIFT_MAX. */
static __int128
shifted(__int128 value, uint32_t shift)
{
	return shift == 0 ? value : (value + ((__int128) 1 << (shift - 1))) >> shift;
}

/* What dp_statistic_value returns, where it fits 64 bits. */
static __int128
value_of(const DpStatistic *statistic, int64_t coordinate)
{
	__int128 centred = (__int128) clamp(statistic, coordinate) - dp_statistic_middle(statistic);

	switch (statistic->kind)
	{
		case DP_STATISTIC_SUM:
			return shifted(clamp(statistic, coordinate), statistic->shift);
		case DP_STATISTIC_CENTRED:
			return shifted(centred, statistic->shift);
		case DP_STATISTIC_SQUARES:
			return shifted(centred * centred, statistic->shift);
		default:
			return 1;
	}
}

int64_t
dp_statistic_value(const DpStatistic *statistic, int64_t coordinate)
{
	return (int64_t) value_of(statistic, coordinate);
}

uint32_t
dp_statistic_leaf(const DpStatistic *statistic, int64_t coordinate)
{
	unsigned __int128 size =
		(unsigned __int128) ((__int128) statistic->last - statistic->first) + 1;
	unsigned __int128 place =
		(unsigned __int128) ((__int128) clamp(statistic, coordinate) - statistic->first);

	return (uint32_t) ((place << statistic->height) / size);
}

double
dp_statistic_leaf_begin(const DpStatistic *statistic, uint32_t leaf)
{
	unsigned __int128 size =
		(unsigned __int128) ((__int128) statistic->last - statistic->first) + 1;
	unsigned __int128 leaves = (unsigned __int128) 1 << statistic->height;

	/* the least place whose leaf is not below this one */
	return (double) statistic->first + (double) ((leaf * size + leaves - 1) / leaves);
}

void
dp_statistic_bounds(const DpStatistic *statistic, int64_t *least, int64_t *largest)
{
	int64_t low = dp_statistic_value(statistic, statistic->first);
	int64_t high = dp_statistic_value(statistic, statistic->last);

	switch (statistic->kind)
	{
		case DP_STATISTIC_SUM:
		case DP_STATISTIC_CENTRED:
			*least = low;
			*largest = high;
			return;
		case DP_STATISTIC_SQUARES:
			*least = 0;
			*largest = low > high ? low : high;
			return;
		default:
			*least = 0;
			*largest = 1;
	}
}

static bool
fits_bits(__int128 value, uint32_t bits)
{
	return value >= -(INT64_C(1) << bits) && value <= INT64_C(1) << bits;
}

uint32_t
dp_statistic_shift(const DpStatistic *statistic, uint32_t bits)
{
	DpStatistic probe = *statistic;

	for (probe.shift = 0; probe.shift < DP_SHIFT_MAX; probe.shift++)
		if (fits_bits(value_of(&probe, probe.first), bits) &&
			fits_bits(value_of(&probe, probe.last), bits))
			break;
	return probe.shift;
}

/* ---- sensitivity ---- */

int64_t
dp_choice_row_sensitivity(const DpStatistic *statistic)
{
	int64_t q = statistic->quantile_nano;

	return 2 * (q > NANO - q ? q : NANO - q);
}

/* exp(-epsilon gap / (2 sensitivity)), where a row is 2 billion of the unit of scores. */
double
dp_choice_rows(const DpStatistic *statistic)
{
	return (double) dp_choice_row_sensitivity(statistic) / (double) statistic->choice_nano;
}

int64_t
dp_choice_margin_rows(const DpStatistic *statistic)
{
	int64_t sensitivity = dp_choice_row_sensitivity(statistic);

	return statistic->choice_nano < 1 ? 0 : 1 + (sensitivity - 1) / statistic->choice_nano;
}

static int64_t
saturated(__int128 value)
{
	return value > INT64_MAX ? DP_SENSITIVITY_TOO_LARGE : (int64_t) value;
}

static __int128
larger(__int128 a, __int128 b)
{
	return a > b ? a : b;
}

static bool
has_one_cell(const DpStatistic *statistic, DpCellFacts facts)
{
	return facts.single && statistic->kind != DP_STATISTIC_ZONES;
}

int64_t
dp_statistic_most(const DpStatistic *statistic)
{
	int64_t least, largest;

	dp_statistic_bounds(statistic, &least, &largest);
	/* if the range is its middle alone, a row adds 0; the noise is that of one step */
	return (int64_t) larger(1, larger(largest, -(__int128) least));
}

/* What a unit adds is cut at: before that is found, the most that it can be. */
static __int128
unit_most(const DpStatistic *statistic, const DpUnit *unit)
{
	return statistic->unit_max > 0 ? statistic->unit_max
								   : (__int128) unit->rows_max * dp_statistic_most(statistic);
}

/*
 * The vector that a unit adds has an L1 norm of at most C. Under replacement one such vector is
 * exchanged for another. In a single cell both are in [0, C] if no row adds a negative value.
 */
static __int128
bounded_l1(const DpStatistic *statistic, const DpUnit *unit, DpCellFacts facts)
{
	int64_t least, largest;

	dp_statistic_bounds(statistic, &least, &largest);
	if (unit->neighbours == DP_ADD_REMOVE ||
		(has_one_cell(statistic, facts) && (least >= 0 || largest <= 0)))
		return unit_most(statistic, unit);
	return 2 * unit_most(statistic, unit);
}

/*
 * One row moves a cell by at most m. Under replacement up to k rows go and k come. In a single cell
 * a row that goes and one that comes are paired, and each pair moves it by at most the width of the
 * bounds; rows without a partner by m. If each unit has one row that always counts, there are pairs
 * alone.
 */
static __int128
exact_l1(const DpStatistic *statistic, const DpUnit *unit, DpCellFacts facts)
{
	int64_t least, largest;
	__int128 k = unit->rows_max, m = dp_statistic_most(statistic), width;

	if (statistic->by_unit)
		return bounded_l1(statistic, unit, facts);
	dp_statistic_bounds(statistic, &least, &largest);
	width = (__int128) largest - least;
	if (unit->neighbours == DP_ADD_REMOVE)
		return k * m;
	if (!has_one_cell(statistic, facts))
		return 2 * k * m;
	return facts.always && width > 0 ? k * width : k * larger(m, width);
}

int64_t
dp_statistic_l1(const DpStatistic *statistic, const DpUnit *unit, DpCellFacts facts)
{
	return saturated(exact_l1(statistic, unit, facts));
}

/*
 * A vector w is exchanged for a vector u, each with an L1 norm of at most k m. |u - w|^2 = |u|^2 +
 * |w|^2 - 2 u.w, and u.w is at least k^2 least largest if one bound is negative and the other
 * positive, else at least 0. If the vectors of units are clipped to C, |u| and |w| are at most C,
 * and u.w is at least -C^2, or at least 0 if all values have one sign.
 */
int64_t
dp_statistic_l2_squared(const DpStatistic *statistic, const DpUnit *unit, DpCellFacts facts)
{
	__int128 one = exact_l1(statistic, unit, facts), k = unit->rows_max, m;
	int64_t least, largest;

	if (one > (INT64_C(1) << 31))
		return DP_SENSITIVITY_TOO_LARGE;
	if (unit->neighbours == DP_ADD_REMOVE || has_one_cell(statistic, facts))
		return saturated(one * one);
	dp_statistic_bounds(statistic, &least, &largest);
	if (statistic->by_unit)
		return saturated((least < 0 && largest > 0 ? 4 : 2) * unit_most(statistic, unit) *
						 unit_most(statistic, unit));
	m = larger(largest, -(__int128) least);
	return saturated(2 * k * k * (m * m + larger(0, -(__int128) least * largest)));
}

/* ---- coordinates as numbers ---- */

#define SECONDS_OF_2000 946684800.0 /* since 1970 */

static bool
is_date(DpGridKind kind)
{
	return kind == DP_GRID_DATE || kind == DP_GRID_TIMESTAMP || kind == DP_GRID_TIMESTAMPTZ;
}

double
dp_coordinate_unit(const DpGrid *grid)
{
	double step = (double) grid->step;

	if (grid->kind == DP_GRID_NUMBER)
		return grid->digits >= 0 ? step / pow(10, grid->digits) : step * pow(10, -grid->digits);
	return grid->kind == DP_GRID_DATE ? step * 86400 : step / 1000000;
}

double
dp_coordinate_origin(const DpGrid *grid)
{
	return is_date(grid->kind) ? SECONDS_OF_2000 : 0;
}

/* ---- statistics ---- */

DpGrid
dp_statistic_grid(const DpQuery *query, const DpStatistic *statistic)
{
	return statistic->kind >= DP_STATISTIC_SUM ? query->grid[statistic->column]
											   : (DpGrid){.step = 1};
}

int
dp_statistic_find(const DpStatistic *statistic, uint32_t n, DpStatisticKind kind, uint32_t column)
{
	for (uint32_t i = 0; i < n; i++)
		if (statistic[i].kind == kind && statistic[i].column == column)
			return (int) i;
	return -1;
}

int
dp_statistic_find_quantile(const DpStatistic *statistic, uint32_t n, DpStatisticKind kind,
						   uint32_t column, int64_t quantile_nano)
{
	for (uint32_t i = 0; i < n; i++)
		if (statistic[i].kind == kind && statistic[i].column == column &&
			statistic[i].quantile_nano == quantile_nano)
			return (int) i;
	return -1;
}

static void
add(const DpQuery *query, DpStatistic wanted, DpStatistic *statistic, uint32_t *n)
{
	uint32_t column = wanted.column;

	statistic[*n] = wanted;
	if (wanted.kind >= DP_STATISTIC_SUM)
	{
		statistic[*n].first = query->grid[column].first;
		statistic[*n].last = query->grid[column].last;
	}
	(*n)++;
}

/* What two measures need is there once. */
static void
need(const DpQuery *query, DpStatistic wanted, DpStatistic *statistic, uint32_t *n)
{
	if (dp_statistic_find(statistic, *n, wanted.kind, wanted.column) < 0)
		add(query, wanted, statistic, n);
}

/* Whether the mean of a column is measured, from which with the count its sum follows. */
static bool
has_mean(const DpQuery *query, uint32_t column)
{
	for (uint32_t i = 0; i < query->measures; i++)
		if (query->measure[i].column == column && query->measure[i].kind >= DP_AVG &&
			query->measure[i].kind <= DP_STDDEV)
			return true;
	return false;
}

/* The rows with a value are all rows where a column is never NULL. */
static DpStatistic
present(const DpQuery *query, uint32_t column)
{
	bool nullable = query->nullable[column];

	return (DpStatistic){.kind = nullable ? DP_STATISTIC_PRESENT : DP_STATISTIC_ROWS,
						 .column = nullable ? column : DP_NO_COLUMN,
						 .share = NUMBER_SHARE};
}

/* The leaf of the quantile, and then the rows around it. */
static void
need_quantile(const DpQuery *query, const DpMeasure *measure, DpStatistic *statistic, uint32_t *n)
{
	DpStatistic wanted = {.kind = DP_STATISTIC_CHOICE,
						  .column = measure->column,
						  .quantile_nano = measure->quantile_nano,
						  .share = CHOICE_SHARE};

	if (dp_statistic_find_quantile(statistic, *n, wanted.kind, wanted.column,
								   wanted.quantile_nano) >= 0)
		return;
	add(query, wanted, statistic, n);
	wanted.kind = DP_STATISTIC_ZONES;
	wanted.share = ZONES_SHARE;
	add(query, wanted, statistic, n);
}

static void
need_for(const DpQuery *query, const DpMeasure *measure, DpStatistic *statistic, uint32_t *n)
{
	DpStatistic wanted = {.column = measure->column, .share = NUMBER_SHARE};

	switch (measure->kind)
	{
		case DP_COUNT_ROWS:
			need(query, wanted, statistic, n);
			break;
		case DP_COUNT:
			need(query, present(query, wanted.column), statistic, n);
			break;
		case DP_COUNT_DISTINCT:
			wanted.kind = DP_STATISTIC_DISTINCT;
			need(query, wanted, statistic, n);
			break;
		case DP_SUM:
			wanted.kind = DP_STATISTIC_SUM;
			if (!has_mean(query, wanted.column))
				need(query, wanted, statistic, n);
			break;
		case DP_QUANTILE:
			need_quantile(query, measure, statistic, n);
			break;
		case DP_VAR:
		case DP_STDDEV:
			wanted.kind = DP_STATISTIC_SQUARES;
			need(query, wanted, statistic, n);
			DP_FALLTHROUGH;
		case DP_AVG:
			wanted.kind = DP_STATISTIC_CENTRED;
			need(query, wanted, statistic, n);
			need(query, present(query, wanted.column), statistic, n);
	}
}

uint32_t
dp_query_statistics(const DpQuery *query, DpStatistic *statistic)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < query->measures; i++)
		need_for(query, &query->measure[i], statistic, &n);
	return n;
}
