/*
 * prepared.h -- a release that is asked for, and what is prepared for it.
 */
#ifndef DPSYN_PREPARED_H
#define DPSYN_PREPARED_H

#include "pg/server/compat.h"

#include "core/plan/method.h"
#include "pg/budget/payer.h"
#include "pg/domain/relation.h"
#include "pg/domain/table_tree.h"

typedef struct DpReleaseRequest
{
	Oid relation;
	Oid user;
	char *method;
	char *
		chosen_since; /* why, where method was "auto"; NULL: it was asked for. Not for the worker */
	char *options;    /* jsonb as text */
	char *row_type;
	/* {"column": domain} as text, with dictionaries read; NULL: still to be read from options */
	char *domains;
	int64 epsilon_nano;
	int64 delta_atto;
	int32 sets;
	int64 table_rows; /* of the relation, as publicly known; 0: not stated. Not for the worker */
	int64 rows; /* to be drawn at once; negative: as many as the release says. Not for the worker */
	bool draws; /* rows of the relation's own row type, at once. Not for the worker */
	const DpSeedPool *seeds; /* read by the caller's backend; NULL: none */
	/* of the public tables that the caller's backend has read (public_keys.h); 0: it read none. Only
	 * for the worker, and where domains is not NULL */
	uint64 public_digest;
	char *tree; /* OIDs of all relations of a tree; NULL or "": it is one relation */
	/* OIDs of all relations that the call releases, also of other trees; NULL or "": this one */
	char *together;
} DpReleaseRequest;

/* The trees that one call releases; each is paid from the budget of its own root. */
typedef struct DpReleaseForest
{
	int trees;
	DpReleaseRequest *tree; /* [trees], in the order in which they were named */
} DpReleaseForest;

typedef struct DpPrepared DpPrepared;
struct DpPrepared
{
	DpDataset dataset;
	DpPayer payer;
	DpRelation *relation;
	uint32 own; /* attributes of its own, which are the first; a tree adds others */
	DpOptions options;
	char *domains; /* as in the request; NULL: none were asserted */
	DpRequest request;
	DpPlan plan;   /* with the memory of its scans */
	DpArena arena; /* over the memory context it was prepared in */
	/* where several relations are released together: the plan's cost is that of all, and each
	 * relation but the root has a part of its own, in the order of the tree */
	DpTableTree *tree;
	DpPrepared **part; /* [tree->tables], the first NULL */
};

#endif
