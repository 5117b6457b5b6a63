/*
 * request.h -- one release, from words to a plan.
 */
#ifndef DPSYN_REQUEST_H
#define DPSYN_REQUEST_H

#include "pg/server/compat.h"

#include "core/release/method.h"
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
	char *tree; /* OIDs of all relations, where several are released together; NULL or "": one is */
} DpReleaseRequest;

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

/* The relations whose rows are released: one, or those of a tree. */
extern List *dp_released_relations(const DpReleaseRequest *request);
/* The method of this name. ERROR, with the nearest name: there is none. */
extern const DpMethod *dp_method_called(const char *name);
/*
 * The options of a request, with the caller's settings where its method has them and they are not
 * given. The release worker has settings of its own.
 */
extern char *dp_options_with_settings(const DpReleaseRequest *request);
/*
 * Checks everything that can be checked without the data: rights, domain, options, plan. This
 * takes the longer the larger the domain is, so nothing may be locked then that others wait for.
 */
extern DpPrepared *dp_prepare_request(const DpReleaseRequest *request);
/* The same without the plan. method NULL: for any method that a budget pays for. */
extern DpPrepared *dp_prepare_facts(const DpReleaseRequest *request, const DpMethod *method);
/* Plans a table of a tree again, once it is known how its rows count. It costs the same. */
extern void dp_prepare_part_again(DpPrepared *part, const DpTreeTable *table);
/*
 * Locks the rows of the ledger that pay, until the transaction ends, and checks that what was
 * prepared still holds and still is within the budget.
 */
extern void dp_prepared_lock(const DpReleaseRequest *request, DpPrepared *prepared);

#endif
