/*
 * query_layout.c -- the answers of a query in a model.
 */
#include "core/model/query_layout.h"

#include <stdio.h>
#include <string.h>

#define STATISTIC_WORDS 12
#define MEASURE_WORDS 3

uint32_t
dp_statistic_tables(const DpStatistic *statistic)
{
	return statistic->kind == DP_STATISTIC_TREE ? statistic->height : 1;
}

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

DpStatus
dp_query_layout_store(const DpQueryLayout *layout, DpModel *model, DpArena *arena)
{
	uint32_t *at;

	model->structure_n =
		3 + layout->by + STATISTIC_WORDS * layout->statistics + MEASURE_WORDS * layout->measures;
	at = model->structure = dp_alloc(arena, model->structure_n, sizeof(*model->structure));
	if (at == NULL)
		return DP_ERR_MEMORY;
	put(&at, layout->by);
	put(&at, layout->statistics);
	put(&at, layout->measures);
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
	}
	for (uint32_t i = 0; i < layout->measures; i++)
	{
		put(&at, layout->measure[i].kind);
		put(&at, layout->measure[i].column);
		put(&at, (uint32_t) layout->measure[i].quantile_nano);
	}
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
	*statistic = (DpStatistic){.kind = (DpStatisticKind) at[0],
							   .column = at[1],
							   .shift = at[2],
							   .height = at[3],
							   .first = get_long(at + 4),
							   .last = get_long(at + 6)};
	*grid = (DpGrid){.kind = (DpGridKind) at[8],
					 .digits = (int) at[9] - DP_GRID_DIGITS_MAX,
					 .step = get_long(at + 10),
					 .first = statistic->first,
					 .last = statistic->last};
	if (at[0] > DP_STATISTIC_TREE || at[2] > 62 || at[3] > DP_TREE_HEIGHT_MAX ||
		(at[0] == DP_STATISTIC_TREE) != (at[3] > 0) || at[8] > DP_GRID_INTERVAL ||
		at[9] > 2 * DP_GRID_DIGITS_MAX || statistic->first > statistic->last || grid->step < 1)
		return false;
	return at[0] == DP_STATISTIC_ROWS || at[1] < model->domain.attributes;
}

/* The table of a statistic must be over the groups, and of a layer over its nodes, too. */
static bool
table_fits(const DpModel *model, const DpQueryLayout *layout, const DpStatistic *statistic,
		   uint32_t t, uint32_t layer)
{
	const DpTable *table;
	uint32_t more = statistic->kind == DP_STATISTIC_TREE ? 1 : 0;

	if (t >= model->tables)
		return false;
	table = &model->table[t];
	if (table->storage != DP_DENSE || table->n != layout->by + more)
		return false;
	for (uint32_t k = 0; k < layout->by; k++)
		if (table->attribute[k] != layout->by_attribute[k])
			return false;
	return more == 0 ||
		   model->domain.attribute[table->attribute[layout->by]].levels == UINT32_C(1) << layer;
}

static bool
tables_fit(const DpModel *model, DpQueryLayout *layout)
{
	uint32_t t = 0;

	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		layout->table[i] = t;
		for (uint32_t l = 1; l <= dp_statistic_tables(&layout->statistic[i]); l++, t++)
			if (!table_fits(model, layout, &layout->statistic[i], t, l))
				return false;
	}
	return t == model->tables;
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
	const uint32_t *at = model->structure + 3;

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
	return tables_fit(model, layout);
}

DpStatus
dp_query_layout_load(const DpModel *model, DpQueryLayout *layout, DpArena *arena, DpError *error)
{
	const uint32_t *head = model->structure;

	*layout = (DpQueryLayout){.by = 0};
	if (model->structure_n < 3 || head[0] > DP_ATTRIBUTES_MAX || head[1] > DP_STATISTICS_MAX ||
		head[2] > DP_MEASURES_MAX ||
		model->structure_n != 3 + head[0] + STATISTIC_WORDS * head[1] + MEASURE_WORDS * head[2])
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it holds no answers");
	layout->by = head[0];
	layout->statistics = head[1];
	layout->measures = head[2];
	layout->by_attribute = dp_alloc(arena, layout->by, sizeof(*layout->by_attribute));
	layout->statistic = dp_alloc(arena, layout->statistics, sizeof(*layout->statistic));
	layout->table = dp_alloc(arena, layout->statistics, sizeof(*layout->table));
	layout->grid = dp_alloc(arena, layout->statistics, sizeof(*layout->grid));
	layout->measure = dp_alloc(arena, layout->measures, sizeof(*layout->measure));
	if (layout->by_attribute == NULL || layout->statistic == NULL || layout->table == NULL ||
		layout->grid == NULL || layout->measure == NULL)
		return DP_ERR_MEMORY;
	if (!layout_read(model, layout))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its answers do not fit its tables");
	return DP_OK;
}

/* ---- nodes ---- */

static DpStatus
nodes_of(DpAttribute *attribute, uint32_t layer, DpArena *arena)
{
	char words[32];

	*attribute = (DpAttribute){.type = "integer", .labels_n = UINT32_C(1) << layer};
	(void) snprintf(words, sizeof(words), "(%u parts)", attribute->labels_n);
	attribute->name = dp_strdup(arena, words);
	attribute->labels = dp_alloc(arena, attribute->labels_n, sizeof(*attribute->labels));
	if (attribute->name == NULL || attribute->labels == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < attribute->labels_n; i++)
	{
		(void) snprintf(words, sizeof(words), "%u", i + 1);
		attribute->labels[i] = dp_strdup(arena, words);
		if (attribute->labels[i] == NULL)
			return DP_ERR_MEMORY;
	}
	dp_attribute_count_levels(attribute);
	return DP_OK;
}

DpStatus
dp_query_nodes(DpDomain *domain, uint32_t height, DpArena *arena)
{
	DpAttribute *attribute = dp_alloc(arena, domain->attributes + height, sizeof(*attribute));

	if (attribute == NULL)
		return DP_ERR_MEMORY;
	if (domain->attributes > 0)
		memcpy(attribute, domain->attribute, domain->attributes * sizeof(*attribute));
	for (uint32_t l = 1; l <= height; l++)
		DP_TRY(nodes_of(&attribute[domain->attributes + l - 1], l, arena));
	domain->attribute = attribute;
	domain->attributes += height;
	return DP_OK;
}
