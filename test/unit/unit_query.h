/*
 * unit_query.h -- a released query, made by hand: all measures of a column with values 0..15, in
 * the groups of another one.
 */
#ifndef UNIT_QUERY_H
#define UNIT_QUERY_H

#include "core/domain/query.h"
#include "core/model/query_layout.h"

#include "unit_data.h"

#define QUERY_GROUPS 2
#define QUERY_HEIGHT 4
#define QUERY_LEAVES (1 << QUERY_HEIGHT)

/* Noise of this epsilon, without cells. */
static inline DpTable
zone_table(int64_t epsilon_nano)
{
	return (DpTable){.storage = DP_DENSE,
					 .noise = DP_NOISE_LAPLACE,
					 .cost = {.epsilon_nano = epsilon_nano},
					 .sensitivity_l1 = 1};
}

static inline DpTable
query_table(DpArena *arena, uint64_t cells, int64_t epsilon_nano)
{
	DpTable table = zone_table(epsilon_nano);

	table.n = 1;
	table.attribute = dp_alloc(arena, 1, sizeof(uint32_t));
	table.cells = cells;
	table.value = dp_alloc(arena, cells, sizeof(int64_t));
	return table;
}

/* Exact statistics of the rows of each group, as if noise of this epsilon were on them, and the
 * leaf of the median as the choice. */
static inline void
query_model(const int64_t rows[QUERY_GROUPS][QUERY_LEAVES], int64_t epsilon_nano, DpModel *model,
			DpQueryLayout *layout, DpArena *arena)
{
	static const DpStatisticKind kinds[] = {DP_STATISTIC_ROWS,    DP_STATISTIC_CENTRED,
											DP_STATISTIC_SQUARES, DP_STATISTIC_CHOICE,
											DP_STATISTIC_ZONES,   DP_STATISTIC_SUM};
	static const DpMeasureKind measures[] = {DP_COUNT_ROWS, DP_SUM,    DP_AVG,
											 DP_VAR,        DP_STDDEV, DP_QUANTILE};
	static const uint32_t sizes[] = {QUERY_GROUPS, 3};
	static uint32_t by[] = {0};
	uint32_t n = sizeof(kinds) / sizeof(kinds[0]);

	*model = (DpModel){.method = "query", .unit = {DP_ADD_REMOVE, 1}};
	model->domain = unit_domain(arena, sizes, 2);
	model->table = dp_alloc(arena, n + DP_ZONES_MAX(QUERY_HEIGHT), sizeof(*model->table));
	*layout = (DpQueryLayout){.by = 1, .by_attribute = by, .cells = QUERY_GROUPS, .statistics = n};
	layout->statistic = dp_alloc(arena, n, sizeof(*layout->statistic));
	layout->grid = dp_alloc(arena, n, sizeof(*layout->grid));
	layout->choice = dp_alloc(arena, n, sizeof(*layout->choice));
	layout->measures = sizeof(measures) / sizeof(measures[0]);
	layout->measure = dp_alloc(arena, layout->measures, sizeof(*layout->measure));
	for (uint32_t m = 0; m < layout->measures; m++)
		layout->measure[m] = (DpMeasure){.kind = measures[m],
										 .column = m == 0 ? DP_NO_COLUMN : 1,
										 .quantile_nano = m == 5 ? 500000000 : 0};
	for (uint32_t i = 0; i < n; i++)
	{
		DpStatistic *statistic = &layout->statistic[i];

		*statistic = (DpStatistic){.kind = kinds[i], .column = 1, .last = QUERY_LEAVES - 1};
		layout->grid[i] = (DpGrid){.step = 1, .last = QUERY_LEAVES - 1};
		if (kinds[i] == DP_STATISTIC_ROWS)
			statistic->column = DP_NO_COLUMN;
		if (kinds[i] == DP_STATISTIC_CHOICE || kinds[i] == DP_STATISTIC_ZONES)
		{
			statistic->height = QUERY_HEIGHT;
			statistic->quantile_nano = 500000000;
		}
		if (kinds[i] == DP_STATISTIC_CHOICE)
		{
			statistic->choice_nano = epsilon_nano;
			layout->choice[i] = dp_alloc(arena, QUERY_GROUPS, sizeof(uint32_t));
			for (uint32_t g = 0; g < QUERY_GROUPS; g++)
			{
				int64_t all = 0, sum = 0;

				for (uint32_t v = 0; v < QUERY_LEAVES; v++)
					all += rows[g][v];
				while (2 * (sum += rows[g][layout->choice[i][g]]) < all)
					layout->choice[i][g]++;
			}
			continue;
		}
		for (uint32_t t = 0; t < dp_statistic_tables(statistic); t++)
			model->table[model->tables + t] = query_table(arena, QUERY_GROUPS, epsilon_nano);
		for (uint32_t g = 0; g < QUERY_GROUPS; g++)
			for (uint32_t v = 0; v < QUERY_LEAVES; v++)
			{
				uint32_t t = kinds[i] == DP_STATISTIC_ZONES
								 ? dp_quantile_zone(v, layout->choice[i - 1][g], QUERY_HEIGHT)
								 : 0;

				model->table[model->tables + t].value[g] +=
					rows[g][v] * dp_statistic_value(statistic, v);
			}
		model->tables += dp_statistic_tables(statistic);
	}
	layout->rows_over = 12;
	MUST(dp_query_layout_store(layout, model, arena));
}

#endif
