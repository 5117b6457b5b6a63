/*
 * sums.c -- exact statistics of groups of rows.
 */
#include "core/exact/sums.h"

#include "core/base/saturate.h"
#include "core/domain/query.h"

/* Levels that a distinct value can be. */
static uint32_t
levels_listed(const DpAttribute *attribute)
{
	return attribute->levels - (attribute->has_other ? 1 : 0);
}

static bool
is_sum(DpStatisticKind kind)
{
	return kind < DP_STATISTIC_CHOICE && kind != DP_STATISTIC_DISTINCT;
}

/* The choice that has the leaves of its column. */
static uint32_t
first_choice(const DpStatistic *statistic, uint32_t n, uint32_t i)
{
	return (uint32_t) dp_statistic_find(statistic, n, DP_STATISTIC_CHOICE, statistic[i].column);
}

/* It is read from the leaves of a choice. */
static bool
has_no_cells(const DpStatistic *statistic, uint32_t n, uint32_t i)
{
	return statistic[i].kind == DP_STATISTIC_ZONES ||
		   (statistic[i].kind == DP_STATISTIC_CHOICE && first_choice(statistic, n, i) != i);
}

static DpStatus
sums_start(DpSums *sums, const DpStatistic *statistic, uint32_t n, uint64_t cells, DpArena *arena)
{
	*sums = (DpSums){.n = n, .statistic = statistic, .cells = cells};
	sums->of = dp_alloc(arena, n, sizeof(*sums->of));
	if (sums->of == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < n; i++)
	{
		if (!statistic[i].by_unit)
			continue;
		sums->by_unit = true;
		sums->of[i].of_unit = dp_alloc(arena, cells, sizeof(*sums->of[i].of_unit));
		if (sums->of[i].of_unit == NULL)
			return DP_ERR_MEMORY;
	}
	if (!sums->by_unit)
		return DP_OK;
	sums->unit.cell = dp_alloc(arena, cells, sizeof(*sums->unit.cell));
	sums->unit.is_in = dp_alloc(arena, cells, sizeof(*sums->unit.is_in));
	return sums->unit.cell == NULL || sums->unit.is_in == NULL ? DP_ERR_MEMORY : DP_OK;
}

DpStatus
dp_sums_init_sizes(DpSums *sums, const DpStatistic *statistic, uint32_t n, const DpUnitSizes *sizes,
				   uint64_t cells, DpArena *arena)
{
	DP_TRY(sums_start(sums, statistic, n, cells, arena));
	for (uint32_t i = 0; i < n; i++)
	{
		if (!statistic[i].by_unit)
			continue;
		sums->of[i].sizes = sizes[i];
		sums->of[i].units = dp_alloc(arena, dp_unit_classes(sizes[i]), sizeof(*sums->of[i].units));
		if (sums->of[i].units == NULL)
			return DP_ERR_MEMORY;
	}
	return DP_OK;
}

DpStatus
dp_sums_init(DpSums *sums, const DpStatistic *statistic, uint32_t n, const DpDomain *domain,
			 uint64_t cells, DpArena *arena)
{
	DP_TRY(sums_start(sums, statistic, n, cells, arena));
	for (uint32_t i = 0; i < n; i++)
	{
		DpSumCells *of = &sums->of[i];

		if (has_no_cells(statistic, n, i))
			continue;
		if (is_sum(statistic[i].kind))
			of->sum = dp_alloc(arena, cells, sizeof(*of->sum));
		else if (statistic[i].kind == DP_STATISTIC_CHOICE)
			of->leaf = dp_alloc(arena, cells << statistic[i].height, sizeof(*of->leaf));
		else
		{
			of->levels = levels_listed(&domain->attribute[statistic[i].column]);
			of->seen = dp_alloc(arena, cells * of->levels, 1);
		}
		if (of->sum == NULL && of->leaf == NULL && of->seen == NULL)
			return DP_ERR_MEMORY;
	}
	return DP_OK;
}

/* ---- rows of one unit ---- */

static void
unit_enters(DpUnitCells *unit, uint64_t cell)
{
	if (unit->is_in[cell])
		return;
	unit->is_in[cell] = true;
	unit->cell[unit->n++] = cell;
}

static unsigned __int128
absolute(__int128 value)
{
	return value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;
}

static unsigned __int128
size_of_unit(const DpUnitCells *unit, const DpWideSum *of_unit)
{
	unsigned __int128 size = 0;

	for (uint64_t i = 0; i < unit->n; i++)
		size += absolute(of_unit[unit->cell[i]]);
	return size;
}

/* value most / size, rounded towards 0, where |value| <= size. If the product would overflow, low
 * bits are dropped: the value is rounded down and the size up. */
static __int128
scaled(__int128 value, int64_t most, unsigned __int128 size)
{
	unsigned __int128 part = absolute(value);
	uint32_t shift = 0;

	while (size >> shift > INT64_MAX - 1)
		shift++;
	part = (part >> shift) * (unsigned __int128) most / ((size >> shift) + (shift > 0));
	return value < 0 ? -(__int128) part : (__int128) part;
}

static void
take_unit(const DpUnitCells *unit, int64_t most, DpSumCells *of)
{
	unsigned __int128 size = size_of_unit(unit, of->of_unit);
	bool over = most > 0 && size > (unsigned __int128) most;

	if (of->units != NULL && size > 0)
		of->units[dp_unit_class(of->sizes, size)]++;
	for (uint64_t i = 0; i < unit->n; i++)
	{
		DpWideSum *value = &of->of_unit[unit->cell[i]];

		if (of->units == NULL)
			of->sum[unit->cell[i]] += over ? scaled(*value, most, size) : *value;
		*value = 0;
	}
}

void
dp_sums_end_unit(DpSums *sums)
{
	DpUnitCells *unit = &sums->unit;

	for (uint32_t i = 0; i < sums->n; i++)
		if (sums->statistic[i].by_unit)
			take_unit(unit, sums->statistic[i].unit_max, &sums->of[i]);
	for (uint64_t i = 0; i < unit->n; i++)
		unit->is_in[unit->cell[i]] = false;
	unit->n = 0;
}

/* ---- rows ---- */

/* Whether a statistic is not one for which units are counted by size. */
static bool
is_left_out(const DpSums *sums, uint32_t i)
{
	return sums->of[i].sum == NULL && sums->of[i].leaf == NULL && sums->of[i].seen == NULL &&
		   sums->of[i].of_unit == NULL;
}

void
dp_sums_add(DpSums *sums, const DpSumRow *row)
{
	sums->rows++;
	if (sums->by_unit)
		unit_enters(&sums->unit, row->cell);
	for (uint32_t i = 0; i < sums->n; i++)
	{
		const DpStatistic *statistic = &sums->statistic[i];
		DpSumCells *of = &sums->of[i];
		uint32_t x = statistic->column;

		if (is_left_out(sums, i) || (statistic->kind != DP_STATISTIC_ROWS && !row->present[x]))
			continue;
		if (statistic->kind >= DP_STATISTIC_CHOICE)
			of->leaf[(row->cell << statistic->height) +
					 dp_statistic_leaf(statistic, row->coordinate[x])]++;
		else if (statistic->kind == DP_STATISTIC_DISTINCT)
		{
			if (row->code[x] < of->levels)
				of->seen[row->cell * of->levels + row->code[x]] = 1;
		}
		else
			(of->of_unit != NULL ? of->of_unit : of->sum)[row->cell] +=
				statistic->kind < DP_STATISTIC_SUM
					? 1
					: dp_statistic_value(statistic, row->coordinate[x]);
	}
}

static int64_t
cut(__int128 sum)
{
	if (sum > DP_SUM_MAX)
		return DP_SUM_MAX;
	return sum < -DP_SUM_MAX ? -DP_SUM_MAX : (int64_t) sum;
}

static int64_t
count_seen(const uint8_t *seen, uint32_t levels)
{
	int64_t n = 0;

	for (uint32_t l = 0; l < levels; l++)
		n += seen[l];
	return n;
}

void
dp_sums_read(const DpSums *sums, uint32_t i, int64_t *out)
{
	const DpSumCells *of = &sums->of[i];

	for (uint64_t c = 0; c < sums->cells; c++)
		out[c] =
			of->sum != NULL ? cut(of->sum[c]) : count_seen(of->seen + c * of->levels, of->levels);
}

const int64_t *
dp_sums_leaves(const DpSums *sums, uint32_t i)
{
	return sums->of[first_choice(sums->statistic, sums->n, i)].leaf;
}

void
dp_sums_zones(const DpSums *sums, uint32_t i, const uint32_t *chosen, int64_t *out)
{
	const int64_t *leaf = dp_sums_leaves(sums, i);
	uint32_t height = sums->statistic[i].height;

	for (uint64_t g = 0; g < sums->cells; g++)
		for (uint32_t v = 0; v >> height == 0; v++)
			out[dp_quantile_zone(v, chosen[g], height) * sums->cells + g] += *leaf++;
}

uint64_t
dp_sums_bytes(const DpStatistic *statistic, uint32_t n, const DpDomain *domain, uint64_t cells)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t each = sizeof(DpWideSum);

		if (statistic[i].by_unit)
			each = 2 * sizeof(DpWideSum) + sizeof(uint64_t) + sizeof(bool);
		else if (statistic[i].kind ==
				 DP_STATISTIC_CHOICE) /* the leaves and the scores of one selection */
			each = first_choice(statistic, n, i) == i ? 2 * sizeof(int64_t) << statistic[i].height
													  : sizeof(uint32_t);
		else if (statistic[i].kind == DP_STATISTIC_ZONES)
			each = 2 * sizeof(int64_t) * DP_ZONES_MAX(statistic[i].height);
		else if (statistic[i].kind == DP_STATISTIC_DISTINCT)
			each = levels_listed(&domain->attribute[statistic[i].column]);
		bytes = dp_add_saturated(bytes, dp_multiply_saturated(each, cells));
	}
	return bytes;
}
