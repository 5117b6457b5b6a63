/*
 * scan_nodes.h -- the rows of a query, read as codes that the worker nodes of Citus send. RELEASE WORKER
 * ONLY.
 */
#ifndef DPSYN_SCAN_NODES_H
#define DPSYN_SCAN_NODES_H

#include "pg/worker/scan_units.h"

/* Hands over all rows, read as the current user. False: they cannot be read in this way, and none
 * was handed over. */
extern bool dp_scan_node_values(DpScan *scan, const DpSumRows *rows);

#endif
