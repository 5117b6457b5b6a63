/*
 * expression.c -- expressions of a table, evaluated on made-up rows.
 */
#include "pg/rows/expression.h"

#include "executor/executor.h"
#include "utils/resowner.h"

struct DpEvaluator
{
	TupleTableSlot *slot;
	ExprContext *context;
	ResourceOwner owner; /* of whoever draws rows */
	ResourceOwner own;   /* what expressions hold; NULL: there is none yet */
};

DpEvaluator *
dp_evaluator_create(TupleDesc row)
{
	DpEvaluator *evaluator = palloc0(sizeof(DpEvaluator));

	evaluator->slot = MakeSingleTupleTableSlot(row, &TTSOpsVirtual);
	evaluator->context = CreateStandaloneExprContext();
	evaluator->context->ecxt_scantuple = evaluator->slot;
	evaluator->owner = CurrentResourceOwner;
	return evaluator;
}

void
dp_evaluator_show(DpEvaluator *evaluator, const Datum *values, const bool *nulls)
{
	TupleTableSlot *slot = evaluator->slot;

	ExecClearTuple(slot);
	memcpy(slot->tts_values, values, sizeof(Datum) * slot->tts_tupleDescriptor->natts);
	memcpy(slot->tts_isnull, nulls, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	ExecStoreVirtualTuple(slot);
}

void
dp_evaluator_reset(DpEvaluator *evaluator)
{
	ResetExprContext(evaluator->context);
}

static void
release(DpEvaluator *evaluator)
{
	ResourceOwnerRelease(evaluator->own, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(evaluator->own, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(evaluator->own, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(evaluator->own);
	evaluator->own = NULL;
}

bool
dp_expression_value(DpEvaluator *evaluator, ExprState *state, Datum *value, bool *isnull)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner caller = CurrentResourceOwner;
	volatile bool succeeded = false;

	if (evaluator->own == NULL)
		evaluator->own = ResourceOwnerCreate(evaluator->owner, "dpsyn expressions");
	CurrentResourceOwner = evaluator->own;
	PG_TRY();
	{
		*value = ExecEvalExpr(state, evaluator->context, isnull);
		succeeded = true;
	}
	PG_CATCH();
	{
		int category = ERRCODE_TO_CATEGORY(geterrcode());

		if (category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		release(evaluator);
	}
	PG_END_TRY();
	CurrentResourceOwner = caller;
	return succeeded;
}
