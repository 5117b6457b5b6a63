/*
 * spent.h -- errors of the caller's session that come after the debit.
 *
 * Whoever gives up waiting, or fails over what was released, has paid for a release. The error says
 * so, and how to get at it.
 */
#ifndef DPSYN_SPENT_H
#define DPSYN_SPENT_H

#include "pg/server/compat.h"

typedef enum DpSpent
{
	DP_SPENT_RUNNING, /* the worker goes on, and stores the release if it can */
	DP_SPENT_STORED,
	DP_SPENT_FAILED,
} DpSpent;

/*
 * Stands in PG_CATCH. Throws the error on, with all that it says and in addition that the release
 * is paid for. release: its number, or 0: as far as is known nothing was spent. memory: where the
 * error is copied.
 */
extern DP_NORETURN void dp_rethrow_spent(DpSpent spent, int64 release, MemoryContext memory);

#endif
