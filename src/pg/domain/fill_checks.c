/*
 * fill_checks.c -- whether values that were made up pass the CHECKs of a relation.
 *
 * Constants take the place of the columns in a CHECK, and the planner's own folding computes it.
 * What cannot be folded, or must not be, counts as passed: then only INSERT will tell.
 */
#include "pg/domain/fill_checks.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "pg/server/untrusted_code.h"
#include "pg/server/subtransaction.h"

typedef struct Trial
{
	const DpFillValue *value;
	bool has_value; /* not all of the columns in the CHECK are NULL */
	bool unknown;   /* it is about the whole row */
	Node *expression;
	bool broken;
} Trial;

static Node *
constants_put(Node *node, void *context)
{
	Trial *trial = context;
	const Var *column = (const Var *) node;
	const DpFillValue *value;
	int16 length;
	bool byval;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, constants_put, context);
	if (column->varattno <= 0)
	{
		trial->unknown = true; /* the whole row, or tableoid */
		return node;
	}
	value = &trial->value[column->varattno - 1];
	get_typlenbyval(column->vartype, &length, &byval);
	trial->has_value = trial->has_value || !value->isnull;
	return (Node *) makeConst(column->vartype, column->vartypmod, column->varcollid, length,
							  value->value, value->isnull, byval);
}

static void
expression_try(void *argument)
{
	Trial *trial = argument;
	Node *result = eval_const_expressions(NULL, trial->expression);

	trial->broken = IsA(result, Const) && !((Const *) result)->constisnull &&
					!DatumGetBool(((Const *) result)->constvalue);
}

/* Whether all of the columns of a CHECK are known, and the one that is asked about is among
 * them. */
static bool
is_concerned(const DpCheck *check, const DpFillValue *value, int only)
{
	int number = -1;

	if (only >= 0 && !bms_is_member(only + 1, check->columns))
		return false;
	while ((number = bms_next_member(check->columns, number)) >= 0)
		if (!value[number - 1].known)
			return false;
	return !bms_is_empty(check->columns);
}

/* Whether a CHECK is known to be broken. One that fails on the values is broken too, but of NULL
 * alone that may be due to the CHECK. */
static bool
is_broken(const DpCheck *check, const DpFillValue *value, DpWork *work)
{
	Trial trial = {.value = value};

	if (check->written == NULL || dp_expression_obstacle(check->written) != NULL ||
		contain_mutable_functions(check->written))
		return false;
	trial.expression = constants_put(check->written, &trial);
	if (trial.unknown || !dp_expression_may_run(trial.expression, 0, 1, work))
		return false;
	return dp_run_in_subtransaction(expression_try, &trial) ? trial.broken : trial.has_value;
}

const char *
dp_fill_broken_check(DpChecks *checks, const DpFillValue *value, int only)
{
	ListCell *cell;

	foreach (cell, checks->all)
	{
		const DpCheck *check = lfirst(cell);

		if (is_concerned(check, value, only) && is_broken(check, value, &checks->work))
			return check->name;
	}
	return NULL;
}
