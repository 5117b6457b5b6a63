/*
 * scan.h -- the data, as the core counts it. RELEASE WORKER ONLY.
 */
#ifndef DP_SCAN_H
#define DP_SCAN_H

#include "dpsyn.h"

#include "nodes/params.h"
#include "tcop/dest.h"

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

typedef struct DpScan
{
	const DpSource *source;
	Oid owner;
	MemoryContext context;
	DpCounter counter;
} DpScan;

/* Reads source as owner, under the active snapshot. Memory comes from context. */
extern DpScan *dp_scan_create(const DpSource *source, Oid owner, MemoryContext context);
extern const DpCounter *dp_scan_counter(DpScan *scan);
/* Plans the scan of all columns without running it: takes the locks, and checks the rights, of everything
 * below the relation. ERROR where the scan could not start. */
extern void dp_scan_rehearse(const DpSource *source, Oid owner);
/* Selects the listed attributes of every row, as the current user, into receiver. */
extern void dp_scan_columns(const DpScan *scan, const DpDomain *domain, const uint32 *attribute,
							uint32 n, DestReceiver *receiver);

/* ---- scan_cells.c ---- */

/* DpCounter.cells */
extern DpStatus dp_scan_cells(void *context, const DpDomain *domain, DpCells *sets, uint32 n,
							  DpError *error);

#endif
