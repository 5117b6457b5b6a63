/*
 * translate.c -- PostgreSQL's expressions as those of a question.
 *
 * What depends on no row is computed here, in the caller's session and with the caller's rights. All
 * else must be in the language of expressions (question/expression.h).
 */
#include "pg/sql/translate.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "pg/server/arguments.h"
#include "pg/server/values.h"
#include "pg/sql/session_constants.h"

static DpRowExpression *expression_of(DpTranslation *translation, const Node *node);

int
dp_translation_position(const DpTranslation *translation, const Node *node)
{
	int location = node == NULL ? -1 : exprLocation(node);

	if (translation->text == NULL || location < 0)
		return 0;
	return errposition(pg_mbstrlen_with_len(translation->text, location) + 1);
}

void
dp_translation_refuse(const DpTranslation *translation, const Node *node, const char *what,
					  const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s cannot be answered privately in %s", what, translation->clause),
			 hint != NULL ? errhint("%s", hint) : 0, dp_translation_position(translation, node)));
}

/* ---- what depends on no row ---- */

/* Whether it depends on a row, of this query or of one around it. */
static bool
depends_on_row(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, Aggref) || IsA(node, SubLink) || IsA(node, SubPlan) ||
		IsA(node, Param) || IsA(node, CaseTestExpr))
		return true;
	if (IsA(node, ArrayCoerceExpr)) /* whose elements are a CaseTestExpr each */
		return depends_on_row((Node *) ((ArrayCoerceExpr *) node)->arg, context);
	return expression_tree_walker(node, depends_on_row, context);
}

static bool
is_fixed(const Node *node)
{
	Node *expression = unconstify(Node *, node);

	return !depends_on_row(expression, NULL) && !contain_volatile_functions(expression);
}

/* COLLATE on a constant also applies to the comparison around it, but a question has only the
 * column's collation. */
static const Const *
fixed_value(const DpTranslation *translation, const Node *node)
{
	if (dp_has_collation(unconstify(Node *, node)))
		dp_translation_refuse(translation, node, "COLLATE", NULL);
	return IsA(node, Const)
			   ? (const Const *) node
			   : (const Const *) evaluate_expr((Expr *) copyObject(node), exprType(node),
											   exprTypmod(node), exprCollation(node));
}

DpRowExpression *
dp_translate_constant(const DpTranslation *translation, const Node *node)
{
	Oid type = getBaseType(exprType(node)), read;
	const Const *value;
	DpRowExpression *result;
	int level;

	value = fixed_value(translation, node);
	if (type == UNKNOWNOID)
		return dp_x_value(TEXTOID, value->constisnull ? NULL : DatumGetCString(value->constvalue));
	read = dp_expression_type_read(type);
	if (!OidIsValid(read))
		dp_translation_refuse(translation, node,
							  psprintf("a value of type %s", format_type_be(type)), NULL);
	level = dp_values_begin();
	result = dp_x_value(
		read, value->constisnull ? NULL
			  : type == CASHOID
				  ? dp_value_out(DirectFunctionCall1(cash_numeric, value->constvalue), NUMERICOID)
				  : dp_value_out(value->constvalue, type));
	dp_values_end(level);
	return result;
}

/* ---- columns ---- */

static DpRowExpression *
column_below(DpTranslation *translation, const Var *var)
{
	const DpAskedRelation *of = list_nth(translation->asked->relations, (int) translation->below);
	char *name = get_attname(of->relation, var->varattno, false);

	return dp_x_column(translation->below, name,
					   dp_asked_column(translation->asked, translation->below, name)->type);
}

static DpRowExpression *
column(DpTranslation *translation, const Var *var)
{
	DpRowExpression *joined;
	ListCell *cell;
	RangeTblEntry *entry;
	char *name;

	if (translation->below > 0 && var->varlevelsup == 0 && var->varattno > 0)
		return column_below(translation, var);
	if (var->varlevelsup != (translation->below > 0 ? 1 : 0) || var->varattno <= 0)
		dp_translation_refuse(translation, (Node *) var, "a whole row or a system column",
							  "Name a column of it; count(*) counts rows.");
	entry = rt_fetch((Index) var->varno, translation->rtable);
	if (translation->units != NULL && !translation->of_units)
		return translation->unit_output(translation, var->varattno);
	joined = translation->unit_joins == NULL || translation->of_units
				 ? NULL
				 : translation->unit_joins->column(translation, var);
	if (joined != NULL)
		return joined;
	if (entry->rtekind == RTE_JOIN)
		return expression_of(translation, list_nth(entry->joinaliasvars, var->varattno - 1));
	foreach (cell, translation->entries)
	{
		uint32 number = (uint32) foreach_current_index(cell);

		if (lfirst_int(cell) != (int) var->varno)
			continue;
		name = get_attname(entry->relid, var->varattno, false);
		return dp_x_column(number, name, dp_asked_column(translation->asked, number, name)->type);
	}
	dp_translation_refuse(translation, (Node *) var, "a column of another query", NULL);
}

/* ---- calls ---- */

static List *
translated(DpTranslation *translation, const List *nodes)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, nodes)
		result = lappend(result, expression_of(translation, lfirst(cell)));
	return result;
}

#define HINT_OF_PARTS "Its custodian can add a generated column that holds what you ask of it."

/* Whether it takes a value that has parts: fields, elements, or ends. */
static bool
takes_parts(Oid function)
{
	Oid *types;
	int n;

	(void) get_func_signature(function, &types, &n);
	for (int i = 0; i < n; i++)
		if (types[i] == JSONOID || types[i] == JSONBOID || types[i] == ANYARRAYOID ||
			types[i] == ANYCOMPATIBLEARRAYOID || types[i] == ANYRANGEOID)
			return true;
	return false;
}

/* A way for functions that many will write. */
static const char *
hint_for_function(Oid oid)
{
	switch (oid)
	{
		case F_TEXTREGEXEQ:
		case F_TEXTREGEXNE:
		case F_TEXTICREGEXEQ:
		case F_TEXTICREGEXNE:
			return "Write LIKE, ILIKE or IN: the time of a regular expression has no bound.";
		case F_OVERLAPS_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ_TIMESTAMPTZ:
		case F_OVERLAPS_TIMESTAMP_TIMESTAMP_TIMESTAMP_TIMESTAMP:
			return "Compare the ends, as in began < ... AND ended > ....";
		case F_TO_TIMESTAMP_FLOAT8:
		case F_MAKE_DATE:
			return "Group by date_trunc or date_bin.";
		default:
			return takes_parts(oid)
					   ? HINT_OF_PARTS
					   : "The page on SQL lists the functions that give a value for every row.";
	}
}

/* Values of citext are compared in lower case. */
static DpRowExpression *
maybe_folded(DpRowExpression *value, bool folds)
{
	return folds ? dp_folded(value) : value;
}

static DpRowExpression *
call(DpTranslation *translation, const Node *node, Oid oid, List *arguments)
{
	const DpFunction *function;
	DpRowExpression *written = dp_translate_time(translation, node, oid, arguments);
	bool folds;
	Oid meant;
	List *values;
	ListCell *cell;

	if (written == NULL)
		written = dp_translate_call(translation, node, oid, arguments);
	if (written == NULL)
		written = dp_translate_money(translation, node, oid, arguments);
	if (written != NULL)
		return written;
	meant = dp_function_meant(oid, &folds);
	function = dp_function_of(meant);
	if (function == NULL)
		dp_translation_refuse(translation, node, psprintf("function %s", format_procedure(oid)),
							  hint_for_function(meant));
	values = translated(translation, arguments);
	foreach (cell, values)
		lfirst(cell) = maybe_folded(lfirst(cell), folds);
	return dp_x_call(function, values);
}

static DpRowExpression *
function_call(DpTranslation *translation, const FuncExpr *node)
{
	if (node->funcretset)
		dp_translation_refuse(translation, (const Node *) node, "a function that returns a set",
							  NULL);
	return call(translation, (const Node *) node, node->funcid, node->args);
}

/* ---- lists of values ---- */

List *
dp_array_elements(const DpTranslation *translation, Node *array)
{
	const Const *value;
	Oid type = get_element_type(exprType(array));
	List *each = NIL;
	Datum *values;
	bool *nulls, by_value;
	int n;
	int16 length;

	if (IsA(array, ArrayExpr))
		return ((ArrayExpr *) array)->elements;
	if (!is_fixed(array))
		return NIL;
	value = fixed_value(translation, array);
	if (value->constisnull)
		return NIL;
	get_typlenbyval(type, &length, &by_value);
	values = dp_elements(value->constvalue, &nulls, &n);
	for (int i = 0; i < n; i++)
		each = lappend(
			each, makeConst(type, -1, exprCollation(array), length, values[i], nulls[i], by_value));
	return each;
}

/* x IN (1, 2), x = ANY (ARRAY[1, 2]), x NOT IN (1, 2) */
static DpRowExpression *
in_list(DpTranslation *translation, const ScalarArrayOpExpr *node)
{
	bool folds;
	const DpFunction *function = dp_function_of(dp_function_meant(node->opfuncid, &folds));
	DpRowExpression *left = maybe_folded(expression_of(translation, linitial(node->args)), folds);
	const char *sign = function == NULL || function->operator== NULL ? "" : function->operator;
	bool any = strcmp(sign, "=") == 0 && node->useOr,
		 none = strcmp(sign, "<>") == 0 && !node->useOr;
	Node *array = lsecond(node->args);
	List *values = NIL;
	const List *each = dp_array_elements(translation, array);
	ListCell *cell;
	DpRowExpression *in;

	if (!IsA(array, ArrayExpr) && !is_fixed(array))
		dp_translation_refuse(
			translation, (const Node *) node, "an array that is no list of constants",
			"Write IN (SELECT ...), or ask for a column with one value in each row, which can be a "
			"generated one.");
	if (is_fixed(array) && fixed_value(translation, array)->constisnull)
		return dp_x_value(BOOLOID, NULL);
	if (each == NIL)
		return dp_x_value(BOOLOID, node->useOr ? "f" : "t");
	foreach (cell, each)
	{
		DpRowExpression *value = maybe_folded(expression_of(translation, lfirst(cell)), folds);
		bool listed = dp_x_is_constant(value) && value->type == left->type;

		any &= listed;
		none &= listed;
		values = lappend(values, value);
	}
	if (!any && !none)
	{
		/* x LIKE ANY ('{...}'), x > ALL (...), x IN (y, 2) */
		if (function == NULL)
			dp_translation_refuse(translation, (const Node *) node, "this comparison with an array",
								  NULL);
		foreach (cell, values)
			lfirst(cell) = dp_x_call(function, list_make2(left, lfirst(cell)));
		return dp_x_of(node->useOr ? DP_X_OR : DP_X_AND, values);
	}
	in = dp_x_of(DP_X_IN, lcons(left, values));
	return none ? dp_x_of(DP_X_NOT, list_make1(in)) : in;
}

/* ---- the rest ---- */

static DpRowExpression * not(DpRowExpression * expression)
{
	return dp_x_of(DP_X_NOT, list_make1(expression));
}

static DpRowExpression *
boolean_test(DpTranslation *translation, const BooleanTest *node)
{
	DpRowExpression *argument = expression_of(translation, (Node *) node->arg);
	DpRowExpression *false_else =
		dp_x_of(DP_X_COALESCE, list_make2(argument, dp_x_value(BOOLOID, "f")));
	DpRowExpression *true_else =
		dp_x_of(DP_X_COALESCE, list_make2(argument, dp_x_value(BOOLOID, "t")));

	switch (node->booltesttype)
	{
		case IS_TRUE:
			return false_else;
		case IS_NOT_TRUE:
			return not(false_else);
		case IS_FALSE:
			return not(true_else);
		case IS_NOT_FALSE:
			return true_else;
		case IS_UNKNOWN:
			return dp_x_of(DP_X_NULL, list_make1(argument));
		default:
			return not(dp_x_of(DP_X_NULL, list_make1(argument)));
	}
}

/* Replaces CaseTestExpr in the conditions by the tested expression. */
static Node *
put_tested(Node *node, void *tested)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, CaseTestExpr))
		return copyObject(tested);
	if (IsA(node, CaseExpr) && ((CaseExpr *) node)->arg != NULL)
		return node; /* it tests something of its own */
	return expression_tree_mutator(node, put_tested, tested);
}

static DpRowExpression *
case_of(DpTranslation *translation, const CaseExpr *node)
{
	List *parts = NIL;
	ListCell *cell;

	foreach (cell, node->args)
	{
		CaseWhen *when = lfirst(cell);
		Node *condition =
			node->arg == NULL ? (Node *) when->expr : put_tested((Node *) when->expr, node->arg);

		parts = lappend(parts, expression_of(translation, condition));
		parts = lappend(parts, expression_of(translation, (Node *) when->result));
	}
	parts =
		lappend(parts, node->defresult == NULL
						   ? dp_x_value(dp_expression_type_read(getBaseType(node->casetype)), NULL)
						   : expression_of(translation, (Node *) node->defresult));
	return dp_x_of(DP_X_CASE, parts);
}

/* a IS DISTINCT FROM b */
static DpRowExpression *
distinct(DpTranslation *translation, const DistinctExpr *node)
{
	DpRowExpression *equal = call(translation, (const Node *) node, node->opfuncid, node->args);
	DpRowExpression *left = linitial(equal->arguments), *right = lsecond(equal->arguments);
	DpRowExpression *both = dp_x_of(DP_X_AND, list_make2(dp_x_of(DP_X_NULL, list_make1(left)),
														 dp_x_of(DP_X_NULL, list_make1(right))));

	return not(dp_x_of(DP_X_COALESCE, list_make2(equal, both)));
}

static DpRowExpression *
null_if(DpTranslation *translation, const NullIfExpr *node)
{
	DpRowExpression *equal = call(translation, (const Node *) node, node->opfuncid, node->args);
	DpRowExpression *left = expression_of(translation, linitial(node->args));

	return dp_x_of(DP_X_CASE, list_make3(equal, dp_x_value(left->type, NULL), left));
}

static DpRowExpression *
boolean(DpTranslation *translation, const BoolExpr *node)
{
	return dp_x_of(node->boolop == AND_EXPR  ? DP_X_AND
				   : node->boolop == OR_EXPR ? DP_X_OR
											 : DP_X_NOT,
				   translated(translation, node->args));
}

static DpRowExpression *
null_test(DpTranslation *translation, const NullTest *node)
{
	DpRowExpression *is_null;

	if (node->argisrow)
		dp_translation_refuse(translation, (const Node *) node, "IS NULL of a row", NULL);
	is_null = dp_x_of(DP_X_NULL, list_make1(expression_of(translation, (Node *) node->arg)));
	return node->nulltesttype == IS_NULL ? is_null : not(is_null);
}

static DpRowExpression *
relabeled(DpTranslation *translation, const RelabelType *node)
{
	DpRowExpression *argument = expression_of(translation, (Node *) node->arg);
	Oid type = dp_expression_type_read(getBaseType(node->resulttype));

	if (argument->type == type)
		return argument;
	if ((argument->type != TEXTOID && argument->type != VARCHAROID) ||
		(type != TEXTOID && type != VARCHAROID))
		dp_translation_refuse(translation, (const Node *) node,
							  psprintf("a cast to type %s", format_type_be(node->resulttype)),
							  NULL);
	return dp_x_as(type, argument);
}

static DpRowExpression *
printed(DpTranslation *translation, const CoerceViaIO *node)
{
	Oid type = getBaseType(node->resulttype);

	if (type != TEXTOID && type != VARCHAROID)
		dp_translation_refuse(translation, (const Node *) node,
							  psprintf("a cast to type %s", format_type_be(node->resulttype)),
							  "A value that cannot be read would be an error that tells of a row.");
	return dp_x_as(type, dp_translate_as_text(translation, (const Node *) node->arg));
}

/* An operator of the family by which a place of a row is compared. */
static Node *
place_compared(const RowCompareExpr *node, int place, int strategy)
{
	Oid left, right;
	Expr *clause;

	op_input_types(list_nth_oid(node->opnos, place), &left, &right);
	clause = make_opclause(
		get_opfamily_member(list_nth_oid(node->opfamilies, place), left, right, (int16) strategy),
		BOOLOID, false, list_nth(node->largs, place), list_nth(node->rargs, place), InvalidOid,
		list_nth_oid(node->inputcollids, place));
	set_opfuncid((OpExpr *) clause);
	return (Node *) clause;
}

/* (a, b) < (c, d): a < c OR a = c AND b < d */
static DpRowExpression *
row_comparison(DpTranslation *translation, const RowCompareExpr *node)
{
	bool less = get_opname(linitial_oid(node->opnos))[0] == '<';
	int strict = less ? BTLessStrategyNumber : BTGreaterStrategyNumber,
		last = list_length(node->largs) - 1;
	OpExpr *end =
		(OpExpr *) make_opclause(llast_oid(node->opnos), BOOLOID, false, llast(node->largs),
								 llast(node->rargs), InvalidOid, llast_oid(node->inputcollids));
	DpRowExpression *whole;

	set_opfuncid(end);
	whole = expression_of(translation, (Node *) end);
	for (int i = last - 1; i >= 0; i--)
		whole = dp_x_of(
			DP_X_OR,
			list_make2(
				expression_of(translation, place_compared(node, i, strict)),
				dp_x_of(DP_X_AND,
						list_make2(expression_of(translation,
												 place_compared(node, i, BTEqualStrategyNumber)),
								   whole))));
	return whole;
}

static DpRowExpression *
expression_of(DpTranslation *translation, const Node *node)
{
	DpRowExpression *part;

	check_stack_depth();
	if (translation->of_units && translation->unit_part(translation, node, &part))
		return part;
	if (is_fixed(node))
		return dp_translate_constant(translation, node);
	switch (nodeTag(node))
	{
		case T_Var:
			return column(translation, (const Var *) node);
		case T_FuncExpr:
			return function_call(translation, (const FuncExpr *) node);
		case T_OpExpr:
			return call(translation, node, ((const OpExpr *) node)->opfuncid,
						((const OpExpr *) node)->args);
		case T_RowCompareExpr:
			return row_comparison(translation, (const RowCompareExpr *) node);
		case T_ScalarArrayOpExpr:
			return in_list(translation, (const ScalarArrayOpExpr *) node);
		case T_BoolExpr:
			return boolean(translation, (const BoolExpr *) node);
		case T_NullTest:
			return null_test(translation, (const NullTest *) node);
		case T_BooleanTest:
			return boolean_test(translation, (const BooleanTest *) node);
		case T_CaseExpr:
			return case_of(translation, (const CaseExpr *) node);
		case T_CoalesceExpr:
			return dp_x_of(DP_X_COALESCE,
						   translated(translation, ((const CoalesceExpr *) node)->args));
		case T_MinMaxExpr:
			if (dp_is_of_citext(TypeRelationId, getBaseType(exprType(node))))
				dp_translation_refuse(translation, node, "LEAST or GREATEST of citext",
									  "Cast it to text.");
			return dp_x_of(((const MinMaxExpr *) node)->op == IS_LEAST ? DP_X_LEAST : DP_X_GREATEST,
						   translated(translation, ((const MinMaxExpr *) node)->args));
		case T_DistinctExpr:
			return distinct(translation, (const DistinctExpr *) node);
		case T_NullIfExpr:
			return null_if(translation, (const NullIfExpr *) node);
		case T_RelabelType:
			return relabeled(translation, (const RelabelType *) node);
		case T_CollateExpr:
			dp_translation_refuse(translation, node, "COLLATE", NULL);
		case T_SubLink:
			return dp_translate_subselect(translation, (const SubLink *) node);
		case T_CoerceViaIO:
			return printed(translation, (const CoerceViaIO *) node);
		default:
			dp_translation_refuse(translation, node, "an expression of this kind",
								  IsA(node, RowExpr)           ? "Make one value of it, as a || b."
								  : IsA(node, SubscriptingRef) ? HINT_OF_PARTS
															   : NULL);
	}
}

DpRowExpression *
dp_translate(DpTranslation *translation, const Node *node)
{
	return expression_of(translation, node);
}
