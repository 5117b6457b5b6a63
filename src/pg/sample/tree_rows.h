/*
 * tree_rows.h -- rows of a table that was released together with its root.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_TREE_ROWS_H
#define DPSYN_TREE_ROWS_H

#include "pg/server/compat.h"

#include "storage/shm_mq.h"
#include "utils/tuplestore.h"

#include "pg/sample/draw_job.h"

typedef struct DpTreeRows DpTreeRows;

/* The part of a release that belongs to a relation, by its OID or its name; NULL: the root. ERROR
 * if neither identifies a part. */
extern DpStoredPart *dp_part_of_relation(const DpStored *root, List *parts, Oid relation);
/* The same for a query of a release: relation InvalidOid means the root. ERROR for a relation
 * that the release is not of. */
extern DpStoredPart *dp_part_requested(const DpStored *root, List *parts, Oid relation);
/* A column that refers to the parent: whose key it contains, that of the parent's row or of an
 * ancestor to which the parent's key refers in turn. */
typedef struct DpReferred
{
	int table; /* number of the part */
	const char *column;
	int up; /* rows above the parent's row */
} DpReferred;

/* place: of the column among those of refers_by. */
extern DpReferred dp_part_refers(List *parts, const DpStoredPart *part, int place);
/*
 * Prepares to draw a part. job: has the part's stored model, seed, set, and as rows those of the
 * root. Its drawer draws rows again that break a rule.
 */
extern DpTreeRows *dp_tree_rows_create(DpDrawJob *job, DpStored *root, List *parts, int number);
/* Rows of the root, and those of the part that belong to them. */
typedef struct DpTreeBlock
{
	uint64 root_rows;
	uint64 rows;
	const uint32 *codes; /* [rows x attributes] until the next block is drawn */
} DpTreeBlock;

/* Draws the next block; blocks count from 0, and come in their order. */
extern DpTreeBlock dp_tree_rows_block(DpTreeRows *tree, uint64 block, const DpTick *tick);
/* Makes ready to make rows from a block on. */
extern void dp_tree_rows_begin(DpTreeRows *tree, DpDrawJob *job, uint64 block);
/* Makes the rows of a block, after those of blocks before it, or in their place. sent: its codes,
 * from a worker; NULL: from none. */
extern void dp_tree_rows_make(DpTreeRows *tree, DpDrawJob *job, uint64 block, const char *sent,
							  const DpRowSink *sink);
/* Puts all rows into store. */
extern void dp_tree_rows_emit(DpTreeRows *tree, DpDrawJob *job, Tuplestorestate *store);

/* The memory of the models that rows are drawn from, with the weights of their trials. */
extern Size dp_tree_rows_model_bytes(const DpTreeRows *tree);
/* What the codes of a block are expected to take. */
extern Size dp_tree_rows_block_bytes(const DpTreeRows *tree);
/* Writes what a worker needs to draw blocks. */
extern void dp_tree_rows_describe(const DpTreeRows *tree, StringInfo to);
/* Prepares a worker to draw. job: has seed, set, rows and tick. */
extern DpTreeRows *dp_tree_rows_read(DpDrawJob *job, StringInfo from);
/* The codes of the block that was drawn last: tables of the tree and 1 pieces. Returns their number. */
extern int dp_tree_rows_pieces(DpTreeRows *tree, shm_mq_iovec *piece);

#endif
