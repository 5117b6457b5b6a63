/*
 * release_query.h -- queries of a stored release, from the caller's words to cells.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_RELEASE_QUERY_H
#define DPSYN_RELEASE_QUERY_H

#include "pg/server/compat.h"

#include "nodes/execnodes.h"

#include "core/sample/answer.h"
#include "pg/sample/condition.h"
#include "pg/sample/fitted.h"
#include "pg/sample/store.h"
#include "pg/server/bridge.h"

typedef struct DpReleaseQuery
{
	DpStored *stored;
	/* rows of a table that was released with its root, which answer alone; NULL: tables and model
	 * do */
	const DpFitted *drawn;
	DpCondition condition;
	uint32 *by; /* [marginal_query.by.n] */
	DpMarginalQuery marginal_query;
	uint64 groups;
	DpGroupAnswer *answer; /* [groups] */
	uint64 rows_max;       /* how many drawn rows of a model are counted; 0: all */
	Jsonb *also;           /* what all cells have besides; NULL: nothing */
	DpProgress progress;
} DpReleaseQuery;

/* The relation "add_remove" hides the number of rows: negative then. */
extern double dp_rows_public(const DpStored *stored);
/* Tables of all sets of a release, each with what its cells stand for. */
extern DpMeasuredTable *dp_stored_tables(DpStored *stored);
/* Takes n names as the columns of by. ERROR for a column that is not modelled, or named twice. */
extern void dp_release_query_by(DpReleaseQuery *request, char **name, int n);
/* Answers from tables, and from the model what they do not hold. The other members are there. */
extern void dp_release_query_answer(DpReleaseQuery *request);
/* Whether all sets of the release can be request again and again: they are fitted, or rows of them
 * are kept. */
extern bool dp_release_query_is_quick(DpReleaseQuery *request);
/* Answers by the model alone. groups is set, and answer has space for them. */
extern void dp_release_query_model(DpReleaseQuery *request, const DpTick *tick);
/* Puts the cells into the result of a set-returning function: cell, estimate, std_error, low, high,
 * basis. Groups that the condition excludes are left out. */
extern void dp_release_query_return(DpReleaseQuery *request, ReturnSetInfo *result);

#endif
