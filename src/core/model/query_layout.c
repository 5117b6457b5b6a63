/*
 * query_layout.c -- the answers of a query in a model.
 */
#include "core/model/query_layout.h"

#include "core/base/saturate.h"
#include "core/domain/query.h"

#define HEAD_WORDS 5
#define STATISTIC_WORDS 20
#define MEASURE_WORDS 3

/* ---- writing ---- */

static void
put(uint32_t **at, uint32_t word)
{
	*(*at)++ = word;
}

static void
put_long(uint32_t **at, int64_t value)
{
	put(at, (uint32_t) (uint64_t) value);
	put(at, (uint32_t) ((uint64_t) value >> 32));
}

static uint64_t
words_of(const DpQueryLayout *layout)
{
	uint64_t words = HEAD_WORDS + (uint64_t) layout->by +
					 STATISTIC_WORDS * (uint64_t) layout->statistics +
					 MEASURE_WORDS * (uint64_t) layout->measures;

	for (uint32_t i = 0; i < layout->statistics; i++)
		if (layout->statistic[i].kind == DP_STATISTIC_CHOICE)
			words = dp_add_saturated(words, layout->cells);
	return words;
}

DpStatus
dp_query_layout_store(const DpQueryLayout *layout, DpModel *model, DpArena *arena)
{
	uint32_t *at;

	if (words_of(layout) > DP_MODEL_STRUCTURE_MAX)
		return DP_ERR_LIMIT;
	model->structure_n = (uint32_t) words_of(layout);
	at = model->structure = dp_alloc(arena, model->structure_n, sizeof(*model->structure));
	DP_TRY_ALLOC(at);
	put(&at, layout->by);
	put(&at, layout->statistics);
	put(&at, layout->measures);
	put_long(&at, layout->rows_over);
	for (uint32_t i = 0; i < layout->by; i++)
		put(&at, layout->by_attribute[i]);
	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		const DpStatistic *statistic = &layout->statistic[i];
		const DpGrid *grid = &layout->grid[i];

		put(&at, statistic->kind);
		put(&at, statistic->column);
		put(&at, statistic->shift);
		put(&at, statistic->height);
		put_long(&at, statistic->first);
		put_long(&at, statistic->last);
		put(&at, grid->kind);
		put(&at, (uint32_t) (grid->digits + DP_GRID_DIGITS_MAX));
		put_long(&at, grid->step);
		put(&at, (uint32_t) statistic->quantile_nano);
		put_long(&at, statistic->choice_nano);
		put(&at, statistic->by_unit);
		put_long(&at, statistic->unit_max);
		put_long(&at, statistic->units_over);
	}
	for (uint32_t i = 0; i < layout->measures; i++)
	{
		put(&at, layout->measure[i].kind);
		put(&at, layout->measure[i].column);
		put(&at, (uint32_t) layout->measure[i].quantile_nano);
	}
	for (uint32_t i = 0; i < layout->statistics; i++)
		for (uint64_t g = 0; g < layout->cells && layout->choice[i] != NULL; g++)
			put(&at, layout->choice[i][g]);
	return DP_OK;
}

/* ---- reading ---- */

static int64_t
get_long(const uint32_t *at)
{
	return (int64_t) (at[0] | (uint64_t) at[1] << 32);
}

static bool
statistic_read(const uint32_t *at, const DpModel *model, DpStatistic *statistic, DpGrid *grid)
{
	if (at[9] > 2 * DP_GRID_DIGITS_MAX)
		return false;
	*statistic = (DpStatistic){.kind = (DpStatisticKind) at[0],
							   .column = at[1],
							   .shift = at[2],
							   .height = at[3],
							   .first = get_long(at + 4),
							   .last = get_long(at + 6),
							   .quantile_nano = at[12],
							   .choice_nano = get_long(at + 13),
							   .by_unit = at[15] != 0,
							   .unit_max = get_long(at + 16),
							   .units_over = get_long(at + 18)};
	*grid = (DpGrid){.kind = (DpGridKind) at[8],
					 .digits = (int) at[9] - DP_GRID_DIGITS_MAX,
					 .step = get_long(at + 10),
					 .first = statistic->first,
					 .last = statistic->last};
	if (at[0] > DP_STATISTIC_ZONES || at[2] > DP_SHIFT_MAX || at[3] > DP_LEAVES_HEIGHT_MAX ||
		(at[0] >= DP_STATISTIC_CHOICE) != (at[3] > 0) || at[8] > DP_GRID_INTERVAL ||
		statistic->first > statistic->last || grid->step < 1)
		return false;
	if ((at[0] >= DP_STATISTIC_CHOICE) != (at[12] > 0 && at[12] < 1000000000) ||
		(at[0] == DP_STATISTIC_CHOICE) != (statistic->choice_nano >= 1))
		return false;
	if (at[15] > 1 || statistic->unit_max < 0 || statistic->units_over < -1 ||
		(at[15] == 0 && (statistic->unit_max > 0 || statistic->units_over != 0)) ||
		(at[15] == 1 && at[0] != DP_STATISTIC_SUM))
		return false;
	return at[0] == DP_STATISTIC_ROWS || at[1] < model->domain.attributes;
}

/* A table of a statistic must be over the groups. */
static bool
table_fits(const DpModel *model, const DpQueryLayout *layout, uint32_t t)
{
	const DpTable *table;

	if (t >= model->tables)
		return false;
	table = &model->table[t];
	if (table->storage != DP_DENSE || table->n != layout->by ||
		(table->noise != DP_NOISE_LAPLACE && table->noise != DP_NOISE_GAUSSIAN))
		return false;
	for (uint32_t k = 0; k < layout->by; k++)
		if (table->attribute[k] != layout->by_attribute[k])
			return false;
	return true;
}

uint32_t
dp_statistic_tables(const DpStatistic *statistic)
{
	if (statistic->kind == DP_STATISTIC_CHOICE)
		return 0;
	return statistic->kind == DP_STATISTIC_ZONES ? DP_ZONES_MAX(statistic->height) : 1;
}

static bool
tables_fit(const DpModel *model, DpQueryLayout *layout)
{
	uint32_t t = 0;

	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		layout->table[i] = t;
		for (uint32_t z = dp_statistic_tables(&layout->statistic[i]); z > 0; z--)
			if (!table_fits(model, layout, t++))
				return false;
	}
	return t == model->tables;
}

/* A choice is among the leaves of its range. */
static bool
choices_fit(const DpModel *model, const uint32_t *at, DpQueryLayout *layout)
{
	if (words_of(layout) != model->structure_n)
		return false;
	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		const DpStatistic *statistic = &layout->statistic[i];

		if (statistic->kind != DP_STATISTIC_CHOICE)
			continue;
		layout->choice[i] = (uint32_t *) (uintptr_t) at;
		for (uint64_t g = 0; g < layout->cells; g++)
			if (*at++ >> statistic->height != 0)
				return false;
	}
	return true;
}

static bool
measure_read(const uint32_t *at, const DpModel *model, DpMeasure *measure)
{
	*measure = (DpMeasure){
		.kind = (DpMeasureKind) at[0], .column = at[1], .quantile_nano = (int64_t) at[2]};
	return at[0] <= DP_QUANTILE && at[2] < 1000000000 &&
		   (at[0] == DP_COUNT_ROWS || at[1] < model->domain.attributes);
}

static bool
layout_read(const DpModel *model, DpQueryLayout *layout)
{
	const uint32_t *at = model->structure + HEAD_WORDS;

	for (uint32_t i = 0; i < layout->by; i++)
	{
		layout->by_attribute[i] = *at++;
		if (layout->by_attribute[i] >= model->domain.attributes)
			return false;
	}
	layout->cells = dp_domain_cells(&model->domain, layout->by_attribute, layout->by);
	for (uint32_t i = 0; i < layout->statistics; i++, at += STATISTIC_WORDS)
		if (!statistic_read(at, model, &layout->statistic[i], &layout->grid[i]))
			return false;
	for (uint32_t i = 0; i < layout->measures; i++, at += MEASURE_WORDS)
		if (!measure_read(at, model, &layout->measure[i]))
			return false;
	return tables_fit(model, layout) && choices_fit(model, at, layout);
}

DpStatus
dp_query_layout_load(const DpModel *model, DpQueryLayout *layout, DpArena *arena, DpError *error)
{
	const uint32_t *head = model->structure;

	*layout = (DpQueryLayout){.by = 0};
	if (model->structure_n < HEAD_WORDS || head[0] > DP_ATTRIBUTES_MAX ||
		head[1] > DP_STATISTICS_MAX || head[2] > DP_MEASURES_MAX ||
		model->structure_n <
			HEAD_WORDS + head[0] + STATISTIC_WORDS * head[1] + MEASURE_WORDS * head[2])
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it holds no answers");
	layout->by = head[0];
	layout->statistics = head[1];
	layout->measures = head[2];
	layout->rows_over = get_long(head + 3);
	layout->by_attribute = dp_alloc(arena, layout->by, sizeof(*layout->by_attribute));
	layout->statistic = dp_alloc(arena, layout->statistics, sizeof(*layout->statistic));
	layout->table = dp_alloc(arena, layout->statistics, sizeof(*layout->table));
	layout->choice = dp_alloc(arena, layout->statistics, sizeof(*layout->choice));
	layout->grid = dp_alloc(arena, layout->statistics, sizeof(*layout->grid));
	layout->measure = dp_alloc(arena, layout->measures, sizeof(*layout->measure));
	DP_TRY_ALLOC(layout->by_attribute && layout->statistic && layout->table && layout->choice &&
				 layout->grid && layout->measure);
	if (!layout_read(model, layout))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its answers do not fit its tables");
	return DP_OK;
}
