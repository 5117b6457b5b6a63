/*
 * running.c -- the table of running releases, and the two functions that show it and
 * end a release: see running.h.
 *
 * A worker belongs to no role, so that pg_cancel_backend and pg_terminate_backend reach
 * it for superusers alone. dp_cancel lets those end it who have an interest: the role
 * that asked, and the custodian of the relation, whose locks and rows it holds. It
 * terminates the worker. A mere cancel would be an error that code of the relation's
 * owner could catch, for instance in a function that a view calls.
 */
#include "pg/release/running.h"

#include <signal.h>

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "pg/server/arguments.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"

PG_FUNCTION_INFO_V1(dp_cancel);
PG_FUNCTION_INFO_V1(dp_running_list);

typedef struct RunningTable
{
	LWLock lock; /* guards all that follows */
	uint64 last_number;
	DpRunning place[DP_RELEASES_MAX];
} RunningTable;

/* ---- the table ---- */

#define TRANCHE "dpsyn_running"

static void
table_init(void *memory)
{
	RunningTable *table = memory;

	memset(table, 0, sizeof(RunningTable));
	LWLockInitialize(&table->lock, DP_LOCK_TRANCHE_NEW(TRANCHE));
}

static RunningTable *
table_lock(LWLockMode mode)
{
	static RunningTable *table = NULL;

	if (table == NULL)
	{
		RunningTable *shared =
			dp_shared_memory("dpsyn running releases", sizeof(RunningTable), table_init);

		DP_LOCK_TRANCHE_REGISTER(shared->lock.tranche, TRANCHE);
		table = shared;
	}
	LWLockAcquire(&table->lock, mode);
	return table;
}

static void
table_unlock(RunningTable *table)
{
	LWLockRelease(&table->lock);
}

/* NULL: that release has left. The table is locked. */
static DpRunning *
place_at(RunningTable *table, const DpPlace *place)
{
	DpRunning *running = &table->place[place->index];

	return place->number != 0 && running->number == place->number ? running : NULL;
}

/* ---- the caller's side ---- */

static DpPlaceSearch
place_look(const RunningTable *table, Oid relation, Oid role, uint32 *index)
{
	bool has_place = false;
	int of_role = 0;
	int of_relation = 0;

	for (uint32 i = DP_RELEASES_MAX; i-- > 0;)
	{
		const DpRunning *running = &table->place[i];

		if (running->number == 0)
		{
			has_place = true;
			*index = i;
			continue;
		}
		of_role += running->role == role;
		of_relation += running->relation == relation && running->database == MyDatabaseId;
	}
	if (of_role >= dpsyn_max_releases_per_role)
		return DP_PLACE_NONE_FOR_ROLE;
	if (of_relation >= dpsyn_max_releases_per_relation)
		return DP_PLACE_NONE_FOR_RELATION;
	return has_place ? DP_PLACE_FOUND : DP_PLACE_NONE;
}

DpPlaceSearch
dp_place_take(Oid relation, Oid role, DpPlace *place)
{
	RunningTable *table = table_lock(LW_EXCLUSIVE);
	DpPlaceSearch search = place_look(table, relation, role, &place->index);

	if (search == DP_PLACE_FOUND)
	{
		place->number = ++table->last_number;
		table->place[place->index] = (DpRunning){.number = place->number,
												 .caller = MyProcPid,
												 .database = MyDatabaseId,
												 .relation = relation,
												 .role = role,
												 .started = GetCurrentTimestamp(),
												 .stage = "starting the release worker"};
	}
	table_unlock(table);
	return search;
}

void
dp_place_give_back(const DpPlace *place)
{
	RunningTable *table;
	DpRunning *running;

	if (place->number == 0)
		return;
	table = table_lock(LW_EXCLUSIVE);
	running = place_at(table, place);
	if (running != NULL && running->worker == 0)
		running->number = 0;
	table_unlock(table);
}

bool
dp_place_stage(const DpPlace *place, char stage[DP_RUNNING_STAGE_BYTES])
{
	RunningTable *table = table_lock(LW_SHARED);
	const DpRunning *running = place_at(table, place);

	if (running != NULL)
		memcpy(stage, running->stage, DP_RUNNING_STAGE_BYTES);
	table_unlock(table);
	return running != NULL;
}

/* ---- the worker's side ---- */

static DpPlace own_place = {0}; /* of this worker; number 0: none */

static void
leave_at_exit(int code, Datum argument)
{
	dp_running_leave();
}

bool
dp_running_start(const DpPlace *place)
{
	RunningTable *table;
	DpRunning *running;

	before_shmem_exit(leave_at_exit, 0);
	table = table_lock(LW_EXCLUSIVE);
	running = place_at(table, place);
	if (running != NULL)
	{
		running->worker = MyProcPid;
		own_place = *place;
	}
	table_unlock(table);
	return running != NULL;
}

void
dp_running_stage(const char *stage)
{
	RunningTable *table = table_lock(LW_EXCLUSIVE);

	strlcpy(table->place[own_place.index].stage, stage, DP_RUNNING_STAGE_BYTES);
	table_unlock(table);
}

void
dp_running_debited(int64 debit)
{
	RunningTable *table = table_lock(LW_EXCLUSIVE);

	table->place[own_place.index].debit = debit;
	table_unlock(table);
}

bool
dp_running_cancelled(void)
{
	RunningTable *table = table_lock(LW_SHARED);
	const DpRunning *running = place_at(table, &own_place);
	bool cancelled = running != NULL && running->cancelled;

	table_unlock(table);
	return cancelled;
}

void
dp_running_leave(void)
{
	RunningTable *table;

	if (own_place.number == 0)
		return;
	table = table_lock(LW_EXCLUSIVE);
	table->place[own_place.index].number = 0;
	own_place.number = 0;
	table_unlock(table);
}

/* ---- SQL: dp_running and dp_cancel ---- */

/* A role sees and ends its own releases; a custodian, and a superuser, all releases of the
 * relation. */
static bool
concerns(const DpRunning *running, Oid user)
{
	return has_privs_of_role(user, running->role) || dp_is_custodian(running->relation, user);
}

/*
 * Copies the places that are taken in this database, so that rights can be looked up without
 * the lock.
 */
static uint32
running_copy(DpRunning copy[DP_RELEASES_MAX])
{
	RunningTable *table = table_lock(LW_SHARED);
	uint32 n = 0;

	for (uint32 i = 0; i < DP_RELEASES_MAX; i++)
		if (table->place[i].number != 0 && table->place[i].database == MyDatabaseId)
			copy[n++] = table->place[i];
	table_unlock(table);
	return n;
}

#define RUNNING_COLUMNS 7

Datum
dp_running_list(PG_FUNCTION_ARGS)
{
	DpRunning *running = palloc(sizeof(DpRunning) * DP_RELEASES_MAX);
	uint32 n = running_copy(running);
	ReturnSetInfo *result;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	for (uint32 i = 0; i < n; i++)
	{
		const DpRunning *r = &running[i];
		Datum values[RUNNING_COLUMNS] = {
			Int32GetDatum(r->worker),       ObjectIdGetDatum(r->relation),
			ObjectIdGetDatum(r->role),      Int32GetDatum(r->caller),
			Int64GetDatum(r->debit),        CStringGetTextDatum(r->stage),
			TimestampTzGetDatum(r->started)};
		bool nulls[RUNNING_COLUMNS] = {r->worker == 0, false, false, false, r->debit == 0};

		if (concerns(r, GetUserId()) || has_privs_of_role(GetUserId(), ROLE_PG_MONITOR))
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * Signals the worker if it still has this release. A worker leaves its place before it
 * ends, so that under the lock its number cannot be another process's by now.
 */
static bool
worker_end(const DpRunning *seen)
{
	RunningTable *table = table_lock(LW_EXCLUSIVE);
	bool ended = false;

	for (uint32 i = 0; i < DP_RELEASES_MAX && !ended; i++)
		if (table->place[i].number == seen->number)
		{
			table->place[i].cancelled = true;
			ended = kill(seen->worker, SIGTERM) == 0;
		}
	table_unlock(table);
	return ended;
}

Datum
dp_cancel(PG_FUNCTION_ARGS)
{
	int32 pid = PG_GETARG_INT32(0);
	DpRunning *running = palloc(sizeof(DpRunning) * DP_RELEASES_MAX);
	uint32 n;

	dp_check_no_null(fcinfo);
	n = running_copy(running);
	for (uint32 i = 0; i < n; i++)
	{
		if (pid == 0 || running[i].worker != pid)
			continue;
		if (!concerns(&running[i], GetUserId()))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("permission denied to cancel the release of PID %d", pid),
					 errdetail("Only the role that asked for a release, the custodian of its "
							   "relation and superusers may cancel it."),
					 errhint("The view dp_running lists the releases that you may cancel.")));
		if (worker_end(&running[i]))
			PG_RETURN_BOOL(true);
	}
	ereport(WARNING, (errmsg("PID %d is not a release worker of this database", pid),
					  errhint("The view dp_running lists the releases that run now.")));
	PG_RETURN_BOOL(false);
}
