/*
 * expression_interval.c -- the interval of an expression of several noisy numbers.
 *
 * Of a quotient of two expressions it holds the values that the noise does not rule out (Fieller
 * 1954): n - r d, where n and d were released, has the noise z_n - r z_d, and where r is the true
 * quotient that is no larger than its quantile. Of any other expression it is what noise did to it
 * in the draws, turned round. Both are exact but for the number of draws where n and d, or the
 * expression, are linear in what was released; else they hold to the first order.
 */
#include "pg/sql/expression_interval.h"

#include <math.h>

#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/estimate/query_answer.h"
#include "pg/server/subtransaction.h"
#include "pg/server/numbers.h"

#define DRAWS 2000
#define DOUBLINGS 40
#define HALVINGS 30

/* A part that is computed of each draw. */
typedef struct Part
{
	ExprState *state;
	Oid type;
	double released;
	double noise[DRAWS]; /* of a draw, less what was released */
} Part;

struct DpExpressionInterval
{
	const List *columns;
	Bitmapset *used; /* columns, from 0, that it is computed from */
	ExprContext *context;
	TupleTableSlot *scanned;
	TupleTableSlot *drawn; /* a row of the same columns */
	Part *whole;           /* or else both of a quotient */
	Part *dividend, *divisor;
	double *draw[DP_MEASURES_MAX]; /* [measures][DP_QUERY_DRAWS]; NULL: not used */
	double scratch[DRAWS];
};

/* ---- preparing it ---- */

static Part *
part_of(const Node *expression, PlanState *ps)
{
	Part *part = palloc0(sizeof(Part));

	part->type = exprType(expression);
	part->state = ExecInitExpr(expression_planner((Expr *) copyObject(expression)), ps);
	return part;
}

/*
 * Dividend and divisor of a quotient that is not rounded, below casts; NIL: the expression is none.
 */
static const List *
quotient_of(const Node *node)
{
	const OpExpr *operation = (const OpExpr *) node;

	if (IsA(node, FuncExpr) && (((const FuncExpr *) node)->funcid == F_FLOAT8DIV ||
								((const FuncExpr *) node)->funcid == F_NUMERIC_DIV))
		return ((const FuncExpr *) node)->args;
	while (IsA(node, RelabelType))
		node = (const Node *) ((const RelabelType *) node)->arg;
	operation = (const OpExpr *) node;
	if (!IsA(node, OpExpr) || operation->opno >= FirstUnpinnedObjectId ||
		list_length(operation->args) != 2 || strcmp(get_opname(operation->opno), "/") != 0)
		return NIL;
	if (exprType(node) != NUMERICOID && exprType(node) != FLOAT8OID)
		return NIL;
	return dp_is_number(exprType(linitial(operation->args))) &&
				   dp_is_number(exprType(lsecond(operation->args)))
			   ? operation->args
			   : NIL;
}

/* Estimates among the columns that an expression names. */
static Bitmapset *
used_columns(const Expr *expression, const List *columns)
{
	Bitmapset *named = NULL, *used = NULL;

	pull_varattnos((Node *) expression, 1, &named);
	for (int i = 0; i < list_length(columns); i++)
		if (((const DpAnswerColumn *) list_nth(columns, i))->part == DP_PART_ESTIMATE &&
			bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, named))
			used = bms_add_member(used, i);
	return used;
}

DpExpressionInterval *
dp_expression_interval(const Expr *expression, const List *columns, PlanState *ps,
					   TupleTableSlot *scanned)
{
	DpExpressionInterval *interval = palloc0(sizeof(DpExpressionInterval));
	const List *quotient = quotient_of((const Node *) expression);

	interval->columns = columns;
	interval->used = used_columns(expression, columns);
	interval->context = CreateExprContext(ps->state);
	interval->scanned = scanned;
	interval->drawn =
		ExecInitExtraTupleSlot(ps->state, scanned->tts_tupleDescriptor, &TTSOpsVirtual);
	if (quotient == NIL)
		interval->whole = part_of((const Node *) expression, ps);
	else
	{
		interval->dividend = part_of(linitial(quotient), ps);
		interval->divisor = part_of(lsecond(quotient), ps);
	}
	return interval;
}

/* ---- draws ---- */

/* The value of a part of the row; NAN: it is NULL. */
static double
evaluate(const DpExpressionInterval *interval, const Part *part, TupleTableSlot *row)
{
	bool isnull;
	Datum value;

	interval->context->ecxt_scantuple = row;
	value = ExecEvalExprSwitchContext(part->state, interval->context, &isnull);
	return isnull ? NAN : dp_number_of_value(value, part->type);
}

static void
fill_drawn(DpExpressionInterval *interval, int d)
{
	TupleTableSlot *drawn = interval->drawn;
	int i = 0;
	ListCell *cell;

	ExecClearTuple(drawn);
	foreach (cell, interval->columns)
	{
		const DpAnswerColumn *column = lfirst(cell);

		drawn->tts_isnull[i] = interval->scanned->tts_isnull[i];
		drawn->tts_values[i] =
			bms_is_member(i, interval->used) && !drawn->tts_isnull[i]
				? dp_number_value(interval->draw[column->number][d], column->type)
				: interval->scanned->tts_values[i];
		i++;
	}
	ExecStoreVirtualTuple(drawn);
}

static void
draw_part(DpExpressionInterval *interval, Part *part, int d)
{
	if (part != NULL)
		part->noise[d] = evaluate(interval, part, interval->drawn) - part->released;
}

static void
release_part(DpExpressionInterval *interval, Part *part)
{
	if (part != NULL)
		part->released = evaluate(interval, part, interval->scanned);
}

/* What may fail, as a division by 0 does. */
static void
draw_parts(void *argument)
{
	DpExpressionInterval *interval = argument;

	release_part(interval, interval->whole);
	release_part(interval, interval->dividend);
	release_part(interval, interval->divisor);
	for (int d = 0; d < DRAWS; d++)
	{
		MemoryContext caller;

		CHECK_FOR_INTERRUPTS();
		caller = MemoryContextSwitchTo(interval->context->ecxt_per_tuple_memory);
		fill_drawn(interval, d);
		draw_part(interval, interval->whole, d);
		draw_part(interval, interval->dividend, d);
		draw_part(interval, interval->divisor, d);
		MemoryContextSwitchTo(caller);
		ResetExprContext(interval->context);
	}
}

/* false: the noise of some number cannot be drawn. */
static bool
draw_measures(DpExpressionInterval *interval, const DpQuestionAnswer *answer,
			  const DpQuestionGroup *group)
{
	if (answer->answerer == NULL)
		return false;
	for (int i = -1; (i = bms_next_member(interval->used, i)) >= 0;)
	{
		const DpAnswerColumn *column = list_nth(interval->columns, i);
		double **draw = &interval->draw[column->number];

		if (*draw == NULL)
			*draw = MemoryContextAlloc(GetMemoryChunkContext(interval),
									   sizeof(double) * DP_QUERY_DRAWS);
		if (!dp_answer_draws(answer->answerer, answer->measure_number[column->number], group->cell,
							 *draw))
			return false;
	}
	return true;
}

/* ---- intervals ---- */

static bool
is_known(const Part *part)
{
	if (part == NULL)
		return true;
	for (int d = 0; d < DRAWS; d++)
		if (!isfinite(part->noise[d]))
			return false;
	return isfinite(part->released);
}

static double
deviation(const DpExpressionInterval *interval, double ratio)
{
	double moment = 0;

	for (int d = 0; d < DRAWS; d++)
	{
		double noise = interval->whole != NULL
						   ? interval->whole->noise[d]
						   : interval->dividend->noise[d] - ratio * interval->divisor->noise[d];

		moment += noise * noise / DRAWS;
	}
	return sqrt(moment);
}

static DpQuestionValue
turned_round(DpExpressionInterval *interval, double confidence)
{
	const Part *part = interval->whole;
	DpQuestionValue value = {.known = true, .estimate = part->released};

	memcpy(interval->scratch, part->noise, sizeof(interval->scratch));
	value.std_error = deviation(interval, 0);
	value.high = part->released - dp_quantile_of(interval->scratch, DRAWS, (1 - confidence) / 2);
	value.low = part->released - dp_quantile_of(interval->scratch, DRAWS, (1 + confidence) / 2);
	return value;
}

/* Whether the noise does not rule out that this is the quotient. */
static bool
accepts(DpExpressionInterval *interval, double ratio, double confidence)
{
	const Part *n = interval->dividend, *d = interval->divisor;

	for (int i = 0; i < DRAWS; i++)
		interval->scratch[i] = fabs(n->noise[i] - ratio * d->noise[i]);
	return fabs(n->released - ratio * d->released) <=
		   dp_quantile_of(interval->scratch, DRAWS, confidence);
}

/* The end of the quotients that are not ruled out, in steps of this sign; NAN: there is none. */
static double
quotient_end(DpExpressionInterval *interval, double from, double step, double confidence)
{
	double inside = from, outside = from;

	for (int i = 0; i < DOUBLINGS; i++, step *= 2)
	{
		outside = from + step;
		if (!accepts(interval, outside, confidence))
			break;
		inside = outside;
		if (i == DOUBLINGS - 1)
			return NAN;
	}
	for (int i = 0; i < HALVINGS; i++)
	{
		double middle = (inside + outside) / 2;

		if (accepts(interval, middle, confidence))
			inside = middle;
		else
			outside = middle;
	}
	return outside;
}

static const DpQuestionValue unknown = {false, NAN, NAN, NAN, NAN};

static DpQuestionValue
of_quotient(DpExpressionInterval *interval, double confidence)
{
	double divisor = interval->divisor->released;
	double ratio = interval->dividend->released / divisor;
	DpQuestionValue value = {.known = true, .estimate = ratio};

	if (divisor == 0)
		return unknown;
	value.std_error = deviation(interval, ratio) / fabs(divisor);
	if (value.std_error == 0)
		value.low = value.high = ratio;
	else
	{
		value.low = quotient_end(interval, ratio, -value.std_error, confidence);
		value.high = quotient_end(interval, ratio, value.std_error, confidence);
	}
	return value;
}

DpQuestionValue
dp_expression_interval_value(DpExpressionInterval *interval, const DpQuestionAnswer *answer,
							 const DpQuestionGroup *group, double confidence)
{
	if (!draw_measures(interval, answer, group) ||
		!dp_run_in_subtransaction(draw_parts, interval) || !is_known(interval->whole) ||
		!is_known(interval->dividend) || !is_known(interval->divisor))
		return unknown;
	return interval->whole != NULL ? turned_round(interval, confidence)
								   : of_quotient(interval, confidence);
}
