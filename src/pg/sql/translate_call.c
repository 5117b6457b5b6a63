/*
 * translate_call.c -- calls of PostgreSQL that a question writes with others: casts to text, concat, and
 * functions whose constants say which calls they are.
 */
#include "pg/sql/translate.h"

#include <math.h>

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "pg/server/numbers.h"
#include "pg/server/values.h"

/* ---- casts to text ---- */

static DpRowExpression *
call_of(Oid function, List *arguments)
{
	return dp_x_call(dp_function_of(function), arguments);
}

/* Days are printed as the session's DateStyle says, which may be that of to_char. */
static DpRowExpression *
day_as_text(DpRowExpression *day)
{
	return call_of(F_TO_CHAR_TIMESTAMP_TEXT, list_make2(call_of(F_TIMESTAMP_DATE, list_make1(day)),
														dp_x_value(TEXTOID, "YYYY-MM-DD")));
}

/* Whether a number shows digits after its point, as 2 * 1.0 does: a question does not keep how many. */
static bool
shows_digits(Node *node, void *context)
{
	const Const *constant = (const Const *) node;
	const FuncExpr *call = (const FuncExpr *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Const) && constant->consttype == NUMERICOID && !constant->constisnull)
		return strchr(dp_value_out(constant->constvalue, NUMERICOID), '.') != NULL;
	if (IsA(node, FuncExpr) &&
		(call->funcid == F_ROUND_NUMERIC_INT4 || call->funcid == F_TRUNC_NUMERIC_INT4))
	{
		constant = lsecond(call->args);
		return !IsA(constant, Const) ||
			   (!constant->constisnull && DatumGetInt32(constant->constvalue) > 0);
	}
	return expression_tree_walker(node, shows_digits, context);
}

static const char *
constant_as_text(const DpRowExpression *constant)
{
	if (constant->type != BOOLOID || constant->text == NULL)
		return constant->text;
	return constant->text[0] == 't' ? "true" : "false";
}

DpRowExpression *
dp_translate_as_text(DpTranslation *translation, const Node *node)
{
	DpRowExpression *value = dp_translate(translation, node);

	if (getBaseType(exprType(node)) == CASHOID)
		dp_translation_refuse(translation, node, "a cast of money to text", "Cast it to numeric.");
	if (value->type == NUMERICOID && shows_digits(unconstify(Node *, node), NULL))
		dp_translation_refuse(translation, node, "a cast to text of a number with digits",
							  "Round it to a whole one.");
	if (dp_x_is_constant(value))
		return dp_x_value(TEXTOID, constant_as_text(value));
	if (value->type == BPCHAROID)
		return call_of(F_TEXT_BPCHAR, list_make1(value));
	if (value->type == TEXTOID || value->type == VARCHAROID)
		return dp_x_as(TEXTOID, value);
	if (value->type == DATEOID && DateStyle == USE_ISO_DATES)
		return day_as_text(value);
	if (!dp_is_integer(value->type) && value->type != NUMERICOID && value->type != BOOLOID &&
		!type_is_enum(value->type))
		dp_translation_refuse(
			translation, node, psprintf("a cast of type %s to text", format_type_be(value->type)),
			"Whole numbers, booleans, enums and days become texts; of times to_char "
			"gives one.");
	return dp_x_of(DP_X_TEXT, list_make1(value));
}

/* ---- calls ---- */

/* concat(a, b, ...): what is NULL is left out. It prints booleans and char(n) unlike a cast. */
static DpRowExpression *
concatenated(DpTranslation *translation, const Node *node, const List *arguments)
{
	DpRowExpression *whole = NULL;
	ListCell *cell;

	foreach (cell, arguments)
	{
		Oid type = getBaseType(exprType(lfirst(cell)));
		DpRowExpression *part;

		if (((const FuncExpr *) node)->funcvariadic || type == BOOLOID || type == BPCHAROID)
			dp_translation_refuse(translation, node, "concat of such values", "Write ||.");
		part = dp_x_of(DP_X_COALESCE, list_make2(dp_translate_as_text(translation, lfirst(cell)),
												 dp_x_value(TEXTOID, "")));
		whole = whole == NULL ? part : call_of(F_TEXTCAT, list_make2(whole, part));
	}
	return whole;
}

/* concat_ws('-', a, b): '-' || a || '-' || b without its beginning; what is NULL is left out with its
 * separator. */
static DpRowExpression *
concatenated_with(DpTranslation *translation, const Node *node, const List *arguments)
{
	const DpRowExpression *separator = dp_translate(translation, linitial(arguments));
	DpRowExpression *whole = dp_x_value(TEXTOID, "");
	ListCell *cell;

	if (!dp_x_is_constant(separator) || separator->text == NULL)
		dp_translation_refuse(translation, node, "concat_ws with a separator that depends on a row",
							  "Write ||.");
	for_each_from(cell, arguments, 1)
	{
		Oid type = getBaseType(exprType(lfirst(cell)));
		DpRowExpression *part;

		if (((const FuncExpr *) node)->funcvariadic || type == BOOLOID || type == BPCHAROID)
			dp_translation_refuse(translation, node, "concat_ws of such values", "Write ||.");
		part = call_of(F_TEXTCAT, list_make2(dp_x_value(TEXTOID, separator->text),
											 dp_translate_as_text(translation, lfirst(cell))));
		part = dp_x_of(DP_X_COALESCE, list_make2(part, dp_x_value(TEXTOID, "")));
		whole = call_of(F_TEXTCAT, list_make2(whole, part));
	}
	return call_of(
		F_SUBSTR_TEXT_INT4,
		list_make2(whole, dp_x_value(INT4OID, psprintf("%d", pg_mbstrlen(separator->text) + 1))));
}

static DpRowExpression *
joined_texts(DpTranslation *translation, const List *arguments)
{
	return call_of(F_TEXTCAT, list_make2(dp_translate_as_text(translation, linitial(arguments)),
										 dp_translate_as_text(translation, lsecond(arguments))));
}

/* x::varchar(n), which cuts */
static DpRowExpression *
cut(DpTranslation *translation, const Node *node, const List *arguments)
{
	const DpRowExpression *typmod = dp_translate(translation, lsecond(arguments));
	int letters =
		dp_x_is_constant(typmod) && typmod->text != NULL ? atoi(typmod->text) - (int) VARHDRSZ : 0;

	if (letters <= 0 || ((const FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST)
		return NULL;
	return dp_x_as(
		VARCHAROID,
		call_of(F_LEFT, list_make2(dp_translate_as_text(translation, linitial(arguments)),
								   dp_x_value(INT4OID, psprintf("%d", letters)))));
}

/* x ^ 2, power(x, 3) */
static DpRowExpression *
power_of(DpTranslation *translation, const Node *node, const List *arguments, Oid product)
{
	const DpRowExpression *exponent = dp_translate(translation, lsecond(arguments));
	double times =
		dp_x_is_constant(exponent) && exponent->text != NULL ? strtod(exponent->text, NULL) : 0;
	DpRowExpression *base, *whole;

	if (times != 2 && times != 3 && times != 4)
		dp_translation_refuse(translation, node, "a power other than 2, 3 and 4", NULL);
	base = dp_translate(translation, linitial(arguments));
	whole = call_of(product, list_make2(base, base));
	if (times == 2)
		return whole;
	return call_of(product, list_make2(whole, times == 4 ? whole : base));
}

/* width_bucket(x, ARRAY[1, 5, 10]): CASE WHEN x < 1 THEN 0 WHEN x < 5 THEN 1 ... END */
static DpRowExpression *
bucket_in(DpTranslation *translation, const Node *node, const List *arguments)
{
	DpRowExpression *value = dp_translate(translation, linitial(arguments));
	const Oid type = value->type;
	Oid less = type == INT4OID      ? F_INT4LT
			   : type == INT8OID    ? F_INT8LT
			   : type == NUMERICOID ? F_NUMERIC_LT
			   : type == FLOAT8OID  ? F_FLOAT8LT
									: InvalidOid;
	List *parts, *each = dp_array_elements(translation, lsecond(arguments));
	double before = -INFINITY;
	ListCell *cell;

	if (!OidIsValid(less) || each == NIL)
		dp_translation_refuse(translation, node, "width_bucket with an array that depends on a row",
							  "Write CASE.");
	parts = list_make2(dp_x_of(DP_X_NULL, list_make1(value)), dp_x_value(INT4OID, NULL));
	foreach (cell, each)
	{
		DpRowExpression *bound = dp_translate(translation, lfirst(cell));

		if (!dp_x_is_constant(bound) || bound->text == NULL || bound->type != type ||
			!(strtod(bound->text, NULL) >= before))
			dp_translation_refuse(translation, node,
								  "width_bucket with an array that does not ascend", NULL);
		before = strtod(bound->text, NULL);
		parts = lappend(parts, call_of(less, list_make2(value, bound)));
		parts = lappend(parts, dp_x_value(INT4OID, psprintf("%d", foreach_current_index(cell))));
	}
	parts = lappend(parts, dp_x_value(INT4OID, psprintf("%d", list_length(each))));
	return dp_x_of(DP_X_CASE, parts);
}

/* ---- ranges ---- */

/* x >= a of x <@ '[a,b)' */
static DpRowExpression *
on_side_of(DpTranslation *translation, Node *value, TypeCacheEntry *type, const RangeBound *bound)
{
	int strict = bound->lower ? BTGreaterStrategyNumber : BTLessStrategyNumber;
	int same = bound->lower ? BTGreaterEqualStrategyNumber : BTLessEqualStrategyNumber;
	Oid operator= get_opfamily_member(type->btree_opf, type->type_id, type->type_id,
									  (int16) (bound->inclusive ? same : strict));
	Const *end =
		makeConst(type->type_id, -1, InvalidOid, type->typlen, bound->val, false, type->typbyval);
	OpExpr *clause = (OpExpr *) make_opclause(operator, BOOLOID, false, (Expr *) value,
											  (Expr *) end, InvalidOid, InvalidOid);

	set_opfuncid(clause);
	return dp_translate(translation, (Node *) clause);
}

/* x <@ '[a,b)': x >= a AND x < b */
static DpRowExpression *
contained(DpTranslation *translation, const Node *node, Node *value, const Node *range)
{
	const Const *constant =
		(const Const *) eval_const_expressions(NULL, copyObject((Node *) range));
	List *sides = NIL;
	TypeCacheEntry *type;
	RangeBound bound[2];
	bool is_empty;

	if (!IsA(constant, Const) || constant->constisnull ||
		constant->consttype >= FirstUnpinnedObjectId)
		dp_translation_refuse(translation, node, "a range that depends on a row", "Write BETWEEN.");
	type = lookup_type_cache(constant->consttype, TYPECACHE_RANGE_INFO);
	range_deserialize(type, DatumGetRangeTypeP(constant->constvalue), &bound[0], &bound[1],
					  &is_empty);
	type = lookup_type_cache(type->rngelemtype->type_id, TYPECACHE_BTREE_OPFAMILY);
	for (int i = 0; i < 2 && !is_empty; i++)
		if (!bound[i].infinite)
			sides = lappend(sides, on_side_of(translation, value, type, &bound[i]));
	if (list_length(sides) == 1)
		return linitial(sides);
	if (sides != NIL)
		return dp_x_of(DP_X_AND, sides);
	return dp_x_of(DP_X_CASE,
				   list_make3(dp_x_of(DP_X_NULL, list_make1(dp_translate(translation, value))),
							  dp_x_value(BOOLOID, NULL),
							  dp_x_value(BOOLOID, is_empty ? "f" : "t")));
}

DpRowExpression *
dp_translate_call(DpTranslation *translation, const Node *node, Oid function, const List *arguments)
{
	switch (function)
	{
		case F_CONCAT:
			return concatenated(translation, node, arguments);
		case F_CONCAT_WS:
			return concatenated_with(translation, node, arguments);
		case F_TEXT_BOOL:
			return dp_translate_as_text(translation, linitial(arguments));
		case F_VARCHAR_VARCHAR_INT4_BOOL:
			return cut(translation, node, arguments);
		case F_DPOW:
		case F_POW_FLOAT8_FLOAT8:
		case F_POWER_FLOAT8_FLOAT8:
			return power_of(translation, node, arguments, F_FLOAT8MUL);
		case F_NUMERIC_POWER:
		case F_POW_NUMERIC_NUMERIC:
		case F_POWER_NUMERIC_NUMERIC:
			return power_of(translation, node, arguments, F_NUMERIC_MUL);
		case F_WIDTH_BUCKET_ANYCOMPATIBLE_ANYCOMPATIBLEARRAY:
			return bucket_in(translation, node, arguments);
		case F_ANYTEXTCAT:
		case F_TEXTANYCAT:
			return joined_texts(translation, arguments);
		case F_ELEM_CONTAINED_BY_RANGE:
			return contained(translation, node, linitial(arguments), lsecond(arguments));
		case F_RANGE_CONTAINS_ELEM:
			return contained(translation, node, lsecond(arguments), linitial(arguments));
		default:
			return NULL;
	}
}
