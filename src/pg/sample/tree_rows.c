/*
 * tree_rows.c -- rows of children: the root's rows are drawn by their seed, and the rows that
 * belong to each are drawn given it, table by table down to the one that is asked for.
 *
 * A block of the root's rows has streams of its own, and so has each table below it. So a seed
 * means the same rows of each table, whichever of them is asked for, and memory holds what belongs
 * to one block, or to a trial. Row n of a table is the n-th in this order, which is how rows refer
 * to each other: the number of a row's parent is known while it is drawn, and no row is without
 * one.
 *
 * A row that breaks a rule of its table is drawn again when it is made. What belongs to it was
 * drawn given the row that it was at first, so that who draws the children need not know the
 * parent's rules.
 */
#include "pg/sample/tree_rows.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/sample/tree_level.h"
#include "pg/sample/sequence.h"
#include "pg/sample/target.h"
#include "pg/server/catalog.h"

/* Rows are drawn for trial before those that are asked for. What they show is kept for the session. */
#define TRIAL_SEED UINT64CONST(0x2545f4914f6cdd1d)

#define ROWS_A_RESET 1024

struct DpTreeRows
{
	DpDrawJob *root;
	int levels;   /* the root is the first */
	List *path;   /* of DpStoredPart: the levels below it */
	uint64 *rows; /* [levels] of the block that is sent */
	DpTreeLevel *level;
	DpDistinctValues *distinct; /* of the last one's rows; filled when they are made */
	DpPatternRow *
		above; /* [levels - 1] what a row of the last level belongs to: its parent's row, and so on */
	DpSequence *sequence; /* of the last one's rows; filled by dp_tree_rows_begin */
	uint64 next;          /* block */
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
dp_part_requested(const DpStored *root, List *parts, Oid relation)
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

/* The place of a column among those that refer to the parent; -1: it is none of them. */
static int
reference_find(const DpStoredPart *part, const char *column)
{
	for (int i = 0; i < part->references; i++)
		if (strcmp(part->refers_by[i], column) == 0)
			return i;
	return -1;
}

DpReferred
dp_part_refers(List *parts, const DpStoredPart *part, int place)
{
	DpReferred referred = {part->parent, part->refers_to[place], 0};

	while (referred.table > 0)
	{
		const DpStoredPart *above = part_find(parts, referred.table);
		int here = reference_find(above, referred.column);

		if (here < 0)
			break;
		referred = (DpReferred){above->parent, above->refers_to[here], referred.up + 1};
	}
	return referred;
}

/* ---- preparing ---- */

static DpDrawJob *
root_job(const DpDrawJob *job, DpStored *root, uint64 seed, uint64 rows)
{
	DpDrawJob *own = palloc0(sizeof(DpDrawJob));

	own->stored = root;
	own->seed = seed;
	own->set = job->set;
	own->rows = rows;
	dp_condition_read(root, NULL, &own->condition);
	dp_job_view_set(own);
	dp_progress_start(&own->progress, "preparing to draw rows");
	dp_job_prepare_own(own);
	return own;
}

/* ---- drawing ---- */

static void
level_draw(const DpTreeRows *tree, int number, uint64 block, const DpTick *tick)
{
	dp_tree_level_draw(&tree->level[number], &tree->level[number - 1],
					   (DpStream){tree->root->seed, tree->root->set, block}, tick);
}

/* ---- trials ---- */

/* The weights of a level's rows. */
static void
level_share(DpTreeLevel *level, const DpTreeLevel *above)
{
	uint64 row = 0;

	level->rows.weight =
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * Max(level->rows.n, 1));
	for (uint64 i = 0; i < above->rows.n; i++)
	{
		uint32 siblings = dp_tree_rows_of(level, above, i);

		for (uint32 j = 0; j < siblings; j++)
			level->rows.weight[row++] = dp_tree_weight(level, above, i);
	}
}

/* So many rows of a level, from one on, that enough rows belong to them. */
static DpTreeBlockRows
rows_slice(const DpTreeLevel *level, uint64 from, int count)
{
	uint32 n = level->domain->attributes;
	DpTreeBlockRows slice = level->rows;
	uint64 below = 0;

	slice.codes += from * n;
	slice.weight += from;
	for (slice.n = 0; from + slice.n < level->rows.n && below < DP_RAKING_ROWS; slice.n++)
		below += slice.codes[slice.n * n + count];
	return slice;
}

/* Draws rows that belong to a part of the level above, and gives them their weights. */
static void
trial_draw(DpTreeRows *tree, int number, const DpTreeBlockRows *slice, int trial,
		   const DpTick *tick)
{
	DpTreeLevel *level = &tree->level[number], *above = &tree->level[number - 1];
	DpTreeBlockRows all = above->rows;

	above->rows = *slice;
	level_draw(tree, number, trial, tick);
	if (level->rows.weight != NULL)
		pfree(level->rows.weight);
	level_share(level, above);
	above->rows = all;
}

/* Draws rows of a level again and again, until they are as its model says. */
static void
level_try(DpTreeRows *tree, int number, const DpTick *tick)
{
	DpTreeLevel *level = &tree->level[number];
	const DpTreeLevel *above = &tree->level[number - 1];
	uint64 from = 0;
	bool again = above->rows.n > 0;

	level->tries = true;
	dp_conditional_sampler_record(level->sampler, true);
	for (int trial = 0; trial < DP_RAKING_TRIALS && again; trial++)
	{
		DpTreeBlockRows slice = rows_slice(above, from, level->parents.count);

		trial_draw(tree, number, &slice, trial, tick);
		again = dp_raking_end_trial(level->trials->raking);
		dp_tick(tick, -1.0);
		from = from + slice.n < above->rows.n ? from + slice.n : 0;
	}
	level->tries = false;
	dp_conditional_sampler_record(level->sampler, false);
	level->trials->are_done = true;
}

/* Draws the rows of the root for a trial. */
static void
root_try(DpTreeRows *tree)
{
	DpTreeBlockRows *rows = &tree->level[0].rows;
	const DpTick *tick = &tree->root->progress.tick;
	Size block = (Size) DP_BLOCK_ROWS * tree->level[0].domain->attributes;
	uint64 blocks = dp_job_blocks(tree->root);

	rows->codes = palloc(dp_job_block_bytes(tree->root) * blocks);
	rows->n = tree->root->rows;
	rows->weight = palloc(sizeof(double) * rows->n);
	for (uint64 i = 0; i < blocks; i++)
		dp_job_draw(tree->root, i, rows->codes + i * block, tick);
	for (uint64 i = 0; i < rows->n; i++)
		rows->weight[i] = 1;
}

/* Finds the weights of all levels, from the root on. They depend on the release and on the number
 * of rows of the trial alone. */
static void
tree_try(DpTreeRows *tree, DpDrawJob *trial)
{
	const DpTick *tick = &trial->progress.tick;
	DpDrawJob *root = tree->root;
	uint32 *codes = tree->level[0].rows.codes;
	int last = tree->levels - 1; /* that is to be tried */

	while (last > 0 && tree->level[last].trials->are_done)
		last--;
	if (last == 0)
		return;
	tree->root = trial;
	root_try(tree);
	for (int i = 1; i <= last; i++)
	{
		DpTreeBlockRows slice;

		if (!tree->level[i].trials->are_done)
			level_try(tree, i, tick);
		if (i == last || tree->level[i - 1].rows.n == 0)
			continue;
		slice = rows_slice(&tree->level[i - 1], 0, tree->level[i].parents.count);
		trial_draw(tree, i, &slice, DP_RAKING_TRIALS, tick); /* the next one is tried below these */
	}
	for (int i = 0; i < tree->levels; i++)
	{
		DpTreeBlockRows *rows = &tree->level[i].rows;

		if (rows->weight != NULL)
			pfree(rows->weight);
		rows->weight = NULL;
		rows->n = 0;
		rows->first = 1;
	}
	pfree(tree->level[0].rows.codes);
	tree->level[0].rows.codes = codes;
	tree->root = root;
}

/* The name of the table that a part's rows belong to. */
static const char *
parent_name(List *path, int level)
{
	DpStoredPart *part = list_nth(path, level - 1);

	return level > 1 ? ((DpStoredPart *) list_nth(path, level - 2))->name : part->root_name;
}

/* path: the parts below the root. weights: of their trials, or NIL. */
static DpTreeRows *
tree_create(DpDrawJob *job, DpStored *root, List *path, List *weights)
{
	DpTreeRows *tree = palloc0(sizeof(DpTreeRows));
	int depth = list_length(path);
	uint64 trial_rows;
	int trial = dp_raking_size(job->rows, &trial_rows);

	tree->levels = depth + 1;
	tree->path = path;
	tree->rows = palloc(sizeof(uint64) * tree->levels);
	tree->above = palloc(sizeof(DpPatternRow) * depth);
	tree->level = palloc0(sizeof(DpTreeLevel) * tree->levels);
	tree->root = root_job(job, root, job->seed, job->rows);
	tree->level[0].domain = &root->model.domain;
	tree->level[0].rows.first = 1;
	tree->level[0].rows.codes = palloc(dp_job_block_bytes(tree->root));
	for (int i = 1; i <= depth; i++)
	{
		DpStoredPart *part = list_nth(path, i - 1);

		tree->level[i].number = part->number;
		tree->level[i].weights = weights != NIL ? list_nth(weights, i - 1) : NULL;
		dp_tree_level_prepare(&tree->level[i], &tree->level[i - 1], part, parent_name(path, i), job,
							  trial);
	}
	if (weights == NIL)
		tree_try(tree, root_job(job, root, TRIAL_SEED, trial_rows));
	job->drawer = tree->level[depth].drawer;
	return tree;
}

DpTreeRows *
dp_tree_rows_create(DpDrawJob *job, DpStored *root, List *parts, int number)
{
	List *path = NIL;

	for (int at = number; at > 0; at = part_find(parts, at)->parent)
		path = lcons(part_find(parts, at), path);
	return tree_create(job, root, path, NIL);
}

/* ---- rows ---- */

/* How many rows from this one on belong to the same row of the parent. */
static uint32
siblings_from(const DpTreeLevel *level, uint64 row)
{
	uint64 end = row;

	while (end < level->rows.n && level->rows.parent[end] == level->rows.parent[row])
		end++;
	return (uint32) (end - row);
}

/* The place of a row of a level among those of the same parent, which are next to each other. */
static uint64
place_of(const DpTreeLevel *level, uint64 row)
{
	const uint64 *parent = level->rows.parent;
	uint64 place = 1;

	for (; parent != NULL && row > 0 && parent[row - 1] == parent[row]; row--)
		place++;
	return place;
}

/* Finds the rows that a row of the last level belongs to. */
static void
find_above(const DpTreeRows *tree, uint64 row)
{
	for (int at = tree->levels - 1, up = 0; at > 0; at--, up++)
	{
		const DpTreeLevel *above = &tree->level[at - 1];
		uint64 number = tree->level[at].rows.parent[row];

		row = number - above->rows.first;
		tree->above[up] = (DpPatternRow){number, place_of(above, row)};
	}
}

/* The rows of the last level of a block, while they are made. */
typedef struct LastRows
{
	const DpTreeRows *tree;
	const DpTreeLevel *level;
	DpDrawJob *job;
	DpSequence *sequence;
	DpDistinctValues *distinct; /* NULL: rows of one parent need not differ */
	const DpRowSink *sink;      /* NULL: only for what they show of rules */
	DpRowStream stream;
	DpRowStream start; /* of the siblings that are made */
	uint64 next;       /* row */
	uint64 kept;       /* rows since memory was emptied */
} LastRows;

/* Makes the next n rows, of one parent, and numbers them. Returns how many there are: what cannot
 * differ from the others is left out. */
static uint32
siblings_make(LastRows *rows, uint32 n, Datum *values, bool *nulls, uint64 *number)
{
	const DpTreeLevel *level = rows->level;
	int natts = rows->job->row->natts;
	uint32 made = 0;

	for (uint32 i = 0; i < n; i++)
	{
		const uint32 *codes = level->rows.codes + (rows->next + i) * level->domain->attributes;

		dp_conditional_sampler_condition(level->sampler, codes);
		dp_sequence_row(rows->sequence, &rows->stream, i, values + (Size) made * natts,
						nulls + (Size) made * natts);
		number[made] = level->rows.first + rows->next + i;
		made += rows->distinct == NULL ||
				dp_distinct_rows_keep(rows->distinct, &rows->stream, codes, made, values, nulls);
	}
	return made;
}

/* Makes the rows of one parent. */
static void
siblings_put(LastRows *rows)
{
	const DpTreeLevel *level = rows->level;
	DpDrawJob *job = rows->job;
	int natts = job->row->natts;
	uint32 n = siblings_from(level, rows->next), made;
	Datum *values = palloc(sizeof(Datum) * natts * n);
	bool *nulls = palloc(sizeof(bool) * natts * n);
	uint64 *number = palloc(sizeof(uint64) * n);

	find_above(rows->tree, rows->next);
	dp_placeholders_ancestor(job->placeholders, rows->tree->above, level->rows.first + rows->next);
	if (job->bases != NULL)
		job->bases->give(job->bases->state, job->decoder, rows->tree->above);
	dp_sequence_choose(rows->sequence, &rows->stream, n);
	made = siblings_make(rows, n, values, nulls, number);
	dp_sequence_finalize(rows->sequence, made, values, nulls);
	for (uint32 i = 0; i < made && rows->sink != NULL; i++)
		rows->sink->put(rows->sink->state, number[i], values + (Size) i * natts,
						nulls + (Size) i * natts);
	rows->next += n;
	rows->kept += n;
	if (rows->kept < ROWS_A_RESET)
		return;
	MemoryContextReset(job->scratch);
	rows->kept = 0;
}

static void
rows_put_rest(void *argument)
{
	LastRows *rows = argument;

	while (rows->next < rows->level->rows.n)
	{
		if (dp_row_rules_can_fail(rows->job->rules))
		{
			rows->start = rows->stream;
			dp_placeholders_mark(rows->job->placeholders);
			dp_row_rules_mark(rows->job->rules);
		}
		siblings_put(rows);
	}
}

/* Makes the rows of the last level, all rows of one parent together. sink NULL: only to learn which
 * values keep the rules. If rules can fail, all rows are made in one subtransaction, until one
 * fails. */
static void
rows_put(const DpTreeRows *tree, DpDrawJob *job, uint64 block, const DpRowSink *sink)
{
	LastRows rows = {.tree = tree,
					 .level = &tree->level[tree->levels - 1],
					 .job = job,
					 .sequence = tree->sequence,
					 .distinct = tree->distinct,
					 .sink = sink};
	const DpTreeBlockRows *drawn = &rows.level->rows;
	MemoryContext caller = MemoryContextSwitchTo(job->scratch);

	dp_distinct_rows_begin(rows.distinct);
	dp_job_stream(job, block, drawn->codes, (uint32) drawn->n, drawn->first, &rows.stream);
	if (!dp_row_rules_can_fail(job->rules))
		rows_put_rest(&rows);
	while (rows.next < drawn->n)
	{
		if (dp_row_rules_together(job->rules, rows_put_rest, &rows))
			break;
		rows.stream = rows.start;
		dp_placeholders_back(job->placeholders);
		siblings_put(&rows);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(job->scratch);
}

/* Goes on to a block of the root. Returns where the codes of its rows belong. */
static uint32 *
root_rows(DpTreeRows *tree, uint64 block)
{
	DpTreeBlockRows *rows = &tree->level[0].rows;

	rows->first += rows->n;
	rows->n = dp_job_block_rows(tree->root, block);
	return rows->codes;
}

/* Draws the rows of a block on all levels above the last. */
static void
block_draw_above(DpTreeRows *tree, uint64 block, const DpTick *tick)
{
	dp_job_draw(tree->root, block, root_rows(tree, block), tick);
	for (int i = 1; i < tree->levels - 1; i++)
		level_draw(tree, i, block, tick);
}

DpTreeBlock
dp_tree_rows_block(DpTreeRows *tree, uint64 block, const DpTick *tick)
{
	const DpTreeLevel *last = &tree->level[tree->levels - 1];

	block_draw_above(tree, block, tick);
	level_draw(tree, tree->levels - 1, block, tick);
	return (DpTreeBlock){tree->level[0].rows.n, last->rows.n, last->rows.codes};
}

/* Passes a block over. Its rows have their numbers, and those of the last level are counted alone.
 */
static void
block_skip(DpTreeRows *tree, uint64 block, const DpTick *tick)
{
	block_draw_above(tree, block, tick);
	dp_tree_level_skip(&tree->level[tree->levels - 1], &tree->level[tree->levels - 2]);
}

/* Takes the codes of a block, as the pieces of dp_tree_rows_pieces one after the other. */
static void
block_take(DpTreeRows *tree, uint64 block, const char *sent)
{
	const char *codes = sent + sizeof(uint64) * tree->levels;

	memcpy(tree->rows, sent, sizeof(uint64) * tree->levels);
	for (int i = 0; i < tree->levels; i++)
	{
		DpTreeLevel *level = &tree->level[i];
		Size bytes = sizeof(uint32) * tree->rows[i] * level->domain->attributes;

		if (i > 0)
			dp_tree_level_take(level, level - 1, tree->rows[i], codes);
		else
			memcpy(root_rows(tree, block), codes, bytes);
		codes += bytes;
	}
}

/* Draws or takes the next block, and makes ready what distances are from. */
static void
block_next(DpTreeRows *tree, const DpDrawJob *job, const char *sent)
{
	uint64 block = tree->next++;

	if (job->bases != NULL)
		job->bases->block(job->bases->state, block);
	if (sent != NULL)
		block_take(tree, block, sent);
	else
		(void) dp_tree_rows_block(tree, block, &job->progress.tick);
}

/* The first block, while it is drawn to learn which values keep the CHECKs. */
typedef struct FirstBlock
{
	const DpTreeRows *tree;
	DpDrawJob *job;
} FirstBlock;

static void
make_first_block(void *argument)
{
	const FirstBlock *first = argument;

	rows_put(first->tree, first->job, 0, NULL);
}

void
dp_tree_rows_begin(DpTreeRows *tree, DpDrawJob *job, uint64 block)
{
	FirstBlock first = {tree, job};

	tree->sequence = dp_sequence_create(job, tree->level[tree->levels - 1].order);
	tree->distinct = dp_distinct_rows_create(job);
	if (block == 0 || job->rules == NULL || !dp_row_rules_learn(job->rules))
		return;
	block_next(tree, job, NULL);
	dp_row_rules_learn_by(job->rules, make_first_block, &first);
	dp_decoder_unfix(job->decoder); /* a row that failed has left what was chosen for it */
	MemoryContextReset(job->scratch);
}

void
dp_tree_rows_make(DpTreeRows *tree, DpDrawJob *job, uint64 block, const char *sent,
				  const DpRowSink *sink)
{
	while (tree->next < block)
		block_skip(tree, tree->next++, &job->progress.tick);
	block_next(tree, job, sent);
	rows_put(tree, job, block, sink);
}

void
dp_tree_rows_emit(DpTreeRows *tree, DpDrawJob *job, Tuplestorestate *store)
{
	DpStoreSink sink;

	(void) dp_store_sink(&sink, job, store);
	dp_tree_rows_begin(tree, job, job->first_block);
	for (uint64 block = job->first_block; block < job->end_block; block++)
	{
		dp_tree_rows_make(tree, job, block, NULL, &sink.sink);
		dp_tick(&job->progress.tick, dp_job_share(job, block + 1));
	}
}

/* ---- workers ---- */

Size
dp_tree_rows_model_bytes(const DpTreeRows *tree)
{
	Size bytes = tree->root->stored->length;

	for (int i = 1; i < tree->levels; i++)
		bytes += ((DpStoredPart *) list_nth(tree->path, i - 1))->stored.length +
				 dp_raking_weights_bytes(tree->level[i].trials->raking);
	return bytes;
}

Size
dp_tree_rows_block_bytes(const DpTreeRows *tree)
{
	double of_root = Max((double) tree->root->stored->model.rows, 1);
	double bytes = (double) dp_job_block_bytes(tree->root);
	ListCell *cell;

	foreach (cell, tree->path)
	{
		const DpModel *model = &((DpStoredPart *) lfirst(cell))->stored.model;

		bytes += sizeof(uint32) * DP_BLOCK_ROWS * model->domain.attributes *
				 (Max((double) model->rows, 0) / of_root);
	}
	return (Size) Min(bytes, (double) MaxAllocSize);
}

static void
bytes_describe(StringInfo to, const void *bytes, Size length)
{
	appendBinaryStringInfo(to, (const char *) &length, sizeof(length));
	appendBinaryStringInfo(to, bytes, (int) length);
}

/* NULL: it is of no bytes. */
static void *
bytes_read(StringInfo from, Size *length)
{
	void *bytes;

	pq_copymsgbytes(from, (char *) length, sizeof(*length));
	bytes = *length > 0 ? palloc(*length) : NULL;
	if (bytes != NULL)
		pq_copymsgbytes(from, bytes, (int) *length);
	return bytes;
}

static void
part_describe(const DpStoredPart *part, const DpTreeLevel *level, StringInfo to)
{
	const DpStored *stored = &part->stored;
	Size bytes = dp_raking_weights_bytes(level->trials->raking);
	unsigned char *weights = palloc(bytes);

	dp_raking_weights_write(level->trials->raking, weights);
	bytes_describe(to, &part->number, sizeof(part->number));
	bytes_describe(to, part->name, strlen(part->name) + 1);
	bytes_describe(to, part->root_name, strlen(part->root_name) + 1);
	bytes_describe(to, &part->references, sizeof(part->references));
	for (int i = 0; i < part->references; i++)
		bytes_describe(to, part->refers_to[i], strlen(part->refers_to[i]) + 1);
	bytes_describe(to, stored->derived, stored->derived != NULL ? VARSIZE_ANY(stored->derived) : 0);
	bytes_describe(to, stored->bytes, stored->length);
	bytes_describe(to, weights, bytes);
	pfree(weights);
}

void
dp_tree_rows_describe(const DpTreeRows *tree, StringInfo to)
{
	bytes_describe(to, tree->root->stored->bytes, tree->root->stored->length);
	for (int i = 1; i < tree->levels; i++)
		part_describe(list_nth(tree->path, i - 1), &tree->level[i], to);
}

static DpStoredPart *
part_of_description(StringInfo from)
{
	DpStoredPart *part = palloc0(sizeof(DpStoredPart));
	Size length;

	part->number = *(int *) bytes_read(from, &length);
	part->name = bytes_read(from, &length);
	part->root_name = bytes_read(from, &length);
	part->references = *(int *) bytes_read(from, &length);
	part->refers_to = palloc(sizeof(char *) * Max(part->references, 1));
	for (int i = 0; i < part->references; i++)
		part->refers_to[i] = bytes_read(from, &length);
	part->stored.derived = bytes_read(from, &length);
	part->stored.bytes = bytes_read(from, &part->stored.length);
	dp_stored_parse(&part->stored);
	return part;
}

DpTreeRows *
dp_tree_rows_read(DpDrawJob *job, StringInfo from)
{
	DpStored *root = palloc0(sizeof(DpStored));
	List *path = NIL, *weights = NIL;
	Size length;

	root->bytes = bytes_read(from, &root->length);
	dp_stored_parse(root);
	while (from->cursor < from->len)
	{
		path = lappend(path, part_of_description(from));
		weights = lappend(weights, bytes_read(from, &length));
	}
	return tree_create(job, root, path, weights);
}

int
dp_tree_rows_pieces(DpTreeRows *tree, shm_mq_iovec *piece)
{
	piece[0] = (shm_mq_iovec){(const char *) tree->rows, sizeof(uint64) * tree->levels};
	for (int i = 0; i < tree->levels; i++)
	{
		const DpTreeLevel *level = &tree->level[i];

		tree->rows[i] = level->rows.n;
		piece[i + 1] = (shm_mq_iovec){(const char *) level->rows.codes,
									  sizeof(uint32) * level->rows.n * level->domain->attributes};
	}
	return tree->levels + 1;
}
