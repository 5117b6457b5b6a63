/*
 * release.h -- the caller's side of a release.
 */
#ifndef DPSYN_RELEASE_H
#define DPSYN_RELEASE_H

#include "pg/server/compat.h"

#include "pg/release/request.h"

/* Returns its number. open: the names of the columns whose values had to be found. */
extern int64 dp_run_release(const DpReleaseRequest *request, List **open);

#endif
