/*
 * draw_parallel.c -- rows of a release that parallel workers draw.
 */
#include "pg/sample/draw_parallel.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "utils/memutils.h"

#include "pg/domain/table_tree.h"
#include "pg/sample/tree_rows.h"
#include "pg/server/dpsyn.h"

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

void
dp_job_run_parallel(DpDrawJob *job, int workers, Tuplestorestate *store)
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
			break; /* the leader has what it wanted, or is gone */
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
