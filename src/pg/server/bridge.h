/*
 * bridge.h -- between the core and PostgreSQL: memory, errors, numbers, words, progress.
 *
 * Runs in any process, on either side of the wall.
 */
#ifndef DPSYN_BRIDGE_H
#define DPSYN_BRIDGE_H

#include "pg/server/compat.h"

#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "core/base/arena.h"
#include "core/accounting/privacy_unit.h"

/* ---- memory ---- */

/* An arena over a memory context. It returns NULL where memory is exhausted, and raises nothing. */
extern DpArena dp_arena_for(MemoryContext context);
/* The bytes as a value. length is at most MaxAllocSize - VARHDRSZ. */
extern bytea *dp_bytea(const unsigned char *bytes, size_t length);

/* ---- errors ---- */

/* ereport(ERROR) for an error of the core; its status is not DP_OK. */
extern DP_NORETURN void dp_raise(const DpError *error);
extern int dp_status_sqlstate(DpStatus status);

/* ---- numbers ---- */

/*
 * An argument of type double precision, not NULL, as an integer in units of 1e-9, 1e-18 and 1e-12.
 * Its shortest decimal counts: that is what was written, if it has at most 15 digits. round_up: for
 * a charge; a cap is rounded down. what: its name, for messages. ERROR for a negative number, or
 * one that is too large.
 */
extern int64 dp_epsilon_argument(FunctionCallInfo fcinfo, int argument, bool round_up,
								 const char *what);
extern int64 dp_delta_argument(FunctionCallInfo fcinfo, int argument, bool round_up);
extern int64 dp_rho_argument(FunctionCallInfo fcinfo, int argument); /* a charge */
/* The same of a number that is no argument, as a charge: rounded up. */
extern int64 dp_epsilon_units(double epsilon, const char *what);
extern int64 dp_delta_units(double delta, const char *what);
/* The integers as numeric, which is exact. */
extern Datum dp_epsilon_to_numeric(int64 epsilon_nano);
extern Datum dp_delta_to_numeric(int64 delta_atto);
extern Datum dp_rho_to_numeric(int64 rho_pico);

/* ---- words ---- */

/* The words for the values 0, 1, ... of an enum, and the error for any other word. */
typedef struct DpWords
{
	const char *unknown; /* the message, which the word follows: "unknown accountant" */
	const char *hint;
	int n;
	const char *word[4];
} DpWords;

/* The number of the word; ERROR if it is none of them. */
extern int dp_word_find(const DpWords *words, const char *word);
extern const char *dp_neighbours_name(DpNeighbours neighbours);
/* ERROR for a name that is none. */
extern DpNeighbours dp_neighbours_from_name(const char *name);

/* ---- ticks ---- */

/* Answers to a cancel, and does nothing else. */
extern const DpTick dp_interrupt_tick;

/* Long work of the caller's backend: it answers to a cancel, and says how far it is. */
typedef struct DpProgress
{
	const char *stage;       /* what is being done, for the NOTICE */
	TimestampTz next_report; /* 0: not started */
	double share_done;       /* the last one known; negative: none */
	DpTick tick;             /* hand &progress.tick to the core */
} DpProgress;

/* Begins a stage. The clock of the reports goes on from the stage before. */
extern void dp_progress_start(DpProgress *progress, const char *stage);
/* A NOTICE if dpsyn.progress_interval has passed since the last one. share_done: 0 to 1; negative:
 * not known. */
extern void dp_progress_report(DpProgress *progress, double share_done);

#endif
