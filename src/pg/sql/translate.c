/*
 * translate.c -- PostgreSQL's expressions as those of a question.
 *
 * What depends on no row is computed here, in the caller's session and with the caller's rights. All
 * else must be in the language of expressions (question/expression.h).
 */
#include "pg/sql/translate.h"

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
#include "utils/lsyscache.h"
#include "utils/regproc.h"

#include "pg/question/time_zone.h"
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
	Oid type = getBaseType(exprType(node));
	const Const *value;
	DpRowExpression *result;
	int level;

	value = fixed_value(translation, node);
	if (type == UNKNOWNOID)
		type = TEXTOID;
	if (!dp_expression_type(type))
		dp_translation_refuse(translation, node,
							  psprintf("a value of type %s", format_type_be(type)), NULL);
	level = dp_values_begin();
	result = dp_x_value(type, value->constisnull ? NULL : dp_value_out(value->constvalue, type));
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
		dp_translation_refuse(translation, (Node *) var, "a whole row or a system column", NULL);
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

static DpRowExpression *
call(DpTranslation *translation, const Node *node, Oid oid, const List *arguments)
{
	const DpFunction *function = dp_function_of(oid);

	if (function == NULL)
		dp_translation_refuse(
			translation, node, psprintf("function %s", format_procedure(oid)),
			"The page on SQL lists the functions that give a value for every row.");
	return dp_x_call(function, translated(translation, arguments));
}

static bool
is_cast(const Node *node, Oid function)
{
	return IsA(node, FuncExpr) && ((const FuncExpr *) node)->funcid == function;
}

/* The name of a time zone, if its clocks are known. */
static DpRowExpression *
known_zone(DpTranslation *translation, const Node *node, const char *zone)
{
	const char *known = dp_zone_name(zone);

	if (known == NULL)
		dp_translation_refuse(translation, node, psprintf("time zone %s", quote_literal_cstr(zone)),
							  "UTC is known, and zones of places, as Europe/Berlin.");
	return dp_x_value(TEXTOID, known);
}

/* The same of an argument of a call. */
static DpRowExpression *
zone_argument(DpTranslation *translation, const FuncExpr *node, int number)
{
	DpRowExpression *zone = expression_of(translation, list_nth(node->args, number));

	if (!dp_x_is_constant(zone) || zone->text == NULL)
		dp_translation_refuse(translation, (const Node *) node, "a time zone that depends on a row",
							  NULL);
	return known_zone(translation, (const Node *) node, zone->text);
}

static const char *
session_zone(void)
{
	return pg_get_timezone_name(session_timezone);
}

/* What clocks of a time zone show at an instant. */
static DpRowExpression *
local_time(DpTranslation *translation, DpRowExpression *zone, const Node *instant)
{
	return dp_x_call(dp_function_of(F_TIMEZONE_TEXT_TIMESTAMPTZ),
					 list_make2(zone, expression_of(translation, instant)));
}

/* The same in the time zone of the session, for functions of instants that depend on it. */
static DpRowExpression *
session_time(DpTranslation *translation, const Node *node, const Node *instant)
{
	return local_time(translation, known_zone(translation, node, session_zone()), instant);
}

/* extract(part from t). The epoch is the same in all zones. */
static DpRowExpression *
part_of_instant(DpTranslation *translation, const FuncExpr *node, Oid of_timestamp)
{
	const Node *instant = lsecond(node->args);
	DpRowExpression *part = expression_of(translation, linitial(node->args));
	bool epoch = part->text != NULL && pg_strcasecmp(part->text, "epoch") == 0;

	return dp_x_call(dp_function_of(of_timestamp),
					 list_make2(part, local_time(translation,
												 known_zone(translation, instant,
															epoch ? "UTC" : session_zone()),
												 instant)));
}

/* d::timestamptz: of a day, its midnight in the session's zone. NULL: it is of something else. */
static const Node *
day_of_midnight(const Node *instant)
{
	const FuncExpr *call = (const FuncExpr *) instant;

	return IsA(instant, FuncExpr) && call->funcid == F_TIMESTAMPTZ_DATE ? linitial(call->args)
																		: NULL;
}

static DpRowExpression *
midnight(DpTranslation *translation, const Node *day)
{
	return dp_x_call(dp_function_of(F_TIMESTAMP_DATE), list_make1(expression_of(translation, day)));
}

static DpRowExpression *
clock_truncated(DpTranslation *translation, const FuncExpr *node)
{
	const Node *instant = lsecond(node->args), *day = day_of_midnight(instant);

	return dp_x_call(dp_function_of(F_DATE_TRUNC_TEXT_TIMESTAMP),
					 list_make2(expression_of(translation, linitial(node->args)),
								day != NULL ? midnight(translation, day)
											: session_time(translation, instant, instant)));
}

/* The instant at which clocks of a zone show a time. */
static DpRowExpression *
instant_of(DpRowExpression *zone, DpRowExpression *time)
{
	return dp_x_call(dp_function_of(F_TIMEZONE_TEXT_TIMESTAMP), list_make2(zone, time));
}

/* date_trunc(unit, t, zone) */
static DpRowExpression *
truncated_instant(DpTranslation *translation, const FuncExpr *node, DpRowExpression *zone)
{
	return dp_x_call(dp_function_of(F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT),
					 list_make3(expression_of(translation, linitial(node->args)),
								expression_of(translation, lsecond(node->args)), zone));
}

/* date_trunc(unit, t), in the session's zone */
static DpRowExpression *
truncated_in_session(DpTranslation *translation, const FuncExpr *node)
{
	DpRowExpression *zone = known_zone(translation, (const Node *) node, session_zone());

	return day_of_midnight(lsecond(node->args)) != NULL
			   ? instant_of(zone, clock_truncated(translation, node))
			   : truncated_instant(translation, node, zone);
}

/*
 * t::date. Of what was truncated first, in the session's zone too, the truncated clock gives the
 * same day, and that is known of each value which a column can have.
 */
static DpRowExpression *
day_of_instant(DpTranslation *translation, const FuncExpr *node)
{
	const Node *instant = linitial(node->args);
	const FuncExpr *truncated = (const FuncExpr *) instant;
	DpRowExpression *time =
		IsA(instant, FuncExpr) && truncated->funcid == F_DATE_TRUNC_TEXT_TIMESTAMPTZ
			? clock_truncated(translation, truncated)
			: session_time(translation, (const Node *) node, instant);

	return dp_x_call(dp_function_of(F_DATE_TIMESTAMP), list_make1(time));
}

static DpRowExpression *
function_call(DpTranslation *translation, const FuncExpr *node)
{
	if (node->funcretset)
		dp_translation_refuse(translation, (const Node *) node, "a function that returns a set",
							  NULL);
	switch (node->funcid)
	{
		case F_TIMEZONE_TEXT_TIMESTAMPTZ:
			return local_time(translation, zone_argument(translation, node, 0),
							  lsecond(node->args));
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
			return truncated_in_session(translation, node);
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
			return truncated_instant(translation, node, zone_argument(translation, node, 2));
		case F_TIMEZONE_TEXT_TIMESTAMP:
			return instant_of(zone_argument(translation, node, 0),
							  expression_of(translation, lsecond(node->args)));
		case F_TIMESTAMPTZ_DATE:
			return instant_of(known_zone(translation, (const Node *) node, session_zone()),
							  midnight(translation, linitial(node->args)));
		case F_TIMESTAMP_TIMESTAMPTZ:
			return session_time(translation, (const Node *) node, linitial(node->args));
		case F_DATE_TIMESTAMPTZ:
			return day_of_instant(translation, node);
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
			return part_of_instant(translation, node, F_EXTRACT_TEXT_TIMESTAMP);
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			return part_of_instant(translation, node, F_DATE_PART_TEXT_TIMESTAMP);
		default:
			return call(translation, (const Node *) node, node->funcid, node->args);
	}
}

/* ---- lists of values ---- */

/* x IN (1, 2), x = ANY (ARRAY[1, 2]), x NOT IN (1, 2) */
static DpRowExpression *
in_list(DpTranslation *translation, const ScalarArrayOpExpr *node)
{
	const DpFunction *function = dp_function_of(node->opfuncid);
	DpRowExpression *left = expression_of(translation, linitial(node->args));
	const char *sign = function == NULL || function->operator== NULL ? "" : function->operator;
	bool any = strcmp(sign, "=") == 0 && node->useOr,
		 none = strcmp(sign, "<>") == 0 && !node->useOr;
	Node *array = lsecond(node->args);
	List *parts = list_make1(left), *each = NIL;
	ListCell *cell;
	DpRowExpression *in;

	if (IsA(array, ArrayExpr))
		each = ((ArrayExpr *) array)->elements;
	else if (is_fixed(array))
	{
		const Const *value = fixed_value(translation, array);
		Oid type = get_element_type(exprType(array));
		Datum *values;
		bool *nulls;
		int n;
		int16 length;
		bool by_value;
		char align;

		if (value->constisnull)
			return dp_x_value(BOOLOID, NULL);
		get_typlenbyvalalign(type, &length, &by_value, &align);
		deconstruct_array(DatumGetArrayTypeP(value->constvalue), type, length, by_value, align,
						  &values, &nulls, &n);
		for (int i = 0; i < n; i++)
			each = lappend(each, makeConst(type, -1, exprCollation(array), length, values[i],
										   nulls[i], by_value));
	}
	else
		dp_translation_refuse(translation, (const Node *) node, "an array that depends on a row",
							  NULL);
	if (each == NIL)
		return dp_x_value(BOOLOID, node->useOr ? "f" : "t");
	if (!any && !none)
	{
		/* x LIKE ANY ('{...}'), x > ALL (...) */
		parts = NIL;
		if (function == NULL)
			dp_translation_refuse(translation, (const Node *) node, "this comparison with an array",
								  NULL);
		foreach (cell, each)
			parts = lappend(
				parts,
				dp_x_call(function, list_make2(left, expression_of(translation, lfirst(cell)))));
		return dp_x_of(node->useOr ? DP_X_OR : DP_X_AND, parts);
	}
	foreach (cell, each)
	{
		DpRowExpression *value = expression_of(translation, lfirst(cell));

		if (!dp_x_is_constant(value) || value->type != left->type)
			dp_translation_refuse(translation, (const Node *) node,
								  "IN with values that are no constants", "Write OR.");
		parts = lappend(parts, value);
	}
	in = dp_x_of(DP_X_IN, parts);
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

/* Puts what CASE tests in the place where it stands in the conditions. */
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
	parts = lappend(parts, node->defresult == NULL
							   ? dp_x_value(getBaseType(node->casetype), NULL)
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
	DpRowExpression *left = linitial(equal->arguments);

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
	Oid type = getBaseType(node->resulttype);

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
			dp_translation_refuse(
				translation, node,
				psprintf("a cast to type %s",
						 format_type_be(((const CoerceViaIO *) node)->resulttype)),
				"A value that cannot be read would be an error that tells of a row.");
		default:
			dp_translation_refuse(translation, node, "an expression of this kind", NULL);
	}
}

DpRowExpression *
dp_translate(DpTranslation *translation, const Node *node)
{
	return expression_of(translation, node);
}

DpRowExpression *
dp_translate_group(DpTranslation *translation, const Node *node, bool *zoned)
{
	const FuncExpr *truncated = (const FuncExpr *) node;
	const Node *instant;

	*zoned = is_cast(node, F_DATE_TRUNC_TEXT_TIMESTAMPTZ) && is_fixed(linitial(truncated->args));
	if (!*zoned)
		return expression_of(translation, node);
	instant = lsecond(truncated->args);
	return dp_x_call(
		dp_function_of(F_DATE_TRUNC_TEXT_TIMESTAMP),
		list_make2(expression_of(translation, linitial(truncated->args)),
				   is_cast(instant, F_TIMESTAMPTZ_DATE)
					   ? dp_x_call(dp_function_of(F_TIMESTAMP_DATE),
								   translated(translation, ((const FuncExpr *) instant)->args))
					   : session_time(translation, node, instant)));
}
