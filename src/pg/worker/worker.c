/*
 * worker.c -- the release worker: one background process a release, and the
 * only code that may hold exact counts and a noise source together.
 *
 *   1. one transaction: prepare again, ask foreign servers whether they can count,
 *      plan the scan; all that can take long, with nothing locked that others wait for;
 *   2. one transaction: lock the ledger's rows, check that what was prepared holds and
 *      is within the budget, write the debit, commit (synchronously);
 *   3. one transaction, one snapshot: read the relation as its owner, count,
 *      add noise, store the noisy model, commit;
 *   4. answer.
 *
 * It belongs to no user and pins every setting that a role or a database could
 * have weakened. If anything fails after the debit the budget stays spent and
 * the ledger says "failed"; what failed while data was being read is told to
 * the server's log alone, since the words of such an error may hold a value.
 */
#include "channel.h"
#include "scan.h"

#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

extern PGDLLEXPORT DP_NORETURN void dp_release_worker_main(Datum argument);

/* What a role or a database may have set, and must not matter here. */
static const struct
{
	const char *name;
	const char *value;
} pinned_settings[] = {
	{"role", "none"},                       /* nobody, whatever the database says */
	{"synchronous_commit", "on"},           /* a debit survives a crash */
	{"search_path", "pg_catalog, pg_temp"}, /* no operator of a user */
	{"session_replication_role", "origin"}, /* triggers fire */
	{"default_transaction_isolation", "read committed"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_deferrable", "off"},
	{"row_security", "off"}, /* a hidden row is an error, not a silent gap */
	{"statement_timeout", "0"},
	{"idle_in_transaction_session_timeout", "0"},
#ifdef DP_HAVE_TRANSACTION_TIMEOUT
	{"transaction_timeout", "0"},
#endif
	{"lock_timeout", "2s"},  /* the caller itself may hold the lock, which no deadlock check sees */
	{"track_counts", "off"}, /* pg_stat_user_tables would show the exact number of rows */
	{"track_functions", "none"},
	{"compute_query_id", "off"}, /* or pg_stat_statements shows the number of rows to every role */
	{"dpsyn.counting_memory", "2147483647"}, /* what was planned is what is needed */
	{"jit", "off"},
	{"standard_conforming_strings", "on"},
	{"transform_null_equals", "off"},
	{"exit_on_error", "off"}, /* an error is recorded in the ledger */
};

#define SCAN_LOCK_TIMEOUT "60s" /* once paid, wait longer */

static void
settings_pin(void)
{
	for (size_t i = 0; i < lengthof(pinned_settings); i++)
		SetConfigOption(pinned_settings[i].name, pinned_settings[i].value, PGC_SUSET,
						PGC_S_OVERRIDE);
	dp_values_pin(PGC_SUSET, PGC_S_OVERRIDE);
}

typedef struct ReleaseState
{
	DpReleaseRequest request;
	shm_mq_handle *queue;
	MemoryContext memory; /* of the whole release */
	DpPrepared *prepared;
	DpSource *source;
	char *name;       /* of the relation, as the scan says it */
	LockRelId locked; /* for the session */
	TimestampTz started;
	volatile int64 debit;  /* 0: nothing is committed yet */
	volatile bool reading; /* inside code that sees data */
	DpRng rng;
} ReleaseState;

static void
transaction_begin(bool one_snapshot)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	if (one_snapshot)
		XactIsoLevel = XACT_REPEATABLE_READ;
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
transaction_commit(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

/*
 * Held from before the plan until the rows are read: what was planned and paid
 * for is what is there to be read, with the same columns and types. An error or
 * an exit inside a transaction gives it back; nothing is interrupted between
 * them. A lock that the owner holds is an error before the debit, not after.
 */
static void
relation_lock(ReleaseState *state)
{
	Oid relation = state->request.relation;

	LockRelationOid(relation, AccessShareLock);
	state->locked = (LockRelId){relation, IsSharedRelation(relation) ? InvalidOid : MyDatabaseId};
	LockRelationIdForSession(&state->locked, AccessShareLock);
}

/* No lock of a relation keeps its schema's name: another relation may bear what was planned to be read. */
static void
check_name(const ReleaseState *state)
{
	const char *name;

	AcceptInvalidationMessages();
	name = dp_relation_label(state->request.relation);
	if (strcmp(name, state->name) != 0)
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("relation %s was renamed meanwhile", name),
						errdetail("%s", state->debit == 0 ? "Nothing was spent."
														  : "The budget stays spent."),
						errhint("Try again.")));
}

/*
 * Before any row of the ledger is locked, and in a transaction of its own: a domain
 * can have millions of values, and a foreign server can take long, also to commit.
 */
static void
release_prepare(ReleaseState *state)
{
	Oid owner = dp_relation_owner(state->request.relation);

	state->prepared = dp_prepare_request(&state->request);
	dp_check_budget(&state->prepared->dataset, &state->prepared->payer, state->prepared->plan.cost);
	state->source = dp_source_create(state->prepared->relation, &state->prepared->dataset);
	state->name = dp_relation_label(state->request.relation);
	state->reading = true;
	if (dp_scan_may_be_foreign(state->request.relation))
		dp_scan_ask_servers(state->source, owner);
	state->reading = false;
	dp_scan_check_shards(state->source);
	state->reading = true;
	dp_scan_rehearse(state->source, owner);
	transaction_commit();
	state->reading = false;
}

/* false: the caller went away before anything was spent. */
static bool
release_debit(ReleaseState *state)
{
	int64 debit;

	if (!dp_channel_send_stage(state->queue, "preparing the release"))
		return false;
	transaction_begin(false);
	MemoryContextSwitchTo(state->memory);
	relation_lock(state);
	release_prepare(state);

	/* that can have taken long: who has given up by now pays nothing */
	if (!dp_channel_send_stage(state->queue, "debiting the budget"))
		return false;
	transaction_begin(false);
	MemoryContextSwitchTo(state->memory);
	check_name(state);
	dp_prepared_lock(&state->request, state->prepared);
	debit = dp_ledger_debit(&state->request, state->prepared);
	transaction_commit();
	state->debit = debit;
	return true;
}

static bool
random_fill(void *context, void *buffer, size_t bytes)
{
	return pg_strong_random(buffer, bytes);
}

static void
stage_announce(void *context, const char *name)
{
	(void) dp_channel_send_stage(((ReleaseState *) context)->queue, name);
}

/* Counts and noises; what comes out is the noisy model alone. */
static void
release_measure(ReleaseState *state, DpModel *model)
{
	Oid owner = dp_relation_owner(state->request.relation);
	DpError error = {0};
	DpMeter meter;
	DpScan *scan;
	DpStatus status;

	if (!OidIsValid(owner))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the relation was dropped meanwhile")));
	check_name(state);
	scan = dp_scan_create(state->source, owner, state->memory);
	dp_meter_init(&meter, state->prepared->plan.cost);
	dp_rng_init(&state->rng, random_fill, NULL);
	state->reading = true;
	status = dp_measure(&state->prepared->plan, dp_scan_counter(scan), &meter, &state->rng,
						&state->prepared->arena, &dp_interrupt_tick, stage_announce, state, model,
						&error);
	dp_rng_wipe(&state->rng);
	/* whether memory or a limit suffices can depend on the data too: so this error stays here */
	if (status != DP_OK)
		dp_raise(&error);
	state->reading = false;
	check_name(state);
}

static void
release_read_and_keep(ReleaseState *state)
{
	DpModel model = {0};

	SetConfigOption("lock_timeout", SCAN_LOCK_TIMEOUT, PGC_SUSET, PGC_S_OVERRIDE);
	transaction_begin(true);
	MemoryContextSwitchTo(state->memory);
	release_measure(state, &model);
	(void) dp_channel_send_stage(state->queue, "storing the release");
	dp_release_keep(state->debit, &state->request, state->prepared, &model,
					&state->prepared->arena);
	dp_ledger_outcome(state->debit, &state->request, state->prepared->dataset.id, "released",
					  state->started);
	transaction_commit();
	UnlockRelationIdForSession(&state->locked, AccessShareLock);
}

/* The debit stands; says in the ledger that nothing came of it. */
static void
record_failure(ReleaseState *state)
{
	PG_TRY();
	{
		transaction_begin(false);
		MemoryContextSwitchTo(state->memory);
		dp_ledger_outcome(state->debit, &state->request, state->prepared->dataset.id, "failed",
						  state->started);
		transaction_commit();
	}
	PG_CATCH();
	{
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
}

static void
report_failure(ReleaseState *state, const ErrorData *error, bool was_reading)
{
	if ((error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE ||
		 error->sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED) &&
		state->debit == 0)
		dp_channel_send_error(
			state->queue, ERRCODE_LOCK_NOT_AVAILABLE, "the relation or its ledger is locked",
			"The release worker, another process, waited for it in vain. Nothing was spent.",
			"If this session created, altered or locked the relation, commit first.");
	else if (error->sqlerrcode == ERRCODE_UNIQUE_VIOLATION && state->debit != 0 && !was_reading)
		/* a debit has one outcome: dp_ledger_entry_refund_idx */
		dp_channel_send_error(state->queue, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							  "the custodian refunded the release while it was made",
							  "Nothing was released.", "Ask again.");
	else if (was_reading)
		dp_channel_send_error(
			state->queue, ERRCODE_DATA_EXCEPTION,
			state->debit == 0 ? "the relation cannot be read"
							  : "the release failed while the relation was read",
			psprintf("%s The reason is kept from this session, since it may hold a "
					 "value of the relation.",
					 state->debit == 0 ? "Nothing was spent." : "The budget stays spent."),
			"The custodian finds it in the server log.");
	else
		dp_channel_send_error(state->queue, error->sqlerrcode, error->message, error->detail,
							  error->hint);
}

static void
release_run(ReleaseState *state)
{
	PG_TRY();
	{
		if (release_debit(state))
		{
			release_read_and_keep(state);
			dp_channel_send_released(state->queue, state->debit);
		}
	}
	PG_CATCH();
	{
		bool was_reading = state->reading;
		ErrorData *error;

		MemoryContextSwitchTo(state->memory);
		error = CopyErrorData();
		EmitErrorReport();
		FlushErrorState();
		AbortCurrentTransaction();
		MemoryContextSwitchTo(state->memory);
		dp_rng_wipe(&state->rng);
		if (state->debit != 0)
			record_failure(state);
		report_failure(state, error, was_reading);
	}
	PG_END_TRY();
}

void
dp_release_worker_main(Datum argument)
{
	ReleaseState *state;
	Oid database;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();

	state = MemoryContextAllocZero(TopMemoryContext, sizeof(ReleaseState));
	state->memory =
		AllocSetContextCreate(TopMemoryContext, "dpsyn release", ALLOCSET_DEFAULT_SIZES);
	state->started = GetCurrentTimestamp();
	MemoryContextSwitchTo(state->memory);
	state->queue = dp_channel_open(DatumGetUInt32(argument), &database, &state->request);
	if (state->queue == NULL)
		proc_exit(0); /* the caller is gone, nothing was spent */

	/* as no user: nothing that the caller has set for itself applies. What the database or the bootstrap
	 * superuser have set does, until it is pinned. */
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	settings_pin();
	pgstat_report_activity(STATE_RUNNING, "dpsyn release");
	release_run(state);
	proc_exit(0);
}
