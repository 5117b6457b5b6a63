/*
 * scan.h -- the data, as the core counts it. RELEASE WORKER ONLY.
 */
#ifndef DP_SCAN_H
#define DP_SCAN_H

#include "dpsyn.h"

/* ---- source.c: which rows ---- */

typedef struct DpSource
{
	const DpRelation *relation;
	char *clause; /* goes behind FROM; has the columns of relation's domain, by their names */
	bytea *key;   /* parameter $2 of clause; NULL: it has none */
} DpSource;

/* Memory of the current context, and a key that is drawn anew: one source for all scans of a release. */
extern DpSource *dp_source_create(const DpRelation *relation, const DpDataset *dataset);

/* ---- scan.c ---- */

typedef struct DpScan DpScan;

/* Reads source as owner, under the active snapshot. Memory comes from context. */
extern DpScan *dp_scan_create(const DpSource *source, Oid owner, MemoryContext context);
extern const DpCounter *dp_scan_counter(DpScan *scan);
/* Plans the scan of all columns without running it: takes the locks, and checks the rights, of everything
 * below the relation. ERROR where the scan could not start. */
extern void dp_scan_rehearse(const DpSource *source, Oid owner);

#endif
