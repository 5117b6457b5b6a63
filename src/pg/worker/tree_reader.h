/*
 * tree_reader.h -- the rows of a tree, each table read in one scan, and joined in memory. RELEASE
 * WORKER ONLY.
 */
#ifndef DPSYN_TREE_READER_H
#define DPSYN_TREE_READER_H

#include "pg/worker/scan.h"

/*
 * Reads the rows of the tables of a tree, as the scans of the sources of its tables ask for them, the
 * root first. It lives in the current memory context, and the tree must stay.
 */
extern DpTreeReader *dp_tree_reader_create(const DpTableTree *tree);
/*
 * Reads the rows of the scan's table, and keeps the codes of those that its source reads, as often as
 * each is counted. False: they cannot be read in this way, or do not fit in memory.
 */
extern bool dp_tree_reader_keep(DpScan *scan, const DpDomain *domain);

#endif
