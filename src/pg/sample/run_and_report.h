/*
 * run_and_report.h -- a release, and what came of it.
 */
#ifndef DPSYN_RUN_AND_REPORT_H
#define DPSYN_RUN_AND_REPORT_H

#include "pg/release/request.h"

/* Runs a release, and says in NOTICEs which open columns came to little. Returns its number. */
extern int64 dp_release_and_report(const DpReleaseForest *forest);

#endif
