/*
 * sample_job.c -- the job of drawing what a caller of dp_sample asked for, and all of its rows at
 * once: they go into a tuplestore, which spills beyond work_mem, and parallel workers draw them if
 * they are many and take long to draw.
 */
#include "pg/sample/sample.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "pg/domain/derived.h"
#include "pg/domain/table_tree.h"
#include "pg/sample/base_rows.h"
#include "pg/sample/draw_job.h"
#include "pg/sample/target.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/compat.h"
#include "pg/server/dpsyn.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "utils/tuplestore.h"

/*
 * ERROR for more rows than the release has, where they were drawn behind the wall, each at a price.
 */
static void
check_rows_held(const DpDrawJob *job)
{
	if (!dp_model_holds_rows(&job->model) || job->rows <= (uint64) job->model.rows)
		return;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the release holds " INT64_FORMAT " rows", job->model.rows),
					errdetail("They are the release itself, and were paid for one by one."),
					errhint("Ask for as many rows at most; others need another release.")));
}

/* A bin that a range cuts is drawn from inside of the range. */
static void
read_condition(DpDrawJob *job, Jsonb *given)
{
	DpCondition *condition = &job->condition;

	dp_condition_read(job->stored, given, condition);
	for (uint32 a = 0; a < job->stored->model.domain.attributes; a++)
	{
		if (condition->low[a] == NULL && condition->high[a] == NULL)
			continue;
		if (job->stored->model.domain.attribute[a].range != NULL)
			dp_decoder_restrict_range(job->decoder, (int) a, condition->first[a],
									  condition->last[a]);
		else
			dp_decoder_restrict(job->decoder, (int) a, condition->low[a], condition->high[a],
								condition->closed[a]);
	}
}

/* Whose rows are asked for; InvalidOid: nothing tells. */
static Oid
expected_relation(const DpSampleArguments *arguments, TupleDesc row)
{
	if (arguments->relation != NULL)
		return dp_relation_named(arguments->relation);
	return get_typ_typrelid(row->tdtypeid);
}

static DP_NORETURN void
refuse_given(const DpStoredPart *part)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("rows of relation \"%s\" cannot be drawn under a condition", part->name),
					errdetail("They belong to rows of another relation of the release."),
					errhint("Draw rows, and keep those that meet the condition.")));
}

/* A release, and the table of it whose rows are drawn. */
typedef struct Drawn
{
	const DpSampleArguments *arguments;
	DpStored *root;
	List *parts;
	DpStoredPart *part; /* NULL: the root */
} Drawn;

/* What turns the codes of a table into rows of a type. */
static DpDrawJob *
job_of_rows(const Drawn *drawn, TupleDesc row)
{
	DpDrawJob *job = palloc0(sizeof(DpDrawJob));
	const DpDomain *domain;

	job->stored = drawn->part != NULL ? &drawn->part->stored : drawn->root;
	domain = &job->stored->model.domain;
	job->row = BlessTupleDesc(CreateTupleDescCopy(row));
	job->decoder = dp_decoder_create(domain, job->stored->derived, job->row);
	job->placeholders = dp_placeholders_create(job->stored->fill, domain, job->row);
	job->rules = dp_row_rules_create(domain, job->decoder, job->placeholders, job->stored->derived,
									 job->row);
	job->seed = drawn->arguments->seed;
	job->set = drawn->arguments->set;
	job->tries =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn row again", ALLOCSET_DEFAULT_SIZES);
	job->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn rows", ALLOCSET_DEFAULT_SIZES);
	dp_job_view_set(job);
	return job;
}

/* Sets the columns that refer to rows of other tables, and those that both have in common. */
static void
job_keys(const Drawn *drawn, DpDrawJob *job)
{
	DpStoredPart *part = drawn->part;

	dp_placeholders_key(
		job->placeholders,
		&(DpFillKey){.seed = job->seed, .set = job->set, .table = part != NULL ? part->number : 0});
	for (int i = 0; part != NULL && i < part->references; i++)
	{
		DpReferred referred = dp_part_refers(drawn->parts, part, i);

		dp_placeholders_refer(job->placeholders, part->refers_by[i], referred.up, referred.table,
							  referred.column);
	}
}

/*
 * The row type of the parent table: that of the table with its name in the schema of the new table,
 * or else that of the released relation.
 */
static TupleDesc
row_above(TupleDesc row, Oid released_here, const char *name, Oid released)
{
	Oid here = row->tdtypeid == RECORDOID ? InvalidOid : get_typ_typrelid(row->tdtypeid);
	Oid beside = InvalidOid;

	if (OidIsValid(here) && here != released_here)
		beside = get_relname_relid(name, get_rel_namespace(here));
	if (OidIsValid(beside) && OidIsValid(get_rel_type_id(beside)))
		return lookup_rowtype_tupdesc_copy(get_rel_type_id(beside), -1);
	if (!OidIsValid(released))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("there is no table \"%s\", from whose rows distances are", name),
				 errdetail("The relation of the release was dropped."),
				 errhint("Draw into a table that stands in a schema with one of that name.")));
	return lookup_rowtype_tupdesc_copy(get_rel_type_id(released), -1);
}

static void job_ready(const Drawn *drawn, DpDrawJob *job);

/* The table of this name that rows of a part belong to, and its rows. */
static DpBaseTable *
base_table(const Drawn *drawn, const DpDrawJob *job, const char *name)
{
	DpBaseTable *table = palloc0(sizeof(DpBaseTable));
	Drawn above = *drawn;

	table->name = name;
	for (table->up = 0; above.part != NULL; table->up++)
	{
		const DpStoredPart *below = above.part;
		TupleDesc row;

		above.part =
			below->parent > 0 ? (DpStoredPart *) list_nth(above.parts, below->parent - 1) : NULL;
		if (strcmp(above.part != NULL ? above.part->name : below->root_name, name) != 0)
			continue;
		row = row_above(job->row, drawn->part->relation, name,
						above.part != NULL ? above.part->relation : above.root->relation);
		table->job = job_of_rows(&above, row);
		table->job->rows = job->rows;
		read_condition(table->job, NULL);
		job_keys(&above, table->job);
		dp_job_want(table->job, 1, 1);
		job_ready(&above, table->job);
		return table;
	}
	elog(ERROR, "dpsyn: a release has distances from a table that it lacks");
}

/* Makes ready to draw codes, and what the rows' distances are from. */
static void
job_ready(const Drawn *drawn, DpDrawJob *job)
{
	List *tables = NIL;
	ListCell *cell;

	dp_progress_start(&job->progress, "preparing to draw rows");
	if (drawn->part == NULL)
	{
		dp_job_prepare_own(job);
		return;
	}
	foreach (cell, dp_base_tables(job->decoder))
		tables = lappend(tables, base_table(drawn, job, lfirst(cell)));
	if (tables != NIL)
		job->bases = dp_base_source(job, tables);
	job->tree = dp_tree_rows_create(job, drawn->root, drawn->parts, drawn->part->number);
}

/* Whether nothing is modelled but how many rows there are. */
static bool
is_of_rows_alone(const DpDomain *domain)
{
	return domain->attributes == 1 && domain->attribute[0].levels == 1;
}

DpDrawJob *
dp_sample_job(const DpSampleArguments *arguments, TupleDesc row)
{
	Oid relation = expected_relation(arguments, row);
	Drawn drawn = {arguments, dp_stored_of(arguments->release, relation), NIL, NULL};
	const DpStored *stored;
	DpDrawJob *job;

	drawn.parts = dp_stored_parts(drawn.root);
	drawn.part = dp_part_of_relation(drawn.root, drawn.parts, relation);
	stored = drawn.part != NULL ? &drawn.part->stored : drawn.root;
	if (drawn.part != NULL && arguments->given != NULL)
		refuse_given(drawn.part);
	if (arguments->relation != NULL)
		dp_check_release_of(stored, arguments->relation);
	if (arguments->set < 1 || arguments->set > stored->sets)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("release " INT64_FORMAT " has no set %d", arguments->release,
							   arguments->set),
						errdetail("It has sets 1 to %d.", stored->sets)));
	job = job_of_rows(&drawn, row);
	/* a table of keys has no attributes, and a root may have only its child rows, or be alone */
	if ((drawn.parts == NIL && !is_of_rows_alone(&stored->model.domain)) ||
		!dp_placeholders_fill_any(job->placeholders))
		dp_decoder_expect_columns(job->decoder);
	dp_note_absent(job->stored, job->decoder, job->rules, job->row);
	read_condition(job, arguments->given);
	job->rows = arguments->rows >= 0 ? arguments->rows
				: drawn.part != NULL ? drawn.root->model.rows
									 : job->model.rows;
	check_rows_held(job);
	job_keys(&drawn, job);
	if (drawn.part == NULL)
		job->rows = dp_placeholders_rows(job->placeholders, job->rows, arguments->rows >= 0);
	dp_job_want(job, arguments->part, arguments->parts);
	job_ready(&drawn, job);
	if (drawn.part == NULL)
		dp_job_begin(job);
	dp_progress_start(&job->progress, "drawing rows");
	return job;
}

/* ---- all of its rows ---- */

/* For fewer elementary draws than this, starting workers takes longer than it saves. */
#define PARALLEL_DRAWS_MIN UINT64CONST(5000000)
#define PARALLEL_DRAWS_A_ROW 16
#define PARALLEL_BLOCKS_PER_WORKER 4

/* The models that are sent to workers, and a block that they send. */
#define PARALLEL_BYTES_MAX ((Size) 256 * 1024 * 1024)

/* Whether workers can draw a tree: they make no rows, and the leader can make no subtransactions. */
static bool
tree_is_sent(const DpDrawJob *job)
{
	return job->bases == NULL && !dp_row_rules_can_fail(job->rules) &&
		   dp_tree_rows_model_bytes(job->tree) <= PARALLEL_BYTES_MAX &&
		   dp_tree_rows_block_bytes(job->tree) <= PARALLEL_BYTES_MAX;
}

/* The elementary draws of the wanted rows, as far as they are worth workers: a row of few draws takes
 * longer to send than to draw. */
static uint64
draws_worth_workers(const DpDrawJob *job)
{
	const DpSampler *sampler = job->stored->method->sampler;
	uint64 blocks = job->end_block - job->first_block, cost;

	if (job->tree != NULL)
		return tree_is_sent(job) ? blocks * (dp_tree_rows_block_bytes(job->tree) / sizeof(uint32))
								 : 0;
	cost = sampler->draw_cost(&job->stored->model,
							  job->drawer.sampler == sampler ? job->drawer.state : NULL);
	return cost >= PARALLEL_DRAWS_A_ROW ? blocks * DP_BLOCK_ROWS * cost : 0;
}

int
dp_job_workers(const DpDrawJob *job)
{
	int workers = dpsyn_max_parallel_workers < 0 ? max_parallel_workers_per_gather
												 : dpsyn_max_parallel_workers;
	uint64 blocks = job->end_block - job->first_block;

	/* workers know no condition */
	if (job->condition.any || IsInParallelMode() || draws_worth_workers(job) < PARALLEL_DRAWS_MIN)
		return 0;
	return (int) Min((uint64) workers, blocks / PARALLEL_BLOCKS_PER_WORKER);
}

/*
 * Rows of a release that parallel workers draw.
 *
 * Post-processing: runs in the caller's backend and its parallel workers, on what was released.
 */

#define KEY_JOB UINT64CONST(0xd9500001)
#define KEY_DESCRIPTION UINT64CONST(0xd9500002)
#define KEY_QUEUES UINT64CONST(0xd9500003)

/*
 * The blocks belong to the workers in turn. Each worker prepares the sampler from the serialised
 * model, draws its blocks in order, and sends the codes through a queue of its own. The leader takes
 * the blocks in order, turns codes into rows, and draws the blocks of workers that could not be
 * started. So the rows, and their order, are those of a serial draw. Of a tree a block is that of the
 * root's rows with all that belong to them, and the weights of trials are sent with the models.
 *
 * In a parallel operation no subtransaction begins. So where expressions of rules can fail, there is
 * one around the whole operation. If one fails, the operation ends with it, the leader draws that
 * block by itself, and a new operation goes on behind it.
 */

/* Workers are not started again and again where an expression fails in most blocks. */
#define BLOCKS_WORTH_STARTING 200

typedef struct SharedJob
{
	uint64 seed;
	uint64 set;
	uint64 rows;
	uint64 first_block, end_block;
	uint32 workers;
	bool is_tree;
	Size description_bytes;
	Size queue_bytes;
} SharedJob;

extern PGDLLEXPORT void dp_draw_worker_main(dsm_segment *segment, shm_toc *toc);

static shm_mq *
queue_at(char *queues, const SharedJob *shared, int worker)
{
	return (shm_mq *) (queues + (Size) worker * shared->queue_bytes);
}

/* ---- the leader ---- */

#define QUEUE_BYTES_MAX ((Size) 16 * 1024 * 1024)

/* What a worker needs to draw. */
static void
job_describe(const DpDrawJob *job, StringInfo to)
{
	initStringInfo(to);
	if (job->tree != NULL)
		dp_tree_rows_describe(job->tree, to);
	else
		appendBinaryStringInfo(to, (const char *) job->stored->bytes, (int) job->stored->length);
}

/* Memory for two blocks, so that a worker draws one while another one waits. */
static Size
queue_bytes(const DpDrawJob *job)
{
	Size block = job->tree != NULL ? dp_tree_rows_block_bytes(job->tree) : dp_job_block_bytes(job);

	return MAXALIGN(shm_mq_minimum_size + Min(2 * block, QUEUE_BYTES_MAX));
}

static ParallelContext *
context_create(const DpDrawJob *job, int workers, uint64 from, SharedJob **shared, char **queues)
{
	ParallelContext *context = CreateParallelContext("dpsyn", "dp_draw_worker_main", workers);
	Size queue = queue_bytes(job);
	StringInfoData description;
	char *copy;

	job_describe(job, &description);
	shm_toc_estimate_chunk(&context->estimator, sizeof(SharedJob));
	shm_toc_estimate_chunk(&context->estimator, description.len);
	shm_toc_estimate_chunk(&context->estimator, mul_size(queue, workers));
	shm_toc_estimate_keys(&context->estimator, 3);
	InitializeParallelDSM(context);

	*shared = shm_toc_allocate(context->toc, sizeof(SharedJob));
	**shared = (SharedJob){.seed = job->seed,
						   .set = job->set,
						   .rows = job->rows,
						   .first_block = from,
						   .end_block = job->end_block,
						   .workers = context->nworkers,
						   .is_tree = job->tree != NULL,
						   .description_bytes = description.len,
						   .queue_bytes = queue};
	shm_toc_insert(context->toc, KEY_JOB, *shared);
	copy = shm_toc_allocate(context->toc, description.len);
	memcpy(copy, description.data, description.len);
	shm_toc_insert(context->toc, KEY_DESCRIPTION, copy);
	pfree(description.data);
	*queues = shm_toc_allocate(context->toc, mul_size(queue, workers));
	shm_toc_insert(context->toc, KEY_QUEUES, *queues);
	return context;
}

static shm_mq_handle **
queues_open(ParallelContext *context, const SharedJob *shared, char *queues)
{
	shm_mq_handle **handles = palloc0(sizeof(shm_mq_handle *) * Max(context->nworkers, 1));

	for (int i = 0; i < context->nworkers; i++)
	{
		shm_mq *queue = shm_mq_create(queue_at(queues, shared, i), shared->queue_bytes);

		shm_mq_set_receiver(queue, MyProc);
		handles[i] = shm_mq_attach(queue, context->seg, NULL);
	}
	return handles;
}

static const void *
block_receive(shm_mq_handle *queue, Size *bytes)
{
	void *block;

	if (shm_mq_receive(queue, bytes, &block, false) == SHM_MQ_SUCCESS)
		return block;
	CHECK_FOR_INTERRUPTS(); /* raises the worker's error, if it sent one */
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR), errmsg("lost connection to a worker that drew rows"),
			 errhint("The release is stored; draw again with dp_sample.")));
}

/* An operation, or those that follow each other. */
typedef struct Operation
{
	DpDrawJob *job;
	int workers;
	Tuplestorestate *store;
	uint64 block; /* that is made next; those before it are in the store */
} Operation;

/* Makes the rows of a block of a table. sent: its codes, from a worker; NULL: from none. */
static void
table_block_emit(Operation *operation, const void *sent, Size bytes)
{
	DpDrawJob *job = operation->job;
	uint64 block = operation->block;
	uint32 *own = NULL;

	if (sent == NULL)
		dp_job_draw(job, block, own = palloc(dp_job_block_bytes(job)), &job->progress.tick);
	else if (bytes !=
			 sizeof(uint32) * job->stored->model.domain.attributes * dp_job_block_rows(job, block))
		elog(ERROR, "dpsyn: a worker sent a block of the wrong size");
	dp_job_emit(job, block, own != NULL ? own : sent, operation->store);
	if (own != NULL)
		pfree(own);
}

/* The same of a tree. */
static void
tree_block_emit(Operation *operation, const void *sent)
{
	DpDrawJob *job = operation->job;
	DpStoreSink sink;

	(void) dp_store_sink(&sink, job, operation->store);
	dp_tree_rows_make(job->tree, job, operation->block, sent, &sink.sink);
	dp_tick(&job->progress.tick, dp_job_share(job, operation->block + 1));
}

static void
blocks_collect(Operation *operation, ParallelContext *context, shm_mq_handle **queues)
{
	uint64 from = operation->block;

	for (; operation->block < operation->job->end_block; operation->block++)
	{
		/* 0 workers if shared memory ran out */
		int worker = (operation->block - from) % Max(context->nworkers, 1);
		const void *sent = NULL;
		Size bytes = 0;

		if (worker < context->nworkers_launched)
			sent = block_receive(queues[worker], &bytes);
		if (operation->job->tree != NULL)
			tree_block_emit(operation, sent);
		else
			table_block_emit(operation, sent, bytes);
	}
}

static void
operate(void *argument)
{
	Operation *operation = argument;
	ParallelContext *context;
	SharedJob *shared;
	shm_mq_handle **handles;
	char *queues;

	EnterParallelMode();
	context =
		context_create(operation->job, operation->workers, operation->block, &shared, &queues);
	handles = queues_open(context, shared, queues);
	LaunchParallelWorkers(context);
	for (int i = 0; i < context->nworkers_launched; i++)
		shm_mq_set_handle(handles[i], context->worker[i].bgwhandle);
	blocks_collect(operation, context, handles);
	WaitForParallelWorkersToFinish(context);
	DestroyParallelContext(context);
	ExitParallelMode();
}

/* Draws all rows into store, with up to that many parallel workers, on which the rows do not
 * depend. */
static void
job_run_parallel(DpDrawJob *job, int workers, Tuplestorestate *store)
{
	Operation operation = {job, workers, store, job->first_block};
	uint64 from;

	if (job->tree != NULL)
		dp_tree_rows_begin(job->tree, job, job->first_block);
	if (!dp_row_rules_can_fail(job->rules))
	{
		operate(&operation);
		return;
	}
	do
	{
		from = operation.block;
		if (dp_row_rules_blocks_together(job->rules, operate, &operation))
			return;
		dp_job_run_serial(job, operation.block, operation.block + 1, store);
		operation.block++;
	} while (operation.block - from >= BLOCKS_WORTH_STARTING);
	dp_job_run_serial(job, operation.block, job->end_block, store);
}

/* ---- a worker ---- */

static void
table_blocks_send(DpDrawJob *job, const SharedJob *shared, const char *model, shm_mq_handle *handle)
{
	DpStored stored = {.bytes = (unsigned char *) model, .length = shared->description_bytes};
	uint32 *codes;

	job->stored = &stored;
	dp_stored_parse(&stored);
	dp_job_view_set(job);
	dp_job_prepare(job, &dp_interrupt_tick);
	codes = palloc(dp_job_block_bytes(job));
	for (uint64 block = job->first_block; block < job->end_block; block += shared->workers)
	{
		uint32 rows = dp_job_block_rows(job, block);

		dp_job_draw(job, block, codes, &dp_interrupt_tick);
		if (shm_mq_send(handle, sizeof(uint32) * stored.model.domain.attributes * rows, codes,
						false, true) != SHM_MQ_SUCCESS)
			break; /* the leader has all the rows that it wanted, or has ended */
	}
}

static void
tree_blocks_send(DpDrawJob *job, const SharedJob *shared, char *description, shm_mq_handle *handle)
{
	StringInfoData from = {.data = description, .len = (int) shared->description_bytes};
	shm_mq_iovec piece[DP_TREE_TABLES_MAX + 1];
	DpTreeRows *tree;

	dpsyn_progress_interval = 0; /* the leader tells */
	tree = dp_tree_rows_read(job, &from);
	for (uint64 block = job->first_block; block < job->end_block; block += shared->workers)
	{
		(void) dp_tree_rows_block(tree, block, &dp_interrupt_tick);
		if (shm_mq_sendv(handle, piece, dp_tree_rows_pieces(tree, piece), false, true) !=
			SHM_MQ_SUCCESS)
			break;
	}
}

void
dp_draw_worker_main(dsm_segment *segment, shm_toc *toc)
{
	SharedJob *shared = shm_toc_lookup(toc, KEY_JOB, false);
	char *description = shm_toc_lookup(toc, KEY_DESCRIPTION, false);
	char *queues = shm_toc_lookup(toc, KEY_QUEUES, false);
	shm_mq *queue = queue_at(queues, shared, ParallelWorkerNumber);
	DpDrawJob job = {.seed = shared->seed,
					 .set = shared->set,
					 .rows = shared->rows,
					 .first_block = shared->first_block + ParallelWorkerNumber,
					 .end_block = shared->end_block,
					 .progress = {.tick = dp_interrupt_tick}};
	shm_mq_handle *handle;

	shm_mq_set_sender(queue, MyProc);
	handle = shm_mq_attach(queue, segment, NULL);
	if (shared->is_tree)
		tree_blocks_send(&job, shared, description, handle);
	else
		table_blocks_send(&job, shared, description, handle);
	shm_mq_detach(handle);
}

void
dp_job_run(DpDrawJob *job, int workers, Tuplestorestate *store)
{
	if (workers > 0)
		job_run_parallel(job, workers, store);
	else if (job->tree != NULL)
		dp_tree_rows_emit(job->tree, job, store);
	else
		dp_job_run_serial(job, job->first_block, job->end_block, store);
}
