/*
 * session_constants.c -- what in a question is constant while its statement runs, and depends on the
 * session.
 *
 * Clients compare a timestamp with to_timestamp(...), which has a time zone. PostgreSQL then takes
 * the column for a time in the session's zone; here the constant becomes a time without a zone, which
 * is the same but for the hour that a zone has twice a year.
 */
#include "pg/sql/session_constants.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

/* Whether an expression has a value only where it stands: of a column, say, or of a sub-select. */
static bool
is_bound(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Param:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_SubLink:
		case T_CaseTestExpr:
		case T_CoerceToDomainValue:
		case T_SetToDefault:
		case T_CurrentOfExpr:
		case T_NextValueExpr:
		case T_Query:
			return true;
		default:
			return expression_tree_walker(node, is_bound, context);
	}
}

static bool
has_collation(Node *node, void *context)
{
	return node != NULL &&
		   (IsA(node, CollateExpr) || expression_tree_walker(node, has_collation, context));
}

bool
dp_has_collation(Node *expression)
{
	return has_collation(expression, NULL);
}

/* Immutable expressions are not evaluated, since they may fail in a branch that is never taken.
 * COLLATE is kept, since it also applies to the comparison around it. */
static bool
is_session_constant(Node *node)
{
	return !IsA(node, Const) && !is_bound(node, NULL) && contain_mutable_functions(node) &&
		   !contain_volatile_functions(node) && !dp_has_collation(node);
}

static bool
is_expression(Node *node)
{
	return !IsA(node, List) && !IsA(node, FromExpr) && !IsA(node, JoinExpr) &&
		   !IsA(node, TargetEntry) && !IsA(node, CaseWhen) && !IsA(node, RangeTblRef) &&
		   !IsA(node, Query);
}

/* The constant as a value of the other type; NULL: it has none. */
static Const *
constant_as(const Const *constant, Oid type)
{
	Datum value = constant->constvalue;

	if (constant->consttype == TIMESTAMPTZOID && (type == TIMESTAMPOID || type == DATEOID))
	{
		value = DirectFunctionCall1(timestamptz_timestamp, value);
		type = TIMESTAMPOID;
	}
	else if (constant->consttype == TIMESTAMPOID && type == TIMESTAMPTZOID)
		value = DirectFunctionCall1(timestamp_timestamptz, value);
	else if (constant->consttype == DATEOID && type == TIMESTAMPTZOID)
		value = DirectFunctionCall1(date_timestamptz, value);
	else
		return NULL;
	return makeConst(type, -1, InvalidOid, sizeof(int64), value, false, FLOAT8PASSBYVAL);
}

/* The same comparison of other types; InvalidOid: it is none that has an order. */
static Oid
comparison_of(Oid operator, Oid left, Oid right)
{
	ListCell *cell;

	foreach (cell, DP_MEANINGS_OF_OPERATOR(operator))
	{
		void *meaning = lfirst(cell);
		Oid other = get_opfamily_member(DP_MEANING_FAMILY(meaning), left, right,
										(int16) DP_MEANING_STRATEGY(meaning));

		if (OidIsValid(other) && DP_MEANING_STRATEGY(meaning) >= BTLessStrategyNumber &&
			DP_MEANING_STRATEGY(meaning) <= BTGreaterStrategyNumber)
			return other;
	}
	return InvalidOid;
}

/* An immutable expression of a time without a zone that is compared with one that has a zone: the value,
 * since the comparison depends on the session. The planner computes it, too. */
static Node *
time_in_session(Node *node, const Node *other)
{
	Oid type = exprType(node);

	return exprType(other) == TIMESTAMPTZOID && (type == TIMESTAMPOID || type == DATEOID) &&
				   !IsA(node, Const) && !is_bound(node, NULL) && !contain_mutable_functions(node)
			   ? (Node *) evaluate_expr((Expr *) node, type, -1, InvalidOid)
			   : node;
}

static void
fix_comparison(OpExpr *comparison)
{
	Node *left, *right;
	Const *constant;
	Oid other;
	bool is_left;

	if (list_length(comparison->args) != 2 || comparison->opresulttype != BOOLOID)
		return;
	left = time_in_session(linitial(comparison->args), lsecond(comparison->args));
	right = time_in_session(lsecond(comparison->args), left);
	is_left = IsA(left, Const);
	constant = (Const *) (is_left ? left : right);
	if (!IsA(constant, Const) || constant->constisnull || exprType(left) == exprType(right))
		return;
	constant = constant_as(constant, exprType(is_left ? right : left));
	if (constant == NULL)
		return;
	other = comparison_of(comparison->opno, is_left ? constant->consttype : exprType(left),
						  is_left ? exprType(right) : constant->consttype);
	if (!OidIsValid(other))
		return;
	comparison->opno = other;
	comparison->opfuncid = get_opcode(other);
	comparison->args = is_left ? list_make2(constant, right) : list_make2(left, constant);
}

static Node *
fix(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (is_expression(node) && is_session_constant(node))
		return (Node *) evaluate_expr((Expr *) node, exprType(node), exprTypmod(node),
									  exprCollation(node));
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, fix, context, 0);
	node = expression_tree_mutator(node, fix, context);
	if (IsA(node, OpExpr))
		fix_comparison((OpExpr *) node);
	return node;
}

Node *
dp_fix_session_constants(Node *tree)
{
	return fix(tree, NULL);
}
