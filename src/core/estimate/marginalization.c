/*
 * marginalization.c -- margins of one table by way of tables between, chunk by chunk.
 *
 * At first each margin is a margin of the whole table, of which a plan sees one chunk. Then two
 * tables get one above them, over the attributes of both, as long as that is less work. The two
 * that save most come first. Work is counted in cells read or written: for each table the cells of
 * its parent table.
 */
#include "core/estimate/marginalization.h"

#include <string.h>

#include "core/base/row_major.h"

#define MARGINS_MAX 256 /* margins that are compared, each with each */
#define MEMBERS_MAX 64
#define CELLS_LEAST 256 /* the least cells of a chunk for which it pays */
#define CHUNK_LEAST 8192
#define CHUNK_MOST 65536 /* half a megabyte: less than what a core keeps near */

typedef struct Plan
{
	DpMarginalization *marginalization;
	const DpAttributeSet *whole;
	uint32_t size[MEMBERS_MAX];
	uint64_t cells,
		cells_left; /* cells of the whole table; cells that tables between may still have */
	uint32_t n;
	uint32_t top[MARGINS_MAX]; /* the tables right below the whole one */
	/* for each table, the later table that saves most when joined with it, and the saving */
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

/* Whether a table is one between with just these members. A new parent table takes its place. */
static bool
is_replaced(const Plan *plan, uint32_t table, uint64_t members)
{
	return table >= plan->marginalization->margins &&
		   plan->marginalization->table[table].members == members;
}

/* The work that a common parent of both saves. */
static uint64_t
saving(const Plan *plan, uint32_t a, uint32_t b)
{
	uint64_t members =
		plan->marginalization->table[a].members | plan->marginalization->table[b].members;
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
	DpMarginalization *marginalization = plan->marginalization;

	if (!is_replaced(plan, table, marginalization->table[above].members))
	{
		marginalization->table[table].above = above;
		return;
	}
	for (uint32_t i = 0; i < marginalization->tables; i++)
		if (marginalization->table[i].above == table)
			marginalization->table[i].above = above;
	plan->cells_left += marginalization->table[table].cells;
	marginalization->table[table].cells = 0;
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

/* Makes a parent of the i-th table and its partner, which takes the place of both. */
static void
join(Plan *plan, uint32_t i)
{
	DpMarginalization *marginalization = plan->marginalization;
	uint32_t k = plan->partner[i], above = marginalization->tables;
	DpMarginalizationTable *table = &marginalization->table[marginalization->tables++];

	table->members =
		marginalization->table[plan->top[i]].members | marginalization->table[plan->top[k]].members;
	table->cells = cells_of(plan, table->members);
	table->above = DP_MARGINALIZATION_WHOLE;
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
		else /* no space is left for that table */
			find_partner(plan, best);
	}
}

/* ---- a marginalization ---- */

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
plan_marginalization(DpMarginalization *marginalization, const uint32_t *levels,
					 const DpAttributeSet *chunk, const DpAttributeSet *margin)
{
	Plan plan = {
		.marginalization = marginalization, .whole = chunk, .cells = marginalization->chunk_cells};
	bool small = chunk->n <= MEMBERS_MAX;

	for (uint32_t i = 0; i < chunk->n && small; i++)
		plan.size[i] = levels[chunk->attribute[i]];
	plan.cells_left = plan.cells;
	for (uint32_t i = 0; i < marginalization->margins; i++)
	{
		DpMarginalizationTable *table = &marginalization->table[i];

		table->above = DP_MARGINALIZATION_WHOLE;
		if (small && !find_members(chunk, &margin[i], &table->members))
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
mark_first(DpMarginalization *marginalization)
{
	bool whole = false;

	for (uint32_t i = 0; i < marginalization->tables; i++)
		marginalization->table[i].begun = false;
	for (uint32_t i = 0; i < marginalization->tables; i++)
	{
		uint32_t above = marginalization->table[i].above;
		bool *begun =
			above == DP_MARGINALIZATION_WHOLE ? &whole : &marginalization->table[above].begun;

		if (marginalization->table[i].cells == 0)
			continue;
		marginalization->table[i].first = !*begun;
		*begun = true;
	}
}

static DpStatus
walk_down(DpMarginalization *marginalization, uint32_t i, const uint32_t *levels,
		  const DpAttributeSet *chunk, const DpAttributeSet *margin, DpArena *arena)
{
	uint32_t of_this[MEMBERS_MAX], of_above[MEMBERS_MAX];
	DpMarginalizationTable *table = &marginalization->table[i];
	DpAttributeSet from = *chunk, to;

	if (i < marginalization->margins)
		to = margin[i];
	else
		attributes_of(chunk, table->members, of_this, &to);
	if (table->above != DP_MARGINALIZATION_WHOLE)
		attributes_of(chunk, marginalization->table[table->above].members, of_above, &from);
	DP_TRY(dp_walk_init(&table->walk, levels, &from, &to));
	if (i < marginalization->margins)
		return DP_OK;
	table->cell = dp_alloc(arena, table->cells, sizeof(*table->cell));
	return table->cell == NULL ? DP_ERR_MEMORY : DP_OK;
}

/* ---- chunks ---- */

/* How many of the first attributes all cells of a chunk share. */
static uint32_t
cut(DpMarginalization *marginalization, const uint32_t *levels, const DpAttributeSet *whole)
{
	uint32_t shared = 0;

	marginalization->chunks = 1;
	marginalization->chunk_cells = dp_set_cells(whole, levels);
	while (marginalization->chunk_cells > CHUNK_MOST)
	{
		uint32_t first = levels[whole->attribute[shared]];

		if (marginalization->chunk_cells / first < CHUNK_LEAST)
			break;
		marginalization->chunk_cells /= first;
		marginalization->chunks *= first;
		shared++;
	}
	return shared;
}

/* Leaves what a chunk has of a set: all but the attributes that are among the first n. */
static DpAttributeSet
within_chunk(const DpAttributeSet *set, const DpAttributeSet *whole, uint32_t n)
{
	uint32_t k = 0;

	while (n > 0 && k < set->n && set->attribute[k] <= whole->attribute[n - 1])
		k++;
	return (DpAttributeSet){set->n - k, set->attribute + k};
}

/* Finds where the cells of each chunk start in a margin. */
static DpStatus
find_starts(const DpMarginalization *marginalization, DpMarginalizationTable *table,
			const uint32_t *levels, const DpAttributeSet *whole, uint32_t shared,
			const DpAttributeSet *margin, DpArena *arena)
{
	const DpAttributeSet first = {shared, whole->attribute};
	uint32_t size[DP_ATTRIBUTES_MAX];
	uint64_t step[DP_ATTRIBUTES_MAX];

	dp_set_levels(&first, levels, size);
	for (uint32_t k = 0; k < shared; k++)
		step[k] = dp_set_step(margin, levels, first.attribute[k]);
	table->cells = dp_set_cells(margin, levels);
	table->start = dp_alloc(arena, marginalization->chunks, sizeof(*table->start));
	DP_TRY_ALLOC(table->start);
	for (uint64_t chunk = 0; chunk < marginalization->chunks; chunk++)
		table->start[chunk] = dp_row_major_place(size, step, shared, chunk);
	return DP_OK;
}

/* ---- making and freeing ---- */

static DpStatus
init_within(DpMarginalization *marginalization, const uint32_t *levels,
			const DpMarginalizationSets *sets, DpAttributeSet *margin, DpArena *arena)
{
	uint32_t shared = cut(marginalization, levels, sets->whole);
	DpAttributeSet chunk = within_chunk(sets->whole, sets->whole, shared);
	DpAttributeSet own = within_chunk(sets->own, sets->whole, shared);

	DP_TRY(find_starts(marginalization, &marginalization->own, levels, sets->whole, shared,
					   sets->own, arena));
	DP_TRY(dp_walk_init(&marginalization->own.walk, levels, &chunk, &own));
	for (uint32_t i = 0; i < marginalization->margins; i++)
	{
		DP_TRY(find_starts(marginalization, &marginalization->table[i], levels, sets->whole, shared,
						   sets->margin[i], arena));
		margin[i] = within_chunk(sets->margin[i], sets->whole, shared);
	}
	DP_TRY(plan_marginalization(marginalization, levels, &chunk, margin));
	for (uint32_t i = 0; i < marginalization->tables; i++)
		if (marginalization->table[i].cells > 0)
			DP_TRY(walk_down(marginalization, i, levels, &chunk, margin, arena));
	mark_first(marginalization);
	return DP_OK;
}

DpStatus
dp_marginalization_init(DpMarginalization *marginalization, const uint32_t *levels,
						const DpMarginalizationSets *sets, DpArena *arena)
{
	uint32_t n = sets->n;
	DpAttributeSet *margin = dp_alloc(arena, n, sizeof(*margin));
	DpStatus status;

	*marginalization = (DpMarginalization){
		.margins = n, .tables = n, .capacity = n + (n < MARGINS_MAX ? n : MARGINS_MAX)};
	marginalization->table =
		dp_alloc(arena, marginalization->capacity, sizeof(*marginalization->table));
	status = margin == NULL || marginalization->table == NULL
				 ? DP_ERR_MEMORY
				 : init_within(marginalization, levels, sets, margin, arena);
	dp_free(arena, margin, n, sizeof(*margin));
	return status;
}

void
dp_marginalization_free(DpMarginalization *marginalization, DpArena *arena)
{
	for (uint32_t i = 0; i < marginalization->margins; i++)
		dp_free(arena, marginalization->table[i].start, marginalization->chunks, sizeof(uint64_t));
	for (uint32_t i = marginalization->margins; i < marginalization->tables; i++)
		if (marginalization->table[i].cells > 0)
			dp_free(arena, marginalization->table[i].cell, marginalization->table[i].cells,
					sizeof(double));
	dp_free(arena, marginalization->own.start, marginalization->chunks, sizeof(uint64_t));
	dp_free(arena, marginalization->table, marginalization->capacity,
			sizeof(*marginalization->table));
	*marginalization = (DpMarginalization){0};
}

double
dp_marginalization_seconds(const DpMarginalization *marginalization)
{
	double seconds = 0;

	for (uint32_t i = 0; i < marginalization->tables; i++)
		if (marginalization->table[i].cells > 0)
			seconds += dp_walk_seconds(&marginalization->table[i].walk);
	return seconds * (double) marginalization->chunks;
}

/* ---- one chunk ---- */

static double *
part_of(const DpMarginalization *marginalization, const DpMarginalizationTable *table,
		uint64_t chunk)
{
	return table->cell +
		   (table - marginalization->table < marginalization->margins ? table->start[chunk] : 0);
}

/* The cells of the parent table, of which whole is the chunk. */
static double *
above(const DpMarginalization *marginalization, const DpMarginalizationTable *table, double *whole)
{
	return table->above == DP_MARGINALIZATION_WHOLE ? whole
													: marginalization->table[table->above].cell;
}

static void
add_chunk(const DpMarginalization *marginalization, uint64_t chunk, double *whole)
{
	for (uint32_t i = marginalization->margins; i < marginalization->tables; i++)
		if (marginalization->table[i].cells > 0)
			memset(marginalization->table[i].cell, 0,
				   marginalization->table[i].cells * sizeof(double));
	for (const DpMarginalizationTable *table = marginalization->table;
		 table < marginalization->table + marginalization->tables; table++)
		if (table->cells > 0)
			dp_walk_add(&table->walk, above(marginalization, table, whole),
						part_of(marginalization, table, chunk));
}

static void
multiply_chunk(const DpMarginalization *marginalization, uint64_t chunk, double *whole)
{
	for (const DpMarginalizationTable *table = marginalization->table;
		 table < marginalization->table + marginalization->tables; table++)
	{
		if (table->cells == 0)
			continue;
		if (table->first)
			dp_walk_copy(&table->walk, above(marginalization, table, whole),
						 part_of(marginalization, table, chunk));
		else
			dp_walk_multiply(&table->walk, above(marginalization, table, whole),
							 part_of(marginalization, table, chunk));
	}
	for (uint64_t i = 0; i < marginalization->chunk_cells && marginalization->tables == 0; i++)
		whole[i] = 1;
}

/* Adds what a chunk holds to the margins. */
static void
sum_chunk(const DpMarginalization *marginalization, uint64_t chunk, const double *whole)
{
	for (uint32_t i = marginalization->tables; i-- > 0;)
	{
		const DpMarginalizationTable *table = &marginalization->table[i];
		const double *from = above(marginalization, table, (double *) (uintptr_t) whole);

		if (table->cells == 0)
			continue;
		if (i < marginalization->margins)
			dp_walk_sum_more(&table->walk, from, part_of(marginalization, table, chunk));
		else
			dp_walk_sum(&table->walk, from, table->cell);
	}
}

static void
clear_margins(const DpMarginalization *marginalization)
{
	for (uint32_t i = 0; i < marginalization->margins; i++)
		memset(marginalization->table[i].cell, 0, marginalization->table[i].cells * sizeof(double));
}

/* ---- all chunks ---- */

void
dp_marginalization_add(const DpMarginalization *marginalization, double *whole)
{
	for (uint64_t chunk = 0; chunk < marginalization->chunks; chunk++)
		add_chunk(marginalization, chunk, whole + chunk * marginalization->chunk_cells);
}

void
dp_marginalization_fill(const DpMarginalization *marginalization, double *whole)
{
	const DpMarginalizationTable *own = &marginalization->own;

	memset(own->cell, 0, own->cells * sizeof(double));
	for (uint64_t chunk = 0; chunk < marginalization->chunks; chunk++)
	{
		double *cell = whole + chunk * marginalization->chunk_cells;

		multiply_chunk(marginalization, chunk, cell);
		dp_walk_sum_more(&own->walk, cell, own->cell + own->start[chunk]);
	}
}

void
dp_marginalization_spread(const DpMarginalization *marginalization, double *whole)
{
	const DpMarginalizationTable *own = &marginalization->own;

	clear_margins(marginalization);
	for (uint64_t chunk = 0; chunk < marginalization->chunks; chunk++)
	{
		double *cell = whole + chunk * marginalization->chunk_cells;

		dp_walk_multiply(&own->walk, cell, own->cell + own->start[chunk]);
		sum_chunk(marginalization, chunk, cell);
	}
}

void
dp_marginalization_sum(const DpMarginalization *marginalization, const double *whole)
{
	clear_margins(marginalization);
	for (uint64_t chunk = 0; chunk < marginalization->chunks; chunk++)
		sum_chunk(marginalization, chunk, whole + chunk * marginalization->chunk_cells);
}
