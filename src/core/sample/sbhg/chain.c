/*
 * chain.c -- which steps of a Gibbs chain a row needs, and the distribution that it starts from.
 *
 * The chain is unrolled: a step depends on the latest steps of its attribute's parents. Walking
 * back from the last steps finds what is needed. Walking forward, a step joins the computed part if
 * all that it depends on is there, and the joint distribution of what is still looked at stays
 * small: tables that hold what it depends on become one, which is multiplied by its conditional
 * distribution and summed over the values that no later step looks at. Tables of different
 * attributes are independent of each other. With one parent for each attribute this goes on to the
 * last sweep or the one before it, as every value depends on one chain of single values.
 */
#include "core/sample/sbhg/chain.h"

#include <string.h>

#include "core/base/index_list.h"
#include "core/base/row_major.h"
#include "core/base/saturate.h"

#define TICK_STEPS 64

typedef struct Builder
{
	const DpChain *chain;
	const DpChainLimits *limits;
	uint32_t steps;
	uint32_t
		*waiting;  /* [steps] steps that look at this one and have not joined the computed part */
	bool *needed;  /* [steps] and neither unneeded nor summed over */
	bool *partial; /* [attributes] keeps its value for some keys */
	uint32_t *held_in; /* [steps] the table that holds the value; DP_CHAIN_NO_TABLE: none */
	uint32_t tables, capacity;
	uint32_t live;      /* tables that are part of no other */
	DpStepTable *table; /* those that became part of another have n = 0 */
	uint32_t histories, history_capacity;
	DpStepTable *history;
	uint64_t work;
	double *distribution; /* [most levels] */
	uint32_t *row;        /* [attributes] */
	DpArena *arena;
} Builder;

/* ---- what depends on what ---- */

/* The steps that a step looks at. Returns their number; on: [parents + 1]. */
static uint32_t
looks_at(const Builder *builder, uint32_t step, uint32_t *on)
{
	const DpChain *chain = builder->chain;
	uint32_t own = step % chain->attributes, sweep = step / chain->attributes;
	const DpConditional *conditional = &chain->conditional[own];
	uint32_t n = 0;

	if (sweep == 0)
		return 0;
	for (uint32_t k = 0; k < conditional->parents; k++)
		on[n++] = dp_chain_step(chain, conditional->parent[k] < own ? sweep : sweep - 1,
								conditional->parent[k]);
	if (builder->partial[own])
		on[n++] = dp_chain_step(chain, sweep - 1, own);
	return n;
}

static void
find_needed(Builder *builder)
{
	uint32_t on[DP_ATTRIBUTES_MAX + 1];

	for (uint32_t step = builder->steps; step-- > 0;)
	{
		if (step >= builder->steps - builder->chain->attributes)
		{
			builder->needed[step] = true;
			builder->waiting[step]++; /* the row, which looks at it for ever */
		}
		if (!builder->needed[step])
			continue;
		for (uint32_t k = looks_at(builder, step, on); k-- > 0;)
		{
			builder->needed[on[k]] = true;
			builder->waiting[on[k]]++;
		}
	}
}

/* ---- tables ---- */

static DpStatus
append(DpStepTable **list, uint32_t *n, uint32_t *capacity, const DpStepTable *table,
	   DpArena *arena)
{
	if (*n == *capacity)
	{
		uint32_t more = *capacity < 16 ? 16 : 2 * *capacity;
		DpStepTable *longer = dp_alloc(arena, more, sizeof(*longer));

		DP_TRY_ALLOC(longer);
		if (*n > 0)
			memcpy(longer, *list, *n * sizeof(*longer));
		dp_free(arena, *list, *capacity, sizeof(*longer));
		*list = longer;
		*capacity = more;
	}
	(*list)[(*n)++] = *table;
	return DP_OK;
}

static DpStatus
allocate_table(DpStepTable *table, uint32_t n, uint64_t cells, DpArena *arena)
{
	*table = (DpStepTable){.cells = cells};
	table->step = dp_alloc(arena, n, sizeof(*table->step));
	table->levels = dp_alloc(arena, n, sizeof(*table->levels));
	table->weight = dp_alloc(arena, cells, sizeof(*table->weight));
	return table->step && table->levels && table->weight ? DP_OK : DP_ERR_MEMORY;
}

static void
free_table(DpStepTable *table, DpArena *arena)
{
	dp_free(arena, table->step, table->n, sizeof(*table->step));
	dp_free(arena, table->levels, table->n, sizeof(*table->levels));
	dp_free(arena, table->weight, table->cells, sizeof(*table->weight));
	*table = (DpStepTable){.n = 0};
}

/* Adds a table's steps, and those of one more, to the end of another's. */
static void
add_steps(DpStepTable *into, const DpStepTable *from)
{
	memcpy(into->step + into->n, from->step, from->n * sizeof(*into->step));
	memcpy(into->levels + into->n, from->levels, from->n * sizeof(*into->levels));
	into->n += from->n;
}

/* What a new step's table is made of. */
typedef struct Joined
{
	uint32_t parts;
	uint32_t part[DP_ATTRIBUTES_MAX + 1]; /* tables */
	uint32_t steps;                       /* of them together */
	uint64_t cells;                       /* with those of the new step */
} Joined;

/* Finds the tables that hold what a step looks at; false: something is held by none, it would be
 * too large, or there would be too many. A column without parents begins a table in each sweep, and
 * one of a single level adds a step without a cell, so cells alone bound neither. */
static bool
find_parts(const Builder *builder, uint32_t step, Joined *joined)
{
	uint32_t on[DP_ATTRIBUTES_MAX + 1];
	uint32_t n = looks_at(builder, step, on);

	joined->parts = joined->steps = 0;
	joined->cells = builder->chain->conditional[step % builder->chain->attributes].target_levels;
	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t held = builder->held_in[on[k]];

		if (held == DP_CHAIN_NO_TABLE)
			return false;
		if (dp_index_among(joined->part, joined->parts, held))
			continue;
		joined->part[joined->parts++] = held;
		joined->steps += builder->table[held].n;
		joined->cells = dp_multiply_saturated(joined->cells, builder->table[held].cells);
	}
	return joined->steps < DP_CHAIN_STEPS_MAX &&
		   builder->live + 1 - joined->parts <= DP_CHAIN_TABLES_MAX &&
		   joined->cells <= builder->limits->cells &&
		   joined->cells <= builder->limits->work - builder->work;
}

/* The distribution of a step's value given the row, distribution[levels]. */
static void
step_distribution(const Builder *builder, uint32_t step)
{
	const DpChain *chain = builder->chain;
	uint32_t own = step % chain->attributes;
	const DpConditional *conditional = &chain->conditional[own];
	uint32_t level = dp_conditional_distribution(
		conditional, dp_chain_level(chain, step / chain->attributes, own), builder->row,
		builder->distribution);

	if (step < chain->attributes || !builder->partial[own] || level == 0)
		return;
	memset(builder->distribution, 0, conditional->target_levels * sizeof(*builder->distribution));
	builder->distribution[builder->row[own]] = 1;
}

/* Where the values that a step looks at stand among the steps of a table. */
static uint32_t
find_places(const Builder *builder, uint32_t step, const DpStepTable *table, uint32_t *attribute,
			uint32_t *place)
{
	uint32_t n = looks_at(builder, step, attribute);

	for (uint32_t k = 0; k < n; k++)
	{
		place[k] = dp_index_place(table->step, table->n, attribute[k]);
		attribute[k] %= builder->chain->attributes;
	}
	return n;
}

/* Fills the cells of a table that ends with a new step: the product of its parts and of the step's
 * distribution. */
static void
multiply(Builder *builder, const Joined *joined, uint32_t step, DpStepTable *table, uint32_t *digit)
{
	uint32_t attribute[DP_ATTRIBUTES_MAX + 1], place[DP_ATTRIBUTES_MAX + 1];
	uint32_t n = find_places(builder, step, table, attribute, place);
	uint32_t levels = table->levels[table->n - 1];

	for (uint64_t at = 0; at < table->cells; at += levels)
	{
		double weight = 1;
		uint64_t rest = at / levels;

		for (uint32_t p = joined->parts; p-- > 0;)
		{
			const DpStepTable *part = &builder->table[joined->part[p]];

			weight *= part->weight[rest % part->cells];
			rest /= part->cells;
		}
		if (weight > 0)
		{
			for (uint32_t k = 0; k < n; k++)
				builder->row[attribute[k]] = digit[place[k]];
			step_distribution(builder, step);
			for (uint32_t value = 0; value < levels; value++)
				table->weight[at + value] = weight * builder->distribution[value];
		}
		(void) dp_row_major_next(table->levels, table->n - 1, digit);
	}
}

/* Whether later steps, or the row, look at a value. */
static bool
is_waited_for(const Builder *builder, uint32_t step)
{
	return builder->waiting[step] > 0;
}

/* Makes a table of those steps of another that are looked at later. stride: [steps of the other]
 * what a step adds to the place of a cell. */
static DpStatus
keep_steps(const Builder *builder, const DpStepTable *full, DpStepTable *kept, uint64_t *stride)
{
	uint64_t cells = 1;
	uint32_t n = 0;

	for (uint32_t k = full->n; k-- > 0;)
		if (is_waited_for(builder, full->step[k]))
		{
			stride[k] = cells;
			cells *= full->levels[k];
			n++;
		}
	DP_TRY(allocate_table(kept, n, cells, builder->arena));
	for (uint32_t k = 0; k < full->n; k++)
		if (is_waited_for(builder, full->step[k]))
		{
			kept->step[kept->n] = full->step[k];
			kept->levels[kept->n++] = full->levels[k];
		}
	return DP_OK;
}

/* Sums over the values that no step looks at any more. */
static DpStatus
sum_up(const Builder *builder, const DpStepTable *full, DpStepTable *kept, uint32_t *digit)
{
	uint64_t *stride = dp_alloc(builder->arena, full->n, sizeof(*stride));
	uint64_t at = 0;

	DP_TRY_ALLOC(stride);
	DP_TRY(keep_steps(builder, full, kept, stride));
	memset(digit, 0, full->n * sizeof(*digit));
	for (uint64_t i = 0; i < full->cells; i++)
	{
		kept->weight[at] += full->weight[i];
		(void) dp_row_major_follow(full->levels, stride, full->n, digit, &at);
	}
	dp_free(builder->arena, stride, full->n, sizeof(*stride));
	return DP_OK;
}

/* The table of all that a step looks at, and of the step. */
static DpStatus
make_full(Builder *builder, const Joined *joined, uint32_t step, DpStepTable *full, uint32_t *digit)
{
	DP_TRY(allocate_table(full, joined->steps + 1, joined->cells, builder->arena));
	for (uint32_t p = 0; p < joined->parts; p++)
		add_steps(full, &builder->table[joined->part[p]]);
	full->step[full->n] = step;
	full->levels[full->n++] =
		builder->chain->conditional[step % builder->chain->attributes].target_levels;
	multiply(builder, joined, step, full, digit);
	return DP_OK;
}

/* Makes one table of those that hold what a step looks at, and of the step. */
static DpStatus
join(Builder *builder, const Joined *joined, uint32_t step)
{
	uint32_t on[DP_ATTRIBUTES_MAX + 1];
	uint32_t *digit = dp_alloc(builder->arena, joined->steps + 1, sizeof(*digit));
	DpStepTable full, kept;

	DP_TRY_ALLOC(digit);
	DP_TRY(make_full(builder, joined, step, &full, digit));
	for (uint32_t k = looks_at(builder, step, on); k-- > 0;)
		builder->waiting[on[k]]--;
	DP_TRY(sum_up(builder, &full, &kept, digit));
	dp_free(builder->arena, digit, full.n, sizeof(*digit));
	for (uint32_t p = 0; p < joined->parts; p++)
		free_table(&builder->table[joined->part[p]], builder->arena);
	for (uint32_t k = 0; k < full.n; k++)
	{
		builder->needed[full.step[k]] = is_waited_for(builder, full.step[k]);
		builder->held_in[full.step[k]] =
			builder->needed[full.step[k]] ? builder->tables : DP_CHAIN_NO_TABLE;
	}
	builder->work += full.cells;
	builder->live += 1 - joined->parts;
	if (builder->limits->keep_history)
		DP_TRY(append(&builder->history, &builder->histories, &builder->history_capacity, &full,
					  builder->arena));
	else
		free_table(&full, builder->arena);
	return append(&builder->table, &builder->tables, &builder->capacity, &kept, builder->arena);
}

/* ---- the plan ---- */

static DpStatus
allocate(Builder *builder)
{
	const DpChain *chain = builder->chain;
	uint64_t steps = ((uint64_t) chain->sweeps + 1) * chain->attributes;
	uint32_t levels = 1;

	builder->steps = (uint32_t) steps;
	for (uint32_t a = 0; a < chain->attributes; a++)
		if (chain->conditional[a].target_levels > levels)
			levels = chain->conditional[a].target_levels;
	builder->waiting = dp_alloc(builder->arena, steps, sizeof(*builder->waiting));
	builder->needed = dp_alloc(builder->arena, steps, sizeof(*builder->needed));
	builder->held_in = dp_alloc(builder->arena, steps, sizeof(*builder->held_in));
	builder->partial = dp_alloc(builder->arena, chain->attributes, sizeof(*builder->partial));
	builder->row = dp_alloc(builder->arena, chain->attributes, sizeof(*builder->row));
	builder->distribution = dp_alloc(builder->arena, levels, sizeof(*builder->distribution));
	DP_TRY_ALLOC(builder->waiting && builder->needed && builder->held_in && builder->partial &&
				 builder->row && builder->distribution);
	memset(builder->held_in, 0xff, steps * sizeof(*builder->held_in)); /* DP_CHAIN_NO_TABLE */
	for (uint32_t a = 0; a < chain->attributes; a++)
		builder->partial[a] = chain->keep && !dp_conditional_is_total(&chain->conditional[a], 0);
	return DP_OK;
}

static void
release(Builder *builder)
{
	uint32_t attributes = builder->chain->attributes;

	dp_free(builder->arena, builder->waiting, builder->steps, sizeof(*builder->waiting));
	dp_free(builder->arena, builder->needed, builder->steps, sizeof(*builder->needed));
	dp_free(builder->arena, builder->held_in, builder->steps, sizeof(*builder->held_in));
	dp_free(builder->arena, builder->partial, attributes, sizeof(*builder->partial));
	dp_free(builder->arena, builder->row, attributes, sizeof(*builder->row));
}

/* Compiles a table for drawing: an alias table of its cells with weight, and their values. */
static DpStatus
compile_table(DpStepTable *from, DpDrawnSteps *into, DpArena *arena)
{
	uint32_t *digit = dp_alloc(arena, from->n, sizeof(*digit));
	uint32_t *work = dp_alloc(arena, from->cells, sizeof(*work));

	into->n = from->n;
	into->entry = dp_alloc(arena, from->cells, sizeof(*into->entry));
	into->value = dp_alloc(arena, from->n, sizeof(*into->value));
	DP_TRY_ALLOC(digit && work && into->entry && into->value);
	for (uint32_t k = 0; k < from->n; k++)
	{
		into->value[k] = dp_alloc(arena, from->cells, sizeof(**into->value));
		DP_TRY_ALLOC(into->value[k]);
	}
	for (uint64_t i = 0; i < from->cells; i++)
	{
		if (from->weight[i] > 0)
		{
			for (uint32_t k = 0; k < from->n; k++)
				into->value[k][into->cells] = digit[k];
			from->weight[into->cells++] = from->weight[i];
		}
		(void) dp_row_major_next(from->levels, from->n, digit);
	}
	dp_alias_build(from->weight, NULL, into->cells, work, into->entry);
	dp_free(arena, digit, from->n, sizeof(*digit));
	dp_free(arena, work, from->cells, sizeof(*work));
	return DP_OK;
}

static DpStatus
compile_tables(Builder *builder, DpChainPlan *plan)
{
	plan->table = dp_alloc(builder->arena, builder->tables, sizeof(*plan->table));
	DP_TRY_ALLOC(plan->table);
	for (uint32_t t = 0; t < builder->tables; t++)
	{
		DpStepTable *table = &builder->table[t];

		if (table->n == 0)
			continue;
		for (uint32_t k = 0; k < table->n; k++)
			builder->held_in[table->step[k]] = plan->tables;
		DP_TRY(compile_table(table, &plan->table[plan->tables++], builder->arena));
	}
	return DP_OK;
}

static DpStatus
list_moves(Builder *builder, DpChainPlan *plan)
{
	const DpStepTable **table = dp_alloc(builder->arena, plan->tables, sizeof(*table));
	uint32_t moves = 0, tables = 0;

	for (uint32_t step = 0; step < builder->steps; step++)
		moves += builder->needed[step];
	plan->move = dp_alloc(builder->arena, moves, sizeof(*plan->move));
	DP_TRY_ALLOC(plan->move && table);
	for (uint32_t t = 0; t < builder->tables; t++)
		if (builder->table[t].n > 0)
			table[tables++] = &builder->table[t];
	for (uint32_t step = 0; step < builder->steps; step++)
	{
		DpChainMove *move = &plan->move[plan->moves];

		if (!builder->needed[step])
			continue;
		plan->moves++;
		*move = (DpChainMove){.step = step, .table = builder->held_in[step]};
		if (move->table == DP_CHAIN_NO_TABLE)
			continue;
		move->place = dp_index_place(table[move->table]->step, table[move->table]->n, step);
		move->first = true;
		for (uint32_t k = 0; k < table[move->table]->n; k++)
			move->first &= table[move->table]->step[k] >= step;
	}
	dp_free(builder->arena, table, plan->tables, sizeof(*table));
	return DP_OK;
}

DpStatus
dp_chain_plan(const DpChain *chain, const DpChainLimits *limits, DpChainPlan *plan,
			  const DpTick *tick, DpArena *arena)
{
	Builder builder = {.chain = chain, .limits = limits, .arena = arena};
	Joined *joined = dp_alloc(arena, 1, sizeof(*joined));

	*plan = (DpChainPlan){.moves = 0};
	DP_TRY_ALLOC(joined);
	DP_TRY(allocate(&builder));
	find_needed(&builder);
	for (uint32_t step = 0; step < builder.steps; step++)
	{
		if (step % TICK_STEPS == 0)
			dp_tick(tick, -1.0);
		if (builder.needed[step] && find_parts(&builder, step, joined))
			DP_TRY(join(&builder, joined, step));
	}
	DP_TRY(compile_tables(&builder, plan));
	DP_TRY(list_moves(&builder, plan));
	plan->histories = builder.histories;
	plan->history = builder.history;
	dp_free(arena, joined, 1, sizeof(*joined));
	release(&builder);
	return DP_OK;
}
