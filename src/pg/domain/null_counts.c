/*
 * null_counts.c -- num_nulls and num_nonnulls in CHECKs, as conditions that say which columns are NULL.
 *
 * num_nonnulls(a, b) = 1 becomes a IS NULL AND b IS NOT NULL OR a IS NOT NULL AND b IS NULL, which
 * those who read CHECKs understand.
 */
#include "pg/domain/null_counts.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "port/pg_bitutils.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#define COUNTED_MAX 5

/* The columns that a call counts, or NIL; nulls: whether it counts those that are NULL. */
static List *
counted(Node *node, bool *nulls)
{
	FuncExpr *call = (FuncExpr *) node;
	List *columns = NIL;
	ListCell *cell;

	if (!IsA(node, FuncExpr) || call->funcvariadic || list_length(call->args) > COUNTED_MAX ||
		(call->funcid != F_NUM_NULLS && call->funcid != F_NUM_NONNULLS))
		return NIL;
	*nulls = call->funcid == F_NUM_NULLS;
	foreach (cell, call->args)
	{
		Node *argument = lfirst(cell);

		while (IsA(argument, RelabelType))
			argument = (Node *) ((RelabelType *) argument)->arg;
		if (!IsA(argument, Var))
			return NIL;
		columns = lappend(columns, argument);
	}
	return columns;
}

/* Whether a comparison holds of a count; unknown: it is none of integers. */
static bool
compares(Oid operator, int32 count, int32 constant, bool *unknown)
{
	switch (get_opcode(operator))
	{
		case F_INT4EQ:
			return count == constant;
		case F_INT4NE:
			return count != constant;
		case F_INT4LT:
			return count < constant;
		case F_INT4LE:
			return count <= constant;
		case F_INT4GT:
			return count > constant;
		case F_INT4GE:
			return count >= constant;
		default:
			*unknown = true;
			return false;
	}
}

/* Of each column whether it is NULL, as the bits of missing say. */
static Expr *
case_of(List *columns, uint32 missing)
{
	List *tests = NIL;
	ListCell *cell;

	foreach (cell, columns)
	{
		NullTest *test = makeNode(NullTest);

		test->arg = copyObject(lfirst(cell));
		test->nulltesttype = missing >> foreach_current_index(cell) & 1 ? IS_NULL : IS_NOT_NULL;
		test->location = -1;
		tests = lappend(tests, test);
	}
	return list_length(tests) == 1 ? linitial(tests) : makeBoolExpr(AND_EXPR, tests, -1);
}

static Node *
as_tests(OpExpr *operation)
{
	Node *left = linitial(operation->args), *right = lsecond(operation->args);
	bool nulls = false, turned = IsA(left, Const), unknown = false;
	List *columns = counted(turned ? right : left, &nulls), *cases = NIL;
	const Const *constant = (const Const *) (turned ? left : right);
	Oid operator= turned ? get_commutator(operation->opno) : operation->opno;

	if (columns == NIL || !IsA(constant, Const) || constant->constisnull ||
		constant->consttype != INT4OID || !OidIsValid(operator))
		return NULL;
	for (uint32 missing = 0; missing < 1U << list_length(columns); missing++)
	{
		int32 count = pg_popcount32(missing);

		if (!nulls)
			count = list_length(columns) - count;
		if (compares(operator, count, DatumGetInt32(constant->constvalue), &unknown))
			cases = lappend(cases, case_of(columns, missing));
	}
	if (unknown)
		return NULL;
	if (list_length(cases) < 2)
		return cases == NIL ? makeBoolConst(false, false) : linitial(cases);
	return (Node *) makeBoolExpr(OR_EXPR, cases, -1);
}

Node *
dp_null_counts_as_tests(Node *expression, void *unused)
{
	Node *tests;

	if (expression == NULL)
		return NULL;
	if (IsA(expression, OpExpr) && list_length(((OpExpr *) expression)->args) == 2 &&
		(tests = as_tests((OpExpr *) expression)) != NULL)
		return tests;
	return expression_tree_mutator(expression, dp_null_counts_as_tests, unused);
}
