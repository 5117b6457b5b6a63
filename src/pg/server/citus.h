/*
 * citus.h -- which relations the extension Citus distributes over worker nodes.
 *
 * Runs in any process. It reads the catalog of Citus, and no data.
 */
#ifndef DPSYN_CITUS_H
#define DPSYN_CITUS_H

#include "pg/server/compat.h"

extern bool dp_citus_is_here(void);
/* Whether Citus manages the relation: one with shards, a reference table, or a local table in its
 * metadata. */
extern bool dp_is_distributed(Oid relation);
/* From now on queries of this session count Citus tables in a form that Citus can send. */
extern void dp_citus_call_watch(void);

#endif
