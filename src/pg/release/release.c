/*
 * release.c -- the caller's side of a release: check what can be checked,
 * start one worker, wait for its answer. The worker pays, reads and stores by
 * itself: nothing that happens here afterwards (cancel, ROLLBACK, a lost
 * client) takes anything back.
 */
#include "channel.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/wait_event.h"

PG_FUNCTION_INFO_V1(dp_release);

static void
check_place(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("a standby cannot spend a privacy budget"),
				 errhint("Release on the primary; stored releases can be drawn from here.")));
	if (IsInParallelMode())
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("a privacy budget cannot be spent during a parallel operation"),
						errhint("Functions that call dp_release or dp_synthesize must not be "
								"declared PARALLEL SAFE.")));
}

/*
 * This session's last worker. It has answered, and ends by itself, in some
 * milliseconds that nobody need wait for, unless there is no other slot.
 */
static BackgroundWorkerHandle *last_worker = NULL;

/* In memory that outlives the call. */
static bool
worker_register(BackgroundWorker *worker, BackgroundWorkerHandle **handle)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
	bool registered = RegisterDynamicBackgroundWorker(worker, handle);

	MemoryContextSwitchTo(caller);
	return registered;
}

/* Slots of workers that have answered come free within this time, unless the machine is very busy. */
#define SLOT_WAIT_MS 200
#define SLOT_STEP_MS 10

static bool
worker_register_soon(BackgroundWorker *worker, BackgroundWorkerHandle **handle)
{
	if (worker_register(worker, handle))
		return true;
	if (last_worker != NULL)
		(void) WaitForBackgroundWorkerShutdown(last_worker);
	for (int waited = 0; waited < SLOT_WAIT_MS; waited += SLOT_STEP_MS)
	{
		if (worker_register(worker, handle))
			return true;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT, SLOT_STEP_MS,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return worker_register(worker, handle);
}

static BackgroundWorkerHandle *
worker_start(dsm_segment *segment)
{
	BackgroundWorker worker = {0};
	BackgroundWorkerHandle *handle;

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_notify_pid = MyProcPid;
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(segment));
	snprintf(worker.bgw_library_name, sizeof(worker.bgw_library_name), "dpsyn");
	snprintf(worker.bgw_function_name, sizeof(worker.bgw_function_name), "dp_release_worker_main");
	snprintf(worker.bgw_name, BGW_MAXLEN, "dpsyn release worker for PID %d", MyProcPid);
	snprintf(worker.bgw_type, BGW_MAXLEN, "dpsyn release worker");
	if (!worker_register_soon(&worker, &handle))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("no free slot for a release worker"), errdetail("Nothing was spent."),
				 errhint("Try again, or raise max_worker_processes.")));
	if (last_worker != NULL)
		pfree(last_worker);
	last_worker = handle;
	return handle;
}

/* The next message, or false when the worker is gone. Answers to cancel, reports progress. */
static bool
message_receive(shm_mq_handle *queue, StringInfo message, DpProgress *progress)
{
	for (;;)
	{
		Size bytes;
		void *data;
		shm_mq_result result = shm_mq_receive(queue, &bytes, &data, true);

		if (result == SHM_MQ_DETACHED)
			return false;
		if (result == SHM_MQ_SUCCESS)
		{
			initStringInfo(message);
			appendBinaryStringInfo(message, data, bytes);
			return true;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT, 1000L,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		dp_progress_report(progress, -1);
	}
}

static void
raise_worker_error(StringInfo message)
{
	int sqlstate = pq_getmsgint(message, 4);
	const char *words = pq_getmsgrawstring(message);
	const char *detail = pq_getmsgrawstring(message);
	const char *hint = pq_getmsgrawstring(message);

	ereport(ERROR, (errcode(sqlstate), errmsg("%s", words), *detail ? errdetail("%s", detail) : 0,
					*hint ? errhint("%s", hint) : 0));
}

static int64
answer_wait(shm_mq_handle *queue)
{
	DpProgress progress = {0};
	StringInfoData message;

	dp_progress_start(&progress, "waiting for the release worker");
	while (message_receive(queue, &message, &progress))
	{
		switch (pq_getmsgbyte(&message))
		{
			case DP_MESSAGE_STAGE:
				dp_progress_start(&progress, pstrdup(pq_getmsgrawstring(&message)));
				break;
			case DP_MESSAGE_ERROR:
				raise_worker_error(&message);
				break;
			case DP_MESSAGE_RELEASED:
				return pq_getmsgint64(&message);
			default:
				elog(ERROR, "dpsyn: unexpected message from the release worker");
		}
		pfree(message.data);
	}
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR), errmsg("the release worker ended without an answer"),
			 errdetail("The budget may have been spent."),
			 errhint("See the views dp_ledger and dp_releases, and the server log.")));
}

/* Of a release that is rows only those can be drawn that it holds: said before it is paid for. */
static void
check_rows(const DpReleaseRequest *request, const DpPlan *plan)
{
	if (plan->rows_held == 0 || request->rows < 0 || (uint64) request->rows <= plan->rows_held)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a release by method \"%s\" holds as many rows as its option \"rows\" says",
					request->method),
			 errdetail("No more can be drawn from it."),
			 errhint("Raise the option, or ask for fewer rows.")));
}

int64
dp_run_release(const DpReleaseRequest *asked)
{
	DpReleaseRequest request = *asked; /* with all that the worker cannot see for itself */
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(caller, "dpsyn release", ALLOCSET_DEFAULT_SIZES);
	DpPrepared *prepared;
	dsm_segment *segment;
	BackgroundWorkerHandle *worker;
	int64 release;

	check_place();
	MemoryContextSwitchTo(work);
	request.options = dp_options_with_settings(asked->method, asked->options);
	prepared = dp_prepare_request(&request);
	dp_check_budget(&prepared->dataset, &prepared->payer, prepared->plan.cost);
	check_rows(&request, &prepared->plan);
	dp_notice_unmodelled(prepared);
	request.seeds = dp_seed_pool_read(prepared);
	request.domains = prepared->domains ? prepared->domains : pstrdup("");
	if (prepared->domains)
		request.options = dp_options_kept(request.options);
	segment = dp_channel_create(&request);
	worker = worker_start(segment);
	release = answer_wait(dp_channel_read_from(segment, worker));
	dsm_detach(segment);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
	return release;
}

Datum
dp_release(PG_FUNCTION_ARGS)
{
	DpReleaseRequest request = {
		.relation = PG_GETARG_OID(0),
		.user = GetUserId(),
		.method = text_to_cstring(PG_GETARG_TEXT_PP(1)),
		.options = JsonbToCString(NULL, &PG_GETARG_JSONB_P(4)->root,
								  VARSIZE_ANY_EXHDR(PG_GETARG_JSONB_P(4))),
		.row_type = "",
		.epsilon_nano = dp_epsilon_from_numeric(PG_GETARG_NUMERIC(2), true, "epsilon"),
		.delta_atto = dp_delta_from_numeric(PG_GETARG_NUMERIC(3), true, "delta"),
		.sets = PG_GETARG_INT32(5),
		.rows = -1,
	};

	dp_resolve_method(&request);
	PG_RETURN_INT64(dp_run_release(&request));
}
