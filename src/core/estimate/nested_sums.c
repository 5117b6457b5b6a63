/*
 * nested_sums.c -- margins of one table by way of tables between.
 *
 * At first each margin is a margin of the whole table. Then two tables get one above them, over the
 * attributes of both, as long as that is less work. The two that save most come first. Work is
 * counted in cells read or written: for each table the cells of the table above it.
 */
#include "core/estimate/nested_sums.h"

#include <string.h>

#include "core/base/saturate.h"

#define MARGINS_MAX 256 /* margins that are compared, each with each */
#define MEMBERS_MAX 64
#define CELLS_LEAST 256 /* the least cells of a whole table for which it pays */

typedef struct Plan
{
	DpNest *nest;
	const DpAttributeSet *whole;
	uint32_t size[MEMBERS_MAX];
	uint64_t cells,
		cells_left; /* cells of the whole table; cells that tables between may still have */
	uint32_t n;
	uint32_t top[MARGINS_MAX]; /* the tables right below the whole one */
	/* for each, the later one with which it saves most, and how much */
	uint32_t partner[MARGINS_MAX];
	uint64_t saved[MARGINS_MAX];
} Plan;

static uint64_t
cells_of(const Plan *plan, uint64_t members)
{
	uint64_t cells = 1;

	for (; members != 0; members &= members - 1)
		cells *= plan->size[__builtin_ctzll(members)];
	return cells;
}

/* Whether a table is one between with just these members. A new table above takes its place. */
static bool
is_replaced(const Plan *plan, uint32_t table, uint64_t members)
{
	return table >= plan->nest->margins && plan->nest->table[table].members == members;
}

/* The work that a table above both saves. */
static uint64_t
saving(const Plan *plan, uint32_t a, uint32_t b)
{
	uint64_t members = plan->nest->table[a].members | plan->nest->table[b].members;
	bool replaces_a = is_replaced(plan, a, members), replaces_b = is_replaced(plan, b, members);
	uint64_t cells = cells_of(plan, members);
	uint64_t work = (replaces_a ? 0 : cells) + (replaces_b ? 0 : cells);

	if (!replaces_a && !replaces_b && cells > plan->cells_left)
		return 0;
	return work < plan->cells ? plan->cells - work : 0;
}

static void
find_partner(Plan *plan, uint32_t i)
{
	plan->saved[i] = 0;
	for (uint32_t k = i + 1; k < plan->n; k++)
	{
		uint64_t saved = saving(plan, plan->top[i], plan->top[k]);

		if (saved > plan->saved[i])
		{
			plan->saved[i] = saved;
			plan->partner[i] = k;
		}
	}
}

static void
put_below(Plan *plan, uint32_t table, uint32_t above)
{
	DpNest *nest = plan->nest;

	if (!is_replaced(plan, table, nest->table[above].members))
	{
		nest->table[table].above = above;
		return;
	}
	for (uint32_t i = 0; i < nest->tables; i++)
		if (nest->table[i].above == table)
			nest->table[i].above = above;
	plan->cells_left += nest->table[table].cells;
	nest->table[table].cells = 0;
}

/* After a join the i-th table is new, and the k-th was the last one before. Those whose partner
 * was one of them search again. */
static void
find_partners_again(Plan *plan, uint32_t i, uint32_t k)
{
	for (uint32_t j = 0; j < plan->n; j++)
	{
		uint32_t changed[2] = {i, k};

		if (j == i || j == k || plan->partner[j] == i || plan->partner[j] == k ||
			plan->partner[j] == plan->n)
		{
			find_partner(plan, j);
			continue;
		}
		for (int c = 0; c < 2; c++)
		{
			uint64_t saved = 0;

			if (changed[c] > j && changed[c] < plan->n)
				saved = saving(plan, plan->top[j], plan->top[changed[c]]);
			if (saved <= plan->saved[j])
				continue;
			plan->saved[j] = saved;
			plan->partner[j] = changed[c];
		}
	}
}

/* Puts a table above the i-th and its partner, which takes the place of both. */
static void
join(Plan *plan, uint32_t i)
{
	DpNest *nest = plan->nest;
	uint32_t k = plan->partner[i], above = nest->tables;
	DpNestTable *table = &nest->table[nest->tables++];

	table->members = nest->table[plan->top[i]].members | nest->table[plan->top[k]].members;
	table->cells = cells_of(plan, table->members);
	table->above = DP_NEST_WHOLE;
	put_below(plan, plan->top[i], above);
	put_below(plan, plan->top[k], above);
	plan->cells_left -= table->cells;
	plan->top[i] = above;
	plan->top[k] = plan->top[--plan->n];
	find_partners_again(plan, i, k);
}

static void
join_all(Plan *plan)
{
	for (uint32_t i = 0; i < plan->n; i++)
		find_partner(plan, i);
	for (;;)
	{
		uint32_t best = 0;

		for (uint32_t i = 1; i < plan->n; i++)
			best = plan->saved[i] > plan->saved[best] ? i : best;
		if (plan->n == 0 || plan->saved[best] == 0)
			return;
		if (saving(plan, plan->top[best], plan->top[plan->partner[best]]) > 0)
			join(plan, best);
		else /* no room is left for that table */
			find_partner(plan, best);
	}
}

/* ---- a nest ---- */

/* Finds the positions of the attributes of a set among those of the whole table. */
static bool
find_members(const DpAttributeSet *whole, const DpAttributeSet *set, uint64_t *members)
{
	uint32_t k = 0;

	*members = 0;
	for (uint32_t i = 0; i < whole->n && i < MEMBERS_MAX && k < set->n; i++)
		if (whole->attribute[i] == set->attribute[k])
		{
			*members |= UINT64_C(1) << i;
			k++;
		}
	return k == set->n;
}

static DpStatus
plan_nest(DpNest *nest, const uint32_t *levels, const DpAttributeSet *whole,
		  const DpAttributeSet *const *set)
{
	Plan plan = {.nest = nest, .whole = whole, .cells = 1};
	bool small = whole->n <= MEMBERS_MAX;

	for (uint32_t i = 0; i < whole->n; i++)
	{
		plan.cells = dp_multiply_saturated(plan.cells, levels[whole->attribute[i]]);
		if (small)
			plan.size[i] = levels[whole->attribute[i]];
	}
	plan.cells_left = plan.cells;
	for (uint32_t i = 0; i < nest->margins; i++)
	{
		DpNestTable *table = &nest->table[i];

		table->above = DP_NEST_WHOLE;
		table->cells = 1;
		if (small && !find_members(whole, set[i], &table->members))
			return DP_ERR_ARGUMENT;
		if (plan.n < MARGINS_MAX)
			plan.top[plan.n++] = i;
	}
	if (small && plan.cells >= CELLS_LEAST)
		join_all(&plan);
	return DP_OK;
}

static void
attributes_of(const DpAttributeSet *whole, uint64_t members, uint32_t *attribute,
			  DpAttributeSet *out)
{
	*out = (DpAttributeSet){0, attribute};
	for (; members != 0; members &= members - 1)
		attribute[out->n++] = whole->attribute[__builtin_ctzll(members)];
}

/* Marks, for each table, the first of those right below it. */
static void
mark_first(DpNest *nest)
{
	bool whole = false;

	for (uint32_t i = 0; i < nest->tables; i++)
		nest->table[i].begun = false;
	for (uint32_t i = 0; i < nest->tables; i++)
	{
		uint32_t above = nest->table[i].above;
		bool *begun = above == DP_NEST_WHOLE ? &whole : &nest->table[above].begun;

		if (nest->table[i].cells == 0)
			continue;
		nest->table[i].first = !*begun;
		*begun = true;
	}
}

static DpStatus
walk_down(DpNest *nest, uint32_t i, const uint32_t *levels, const DpAttributeSet *whole,
		  const DpAttributeSet *const *set, DpArena *arena)
{
	uint32_t of_this[MEMBERS_MAX], of_above[MEMBERS_MAX];
	DpNestTable *table = &nest->table[i];
	DpAttributeSet from = *whole, to;

	if (i < nest->margins)
		to = *set[i];
	else
		attributes_of(whole, table->members, of_this, &to);
	if (table->above != DP_NEST_WHOLE)
		attributes_of(whole, nest->table[table->above].members, of_above, &from);
	DP_TRY(dp_walk_init(&table->walk, levels, &from, &to));
	if (i < nest->margins)
		return DP_OK;
	table->cell = dp_alloc(arena, table->cells, sizeof(*table->cell));
	return table->cell == NULL ? DP_ERR_MEMORY : DP_OK;
}

DpStatus
dp_nest_init(DpNest *nest, const uint32_t *levels, const DpAttributeSet *whole,
			 const DpAttributeSet *const *set, uint32_t n, DpArena *arena)
{
	*nest = (DpNest){.margins = n, .tables = n};
	nest->capacity = n + (n < MARGINS_MAX ? n : MARGINS_MAX);
	nest->table = dp_alloc(arena, nest->capacity, sizeof(*nest->table));
	if (nest->table == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(plan_nest(nest, levels, whole, set));
	for (uint32_t i = 0; i < nest->tables; i++)
		if (nest->table[i].cells > 0)
			DP_TRY(walk_down(nest, i, levels, whole, set, arena));
	mark_first(nest);
	return DP_OK;
}

void
dp_nest_free(DpNest *nest, DpArena *arena)
{
	for (uint32_t i = nest->margins; i < nest->tables; i++)
		if (nest->table[i].cells > 0)
			dp_free(arena, nest->table[i].cell, nest->table[i].cells, sizeof(double));
	dp_free(arena, nest->table, nest->capacity, sizeof(*nest->table));
	*nest = (DpNest){0};
}

static double *
cell_above(const DpNest *nest, uint32_t i, double *whole)
{
	uint32_t above = nest->table[i].above;

	return above == DP_NEST_WHOLE ? whole : nest->table[above].cell;
}

void
dp_nest_add(const DpNest *nest, double *whole)
{
	for (uint32_t i = nest->margins; i < nest->tables; i++)
		if (nest->table[i].cells > 0)
			memset(nest->table[i].cell, 0, nest->table[i].cells * sizeof(double));
	for (uint32_t i = 0; i < nest->tables; i++)
		if (nest->table[i].cells > 0)
			dp_walk_add(&nest->table[i].walk, cell_above(nest, i, whole), nest->table[i].cell);
}

void
dp_nest_multiply(const DpNest *nest, double *whole, uint64_t cells)
{
	bool any = false;

	for (uint32_t i = 0; i < nest->tables; i++)
	{
		const DpNestTable *table = &nest->table[i];

		if (table->cells == 0)
			continue;
		any = true;
		if (table->first)
			dp_walk_copy(&table->walk, cell_above(nest, i, whole), table->cell);
		else
			dp_walk_multiply(&table->walk, cell_above(nest, i, whole), table->cell);
	}
	for (uint64_t i = 0; i < cells && !any; i++)
		whole[i] = 1;
}

void
dp_nest_sum(const DpNest *nest, const double *whole)
{
	for (uint32_t i = nest->tables; i-- > 0;)
		if (nest->table[i].cells > 0)
			dp_walk_sum(&nest->table[i].walk, cell_above(nest, i, (double *) (uintptr_t) whole),
						nest->table[i].cell);
}
