/*
 * running.h -- the releases that run now, in shared memory that every session of the
 * server sees. A release has a place from before its worker is started until the worker
 * ends. The limits on releases that run at once count places, dp_running shows them,
 * and dp_cancel finds the worker by its place.
 */
#ifndef DPSYN_RUNNING_H
#define DPSYN_RUNNING_H

#include "pg/server/compat.h"

#include "utils/timestamp.h"

#define DP_RUNNING_STAGE_BYTES 96

typedef struct DpRunning
{
	uint64 number; /* counts releases since the server started; 0: the place is free */
	pid_t caller;
	pid_t worker; /* 0: not started yet */
	Oid database;
	Oid relation;
	Oid role; /* that asked for the release */
	TimestampTz started;
	int64 debit; /* line of the ledger; 0: nothing is spent yet */
	bool cancelled;
	char stage[DP_RUNNING_STAGE_BYTES]; /* public words only */
} DpRunning;

typedef struct DpPlace
{
	uint32 index;
	uint64 number; /* 0: none */
} DpPlace;

/* ---- the caller's side ---- */

typedef enum DpPlaceSearch
{
	DP_PLACE_FOUND,
	DP_PLACE_NONE_FOR_ROLE,
	DP_PLACE_NONE_FOR_RELATION,
	DP_PLACE_NONE,
} DpPlaceSearch;

/* Takes a place, under the limits that this session's settings say. Does not wait. */
extern DpPlaceSearch dp_place_take(Oid relation, Oid role, DpPlace *place);
/* Frees a place, unless a worker has taken it over: then the worker frees it. */
extern void dp_place_give_back(const DpPlace *place);
/* Copies the stage that a release is at; false: it has none. */
extern bool dp_place_stage(const DpPlace *place, char stage[DP_RUNNING_STAGE_BYTES]);

/* ---- the worker's side ---- */

/* The worker holds the place from now until it ends. false: the caller gave it back. */
extern bool dp_running_start(const DpPlace *place);
/* Never waits for a reader, so that no caller can stop a worker by not reading. */
extern void dp_running_stage(const char *stage);
extern void dp_running_debited(int64 debit);
/* Whether dp_cancel has ended this worker. */
extern bool dp_running_cancelled(void);
/* Leaves the place. Nothing happens if that was done before. */
extern void dp_running_leave(void);

#endif
