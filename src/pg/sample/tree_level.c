/*
 * tree_level.c -- the rows of one relation of a tree, drawn given their ancestors.
 *
 * Of each row above the first row that belongs to it is drawn, then of each the second, and so on.
 * The rows of such a round are put in order of what is known of them, those that are alike at
 * random, and take points that are even (core/sample/conditional_sampler.h). So each level comes as often as
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
#define TRIES_A_ROW UINT64CONST(200)
#define ROWS_A_TICK 64

/* ---- preparing ---- */

/* What is known of a row before it is drawn, by the names that pg/domain/table_tree.h gives. */
static bool *
level_known(DpTreeLevel *level, const DpTreeLevel *above, const DpStoredPart *part,
			const char *parent)
{
	uint32 n = level->domain->attributes;
	bool *is_known = palloc0(sizeof(bool) * Max(n, 1));
	DpTreeKnown *known = &level->known;

	known->parent = palloc(sizeof(int) * Max(n, 1));
	known->previous = palloc(sizeof(int) * Max(n, 1));
	known->again = palloc(sizeof(int) * Max(n, 1));
	for (uint32 a = 0; a < n; a++)
		known->parent[a] = -1;
	for (uint32 a = 0; a < above->domain->attributes && parent != NULL; a++)
	{
		const char *name = above->domain->attribute[a].name;
		bool is_own = above->known.parent == NULL || above->known.parent[a] < 0;
		int here = dp_domain_find(level->domain, is_own ? dp_tree_parent_name(parent, name) : name);

		if (here >= 0)
			known->parent[here] = (int) a;
	}
	for (uint32 a = 0; a < n; a++)
	{
		const char *own = level->domain->attribute[a].name;

		known->previous[a] = dp_domain_find(level->domain, dp_tree_previous_name(part->name, own));
		known->again[a] = dp_domain_find(level->domain, dp_tree_again_name(part->name, own));
		if (known->previous[a] >= 0)
			is_known[known->previous[a]] = true;
		if (known->again[a] >= 0)
			is_known[known->again[a]] = true;
	}
	level->parents.count = dp_domain_find(above->domain, dp_tree_count_name(part->name));
	known->siblings = dp_domain_find(level->domain, dp_tree_siblings_name(part->name));
	if (level->parents.count < 0 || known->siblings < 0)
		elog(ERROR, "dpsyn: a part of a release does not fit its parent");
	known->above = palloc0(sizeof(bool) * Max(n, 1));
	for (uint32 a = 0; a < n; a++)
	{
		known->above[a] = known->parent[a] >= 0 || (int) a == known->siblings;
		is_known[a] |= known->above[a];
	}
	return is_known;
}

/* What rows refer to by several columns is modelled, and may be NULL. */
static void
find_keys(DpTreeParents *parents, const DpDomain *above, const DpStoredPart *part)
{
	parents->key = palloc(sizeof(int) * Max(part->references, 1));
	for (int i = 0; i < part->references; i++)
	{
		int a = dp_domain_find(above, part->refers_to[i]);

		if (a >= 0 && dp_attribute_has_null(&above->attribute[a]))
			parents->key[parents->keys++] = a;
	}
}

/* Rows of a round are sorted by their known attributes of ancestors, then by those of their
 * siblings. */
static void
find_order(DpTreeOrder *order, const DpDomain *domain, const bool *known)
{
	uint64 ranks = 1;

	order->by = palloc(sizeof(uint32) * Max(domain->attributes, 1));
	for (uint32 a = 0; a < domain->attributes; a++)
		if (known[a])
			order->by[order->n++] = a;
	while (order->ranked < order->n &&
		   !pg_mul_u64_overflow(ranks, domain->attribute[order->by[order->ranked]].levels, &ranks))
		order->ranked++;
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
	level->rows.first = 1;
	level->distinct = dp_distinct_codes_create(&part->stored);
	level->full = (double) dp_model_parameter(&part->stored.model, DP_MODEL_FULL_ROWS, 1);
	level->order = (int) dp_model_parameter(&part->stored.model, DP_MODEL_ORDER, -1);
	if (level->order >= (int) level->domain->attributes)
		elog(ERROR, "dpsyn: the order of a part is of no attribute");
	known = level_known(level, above, part, parent);
	find_keys(&level->parents, above->domain, part);
	if (fitted->fitted != NULL)
		status = dp_conditional_sampler_build(fitted->fitted, known, &level->sampler, arena);
	level->trials = &fitted->trials[trial];
	if (status == DP_OK && level->weights != NULL)
		status = dp_raking_weights_read(fitted->fitted, known, level->weights,
										&level->trials->raking, fitted->arena);
	else if (status == DP_OK && !level->trials->are_done)
		status = dp_raking_build(fitted->fitted, known, level->known.above, &level->trials->raking,
								 &job->progress.tick, fitted->arena);
	level->trials->are_done |= level->weights != NULL;
	if (status == DP_OK)
		status = dp_conditional_sampler_weigh(level->sampler, level->trials->raking, arena);
	if (status == DP_ERR_LIMIT)
		dp_raise_unconditional(&part->stored);
	level->drawer = (DpDrawer){.sampler = &dp_conditional_row_sampler,
							   .state = level->sampler,
							   .domain = level->domain,
							   .fixed = known};
	if (status == DP_OK)
		status = dp_zero_test_build(&level->drawer.forbidden, level->domain, NULL, 0, arena);
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	find_order(&level->round, level->domain, known);
	dp_quasi_random_init(&level->round.points, dp_conditional_sampler_dimensions(level->sampler));
}

/* ---- drawing ---- */

static void
rows_reserve(DpTreeBlockRows *rows, uint64 n, uint32 attributes)
{
	if (n <= rows->capacity)
		return;
	if (rows->codes != NULL)
	{
		pfree(rows->codes);
		pfree(rows->parent);
	}
	rows->capacity = n + n / 2;
	rows->codes =
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * rows->capacity * attributes);
	rows->parent = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * rows->capacity);
}

/*
 * The value that an attribute about earlier siblings has for a row; the siblings stand before it.
 */
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
	const DpTreeKnown *known = &level->known;
	DpPrevious previous = previous_at(level, codes, before, (int) own);

	if (!dp_tree_has_again(attribute))
		previous.last = before > 0;
	if (known->again[own] >= 0)
		codes[known->again[own]] = previous.same;
	if (known->previous[own] >= 0)
		codes[known->previous[own]] =
			previous.last > 0 ? codes[own - previous.last * (ptrdiff_t) level->domain->attributes]
							  : level->domain->attribute[known->previous[own]].levels - 1;
}

/* Writes what is known of row number `before` of its siblings, given its parent's codes. */
static void
row_know(const DpTreeLevel *level, const uint32 *above, uint32 before, uint32 siblings,
		 uint32 *codes)
{
	const DpTreeKnown *known = &level->known;

	for (uint32 a = 0; a < level->domain->attributes; a++)
	{
		if (known->parent[a] >= 0)
			codes[a] = above[known->parent[a]];
		if (known->previous[a] >= 0 || known->again[a] >= 0)
			previous_know(level, before, a, codes);
	}
	codes[known->siblings] = siblings - 1;
}

/* Draws the other attributes of a row: from a point, or from random numbers if zeros forbid that
 * row. If zeros forbid every row with these known attributes, the last one drawn is kept.
 * tries: that are left of the row. */
static void
row_draw_any(DpTreeLevel *level, const double *point, DpPrng *prng, uint64 *tries, uint32 *codes,
			 const DpTick *tick)
{
	dp_conditional_sampler_condition(level->sampler, codes);
	if (point != NULL)
	{
		dp_conditional_sampler_point(level->sampler, point);
		level->drawer.sampler->draw(level->drawer.state, prng, codes);
		dp_conditional_sampler_point(level->sampler, NULL);
		if (!dp_zero_test_forbids(&level->drawer.forbidden, codes))
			return;
	}
	if (dp_draw_again(&level->drawer, prng, codes, tries, tick, NULL) != DP_OK)
		return;
}

/* The number of rows of the parent of a row of which that is known. */
static uint32
siblings_of(const DpTreeLevel *level, const uint32 *codes)
{
	return Min(codes[level->known.siblings] + 1, dp_distinct_codes_most(level->distinct));
}

/*
 * Draws a row that differs from the `before` rows of the same parent. What one attribute decides is
 * removed. What several decide is drawn until it differs, which has the same distribution. Where the model
 * or zeros leave hardly any row, any level comes that is left.
 */
static void
row_draw(DpTreeLevel *level, const double *point, DpPrng *prng, uint32 before, uint32 *codes,
		 const DpTick *tick)
{
	uint64 tries = TRIES_A_ROW;

	dp_distinct_codes_remove(level->distinct, level->sampler, codes, before,
							 siblings_of(level, codes) - before);
	row_draw_any(level, point, prng, &tries, codes, tick);
	while (tries > 0 && dp_distinct_codes_repeat(level->distinct, codes, before))
		row_draw_any(level, NULL, prng, &tries, codes, tick);
	dp_distinct_codes_restore(level->distinct, level->sampler);
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
rank_of(const DpTreeOrder *order, const DpDomain *domain, const uint32 *codes)
{
	uint64 rank = 0;

	for (uint32 i = 0; i < order->ranked; i++)
		rank = rank * domain->attribute[order->by[i]].levels + codes[order->by[i]];
	return rank;
}

static int
turn_compare(const Turn *a, const Turn *b, const DpTreeOrder *order)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	for (uint32 i = order->ranked; i < order->n; i++)
	{
		uint32 attribute = order->by[i];

		if (a->codes[attribute] != b->codes[attribute])
			return a->codes[attribute] < b->codes[attribute] ? -1 : 1;
	}
	return a->tie < b->tie ? -1 : a->tie > b->tie;
}

#define ST_SORT sort_turns
#define ST_ELEMENT_TYPE Turn
#define ST_COMPARE turn_compare
#define ST_COMPARE_ARG_TYPE const DpTreeOrder
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* before: how many rows of the same parent each row of the round follows. */
static void
round_draw(DpTreeLevel *level, Turn *turn, uint64 turns, uint32 before, DpPrng *prng,
		   const DpTick *tick)
{
	double point[DP_QUASI_RANDOM_DIMENSIONS_MAX];
	DpTreeOrder *order = &level->round;
	bool even = order->points.dimensions > 0;

	if (even)
	{
		for (uint64 i = 0; i < turns; i++)
		{
			turn[i].rank = rank_of(order, level->domain, turn[i].codes);
			turn[i].tie = dp_prng_u64(prng);
		}
		sort_turns(turn, turns, order);
		dp_quasi_random_shift(&order->points, prng);
	}
	for (uint64 i = 0; i < turns; i++)
	{
		if (i % ROWS_A_TICK == 0)
			dp_tick(tick, -1.0);
		if (even)
			dp_quasi_random_get(&order->points, i, point);
		row_draw(level, even ? point : NULL, prng, before, turn[i].codes, tick);
		if (level->tries)
			dp_raking_count(level->trials->raking, turn[i].codes,
							dp_conditional_sampler_recorded(level->sampler), turn[i].weight);
	}
}

uint32
dp_tree_rows_of(const DpTreeLevel *level, const DpTreeLevel *above, uint64 row)
{
	const uint32 *codes = above->rows.codes + row * above->domain->attributes;
	const DpTreeParents *parents = &level->parents;

	for (int i = 0; i < parents->keys; i++)
		if (codes[parents->key[i]] == above->domain->attribute[parents->key[i]].levels - 1)
			return 0;
	return Min(codes[parents->count], dp_distinct_codes_most(level->distinct));
}

double
dp_tree_weight(const DpTreeLevel *level, const DpTreeLevel *above, uint64 row)
{
	uint32 siblings = dp_tree_rows_of(level, above, row);

	return above->rows.weight[row] * Min(level->full / siblings, 1);
}

/* Draws the child rows of all parents. Their memory is reserved already. */
static void
rounds_draw(DpTreeLevel *level, const DpTreeLevel *above, DpPrng *prng, const DpTick *tick)
{
	uint32 n = level->domain->attributes;
	Turn *turn = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Turn) * Max(above->rows.n, 1));
	uint64 turns = 1;

	for (uint32 j = 0; turns > 0; j++)
	{
		uint32 *codes = level->rows.codes;

		turns = 0;
		for (uint64 i = 0; i < above->rows.n; i++)
		{
			const uint32 *parent = above->rows.codes + i * above->domain->attributes;
			uint32 siblings = dp_tree_rows_of(level, above, i);

			if (siblings > j)
			{
				turn[turns] = (Turn){.codes = codes + (Size) j * n,
									 .weight = level->tries ? dp_tree_weight(level, above, i) : 0};
				row_know(level, parent, j, parent[level->parents.count], turn[turns++].codes);
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
	level->rows.first += level->rows.n;
	level->rows.n = 0;
	for (uint64 i = 0; i < above->rows.n; i++)
		level->rows.n += dp_tree_rows_of(level, above, i);
}

/* Tells which parent each row belongs to. */
static void
rows_assign(DpTreeLevel *level, const DpTreeLevel *above)
{
	uint64 row = 0;

	for (uint64 i = 0; i < above->rows.n; i++)
		for (uint64 end = row + dp_tree_rows_of(level, above, i); row < end; row++)
			level->rows.parent[row] = above->rows.first + i;
}

void
dp_tree_level_draw(DpTreeLevel *level, const DpTreeLevel *above, DpStream stream,
				   const DpTick *tick)
{
	uint32 n = level->domain->attributes;
	DpPrng prng;

	dp_tree_level_skip(level, above);
	rows_reserve(&level->rows, level->rows.n, n);
	stream.seed ^= PART_STREAM * (uint64) level->number;
	dp_prng_seed(&prng, stream);
	rounds_draw(level, above, &prng, tick);
	rows_assign(level, above);
	if (level->order < 0)
		return;
	for (uint64 i = 0, row = 0; i < above->rows.n; i++)
	{
		uint32 siblings = dp_tree_rows_of(level, above, i);

		dp_sequence_sort(level->rows.codes + row * n, siblings, n, (uint32) level->order);
		row += siblings;
	}
}

void
dp_tree_level_take(DpTreeLevel *level, const DpTreeLevel *above, uint64 rows, const void *codes)
{
	dp_tree_level_skip(level, above);
	if (level->rows.n != rows)
		elog(ERROR, "dpsyn: a worker drew other rows than belong to their parents");
	rows_reserve(&level->rows, rows, level->domain->attributes);
	memcpy(level->rows.codes, codes, sizeof(uint32) * rows * level->domain->attributes);
	rows_assign(level, above);
}
