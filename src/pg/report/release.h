/*
 * release.h -- the page about a release: its facts, and its parts.
 */
#ifndef DPSYN_REPORT_RELEASE_H
#define DPSYN_REPORT_RELEASE_H

#include "pg/report/report.h"

typedef struct DpReleaseReport
{
	DpReport report;
	DpReleased released;
	bool of_answers; /* made by method query: the release has answers and no contingency tables */
	/* the table that is described, of those that were released together */
	const DpStored *table;
	DpArgument relation; /* $2 of statements about it; NULL: the root */
	uint32 columns;      /* attributes that are its own, which come first */
	const char *heading; /* begins the headings of its sections: "visits: ", or "" */
} DpReleaseReport;

/* What one column looks like by the release: a figure for each. */
extern void dp_put_release_columns(DpReleaseReport *of);

#endif
