/*
 * expression.c -- expressions of a table, evaluated on made-up rows.
 */
#include "pg/sample/rule_state.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/server/subtransaction.h"

struct DpEvaluator
{
	TupleTableSlot *slot;
	ExprContext *context;
	bool can_fail;
	bool together;         /* who called dp_evaluate_together catches errors */
	DpExpression *running; /* what is evaluated, or was when it failed */
};

struct DpExpression
{
	Expr *planned;
	bool can_fail;
	MemoryContext memory; /* of state */
	ExprState *state;     /* NULL: an error left it somewhere in the middle */
};

/* ---- which expressions cannot fail ---- */

/* Values of these types can be compared whatever they are. */
static bool
is_compared(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case CASHOID:
		case TEXTOID:
		case BPCHAROID:
		case BYTEAOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
		case UUIDOID:
			return true;
		default:
			return false;
	}
}

/* Whether it is one of PostgreSQL's own orders of such a type, or its equality. */
static bool
is_comparison(Oid operator)
{
	Oid left;
	Oid right;

	if (operator>= FirstUnpinnedObjectId)
		return false;
	op_input_types(operator, & left, &right);
	return is_compared(left) && is_compared(right) && DP_MEANINGS_OF_OPERATOR(operator) != NIL;
}

/* Whether evaluating can end in an error that is due to the values. */
static bool
can_fail(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
		case T_Var:
		case T_List:
		case T_BoolExpr:
		case T_RelabelType:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			if (!is_comparison(((OpExpr *) node)->opno))
				return true;
			break;
		case T_ScalarArrayOpExpr: /* planning has made a constant of the array, unless it cannot */
			if (!is_comparison(((ScalarArrayOpExpr *) node)->opno) ||
				!IsA(lsecond(((ScalarArrayOpExpr *) node)->args), Const))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, can_fail, context);
}

/* ---- evaluating ---- */

DpEvaluator *
dp_evaluator_create(TupleDesc row)
{
	DpEvaluator *evaluator = palloc0(sizeof(DpEvaluator));

	evaluator->slot = MakeSingleTupleTableSlot(row, &TTSOpsVirtual);
	evaluator->context = CreateStandaloneExprContext();
	evaluator->context->ecxt_scantuple = evaluator->slot;
	return evaluator;
}

/* Functions keep things in the state. After an error nobody knows in which order they are. */
static void
state_create(DpExpression *expression)
{
	MemoryContext caller;

	MemoryContextReset(expression->memory);
	caller = MemoryContextSwitchTo(expression->memory);
	expression->state = ExecInitExpr(expression->planned, NULL);
	MemoryContextSwitchTo(caller);
}

DpExpression *
dp_evaluator_add(DpEvaluator *evaluator, Node *planned)
{
	DpExpression *expression = palloc0(sizeof(DpExpression));

	expression->planned = (Expr *) planned;
	expression->can_fail = can_fail(planned, NULL);
	expression->memory =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn expression", ALLOCSET_SMALL_SIZES);
	state_create(expression);
	evaluator->can_fail |= expression->can_fail;
	return expression;
}

bool
dp_expression_can_fail(const DpExpression *expression)
{
	return expression->can_fail;
}

bool
dp_evaluator_can_fail(const DpEvaluator *evaluator)
{
	return evaluator->can_fail;
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

/* One evaluation. */
typedef struct Evaluation
{
	DpEvaluator *evaluator;
	DpExpression *expression;
	Datum value;
	bool isnull;
} Evaluation;

static void
evaluate(void *argument)
{
	Evaluation *evaluation = argument;
	DpExpression *expression = evaluation->expression;

	if (expression->state == NULL)
		state_create(expression);
	evaluation->evaluator->running = expression;
	evaluation->value =
		ExecEvalExpr(expression->state, evaluation->evaluator->context, &evaluation->isnull);
	evaluation->evaluator->running = NULL;
}

/* An expression was running when an error came. */
static void
give_up(DpEvaluator *evaluator)
{
	if (evaluator->running != NULL)
		evaluator->running->state = NULL;
	evaluator->running = NULL;
}

bool
dp_expression_value(DpEvaluator *evaluator, DpExpression *expression, Datum *value, bool *isnull)
{
	Evaluation evaluation = {evaluator, expression, 0, true};

	if (!expression->can_fail || evaluator->together)
		evaluate(&evaluation);
	else if (!dp_run_in_subtransaction(evaluate, &evaluation))
	{
		give_up(evaluator);
		return false;
	}
	*value = evaluation.value;
	*isnull = evaluation.isnull;
	return true;
}

/* Many evaluations. */
typedef struct Batch
{
	DpEvaluator *evaluator;
	void (*call)(void *);
	void *argument;
} Batch;

static void
run_batch(void *argument)
{
	Batch *batch = argument;

	batch->call(batch->argument);
}

/* Other errors of the call are not of an expression. */
static bool
is_of_expression(void *argument)
{
	const DpEvaluator *evaluator = ((const Batch *) argument)->evaluator;

	return evaluator->running != NULL && evaluator->running->can_fail;
}

static bool
run_together(Batch batch, bool (*counts)(void *argument))
{
	DpEvaluator *evaluator = batch.evaluator;
	volatile bool succeeded = false;

	evaluator->running = NULL;
	evaluator->together = true;
	PG_TRY();
	{
		succeeded = dp_run_in_subtransaction_if(run_batch, &batch, counts);
	}
	PG_CATCH();
	{
		/* whoever catches this may go on with the evaluator */
		evaluator->together = false;
		give_up(evaluator);
		PG_RE_THROW();
	}
	PG_END_TRY();
	evaluator->together = false;
	if (!succeeded)
		give_up(evaluator);
	return succeeded;
}

bool
dp_evaluate_together(DpEvaluator *evaluator, void (*call)(void *), void *argument)
{
	return run_together((Batch){evaluator, call, argument}, is_of_expression);
}

bool
dp_evaluate_ahead(DpEvaluator *evaluator, void (*call)(void *), void *argument)
{
	return run_together((Batch){evaluator, call, argument}, NULL);
}

bool
dp_evaluates_together(const DpEvaluator *evaluator)
{
	return evaluator->together;
}
