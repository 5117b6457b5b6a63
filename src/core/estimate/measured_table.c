/*
 * measured_table.c -- sums over the cells of one noisy table, for each group of a query.
 */
#include "core/estimate/measured_table.h"

#include <math.h>

#include "core/domain/zeros.h"

#define TICK_CELLS 65536

/* ---- queries ---- */

/* ---- one table ---- */

/* The level that shares its group with the level "other", if these two are all of it. */
static uint32_t
find_with_other(const DpAttribute *attribute, const uint32_t *group, const uint32_t *size)
{
	uint32_t other = attribute->levels - 1;

	if (!attribute->has_other || size[group[other]] != 2)
		return DP_NO_LEVEL;
	for (uint32_t i = 0; i < other; i++)
		if (group[i] == group[other])
			return i;
	return DP_NO_LEVEL;
}

/* Finds which levels of the attribute are counted by themselves, and the weight of each group. A
 * group of one level and "other" has the weight of that level, if it counts at all. */
static DpStatus
group_axis(const DpAttribute *attribute, const uint32_t *group, const double *weight, DpAxis *axis,
		   DpArena *arena)
{
	bool *single = dp_alloc(arena, axis->levels, sizeof(*single));
	uint32_t *size = dp_alloc(arena, axis->levels, sizeof(*size));
	double *first = dp_alloc(arena, axis->levels, sizeof(*first));

	axis->own = dp_alloc(arena, axis->levels, sizeof(*axis->own));
	if (single == NULL || size == NULL || first == NULL || axis->own == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < axis->levels; i++)
	{
		double w = weight == NULL ? 1 : weight[i];

		if (size[group[i]]++ == 0)
			first[group[i]] = w;
		else if (first[group[i]] != w)
			first[group[i]] = NAN;
	}
	axis->with_other = find_with_other(attribute, group, size);
	if (axis->with_other != DP_NO_LEVEL && isnan(first[group[axis->with_other]]) &&
		weight[axis->with_other] > 0)
	{
		axis->other_differs = true;
		first[group[axis->with_other]] = weight[axis->with_other];
	}
	for (uint32_t i = 0; i < axis->levels; i++)
	{
		single[i] = size[group[i]] == 1;
		axis->own[i] = first[group[i]];
	}
	axis->single = single;
	axis->weight = axis->own;
	dp_free(arena, size, axis->levels, sizeof(*size));
	dp_free(arena, first, axis->levels, sizeof(*first));
	return DP_OK;
}

static DpStatus
make_axes(const DpMarginalQuery *query, const DpMeasuredTable *from, DpAxis *axis, DpArena *arena)
{
	for (uint32_t k = 0; k < from->table->n; k++)
	{
		uint32_t a = from->table->attribute[k];
		const double *weight = query->given == NULL ? NULL : query->given->weight[a];

		axis[k] = (DpAxis){.levels = query->domain->attribute[a].levels,
						   .weight = weight,
						   .step = dp_marginal_query_step(query, a),
						   .with_other = DP_NO_LEVEL};
		if (from->group != NULL)
			DP_TRY(
				group_axis(&query->domain->attribute[a], from->group[a], weight, &axis[k], arena));
	}
	return DP_OK;
}

static void
add_cell(DpCellSums *sums, double weight, double value)
{
	if (isnan(weight))
	{
		sums->unusable = true;
		return;
	}
	sums->value += weight * value;
	sums->cells += weight != 0;
	sums->weights += weight;
	sums->squares += weight * weight;
	sums->fourths += weight * weight * weight * weight;
}

DpCellPlace
dp_cell_place(const DpAxis *axis, uint32_t n, const uint32_t *code)
{
	DpCellPlace place = {.weight = 1, .single = true, .by_alone = true};

	for (uint32_t k = 0; k < n; k++)
	{
		double weight = axis[k].weight == NULL ? 1 : axis[k].weight[code[k]];
		bool single = axis[k].single == NULL || axis[k].single[code[k]];

		/* a level that does not count excludes the cell, whatever the others are */
		place.weight = place.weight == 0 || weight == 0 ? 0 : place.weight * weight;
		place.group += axis[k].step * code[k];
		place.single &= single;
		place.by_alone &= single || code[k] == axis[k].with_other || axis[k].step == 0;
	}
	return place;
}

static uint32_t
level_in_group(const DpAxis *axis, uint64_t group)
{
	return (uint32_t) (group / axis->step % axis->levels);
}

/* Marks the groups of levels that the table counts together with others. */
static void
mark_merged(const DpAxis *axis, uint32_t n, DpCellSums *group, uint64_t groups)
{
	for (uint32_t k = 0; k < n; k++)
	{
		if (axis[k].single == NULL || axis[k].step == 0)
			continue;
		for (uint64_t b = 0; b < groups; b++)
		{
			uint32_t level = level_in_group(&axis[k], b);

			if (!axis[k].single[level] && level != axis[k].with_other)
				group[b].unusable = true;
		}
	}
}

bool
dp_axis_has_other(const DpAxis *axis, uint64_t group)
{
	return axis->other_differs || (axis->step > 0 && axis->with_other != DP_NO_LEVEL &&
								   level_in_group(axis, group) == axis->with_other);
}

void
dp_cell_next(const DpAxis *axis, uint32_t n, uint32_t *code)
{
	for (uint32_t k = n; k-- > 0; code[k] = 0)
		if (++code[k] < axis[k].levels)
			return;
}

DpStatus
dp_table_sums(const DpMarginalQuery *query, const DpMeasuredTable *from, DpTableSums *sums,
			  const DpTick *tick, DpArena *arena)
{
	const DpTable *table = from->table;
	uint64_t groups = dp_marginal_query_groups(query);
	DpAxis *axis = dp_alloc(arena, table->n, sizeof(*axis));
	uint32_t *code = dp_alloc(arena, table->n, sizeof(*code));
	DpZeroTest zeros = {.n = 0};

	*sums = (DpTableSums){.table = table, .term = dp_noise_term(table)};
	sums->group = dp_alloc(arena, groups, sizeof(*sums->group));
	if (axis == NULL || code == NULL || sums->group == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(make_axes(query, from, axis, arena));
	if (table->n > 0)
		DP_TRY(dp_zero_test_build(&zeros, query->domain, table->attribute, table->n, arena));
	mark_merged(axis, table->n, sums->group, groups);
	for (uint64_t i = 0; i < table->cells; i++, dp_cell_next(axis, table->n, code))
	{
		bool noisy = from->noisy == NULL || from->noisy[i];
		DpCellPlace place;

		if (i % TICK_CELLS == 0)
			dp_tick(tick, (double) i / (double) table->cells);
		if (!noisy && from->group != NULL)
			continue; /* its group stands at another cell */
		place = dp_cell_place(axis, table->n, code);
		if (zeros.n > 0 && place.single && dp_zero_test_forbids(&zeros, code))
			continue; /* known to be 0 */
		add_cell(&sums->all, noisy ? 1 : NAN, (double) table->value[i]);
		if (place.weight == 0)
			continue;
		place.weight = noisy ? place.weight : NAN;
		add_cell(&sums->given, place.weight, (double) table->value[i]);
		if (place.by_alone)
			add_cell(&sums->group[place.group], place.weight, (double) table->value[i]);
	}
	sums->axis = axis;
	dp_free(arena, code, table->n, sizeof(*code));
	return DP_OK;
}

void
dp_table_sums_free(DpTableSums *sums, uint64_t groups, DpArena *arena)
{
	for (uint32_t k = 0; k < sums->table->n; k++)
	{
		DpAxis *axis = &sums->axis[k];

		dp_free(arena, axis->own, axis->levels, sizeof(double));
		dp_free(arena, (void *) (uintptr_t) axis->single, axis->levels, sizeof(bool));
	}
	dp_free(arena, sums->axis, sums->table->n, sizeof(*sums->axis));
	dp_free(arena, sums->group, groups, sizeof(*sums->group));
}
