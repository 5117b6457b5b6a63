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
 * Runs what may fail because of what somebody else declared, in a subtransaction; false: it failed,
 * and what it did was rolled back. What it allocates is in the caller's memory context. Errors
 * that say nothing of what was declared are thrown on, after the rollback: a cancel, a lack of
 * resources, a lock that was not to be had. In a parallel query, which can begin no subtransaction,
 * no error is caught.
 */
extern bool dp_run_in_subtransaction(void (*call)(void *), void *argument);

/* The same, for a call of which only those errors count that are thrown while counts is true of
 * it. */
extern bool dp_run_in_subtransaction_if(void (*call)(void *), void *argument,
										bool (*counts)(void *argument));

#endif
