/*
 * sample_job.c -- the job of drawing what a caller of dp_sample asked for, and all of its rows at
 * once: they go into a tuplestore, which spills beyond work_mem, and parallel workers draw them if
 * they are many and take long to draw.
 */
#include "pg/sample/sample_job.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "pg/domain/derived.h"
#include "pg/sample/base_rows.h"
#include "pg/sample/target.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/dpsyn.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "utils/tuplestore.h"

#define KEY_JOB UINT64CONST(0xd9500001)
#define KEY_MODEL UINT64CONST(0xd9500002)
#define KEY_QUEUES UINT64CONST(0xd9500003)

/* ---- parallel workers ---- */

/*
 * The blocks belong to the workers in turn. Each worker prepares the sampler from the serialised
 * model, draws its blocks in order, and sends the codes through a queue of its own. The leader takes
 * the blocks in order, turns codes into rows, and draws the blocks of workers that could not be
 * started. So the rows, and their order, are those of a serial draw.
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
	Size model_bytes;
	Size queue_bytes;
} SharedJob;

extern PGDLLEXPORT void dp_draw_worker_main(dsm_segment *segment, shm_toc *toc);

static shm_mq *
queue_at(char *queues, const SharedJob *shared, int worker)
{
	return (shm_mq *) (queues + (Size) worker * shared->queue_bytes);
}

/* ---- the leader ---- */

static ParallelContext *
context_create(const DpDrawJob *job, int workers, uint64 from, SharedJob **shared, char **queues)
{
	ParallelContext *context = CreateParallelContext("dpsyn", "dp_draw_worker_main", workers);
	Size queue_bytes = MAXALIGN(shm_mq_minimum_size + 2 * dp_job_block_bytes(job));
	char *model;

	shm_toc_estimate_chunk(&context->estimator, sizeof(SharedJob));
	shm_toc_estimate_chunk(&context->estimator, job->stored->length);
	shm_toc_estimate_chunk(&context->estimator, mul_size(queue_bytes, workers));
	shm_toc_estimate_keys(&context->estimator, 3);
	InitializeParallelDSM(context);

	*shared = shm_toc_allocate(context->toc, sizeof(SharedJob));
	**shared = (SharedJob){.seed = job->seed,
						   .set = job->set,
						   .rows = job->rows,
						   .first_block = from,
						   .end_block = job->end_block,
						   .workers = context->nworkers,
						   .model_bytes = job->stored->length,
						   .queue_bytes = queue_bytes};
	shm_toc_insert(context->toc, KEY_JOB, *shared);
	model = shm_toc_allocate(context->toc, job->stored->length);
	memcpy(model, job->stored->bytes, job->stored->length);
	shm_toc_insert(context->toc, KEY_MODEL, model);
	*queues = shm_toc_allocate(context->toc, mul_size(queue_bytes, workers));
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

static const uint32 *
block_receive(shm_mq_handle *queue, Size expected)
{
	Size bytes;
	void *codes;

	if (shm_mq_receive(queue, &bytes, &codes, false) != SHM_MQ_SUCCESS)
	{
		CHECK_FOR_INTERRUPTS(); /* raises the worker's error, if it sent one */
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
						errmsg("lost connection to a worker that drew rows"),
						errhint("The release is stored; draw again with dp_sample.")));
	}
	if (bytes != expected)
		elog(ERROR, "dpsyn: a worker sent a block of the wrong size");
	return codes;
}

/* An operation, or those that follow each other. */
typedef struct Operation
{
	DpDrawJob *job;
	int workers;
	Tuplestorestate *store;
	uint64 block; /* that is made next; those before it are in the store */
} Operation;

static void
blocks_collect(Operation *operation, ParallelContext *context, shm_mq_handle **queues)
{
	DpDrawJob *job = operation->job;
	uint32 attributes = job->stored->model.domain.attributes;
	uint32 *own = palloc(dp_job_block_bytes(job));
	uint64 from = operation->block;

	for (; operation->block < job->end_block; operation->block++)
	{
		uint64 block = operation->block;
		/* 0 workers if shared memory ran out */
		int worker = (block - from) % Max(context->nworkers, 1);
		uint32 rows = dp_job_block_rows(job, block);
		const uint32 *codes = own;

		if (worker < context->nworkers_launched)
			codes = block_receive(queues[worker], sizeof(uint32) * attributes * rows);
		else
			dp_job_draw(job, block, own, &job->progress.tick);
		dp_job_emit(job, block, codes, operation->store);
	}
	pfree(own);
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
run_parallel(DpDrawJob *job, int workers, Tuplestorestate *store)
{
	Operation operation = {job, workers, store, job->first_block};
	uint64 from;

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

void
dp_draw_worker_main(dsm_segment *segment, shm_toc *toc)
{
	SharedJob *shared = shm_toc_lookup(toc, KEY_JOB, false);
	char *queues = shm_toc_lookup(toc, KEY_QUEUES, false);
	shm_mq *queue = queue_at(queues, shared, ParallelWorkerNumber);
	DpStored stored = {0};
	DpDrawJob job = {
		.stored = &stored, .seed = shared->seed, .set = shared->set, .rows = shared->rows};
	shm_mq_handle *handle;
	uint32 *codes;

	shm_mq_set_sender(queue, MyProc);
	handle = shm_mq_attach(queue, segment, NULL);
	stored.bytes = shm_toc_lookup(toc, KEY_MODEL, false);
	stored.length = shared->model_bytes;
	dp_stored_parse(&stored);
	dp_job_view_set(&job);
	dp_job_prepare(&job, &dp_interrupt_tick);
	codes = palloc(dp_job_block_bytes(&job));
	for (uint64 block = shared->first_block + ParallelWorkerNumber; block < shared->end_block;
		 block += shared->workers)
	{
		uint32 rows = dp_job_block_rows(&job, block);

		dp_job_draw(&job, block, codes, &dp_interrupt_tick);
		if (shm_mq_send(handle, sizeof(uint32) * stored.model.domain.attributes * rows, codes,
						false, true) != SHM_MQ_SUCCESS)
			break; /* the leader has what it wanted, or is gone */
	}
	shm_mq_detach(handle);
}

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

	dp_condition_read(&job->stored->model.domain, given, condition);
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

/* What rows hold that refers to rows of other tables, and what these hold of them. */
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
 * The type of rows that others belong to: of the table that is called so in the schema into whose
 * table the others are drawn, or else of the relation that was released.
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

int
dp_job_workers(const DpDrawJob *job)
{
	int workers = dpsyn_max_parallel_workers < 0 ? max_parallel_workers_per_gather
												 : dpsyn_max_parallel_workers;
	const DpSampler *sampler = job->stored->method->sampler;
	uint64 blocks = job->end_block - job->first_block;
	uint64 cost = sampler->draw_cost(&job->stored->model,
									 job->drawer.sampler == sampler ? job->drawer.state : NULL);

	/* a row of few draws takes longer to send than to draw; workers know no condition */
	if (job->condition.any || IsInParallelMode() || cost < PARALLEL_DRAWS_A_ROW ||
		blocks * DP_BLOCK_ROWS < PARALLEL_DRAWS_MIN / cost)
		return 0;
	return (int) Min((uint64) workers, blocks / PARALLEL_BLOCKS_PER_WORKER);
}

void
dp_job_run(DpDrawJob *job, int workers, Tuplestorestate *store)
{
	if (job->tree != NULL)
		dp_tree_rows_emit(job->tree, job, store);
	else if (workers > 0)
		run_parallel(job, workers, store);
	else
		dp_job_run_serial(job, job->first_block, job->end_block, store);
}
