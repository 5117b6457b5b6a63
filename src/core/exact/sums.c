/*
 * sums.c -- exact statistics of groups of rows.
 */
#include "core/exact/sums.h"

#include "core/base/saturate.h"
#include "core/domain/quantile_zones.h"

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

DpStatus
dp_sums_init(DpSums *sums, const DpStatistic *statistic, uint32_t n, const DpDomain *domain,
			 uint64_t cells, DpArena *arena)
{
	*sums = (DpSums){.n = n, .statistic = statistic, .cells = cells};
	sums->of = dp_alloc(arena, n, sizeof(*sums->of));
	if (sums->of == NULL)
		return DP_ERR_MEMORY;
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

void
dp_sums_add(DpSums *sums, const DpSumRow *row)
{
	sums->rows++;
	for (uint32_t i = 0; i < sums->n; i++)
	{
		const DpStatistic *statistic = &sums->statistic[i];
		DpSumCells *of = &sums->of[i];
		uint32_t x = statistic->column;

		if (statistic->kind != DP_STATISTIC_ROWS && !row->present[x])
			continue;
		if (statistic->kind >= DP_STATISTIC_CHOICE)
		{
			if (of->leaf != NULL)
				of->leaf[(row->cell << statistic->height) +
						 dp_statistic_leaf(statistic, row->coordinate[x])]++;
		}
		else if (statistic->kind == DP_STATISTIC_DISTINCT)
		{
			if (row->code[x] < of->levels)
				of->seen[row->cell * of->levels + row->code[x]] = 1;
		}
		else
			of->sum[row->cell] += statistic->kind < DP_STATISTIC_SUM
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
		uint64_t each = sizeof(__int128);

		if (statistic[i].kind == DP_STATISTIC_CHOICE) /* the leaves, and the scores of one choice */
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
