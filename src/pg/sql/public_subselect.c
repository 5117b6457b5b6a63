/*
 * public_subselect.c -- running sub-selects that read public tables alone: what they give is public,
 * and stands in the question as constants.
 *
 * They are run as any statement of the caller's is, so that PostgreSQL checks the rights. A protected
 * relation is never read so, whoever may read it: what comes out would be exact.
 */
#include "pg/sql/public_subselect.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/budget/public_relation.h"

/* ---- what it reads ---- */

typedef struct Look
{
	int depth; /* of the query at hand */
	bool reads_other;
} Look;

static bool
look_at(Node *node, void *context)
{
	Look *look = context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		if (entry->rtekind == RTE_RELATION && !dp_relation_is_public(entry->relid))
			look->reads_other = true;
		return false;
	}
	if (IsA(node, Var) && (int) ((Var *) node)->varlevelsup > look->depth)
		look->reads_other = true;
	if (IsA(node, Param))
		look->reads_other = true;
	if (IsA(node, Query))
	{
		look->depth++;
		(void) query_tree_walker((Query *) node, look_at, context, QTW_EXAMINE_RTES_BEFORE);
		look->depth--;
		return false;
	}
	return expression_tree_walker(node, look_at, context);
}

bool
dp_subselect_is_public(const Query *query)
{
	Look look = {.depth = -1};

	(void) look_at((Node *) unconstify(Query *, query), &look);
	return !look.reads_other && query->commandType == CMD_SELECT &&
		   !contain_volatile_functions((Node *) unconstify(Query *, query));
}

/* ---- running it ---- */

typedef struct ValueReceiver
{
	DestReceiver receiver; /* must be first */
	MemoryContext context;
	Oid type;
	List *values;
} ValueReceiver;

static void
start(DestReceiver *self, int operation, TupleDesc row)
{
	/* EXISTS may select nothing */
	((ValueReceiver *) self)->type = row->natts == 0 ? BOOLOID : TupleDescAttr(row, 0)->atttypid;
}

static void
end(DestReceiver *self)
{
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	ValueReceiver *receiver = (ValueReceiver *) self;
	MemoryContext caller = MemoryContextSwitchTo(receiver->context);
	int16 length;
	bool by_value, isnull = true;
	Datum value =
		slot->tts_tupleDescriptor->natts == 0 ? (Datum) 0 : slot_getattr(slot, 1, &isnull);

	if (list_length(receiver->values) >= DP_SUBSELECT_ROWS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a sub-select of a private query has too many rows"),
				 errdetail("The limit is %d.", DP_SUBSELECT_ROWS_MAX), errhint("Join the table.")));
	get_typlenbyval(receiver->type, &length, &by_value);
	if (!isnull && length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	receiver->values = lappend(
		receiver->values,
		makeConst(receiver->type, -1, get_typcollation(receiver->type), length,
				  isnull ? (Datum) 0 : datumCopy(value, by_value, length), isnull, by_value));
	MemoryContextSwitchTo(caller);
	return true;
}

List *
dp_subselect_values(const Query *query)
{
	ValueReceiver receiver = {.receiver = {.receiveSlot = receive,
										   .rStartup = start,
										   .rShutdown = end,
										   .rDestroy = end,
										   .mydest = DestTuplestore},
							  .context = CurrentMemoryContext};
	PlannedStmt *planned;
	QueryDesc *running;

	PushActiveSnapshot(GetTransactionSnapshot());
	planned = DP_PLAN_QUERY(copyObject(unconstify(Query *, query)), "", 0, NULL);
	running = CreateQueryDesc(planned, "", GetActiveSnapshot(), InvalidSnapshot, &receiver.receiver,
							  NULL, NULL, 0);
	ExecutorStart(running, 0);
	DP_EXECUTOR_RUN(running);
	ExecutorFinish(running);
	ExecutorEnd(running);
	FreeQueryDesc(running);
	PopActiveSnapshot();
	return receiver.values;
}
