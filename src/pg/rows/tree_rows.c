/*
 * tree_rows.c -- rows of children: the root's rows are drawn by their seed, and the rows that belong
 * to each are drawn given it, table by table down to the one that is asked for.
 *
 * A block of the root's rows has streams of its own, and so has each table below it. So a seed means
 * the same rows of each table, whichever of them is asked for, and memory holds what belongs to one
 * block, or to a trial. Row n of a table is the n-th in this order, which is how rows refer to each other: the
 * number of a row's parent is known while it is drawn, and no row is without one.
 *
 * A row that breaks a rule of its table is drawn again when it is made. What belongs to it was drawn
 * given the row that it was at first, so that who draws the children need not know the parent's rules.
 */
#include "pg/rows/tree_rows.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/rows/known_rows.h"
#include "pg/domain/table_tree.h"
#include "pg/rows/fitted.h"
#include "pg/rows/sequence.h"
#include "pg/rows/target.h"
#include "pg/server/catalog.h"

/* Rows that are drawn for trial, before those that are asked for. */
#define TRIAL_SEED UINT64CONST(0x2545f4914f6cdd1d)
#define TRIAL_BLOCKS 16
#define TRIAL_ROWS 30000

/* Keeps the stream of a part apart from those of other parts. */
#define PART_STREAM UINT64CONST(0xbf58476d1ce4e5b9)
#define TRIES_A_ROW UINT64CONST(100000)
#define ROWS_A_RESET 1024

/* One table on the way from the root to the one that is asked for. */
typedef struct Level
{
	int number; /* of the part; 0: the root */
	const DpDomain *domain;
	DpDrawer drawer;
	DpKnownRows *known;
	bool *given; /* [attributes] known of the parent and of the number of siblings */
	DpDrift *drift;
	int count;          /* attribute of the level above: how many rows belong to one of its rows */
	int siblings;       /* attribute that says the same here */
	int *from_parent;   /* [attributes] the attribute above that each is; -1: none */
	int *from_previous; /* [attributes] the own attribute of rows before that each is; -1: none */
	int *from_again;    /* [attributes] the own attribute that rows before share; -1: none */
	uint32 *codes;      /* [rows x attributes] of the present block */
	uint64 *parent;     /* [rows] number of the row that each belongs to */
	uint64 rows;
	uint64 room;    /* rows that fit */
	uint64 first;   /* number of the first of them */
	int order;      /* own attribute in whose order rows of one parent are; -1: in none */
	bool whole;     /* rows were counted as one each; else those of one parent as one in all */
	double *weight; /* [rows] in a trial, as in what was measured */
	/* rows of a round */
	DpEvenPoints points; /* of no dimensions: each row is drawn for itself */
	uint32 orders;
	uint32 *by; /* [orders] attributes by which they are ordered */
} Level;

struct DpTreeRows
{
	DpDrawJob *root;
	int levels; /* the root is the first */
	Level *level;
};

/* ---- which table ---- */

DpStoredPart *
dp_part_of_relation(const DpStored *root, List *parts, Oid relation)
{
	char *name = OidIsValid(relation) ? get_rel_name(relation) : NULL;
	char *own = OidIsValid(root->relation) ? get_rel_name(root->relation) : NULL;
	ListCell *cell;

	if (parts == NIL || (relation == root->relation && OidIsValid(relation)))
		return NULL;
	foreach (cell, parts)
		if (((DpStoredPart *) lfirst(cell))->relation == relation && OidIsValid(relation))
			return lfirst(cell);
	foreach (cell, parts)
		if (name != NULL && strcmp(((DpStoredPart *) lfirst(cell))->name, name) == 0)
			return lfirst(cell);
	if (name != NULL && own != NULL && strcmp(own, name) == 0)
		return NULL;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the release is of several relations, and of none that is called so"),
					errhint("Name one of them, as NULL::%s does, or a table of the same name.",
							quote_identifier(((DpStoredPart *) linitial(parts))->name))));
}

DpStoredPart *
dp_part_asked(const DpStored *root, List *parts, Oid relation)
{
	if (!OidIsValid(relation))
		return NULL;
	if (parts == NIL)
		dp_check_release_of(root, dp_relation_label(relation));
	return dp_part_of_relation(root, parts, relation);
}

static DpStoredPart *
part_find(List *parts, int number)
{
	return list_nth(parts, number - 1);
}

/* ---- preparing ---- */

/* What is known of a row before it is drawn, by the names that pg/domain/table_tree.h gives. */
static bool *
level_known(Level *level, const Level *above, const DpStoredPart *part, const char *parent)
{
	uint32 n = level->domain->attributes;
	bool *known = palloc0(sizeof(bool) * Max(n, 1));

	level->from_parent = palloc(sizeof(int) * Max(n, 1));
	level->from_previous = palloc(sizeof(int) * Max(n, 1));
	level->from_again = palloc(sizeof(int) * Max(n, 1));
	for (uint32 a = 0; a < n; a++)
		level->from_parent[a] = level->from_previous[a] = level->from_again[a] = -1;
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
		int here = dp_domain_find(level->domain, dp_tree_previous_name(part->name, own));
		int again = dp_domain_find(level->domain, dp_tree_again_name(part->name, own));

		if (here >= 0)
			level->from_previous[here] = (int) a;
		if (again >= 0)
			level->from_again[again] = (int) a;
	}
	level->count = dp_domain_find(above->domain, dp_tree_count_name(part->name));
	level->siblings = dp_domain_find(level->domain, dp_tree_siblings_name(part->name));
	if (level->count < 0 || level->siblings < 0)
		elog(ERROR, "dpsyn: a part of a release does not fit its parent");
	level->given = palloc0(sizeof(bool) * Max(n, 1));
	for (uint32 a = 0; a < n; a++)
		level->given[a] = level->from_parent[a] >= 0 || (int) a == level->siblings;
	for (uint32 a = 0; a < n; a++)
		known[a] = level->from_parent[a] >= 0 || level->from_previous[a] >= 0 ||
				   level->from_again[a] >= 0 || (int) a == level->siblings;
	return known;
}

/* Rows of a round are in order of what they have from above, then of what their siblings were. */
static void
level_order(Level *level, const bool *known)
{
	level->by = palloc(sizeof(uint32) * Max(level->domain->attributes, 1));
	for (uint32 a = 0; a < level->domain->attributes; a++)
		if (known[a])
			level->by[level->orders++] = a;
	dp_even_points_init(&level->points, dp_known_rows_draws(level->known));
}

static void
level_prepare(Level *level, const Level *above, DpStoredPart *part, const char *parent,
			  DpDrawJob *job)
{
	const DpFitted *fitted = dp_fitted_get(&part->stored, (uint32) job->set, &job->progress.tick);
	DpArena *arena = &part->stored.arena;
	DpError error = {0};
	DpStatus status = DP_ERR_LIMIT;
	const bool *known;

	level->number = part->number;
	level->domain = &part->stored.model.domain;
	level->first = 1;
	level->whole = dp_model_parameter(&part->stored.model, DP_MODEL_WHOLE_ROWS, 0) != 0;
	level->order = (int) dp_model_parameter(&part->stored.model, DP_MODEL_ORDER, -1);
	if (level->order >= (int) level->domain->attributes)
		elog(ERROR, "dpsyn: the order of a part is of no attribute");
	known = level_known(level, above, part, parent);
	if (fitted->fitted != NULL)
		status = dp_known_rows_build(fitted->fitted, known, &level->known, arena);
	if (status == DP_OK)
		status = dp_drift_build(fitted->fitted, known, level->given, &level->drift,
								&job->progress.tick, arena);
	if (status == DP_OK)
		status = dp_known_rows_weigh(level->known, level->drift, arena);
	if (status == DP_ERR_LIMIT)
		dp_raise_unconditional(&part->stored);
	level->drawer = (DpDrawer){.sampler = &dp_known_rows_sampler,
							   .state = level->known,
							   .attributes = level->domain->attributes};
	if (status == DP_OK)
		status = dp_zero_test_build(&level->drawer.forbidden, level->domain, NULL, 0, arena);
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	level_order(level, known);
}

static DpDrawJob *
root_job(const DpDrawJob *job, DpStored *root, uint64 seed, uint64 rows)
{
	DpDrawJob *own = palloc0(sizeof(DpDrawJob));

	own->stored = root;
	own->seed = seed;
	own->set = job->set;
	own->rows = rows;
	dp_condition_read(&root->model.domain, NULL, &own->condition);
	dp_job_view_set(own);
	dp_progress_start(&own->progress, "preparing to draw rows");
	dp_job_prepare_own(own);
	return own;
}

/* ---- drawing ---- */

static void
level_make_room(Level *level, uint64 rows)
{
	if (rows <= level->room)
		return;
	if (level->codes != NULL)
	{
		pfree(level->codes);
		pfree(level->parent);
	}
	level->room = rows + rows / 2;
	level->codes = MemoryContextAllocHuge(CurrentMemoryContext,
										  sizeof(uint32) * level->room * level->domain->attributes);
	level->parent = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * level->room);
}

/* What the siblings before a row had of an own attribute; they stand before it. */
static DpPrevious
previous_at(const Level *level, const uint32 *codes, uint32 before, int own)
{
	size_t n = level->domain->attributes;
	const uint32 *at = codes + own;
	bool two = before > 1, three = before > 2;
	const bool alike[3] = {two && *(at - n) == *(at - 2 * n), three && *(at - n) == *(at - 3 * n),
						   three && *(at - 2 * n) == *(at - 3 * n)};

	return dp_tree_previous(before, alike);
}

static uint32
previous_code(const Level *level, const uint32 *codes, uint32 before, uint32 attribute)
{
	int own = level->from_previous[attribute];
	int last = dp_tree_has_again(&level->domain->attribute[own])
				   ? previous_at(level, codes, before, own).last
				   : before > 0;

	return last > 0 ? codes[own - last * (ptrdiff_t) level->domain->attributes]
					: level->domain->attribute[attribute].levels - 1;
}

/* Writes what is known of row number `before` of its siblings, given its parent's codes. */
static void
row_know(const Level *level, const uint32 *above, uint32 before, uint32 siblings, uint32 *codes)
{
	for (uint32 a = 0; a < level->domain->attributes; a++)
	{
		if (level->from_parent[a] >= 0)
			codes[a] = above[level->from_parent[a]];
		else if (level->from_previous[a] >= 0)
			codes[a] = previous_code(level, codes, before, a);
		else if (level->from_again[a] >= 0)
			codes[a] = previous_at(level, codes, before, level->from_again[a]).same;
	}
	codes[level->siblings] = siblings - 1;
}

/* Draws the rest of a row: by a point, and by random numbers where the zeros forbid that. */
static void
row_draw(Level *level, const double *point, DpPrng *prng, uint32 *codes, const DpTick *tick)
{
	uint64 tries = TRIES_A_ROW;
	DpError error = {0};

	dp_known_rows_set(level->known, codes);
	if (point != NULL)
	{
		dp_known_rows_point(level->known, point);
		level->drawer.sampler->draw(level->drawer.state, prng, codes);
		dp_known_rows_point(level->known, NULL);
		if (!dp_zero_test_forbids(&level->drawer.forbidden, codes))
			return;
	}
	if (dp_draw_again(&level->drawer, prng, codes, &tries, tick, &error) != DP_OK)
		dp_raise(&error);
}

/* ---- by rounds ---- */

/*
 * Of each row above the first row that belongs to it is drawn, then of each the second, and so on.
 * The rows of a round are put in order of what is known of them, those that are alike at random,
 * and take points that are even: so each level comes as often as the model says for these rows, and
 * for any of them that are alike in what the order begins with, but for a row or two. Drawn
 * for themselves they would be off by the root of their number. No two rows of one parent are in a round, and each round has a
 * shift of its own, so that siblings depend on each other as in the model, and each row by itself
 * has its law.
 */

/* A row of a round. */
typedef struct Turn
{
	uint32 *codes;
	uint64 tie;
} Turn;

static int
turn_compare(const void *left, const void *right, void *of)
{
	const Turn *a = left, *b = right;
	const Level *level = of;

	for (uint32 i = 0; i < level->orders; i++)
	{
		uint32 attribute = level->by[i];

		if (a->codes[attribute] != b->codes[attribute])
			return a->codes[attribute] < b->codes[attribute] ? -1 : 1;
	}
	return a->tie < b->tie ? -1 : a->tie > b->tie;
}

static void
round_draw(Level *level, Turn *turn, uint64 turns, DpPrng *prng, const DpTick *tick)
{
	double point[DP_EVEN_DIMENSIONS_MAX];
	bool even = level->points.dimensions > 0;

	if (even)
	{
		for (uint64 i = 0; i < turns; i++)
			turn[i].tie = dp_prng_u64(prng);
		qsort_arg(turn, turns, sizeof(Turn), turn_compare, level);
		dp_even_points_shift(&level->points, prng);
	}
	for (uint64 i = 0; i < turns; i++)
	{
		if (even)
			dp_even_points_get(&level->points, i, point);
		row_draw(level, even ? point : NULL, prng, turn[i].codes, tick);
	}
}

/* Draws the rows that belong to those above, which have their room already. */
static void
rounds_draw(Level *level, const Level *above, DpPrng *prng, const DpTick *tick)
{
	uint32 n = level->domain->attributes;
	Turn *turn =
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Turn) * Max(above->rows, 1));
	uint64 turns = 1;

	for (uint32 j = 0; turns > 0; j++)
	{
		uint32 *codes = level->codes;

		turns = 0;
		for (uint64 i = 0; i < above->rows; i++)
		{
			const uint32 *parent = above->codes + i * above->domain->attributes;
			uint32 siblings = parent[level->count];

			if (siblings > j)
			{
				turn[turns] = (Turn){.codes = codes + (Size) j * n};
				row_know(level, parent, j, siblings, turn[turns++].codes);
			}
			codes += (Size) siblings * n;
		}
		round_draw(level, turn, turns, prng, tick);
	}
	pfree(turn);
}

static void
level_draw(const DpTreeRows *tree, int number, uint64 block, const DpTick *tick)
{
	Level *level = &tree->level[number];
	const Level *above = &tree->level[number - 1];
	uint32 n = level->domain->attributes;
	uint64 rows = 0;
	DpPrng prng;

	level->first += level->rows;
	for (uint64 i = 0; i < above->rows; i++)
		rows += above->codes[i * above->domain->attributes + level->count];
	level_make_room(level, rows);
	dp_prng_seed(&prng, (DpStream){tree->root->seed ^ (PART_STREAM * (uint64) level->number),
								   tree->root->set, block});
	rounds_draw(level, above, &prng, tick);
	level->rows = 0;
	for (uint64 i = 0; i < above->rows; i++)
	{
		uint32 siblings = above->codes[i * above->domain->attributes + level->count];

		for (uint32 j = 0; j < siblings; j++)
			level->parent[level->rows + j] = above->first + i;
		if (level->order >= 0)
			dp_sequence_sort(level->codes + level->rows * n, siblings, n, (uint32) level->order);
		level->rows += siblings;
	}
}

/* ---- trials ---- */

/* The weights of a level's rows. */
static void
level_share(Level *level, const Level *above)
{
	uint64 row = 0;

	level->weight =
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * Max(level->rows, 1));
	for (uint64 i = 0; i < above->rows; i++)
	{
		uint32 siblings = above->codes[i * above->domain->attributes + level->count];

		for (uint32 j = 0; j < siblings; j++)
			level->weight[row++] = above->weight[i] / (level->whole ? 1 : siblings);
	}
}

/* So many rows of a level, from one on, that enough rows belong to them. */
static Level
level_slice(const Level *level, uint64 from, int count)
{
	Level slice = *level;
	uint64 below = 0;

	slice.codes += from * level->domain->attributes;
	slice.weight += from;
	for (slice.rows = 0; from + slice.rows < level->rows && below < TRIAL_ROWS; slice.rows++)
		below += slice.codes[slice.rows * level->domain->attributes + count];
	return slice;
}

/* Draws rows that belong to a part of the level above, and gives them their weights. */
static void
trial_draw(DpTreeRows *tree, int number, const Level *slice, int trial, const DpTick *tick)
{
	Level *level = &tree->level[number], *above = &tree->level[number - 1];
	Level all = *above;

	*above = *slice;
	level_draw(tree, number, trial, tick);
	*above = all;
	if (level->weight != NULL)
		pfree(level->weight);
	level_share(level, slice);
}

/* Draws rows of a level again and again, until they are as its model says. */
static void
level_try(DpTreeRows *tree, int number, const DpTick *tick)
{
	Level *level = &tree->level[number];
	const Level *above = &tree->level[number - 1];
	uint64 from = 0;
	bool again = above->rows > 0;
	int trial;

	for (trial = 0; trial < DP_DRIFT_TRIALS && again; trial++)
	{
		Level slice = level_slice(above, from, level->count);

		trial_draw(tree, number, &slice, trial, tick);
		for (uint64 i = 0; i < level->rows; i++)
			dp_drift_count(level->drift, level->codes + i * level->domain->attributes,
						   level->weight[i]);
		again = dp_drift_end_trial(level->drift);
		dp_tick(tick, -1.0);
		from = from + slice.rows < above->rows ? from + slice.rows : 0;
	}
	if (number + 1 < tree->levels && above->rows > 0) /* the next one is tried below these */
	{
		Level slice = level_slice(above, 0, level->count);

		trial_draw(tree, number, &slice, trial, tick);
	}
}

/* Finds the weights of all levels, from the root on. They depend on the release alone. */
static void
tree_try(DpTreeRows *tree, DpDrawJob *trial)
{
	const DpTick *tick = &trial->progress.tick;
	DpDrawJob *root = tree->root;
	Level *top = &tree->level[0];
	uint32 *codes = top->codes;

	tree->root = trial;
	top->codes = palloc(dp_job_block_bytes(trial) * TRIAL_BLOCKS);
	top->rows = trial->rows;
	top->weight = palloc(sizeof(double) * top->rows);
	for (int i = 0; i < TRIAL_BLOCKS; i++)
		dp_job_draw(trial, i, top->codes + (size_t) i * DP_BLOCK_ROWS * top->domain->attributes,
					tick);
	for (uint64 i = 0; i < top->rows; i++)
		top->weight[i] = 1;
	for (int i = 1; i < tree->levels; i++)
		level_try(tree, i, tick);
	for (int i = 0; i < tree->levels; i++)
	{
		if (tree->level[i].weight != NULL)
			pfree(tree->level[i].weight);
		tree->level[i].weight = NULL;
		tree->level[i].rows = 0;
		tree->level[i].first = 1;
	}
	pfree(top->codes);
	top->codes = codes;
	tree->root = root;
}

DpTreeRows *
dp_tree_rows_create(DpDrawJob *job, DpStored *root, List *parts, int number)
{
	DpTreeRows *tree = palloc0(sizeof(DpTreeRows));
	int depth = 0;

	for (int at = number; at > 0; at = part_find(parts, at)->parent)
		depth++;
	tree->levels = depth + 1;
	tree->level = palloc0(sizeof(Level) * tree->levels);
	tree->root = root_job(job, root, job->seed, job->rows);
	tree->level[0].domain = &root->model.domain;
	tree->level[0].first = 1;
	tree->level[0].codes = palloc(dp_job_block_bytes(tree->root));
	for (int i = depth, at = number; i > 0; i--, at = part_find(parts, at)->parent)
		tree->level[i].number = at;
	for (int i = 1; i <= depth; i++)
	{
		DpStoredPart *part = part_find(parts, tree->level[i].number);

		level_prepare(&tree->level[i], &tree->level[i - 1], part,
					  part->parent > 0 ? part_find(parts, part->parent)->name : part->root_name,
					  job);
	}
	tree_try(tree, root_job(job, root, TRIAL_SEED, TRIAL_BLOCKS * DP_BLOCK_ROWS));
	job->drawer = tree->level[depth].drawer;
	return tree;
}

/* ---- rows ---- */

/* How many rows from this one on belong to the same row of the parent. */
static uint32
siblings_from(const Level *level, uint64 row)
{
	uint64 end = row;

	while (end < level->rows && level->parent[end] == level->parent[row])
		end++;
	return (uint32) (end - row);
}

/* Makes the rows of the last level, those of one parent together. */
static void
rows_put(const Level *level, DpDrawJob *job, DpSequence *sequence, uint64 block,
		 Tuplestorestate *store)
{
	MemoryContext caller = MemoryContextSwitchTo(job->scratch);
	int natts = job->row->natts;
	uint64 kept = 0; /* rows since memory was emptied */
	DpRowStream stream;
	uint32 n;

	dp_job_stream(job, block, level->codes, (uint32) level->rows, level->first, &stream);
	for (uint64 from = 0; from < level->rows; from += n)
	{
		Datum *values;
		bool *nulls;

		n = siblings_from(level, from);
		values = palloc(sizeof(Datum) * natts * n);
		nulls = palloc(sizeof(bool) * natts * n);
		dp_filler_parent(job->filler, level->parent[from]);
		dp_sequence_choose(sequence, &stream, n);
		for (uint32 i = 0; i < n; i++)
		{
			dp_known_rows_set(level->known, level->codes + (from + i) * level->domain->attributes);
			dp_sequence_row(sequence, &stream, i, values + (Size) i * natts,
							nulls + (Size) i * natts);
		}
		dp_sequence_settle(sequence, n, values, nulls);
		for (uint32 i = 0; i < n; i++)
			tuplestore_putvalues(store, job->row, values + (Size) i * natts,
								 nulls + (Size) i * natts);
		kept += n;
		if (kept < ROWS_A_RESET)
			continue;
		MemoryContextReset(job->scratch);
		kept = 0;
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(job->scratch);
}

DpTreeBlock
dp_tree_rows_block(DpTreeRows *tree, uint64 block, const DpTick *tick)
{
	const Level *last = &tree->level[tree->levels - 1];

	tree->level[0].first += tree->level[0].rows;
	tree->level[0].rows = dp_job_block_rows(tree->root, block);
	dp_job_draw(tree->root, block, tree->level[0].codes, tick);
	for (int i = 1; i < tree->levels; i++)
		level_draw(tree, i, block, tick);
	return (DpTreeBlock){tree->level[0].rows, last->rows, last->codes};
}

void
dp_tree_rows_emit(DpTreeRows *tree, DpDrawJob *job, Tuplestorestate *store)
{
	const DpTick *tick = &job->progress.tick;
	const Level *last = &tree->level[tree->levels - 1];
	DpSequence *sequence = dp_sequence_create(job, last->order);
	uint64 blocks = dp_job_blocks(tree->root);

	for (uint64 block = 0; block < blocks; block++)
	{
		(void) dp_tree_rows_block(tree, block, tick);
		rows_put(last, job, sequence, block, store);
		dp_tick(tick, (double) (block + 1) / blocks);
	}
}
