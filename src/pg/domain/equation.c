/*
 * equation.c -- equations between columns, solved for one of them.
 *
 * An equation is solved by taking one operation after the other from the side on which the column
 * stands to the other side: net + tax = total is net = total - tax. Every operation must have an
 * inverse among PostgreSQL's own operators. A product is not taken apart, but for a constant
 * factor: quotients are seldom of a column's precision.
 */
#include "pg/domain/equation.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "pg/server/expression_words.h"

/* ---- finding ---- */

static Node *
bare(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/* The strategy of a comparison, by the order of its type; 0: it is none. */
static int
strategy_of(Oid operator)
{
	List *meanings = operator<FirstUnpinnedObjectId ? DP_MEANINGS_OF_OPERATOR(operator) : NIL;

	return meanings == NIL ? 0 : DP_MEANING_STRATEGY(linitial(meanings));
}

static const char *
own_operator(const OpExpr *operation)
{
	char *name = operation->opno < FirstUnpinnedObjectId ? get_opname(operation->opno) : NULL;

	return name == NULL ? "" : name;
}

/* The argument of abs(); NULL: it is something else. */
static Node *
absolute_of(Node *node)
{
	char *name;

	node = bare(node);
	if (IsA(node, OpExpr) && list_length(((OpExpr *) node)->args) == 1 &&
		strcmp(own_operator((OpExpr *) node), "@") == 0)
		return linitial(((OpExpr *) node)->args);
	if (!IsA(node, FuncExpr) || ((FuncExpr *) node)->funcid >= FirstUnpinnedObjectId ||
		list_length(((FuncExpr *) node)->args) != 1)
		return NULL;
	name = get_func_name(((FuncExpr *) node)->funcid);
	return name != NULL && strcmp(name, "abs") == 0 ? linitial(((FuncExpr *) node)->args) : NULL;
}

static List *
equation_create(Node *left, Node *right)
{
	DpEquation *equation = palloc(sizeof(DpEquation));

	*equation = (DpEquation){left, right};
	return list_make1(equation);
}

/* abs(left - right) <= tolerance, either way around. */
static List *
equations_of_tolerance(Node *small, Node *large)
{
	Node *difference = absolute_of(small);

	if (difference == NULL || contain_var_clause(large))
		return NIL;
	difference = bare(difference);
	if (!IsA(difference, OpExpr) || list_length(((OpExpr *) difference)->args) != 2 ||
		strcmp(own_operator((OpExpr *) difference), "-") != 0)
		return NIL;
	return equation_create(linitial(((OpExpr *) difference)->args),
						   lsecond(((OpExpr *) difference)->args));
}

static List *
equations_of_comparison(const OpExpr *operation)
{
	if (list_length(operation->args) != 2)
		return NIL;
	switch (strategy_of(operation->opno))
	{
		case BTEqualStrategyNumber:
			return equation_create(linitial(operation->args), lsecond(operation->args));
		case BTLessStrategyNumber:
		case BTLessEqualStrategyNumber:
			return equations_of_tolerance(linitial(operation->args), lsecond(operation->args));
		case BTGreaterStrategyNumber:
		case BTGreaterEqualStrategyNumber:
			return equations_of_tolerance(lsecond(operation->args), linitial(operation->args));
		default:
			return NIL;
	}
}

/* Of (a IS NULL OR b IS NULL OR rest), the rest; NULL: it says more. */
static Node *
but_for_nulls(const BoolExpr *logic)
{
	Node *rest = NULL;
	Bitmapset *missing = NULL, *of_rest = NULL;
	ListCell *cell;

	foreach (cell, logic->args)
	{
		Node *part = lfirst(cell);

		if (IsA(part, NullTest) && ((NullTest *) part)->nulltesttype == IS_NULL &&
			IsA(bare((Node *) ((NullTest *) part)->arg), Var))
			pull_varattnos(part, 1, &missing);
		else if (rest != NULL)
			return NULL;
		else
			rest = part;
	}
	pull_varattnos(rest, 1, &of_rest);
	return bms_is_subset(missing, of_rest) ? rest : NULL;
}

List *
dp_equations_of(Node *condition)
{
	List *found = NIL;
	ListCell *cell;
	Node *rest;

	check_stack_depth();
	condition = bare(condition);
	if (IsA(condition, OpExpr))
		return equations_of_comparison((OpExpr *) condition);
	if (!IsA(condition, BoolExpr))
		return NIL;
	switch (((BoolExpr *) condition)->boolop)
	{
		case AND_EXPR:
			foreach (cell, ((BoolExpr *) condition)->args)
				found = list_concat(found, dp_equations_of(lfirst(cell)));
			return found;
		case OR_EXPR:
			rest = but_for_nulls((BoolExpr *) condition);
			return rest == NULL ? NIL : dp_equations_of(rest);
		default:
			return NIL;
	}
}

/* ---- digits ---- */

#define ANY_DIGITS 100000 /* after the point: nobody knows how many */
#define TIME_DIGITS 6

/* The digits after the point, or of a day, that a value of a type can have. */
static int
digits_of_type(Oid type, int32 typmod)
{
	switch (getBaseTypeAndTypmod(type, &typmod))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			return 0;
		case NUMERICOID:
			return typmod >= (int32) VARHDRSZ ? (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024
											  : ANY_DIGITS;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case INTERVALOID:
			return TIME_DIGITS;
		default:
			return ANY_DIGITS;
	}
}

static int
digits_of_constant(const Const *constant)
{
	if (constant->consttype != NUMERICOID || constant->constisnull)
		return digits_of_type(constant->consttype, -1);
	return DatumGetInt32(DirectFunctionCall1(numeric_scale, constant->constvalue));
}

static int
digits_of(Node *node)
{
	const OpExpr *operation;
	const char *name;

	check_stack_depth();
	node = bare(node);
	if (IsA(node, Const))
		return digits_of_constant((Const *) node);
	if (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) == 1 &&
		((FuncExpr *) node)->funcformat != COERCE_EXPLICIT_CALL)
		return Min(digits_of(linitial(((FuncExpr *) node)->args)),
				   digits_of_type(exprType(node), -1));
	if (IsA(node, OpExpr) && digits_of_type(exprType(node), -1) == ANY_DIGITS &&
		exprType(node) == NUMERICOID)
	{
		operation = (OpExpr *) node;
		name = own_operator(operation);
		if (list_length(operation->args) == 1)
			return digits_of(linitial(operation->args));
		if (strcmp(name, "+") == 0 || strcmp(name, "-") == 0)
			return Max(digits_of(linitial(operation->args)), digits_of(lsecond(operation->args)));
		if (strcmp(name, "*") == 0)
			return digits_of(linitial(operation->args)) + digits_of(lsecond(operation->args));
	}
	return digits_of_type(exprType(node), exprTypmod(node));
}

/* ---- solving ---- */

/* How often a column stands in an expression. */
typedef struct Occurrences
{
	AttrNumber column;
	int n;
} Occurrences;

static bool
count_column(Node *node, void *context)
{
	Occurrences *occurrences = context;

	if (node == NULL)
		return false;
	if (IsA(node, Var) && ((Var *) node)->varattno == occurrences->column)
		occurrences->n++;
	return expression_tree_walker(node, count_column, context);
}

static int
occurrences_of(AttrNumber column, Node *node)
{
	Occurrences occurrences = {column, 0};

	(void) count_column(node, &occurrences);
	return occurrences.n;
}

/* left operator right, of PostgreSQL's own; NULL: there is none. */
static Node *
operation_create(const char *name, Node *left, Node *right)
{
	List *names = list_make2(makeString("pg_catalog"), makeString(pstrdup(name)));
	Oid of_left = left == NULL ? InvalidOid : getBaseType(exprType(left));
	Operator operator= left == NULL
		? left_oper(NULL, names, getBaseType(exprType(right)), true, -1)
		: oper(NULL, names, of_left, getBaseType(exprType(right)), true, -1);

	if (operator== NULL)
		return NULL;
	ReleaseSysCache(operator);
	return (Node *) make_op(make_parsestate(NULL), names, left, right, NULL, -1);
}

/* A constant. That it is not 0 is seen when a row is computed. */
static bool
is_factor(Node *node)
{
	return !contain_var_clause(node);
}

/* A cast to a type that has every value of the argument's: between numbers, between times, or of a
 * char(n) to text, since blanks at its end mean nothing. */
static bool
keeps_every_value(const FuncExpr *call)
{
	Oid from, to = call->funcresulttype;
	char of_from, of_to;
	bool preferred;

	if (call->funcid >= FirstUnpinnedObjectId || list_length(call->args) != 1 ||
		call->funcformat == COERCE_EXPLICIT_CALL)
		return false;
	from = getBaseType(exprType(linitial(call->args)));
	get_type_category_preferred(from, &of_from, &preferred);
	get_type_category_preferred(to, &of_to, &preferred);
	if (from == BPCHAROID && to == TEXTOID)
		return true;
	return of_from == of_to && (of_to == TYPCATEGORY_NUMERIC || of_to == TYPCATEGORY_DATETIME) &&
		   digits_of_type(from, -1) <= digits_of_type(to, -1);
}

/* One step: removes the outer operation of *side with its operand that does not contain the column,
 * and applies the inverse to *other. */
static bool
take_operation(const OpExpr *operation, AttrNumber column, Node **side, Node **other,
			   DpSolution *how)
{
	const char *name = own_operator(operation);
	Node *left = linitial(operation->args);
	Node *right = list_length(operation->args) == 2 ? lsecond(operation->args) : NULL;
	bool is_left = occurrences_of(column, left) > 0;

	*side = is_left ? left : right;
	if (right == NULL)
		*other = strcmp(name, "-") == 0 ? operation_create("-", NULL, *other) : NULL;
	else if (strcmp(name, "+") == 0)
		*other = operation_create("-", *other, is_left ? right : left);
	else if (strcmp(name, "-") == 0)
		*other =
			is_left ? operation_create("+", *other, right) : operation_create("-", left, *other);
	else if (strcmp(name, "*") == 0 && is_factor(is_left ? right : left))
	{
		*other = operation_create("/", *other, is_left ? right : left);
		*how = DP_SOLVED_ROUGHLY;
	}
	else
		return false;
	return *other != NULL;
}

/* The column, which stands on this side once, by what the other side is. */
static DpSolution
isolate(Node *side, Node *other, AttrNumber column, Node **value)
{
	DpSolution how = DP_SOLVED_DIRECTLY;
	const Var *var;

	while (!IsA(side, Var))
	{
		DpSolution step = DP_SOLVED_EXACTLY;

		if (IsA(side, RelabelType))
		{
			side = (Node *) ((RelabelType *) side)->arg;
			continue;
		}
		if (IsA(side, FuncExpr) && keeps_every_value((FuncExpr *) side))
		{
			side = linitial(((FuncExpr *) side)->args);
			continue;
		}
		if (!IsA(side, OpExpr) || !take_operation((OpExpr *) side, column, &side, &other, &step))
			return DP_NOT_SOLVED;
		/* sums of doubles are rounded */
		if (exprType(other) == FLOAT8OID || exprType(other) == FLOAT4OID)
			step = DP_SOLVED_ROUGHLY;
		how = Max(how, step);
	}
	var = (const Var *) side;
	if (digits_of(other) > digits_of_type(var->vartype, var->vartypmod))
		how = DP_SOLVED_ROUGHLY;
	*value = dp_expression_convert(other, getBaseType(var->vartype), -1);
	return *value == NULL ? DP_NOT_SOLVED : how;
}

DpSolution
dp_equation_solve(const DpEquation *equation, AttrNumber column, Node **value)
{
	int left = occurrences_of(column, equation->left);
	int right = occurrences_of(column, equation->right);

	if (left + right != 1)
		return DP_NOT_SOLVED;
	return left == 1 ? isolate(equation->left, equation->right, column, value)
					 : isolate(equation->right, equation->left, column, value);
}
