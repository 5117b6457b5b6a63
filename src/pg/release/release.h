/*
 * release.h -- the caller's side of a release.
 */
#ifndef DPSYN_RELEASE_H
#define DPSYN_RELEASE_H

#include "pg/server/compat.h"

#include "pg/release/request.h"

/* Returns its number, of several trees that of the first. open: for each tree a list of the
 * names of its root's columns whose values had to be found. */
extern int64 dp_run_release(const DpReleaseForest *forest, List **open);

#endif
