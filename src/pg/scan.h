/*
 * scan.h -- the data, as the core counts it. RELEASE WORKER ONLY.
 */
#ifndef DP_SCAN_H
#define DP_SCAN_H

#include "dpsyn.h"

typedef struct DpScan DpScan;

/* Reads relation as owner, under the active snapshot. Memory comes from context. */
extern DpScan *dp_scan_create(const DpRelation *relation, Oid owner, MemoryContext context);
extern const DpCounter *dp_scan_counter(DpScan *scan);
/* Plans the scan of all columns without running it: takes the locks, and checks the rights, of everything
 * below the relation. ERROR where the scan could not start. */
extern void dp_scan_rehearse(const DpRelation *relation, Oid owner);

#endif
