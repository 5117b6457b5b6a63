/*
 * level_share.c -- which part of the rows has one level of an attribute.
 */
#include "core/model/noise_share.h"

#include "core/base/index_list.h"

#define UNKNOWN (-1.0)

static double
share_of(double with_level, double all)
{
	double share;

	if (!(all > 0))
		return UNKNOWN;
	share = with_level / all;
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

static const DpTable *
smallest_table(const DpModel *model, uint32_t attribute)
{
	const DpTable *smallest = NULL;

	for (uint32_t t = 0; t < model->tables; t++)
	{
		const DpTable *table = &model->table[t];

		if (dp_index_among(table->attribute, table->n, attribute) &&
			(smallest == NULL || table->n < smallest->n ||
			 (table->n == smallest->n && table->cells < smallest->cells)))
			smallest = table;
	}
	return smallest;
}

static double
share_in_table(const DpModel *model, const DpTable *table, uint32_t attribute, uint32_t level)
{
	uint32_t place = dp_index_place(table->attribute, table->n, attribute);
	uint32_t levels = model->domain.attribute[attribute].levels;
	uint64_t inner = 1; /* cells that follow one another with one level */
	double with_level = 0, all = 0;

	for (uint32_t i = place + 1; i < table->n; i++)
		inner *= model->domain.attribute[table->attribute[i]].levels;
	for (uint64_t cell = 0; cell < table->cells; cell++)
	{
		uint32_t code = table->storage == DP_SPARSE ? table->code[cell * table->n + place]
													: (uint32_t) (cell / inner % levels);

		all += (double) table->value[cell];
		if (code == level)
			with_level += (double) table->value[cell];
	}
	return share_of(with_level, all);
}

static double
share_in_rows(const DpModel *model, uint32_t attribute, uint32_t level)
{
	uint32_t n = model->domain.attributes;
	double with_level = 0;

	for (uint64_t at = attribute; at < model->structure_n; at += n)
		with_level += model->structure[at] == level;
	return share_of(with_level, (double) (model->structure_n / n));
}

double
dp_level_share(const DpModel *model, uint32_t attribute, uint32_t level)
{
	const DpTable *table = smallest_table(model, attribute);

	if (dp_model_holds_rows(model))
		return share_in_rows(model, attribute, level);
	return table == NULL ? UNKNOWN : share_in_table(model, table, attribute, level);
}
