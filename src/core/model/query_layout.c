/*
 * query_layout.c -- the answers of a query in a model.
 */
#include "core/model/query_layout.h"

#include <stdio.h>
#include <string.h>

#include "core/base/saturate.h"

#define STATISTIC_WORDS 15
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
	uint64_t words = 3 + (uint64_t) layout->by + STATISTIC_WORDS * (uint64_t) layout->statistics +
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
		put(&at, (uint32_t) statistic->quantile_nano);
		put_long(&at, statistic->choice_nano);
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
							   .choice_nano = get_long(at + 13)};
	*grid = (DpGrid){.kind = (DpGridKind) at[8],
					 .digits = (int) at[9] - DP_GRID_DIGITS_MAX,
					 .step = get_long(at + 10),
					 .first = statistic->first,
					 .last = statistic->last};
	if (at[0] > DP_STATISTIC_CHOICE || at[2] > 62 || at[3] > DP_LEAVES_HEIGHT_MAX ||
		(at[0] >= DP_STATISTIC_LEAVES) != (at[3] > 0) || at[8] > DP_GRID_INTERVAL ||
		statistic->first > statistic->last || grid->step < 1)
		return false;
	if ((at[0] == DP_STATISTIC_CHOICE) !=
		(at[12] > 0 && at[12] < 1000000000 && statistic->choice_nano >= 1))
		return false;
	return at[0] == DP_STATISTIC_ROWS || at[1] < model->domain.attributes;
}

/* The table of a statistic must be over the groups, and that of leaves over these, too. */
static bool
table_fits(const DpModel *model, const DpQueryLayout *layout, const DpStatistic *statistic,
		   uint32_t t)
{
	const DpTable *table;
	uint32_t more = statistic->height > 0 ? 1 : 0;

	if (t >= model->tables)
		return false;
	table = &model->table[t];
	if (table->storage != DP_DENSE || table->n != layout->by + more ||
		(table->noise != DP_NOISE_LAPLACE && table->noise != DP_NOISE_GAUSSIAN))
		return false;
	for (uint32_t k = 0; k < layout->by; k++)
		if (table->attribute[k] != layout->by_attribute[k])
			return false;
	return more == 0 || model->domain.attribute[table->attribute[layout->by]].levels ==
							UINT32_C(1) << statistic->height;
}

static bool
tables_fit(const DpModel *model, DpQueryLayout *layout)
{
	uint32_t t = 0;

	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		layout->table[i] = t;
		if (layout->statistic[i].kind != DP_STATISTIC_CHOICE &&
			!table_fits(model, layout, &layout->statistic[i], t++))
			return false;
	}
	return t == model->tables;
}

/* A choice is among the leaves of its column. */
static bool
choices_fit(const DpModel *model, const uint32_t *at, DpQueryLayout *layout)
{
	if (words_of(layout) != model->structure_n)
		return false;
	for (uint32_t i = 0; i < layout->statistics; i++)
	{
		const DpStatistic *statistic = &layout->statistic[i];
		int of;

		if (statistic->kind != DP_STATISTIC_CHOICE)
			continue;
		of = dp_statistic_find(layout->statistic, layout->statistics, DP_STATISTIC_LEAVES,
							   statistic->column);
		if (of < 0 || layout->statistic[of].height != statistic->height ||
			layout->statistic[of].first != statistic->first ||
			layout->statistic[of].last != statistic->last)
			return false;
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
	return tables_fit(model, layout) && choices_fit(model, at, layout);
}

DpStatus
dp_query_layout_load(const DpModel *model, DpQueryLayout *layout, DpArena *arena, DpError *error)
{
	const uint32_t *head = model->structure;

	*layout = (DpQueryLayout){.by = 0};
	if (model->structure_n < 3 || head[0] > DP_ATTRIBUTES_MAX || head[1] > DP_STATISTICS_MAX ||
		head[2] > DP_MEASURES_MAX ||
		model->structure_n < 3 + head[0] + STATISTIC_WORDS * head[1] + MEASURE_WORDS * head[2])
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it holds no answers");
	layout->by = head[0];
	layout->statistics = head[1];
	layout->measures = head[2];
	layout->by_attribute = dp_alloc(arena, layout->by, sizeof(*layout->by_attribute));
	layout->statistic = dp_alloc(arena, layout->statistics, sizeof(*layout->statistic));
	layout->table = dp_alloc(arena, layout->statistics, sizeof(*layout->table));
	layout->choice = dp_alloc(arena, layout->statistics, sizeof(*layout->choice));
	layout->grid = dp_alloc(arena, layout->statistics, sizeof(*layout->grid));
	layout->measure = dp_alloc(arena, layout->measures, sizeof(*layout->measure));
	if (layout->by_attribute == NULL || layout->statistic == NULL || layout->table == NULL ||
		layout->choice == NULL || layout->grid == NULL || layout->measure == NULL)
		return DP_ERR_MEMORY;
	if (!layout_read(model, layout))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its answers do not fit its tables");
	return DP_OK;
}

/* ---- leaves ---- */

static void
leaves_name(uint32_t height, char name[32])
{
	(void) snprintf(name, 32, "(%u parts)", UINT32_C(1) << height);
}

static DpStatus
leaves_attribute(DpAttribute *attribute, uint32_t height, DpArena *arena)
{
	char words[32];

	*attribute = (DpAttribute){.type = "integer", .labels_n = UINT32_C(1) << height};
	leaves_name(height, words);
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
dp_query_leaves_attributes(DpDomain *domain, uint32_t heights, DpArena *arena)
{
	DpAttribute *attribute =
		dp_alloc(arena, domain->attributes + DP_LEAVES_HEIGHT_MAX, sizeof(*attribute));

	if (attribute == NULL)
		return DP_ERR_MEMORY;
	if (domain->attributes > 0)
		memcpy(attribute, domain->attribute, domain->attributes * sizeof(*attribute));
	domain->attribute = attribute;
	for (uint32_t h = 1; h <= DP_LEAVES_HEIGHT_MAX; h++)
		if ((heights >> h & 1) != 0)
			DP_TRY(leaves_attribute(&attribute[domain->attributes++], h, arena));
	return DP_OK;
}

uint32_t
dp_query_leaves_attribute(const DpDomain *domain, uint32_t height)
{
	char name[32];
	uint32_t a = domain->attributes;

	leaves_name(height, name);
	while (a-- > 1 && strcmp(domain->attribute[a].name, name) != 0)
		continue;
	return a;
}
