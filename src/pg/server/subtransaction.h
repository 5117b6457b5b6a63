/*
 * subtransaction.h -- the one place where an error is caught and the session goes on.
 *
 * An error leaves more behind than memory: pins, locks, settings, the current user and resource
 * owner, connections to SPI. Only a rollback cleans that up. So whatever may fail, and is no reason
 * to end the statement, runs in a subtransaction, and PG_CATCH stands nowhere else but where the
 * error is thrown on or the whole transaction ends (script/check-exits).
 */
#ifndef DPSYN_SUBTRANSACTION_H
#define DPSYN_SUBTRANSACTION_H

#include "pg/server/compat.h"

/*
 * Calls, in a subtransaction, code that may fail because of somebody's declaration. false: it
 * failed and was rolled back. Its allocations are in the caller's memory context. Errors that are
 * not due to the declaration are thrown on after the rollback: a cancel, a lack of resources, a
 * lock that is not available. A parallel query can begin no subtransaction; there no error is
 * caught.
 */
extern bool dp_run_in_subtransaction(void (*call)(void *), void *argument);

/* The same, for a call of which only those errors count that are thrown while counts is true of
 * it. */
extern bool dp_run_in_subtransaction_if(void (*call)(void *), void *argument,
										bool (*counts)(void *argument));
/* The same as dp_run_in_subtransaction, where a call that succeeds has no effect either. */
extern bool dp_run_and_undo(void (*call)(void *), void *argument);
/* ERROR: that of the call. */
extern void dp_run_and_undo_or_fail(void (*call)(void *), void *argument);

#endif
