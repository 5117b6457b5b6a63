/*
 * row_checks.c -- whether a row that was made up keeps the CHECKs of a table.
 *
 * dp_create_synthetic leaves out rows that break one. The CHECKs are evaluated as they are stored
 * in the table that was made, and not as words of the original.
 */
#include "pg/synthetic/taken_over.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "pg/server/catalog.h"
#include "pg/server/untrusted_code.h"

typedef struct RowChecks
{
	Oid relation;
	TupleTableSlot *slot;
	ExprContext *context;
	List *states; /* of ExprState */
} RowChecks;

static bool
mentions(Node *check, int column)
{
	Bitmapset *columns = NULL;

	pull_varattnos(check, 1, &columns);
	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, columns);
}

/* The caller need not own the table, so whatever could run somebody's code is refused. */
static ExprState *
state_of(Node *check)
{
	char *obstacle = dp_stored_expression_obstacle(check);

	if (obstacle != NULL)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("a CHECK cannot be evaluated: %s", obstacle)));
	return ExecInitExpr(expression_planner((Expr *) check), NULL);
}

/* column: of which the CHECKs must be; 0: of any */
static RowChecks *
checks_create(Oid oid, int column)
{
	Relation relation = dp_relation_open(oid, AccessShareLock);
	TupleDesc desc = RelationGetDescr(relation);
	RowChecks *checks = palloc0(sizeof(RowChecks));

	checks->relation = oid;
	checks->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(desc), &TTSOpsVirtual);
	checks->context = CreateStandaloneExprContext();
	checks->context->ecxt_scantuple = checks->slot;
	for (int i = 0; desc->constr != NULL && i < desc->constr->num_check; i++)
	{
		Node *check = stringToNode(desc->constr->check[i].ccbin);

		if (DP_CHECK_IS_ENFORCED(&desc->constr->check[i]) &&
			(column == 0 || mentions(check, column)))
			checks->states = lappend(checks->states, state_of(check));
	}
	relation_close(relation, AccessShareLock);
	return checks;
}

/* The row has the columns of the table. */
static void
check_columns(TupleDesc row, const RowChecks *checks)
{
	TupleDesc desc = checks->slot->tts_tupleDescriptor;
	bool same = row->natts == desc->natts;

	for (int i = 0; same && i < desc->natts; i++)
		same = TupleDescAttr(row, i)->atttypid == TupleDescAttr(desc, i)->atttypid &&
			   !TupleDescAttr(row, i)->attisdropped && !TupleDescAttr(desc, i)->attisdropped;
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the row is not one of relation \"%s\"",
															dp_relation_words(checks->relation))));
}

static void
show_row(const RowChecks *checks, HeapTupleHeader row)
{
	TupleDesc desc =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};

	ItemPointerSetInvalid(&tuple.t_self);
	check_columns(desc, checks);
	ExecClearTuple(checks->slot);
	heap_deform_tuple(&tuple, desc, checks->slot->tts_values, checks->slot->tts_isnull);
	ExecStoreVirtualTuple(checks->slot);
	ReleaseTupleDesc(desc);
}

static bool
keeps(const RowChecks *checks)
{
	ListCell *cell;

	foreach (cell, checks->states)
	{
		bool isnull;
		Datum value = ExecEvalExprSwitchContext(lfirst(cell), checks->context, &isnull);

		if (!isnull && !DatumGetBool(value))
			return false;
	}
	return true;
}

PG_FUNCTION_INFO_V1(dp_keeps_checks);

Datum
dp_keeps_checks(PG_FUNCTION_ARGS)
{
	RowChecks *checks = fcinfo->flinfo->fn_extra;
	bool result;

	if (checks == NULL || checks->relation != PG_GETARG_OID(0))
	{
		MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		checks = checks_create(PG_GETARG_OID(0), PG_GETARG_INT32(2));
		fcinfo->flinfo->fn_extra = checks;
		MemoryContextSwitchTo(caller);
	}
	if (checks->states == NIL)
		PG_RETURN_BOOL(true);
	show_row(checks, PG_GETARG_HEAPTUPLEHEADER(1));
	result = keeps(checks);
	ResetExprContext(checks->context);
	PG_RETURN_BOOL(result);
}
