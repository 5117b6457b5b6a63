/*
 * release.h -- the caller's side of a release.
 */
#ifndef DPSYN_RELEASE_H
#define DPSYN_RELEASE_H

#include "pg/release/request.h"
#include "pg/server/compat.h"

/* Looks at what is prepared of a tree, before anything of the forest is paid for: an ERROR ends the
 * release, for nothing. */
typedef void (*DpBeforeDebit)(const DpPrepared *prepared);

/* Returns the number of the release, that of the first tree if there are several. open: for each
 * tree the names of its root's columns whose values are discovered. */
extern int64 dp_run_release(const DpReleaseForest *forest, DpBeforeDebit before, List **open);

/*
 * Errors of the caller's session that come after the debit.
 *
 * Whoever gives up waiting, or fails over what was released, has paid for a release. The error
 * says so, and how to get at it.
 */

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
