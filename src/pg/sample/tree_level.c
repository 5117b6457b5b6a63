/*
 * tree_level.c -- the rows of one relation of a tree, drawn given their ancestors.
 *
 * Of each row above the first row that belongs to it is drawn, then of each the second, and so on.
 * The rows of such a round are put in order of what is known of them, those that are alike at
 * random, and take points that are even (core/sample/quasi_random.h). So each level comes as often as
 * the model says for the rows of a round, and for any part of them that the order keeps together,
 * but for a row or two; rows that are drawn for themselves would be off by the root of their
 * number. No two rows of one parent are in a round, and each round has a shift of its own. So
 * siblings depend on each other as in the model, and each row by itself has its distribution.
 */
#include "pg/sample/tree_level.h"

#include "common/int.h"
#include "utils/memutils.h"

#include "pg/domain/table_tree.h"
#include "pg/sample/sequence.h"

/* Keeps the stream of a part apart from those of other parts. */
#define PART_STREAM UINT64CONST(0xbf58476d1ce4e5b9)
#define TRIES_A_ROW UINT64CONST(100)
#define ROWS_A_TICK 64
#define TRIES_TO_DIFFER 200 /* from the rows of the same parent */

/* ---- preparing ---- */

/* What is known of a row before it is drawn, by the names that pg/domain/table_tree.h gives. */
static bool *
level_known(DpTreeLevel *level, const DpTreeLevel *above, const DpStoredPart *part,
			const char *parent)
{
	uint32 n = level->domain->attributes;
	bool *known = palloc0(sizeof(bool) * Max(n, 1));

	level->from_parent = palloc(sizeof(int) * Max(n, 1));
	level->previous = palloc(sizeof(int) * Max(n, 1));
	level->again = palloc(sizeof(int) * Max(n, 1));
	for (uint32 a = 0; a < n; a++)
		level->from_parent[a] = -1;
	for (uint32 a = 0; a < above->domain->attributes && parent != NULL; a++)
	{
		const char *name = above->domain->attribute[a].name;
		bool is_own = above->from_parent == NULL || above->from_parent[a] < 0;
		int here = dp_domain_find(level->domain, is_own ? dp_tree_parent_name(parent, name) : name);

		if (here >= 0)
			level->from_parent[here] = (int) a;
	}
	for (uint32 a = 0; a < n; a++)
	{
		const char *own = level->domain->attribute[a].name;

		level->previous[a] = dp_domain_find(level->domain, dp_tree_previous_name(part->name, own));
		level->again[a] = dp_domain_find(level->domain, dp_tree_again_name(part->name, own));
		if (level->previous[a] >= 0)
			known[level->previous[a]] = true;
		if (level->again[a] >= 0)
			known[level->again[a]] = true;
	}
	level->count = dp_domain_find(above->domain, dp_tree_count_name(part->name));
	level->siblings = dp_domain_find(level->domain, dp_tree_siblings_name(part->name));
	if (level->count < 0 || level->siblings < 0)
		elog(ERROR, "dpsyn: a part of a release does not fit its parent");
	level->given = palloc0(sizeof(bool) * Max(n, 1));
	for (uint32 a = 0; a < n; a++)
	{
		level->given[a] = level->from_parent[a] >= 0 || (int) a == level->siblings;
		known[a] |= level->given[a];
	}
	return known;
}

/* What rows refer to by several columns is modelled, and may be NULL. */
static void
level_keys(DpTreeLevel *level, const DpTreeLevel *above, const DpStoredPart *part)
{
	level->key = palloc(sizeof(int) * Max(part->references, 1));
	for (int i = 0; i < part->references; i++)
	{
		int a = dp_domain_find(above->domain, part->refers_to[i]);

		if (a >= 0 && dp_attribute_has_null(&above->domain->attribute[a]))
			level->key[level->keys++] = a;
	}
}

/* Rows of a round are in order of what they have from above, then of what their siblings were. */
static void
level_order(DpTreeLevel *level, const bool *known)
{
	uint64 ranks = 1;

	level->by = palloc(sizeof(uint32) * Max(level->domain->attributes, 1));
	for (uint32 a = 0; a < level->domain->attributes; a++)
		if (known[a])
			level->by[level->orders++] = a;
	while (level->ranked < level->orders &&
		   !pg_mul_u64_overflow(ranks, level->domain->attribute[level->by[level->ranked]].levels,
								&ranks))
		level->ranked++;
	dp_quasi_random_init(&level->points, dp_conditional_sampler_dimensions(level->known));
}

void
dp_tree_level_prepare(DpTreeLevel *level, const DpTreeLevel *above, DpStoredPart *part,
					  const char *parent, DpDrawJob *job, int trial)
{
	const DpFitted *fitted = dp_fitted_get(&part->stored, (uint32) job->set, &job->progress.tick);
	DpArena *arena = &part->stored.arena;
	DpError error = {0};
	DpStatus status = DP_ERR_LIMIT;
	const bool *known;

	level->number = part->number;
	level->domain = &part->stored.model.domain;
	level->first = 1;
	level->distinct = dp_distinct_codes_create(&part->stored);
	level->full = (double) dp_model_parameter(&part->stored.model, DP_MODEL_FULL_ROWS, 1);
	level->order = (int) dp_model_parameter(&part->stored.model, DP_MODEL_ORDER, -1);
	if (level->order >= (int) level->domain->attributes)
		elog(ERROR, "dpsyn: the order of a part is of no attribute");
	known = level_known(level, above, part, parent);
	level_keys(level, above, part);
	if (fitted->fitted != NULL)
		status = dp_conditional_sampler_build(fitted->fitted, known, &level->known, arena);
	level->trials = &fitted->trials[trial];
	if (status == DP_OK && level->weights != NULL)
		status = dp_raking_weights_read(fitted->fitted, known, level->weights,
										&level->trials->raking, fitted->arena);
	else if (status == DP_OK && !level->trials->are_done)
		status = dp_raking_build(fitted->fitted, known, level->given, &level->trials->raking,
								 &job->progress.tick, fitted->arena);
	level->trials->are_done |= level->weights != NULL;
	if (status == DP_OK)
		status = dp_conditional_sampler_weigh(level->known, level->trials->raking, arena);
	if (status == DP_ERR_LIMIT)
		dp_raise_unconditional(&part->stored);
	level->drawer = (DpDrawer){.sampler = &dp_conditional_row_sampler,
							   .state = level->known,
							   .domain = level->domain,
							   .fixed = known};
	if (status == DP_OK)
		status = dp_zero_test_build(&level->drawer.forbidden, level->domain, NULL, 0, arena);
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	level_order(level, known);
}
/* ---- drawing ---- */

static void
level_reserve(DpTreeLevel *level, uint64 rows)
{
	if (rows <= level->capacity)
		return;
	if (level->codes != NULL)
	{
		pfree(level->codes);
		pfree(level->parent);
	}
	level->capacity = rows + rows / 2;
	level->codes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * level->capacity *
																	level->domain->attributes);
	level->parent = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * level->capacity);
}

/* What the siblings before a row had of an own attribute; they stand before it. */
static DpPrevious
previous_at(const DpTreeLevel *level, const uint32 *codes, uint32 before, int own)
{
	size_t n = level->domain->attributes;
	const uint32 *at = codes + own;
	bool two = before > 1, three = before > 2;
	const bool same[3] = {two && *(at - n) == *(at - 2 * n), three && *(at - n) == *(at - 3 * n),
						  three && *(at - 2 * n) == *(at - 3 * n)};

	return dp_tree_previous(before, same);
}

/* Writes what the siblings before a row had of an own attribute. */
static void
previous_know(const DpTreeLevel *level, uint32 before, uint32 own, uint32 *codes)
{
	const DpAttribute *attribute = &level->domain->attribute[own];
	DpPrevious previous = previous_at(level, codes, before, (int) own);

	if (!dp_tree_has_again(attribute))
		previous.last = before > 0;
	if (level->again[own] >= 0)
		codes[level->again[own]] = previous.same;
	if (level->previous[own] >= 0)
		codes[level->previous[own]] =
			previous.last > 0 ? codes[own - previous.last * (ptrdiff_t) level->domain->attributes]
							  : level->domain->attribute[level->previous[own]].levels - 1;
}

/* Writes what is known of row number `before` of its siblings, given its parent's codes. */
static void
row_know(const DpTreeLevel *level, const uint32 *above, uint32 before, uint32 siblings,
		 uint32 *codes)
{
	for (uint32 a = 0; a < level->domain->attributes; a++)
	{
		if (level->from_parent[a] >= 0)
			codes[a] = above[level->from_parent[a]];
		if (level->previous[a] >= 0 || level->again[a] >= 0)
			previous_know(level, before, a, codes);
	}
	codes[level->siblings] = siblings - 1;
}

/* Draws the other attributes of a row: by a point, and by random numbers where the zeros forbid
 * that. Where what is known of the row has no other that they allow, it stays what was drawn. */
static void
row_draw_any(DpTreeLevel *level, const double *point, DpPrng *prng, uint32 *codes,
			 const DpTick *tick)
{
	uint64 tries = TRIES_A_ROW;

	dp_conditional_sampler_condition(level->known, codes);
	if (point != NULL)
	{
		dp_conditional_sampler_point(level->known, point);
		level->drawer.sampler->draw(level->drawer.state, prng, codes);
		dp_conditional_sampler_point(level->known, NULL);
		if (!dp_zero_test_forbids(&level->drawer.forbidden, codes))
			return;
	}
	if (dp_draw_again(&level->drawer, prng, codes, &tries, tick, NULL) != DP_OK)
		return;
}

/*
 * Draws a row that differs from the `before` rows of the same parent. What one attribute decides is
 * removed. What several decide is drawn until it differs, which has the same distribution. Where the model
 * gives what is left no probability, any of it comes.
 */
static void
row_draw(DpTreeLevel *level, const double *point, DpPrng *prng, uint32 before, uint32 *codes,
		 const DpTick *tick)
{
	dp_distinct_codes_remove(level->distinct, level->known, codes, before);
	row_draw_any(level, point, prng, codes, tick);
	for (int try = 0;
		 try < TRIES_TO_DIFFER && dp_distinct_codes_repeat(level->distinct, codes, before); try++)
		row_draw_any(level, NULL, prng, codes, tick);
	dp_distinct_codes_restore(level->distinct, level->known);
	dp_distinct_codes_choose(level->distinct, codes, before, prng);
}

/* ---- rounds ---- */

/* A row of a round. */
typedef struct Turn
{
	uint32 *codes;
	uint64 rank; /* by the attributes that the order begins with */
	uint64 tie;
	double weight; /* in a trial */
} Turn;

static uint64
rank_of(const DpTreeLevel *level, const uint32 *codes)
{
	uint64 rank = 0;

	for (uint32 i = 0; i < level->ranked; i++)
		rank = rank * level->domain->attribute[level->by[i]].levels + codes[level->by[i]];
	return rank;
}

static int
turn_compare(const Turn *a, const Turn *b, const DpTreeLevel *level)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	for (uint32 i = level->ranked; i < level->orders; i++)
	{
		uint32 attribute = level->by[i];

		if (a->codes[attribute] != b->codes[attribute])
			return a->codes[attribute] < b->codes[attribute] ? -1 : 1;
	}
	return a->tie < b->tie ? -1 : a->tie > b->tie;
}

#define ST_SORT sort_turns
#define ST_ELEMENT_TYPE Turn
#define ST_COMPARE turn_compare
#define ST_COMPARE_ARG_TYPE const DpTreeLevel
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* before: how many rows of the same parent each row of the round follows. */
static void
round_draw(DpTreeLevel *level, Turn *turn, uint64 turns, uint32 before, DpPrng *prng,
		   const DpTick *tick)
{
	double point[DP_QUASI_RANDOM_DIMENSIONS_MAX];
	bool even = level->points.dimensions > 0;

	if (even)
	{
		for (uint64 i = 0; i < turns; i++)
		{
			turn[i].rank = rank_of(level, turn[i].codes);
			turn[i].tie = dp_prng_u64(prng);
		}
		sort_turns(turn, turns, level);
		dp_quasi_random_shift(&level->points, prng);
	}
	for (uint64 i = 0; i < turns; i++)
	{
		if (i % ROWS_A_TICK == 0)
			dp_tick(tick, -1.0);
		if (even)
			dp_quasi_random_get(&level->points, i, point);
		row_draw(level, even ? point : NULL, prng, before, turn[i].codes, tick);
		if (level->tries)
			dp_raking_count(level->trials->raking, turn[i].codes,
							dp_conditional_sampler_recorded(level->known), turn[i].weight);
	}
}

uint32
dp_tree_rows_of(const DpTreeLevel *level, const DpTreeLevel *above, uint64 row)
{
	const uint32 *codes = above->codes + row * above->domain->attributes;

	for (int i = 0; i < level->keys; i++)
		if (codes[level->key[i]] == above->domain->attribute[level->key[i]].levels - 1)
			return 0;
	return Min(codes[level->count], dp_distinct_codes_most(level->distinct));
}

double
dp_tree_weight(const DpTreeLevel *level, const DpTreeLevel *above, uint64 row)
{
	uint32 siblings = dp_tree_rows_of(level, above, row);

	return above->weight[row] * Min(level->full / siblings, 1);
}

/* Draws the child rows of all parents. Their memory is reserved already. */
static void
rounds_draw(DpTreeLevel *level, const DpTreeLevel *above, DpPrng *prng, const DpTick *tick)
{
	uint32 n = level->domain->attributes;
	Turn *turn = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Turn) * Max(above->rows, 1));
	uint64 turns = 1;

	for (uint32 j = 0; turns > 0; j++)
	{
		uint32 *codes = level->codes;

		turns = 0;
		for (uint64 i = 0; i < above->rows; i++)
		{
			const uint32 *parent = above->codes + i * above->domain->attributes;
			uint32 siblings = dp_tree_rows_of(level, above, i);

			if (siblings > j)
			{
				turn[turns] = (Turn){.codes = codes + (Size) j * n,
									 .weight = level->tries ? dp_tree_weight(level, above, i) : 0};
				row_know(level, parent, j, parent[level->count], turn[turns++].codes);
			}
			codes += (Size) siblings * n;
		}
		round_draw(level, turn, turns, j, prng, tick);
	}
	pfree(turn);
}

void
dp_tree_level_skip(DpTreeLevel *level, const DpTreeLevel *above)
{
	level->first += level->rows;
	level->rows = 0;
	for (uint64 i = 0; i < above->rows; i++)
		level->rows += dp_tree_rows_of(level, above, i);
}

/* Tells which parent each row belongs to. */
static void
rows_assign(DpTreeLevel *level, const DpTreeLevel *above)
{
	uint64 row = 0;

	for (uint64 i = 0; i < above->rows; i++)
		for (uint64 end = row + dp_tree_rows_of(level, above, i); row < end; row++)
			level->parent[row] = above->first + i;
}

void
dp_tree_level_draw(DpTreeLevel *level, const DpTreeLevel *above, DpStream stream,
				   const DpTick *tick)
{
	uint32 n = level->domain->attributes;
	DpPrng prng;

	dp_tree_level_skip(level, above);
	level_reserve(level, level->rows);
	stream.seed ^= PART_STREAM * (uint64) level->number;
	dp_prng_seed(&prng, stream);
	rounds_draw(level, above, &prng, tick);
	rows_assign(level, above);
	if (level->order < 0)
		return;
	for (uint64 i = 0, row = 0; i < above->rows; i++)
	{
		uint32 siblings = dp_tree_rows_of(level, above, i);

		dp_sequence_sort(level->codes + row * n, siblings, n, (uint32) level->order);
		row += siblings;
	}
}

void
dp_tree_level_take(DpTreeLevel *level, const DpTreeLevel *above, uint64 rows, const void *codes)
{
	dp_tree_level_skip(level, above);
	if (level->rows != rows)
		elog(ERROR, "dpsyn: a worker drew other rows than belong to their parents");
	level_reserve(level, rows);
	memcpy(level->codes, codes, sizeof(uint32) * rows * level->domain->attributes);
	rows_assign(level, above);
}
