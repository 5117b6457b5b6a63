/*
 * release.h -- the caller's side of a release.
 */
#ifndef DPSYN_RELEASE_H
#define DPSYN_RELEASE_H

#include "pg/server/compat.h"

#include "pg/release/request.h"

/* Looks at what is prepared of a tree, before anything of the forest is paid for: an ERROR ends the
 * release, for nothing. */
typedef void (*DpBeforeDebit)(const DpPrepared *prepared);

/* Returns its number, of several trees that of the first. open: for each tree a list of the
 * names of its root's columns whose values had to be found. */
extern int64 dp_run_release(const DpReleaseForest *forest, DpBeforeDebit before, List **open);

#endif
