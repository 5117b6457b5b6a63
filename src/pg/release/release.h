/*
 * release.h -- the caller's side of a release.
 */
#ifndef DPSYN_RELEASE_H
#define DPSYN_RELEASE_H

#include "pg/server/compat.h"

#include "pg/release/request.h"

extern int64 dp_run_release(const DpReleaseRequest *request);

#endif
