/*
 * expression.c -- expressions of a question, made of parts that fit.
 */
#include "pg/question/expression.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/formatting.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "pg/server/numbers.h"
#include "pg/server/values.h"

static DP_NORETURN void
refuse(const char *why)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"question\" has an expression that does not fit"),
					errdetail("%s", why)));
}

static DpRowExpression *
node(DpRowExpressionKind kind, Oid type)
{
	DpRowExpression *expression = palloc0(sizeof(DpRowExpression));

	expression->kind = kind;
	expression->type = type;
	return expression;
}

DpRowExpression *
dp_x_column(uint32 relation, const char *name, Oid type)
{
	DpRowExpression *column = node(DP_X_COLUMN, type);

	column->relation = relation;
	column->name = name;
	return column;
}

DpRowExpression *
dp_x_level(const char *name)
{
	DpRowExpression *level = node(DP_X_LEVEL, INT8OID);

	level->name = name;
	return level;
}

DpRowExpression *
dp_x_coded(const char *name, const DpCodes *codes)
{
	DpRowExpression *coded = node(DP_X_CODED, BOOLOID);

	coded->codes = codes;
	coded->arguments = list_make1(dp_x_level(name));
	return coded;
}

/* Zeros at the end of a number say nothing. */
static char *
canonical(Oid type, const char *text)
{
	Datum value = dp_value_in(text, type, -1);

	if (type == NUMERICOID)
		value = DirectFunctionCall1(numeric_trim_scale, value);
	return dp_value_out(value, type);
}

DpRowExpression *
dp_x_value(Oid type, const char *text)
{
	DpRowExpression *value = node(DP_X_VALUE, type);

	value->text = text == NULL ? NULL : canonical(type, text);
	return value;
}

bool
dp_x_is_constant(const DpRowExpression *expression)
{
	return expression->kind == DP_X_VALUE;
}

/* ---- what fits ---- */

/* Enums are compared by functions of any enum: of one and the same. */
static bool
argument_fits(Oid declared, Oid given, Oid *any)
{
	if (declared != ANYENUMOID)
		return declared == given;
	if (!type_is_enum(given) || (OidIsValid(*any) && *any != given))
		return false;
	*any = given;
	return true;
}

DpRowExpression *
dp_x_call(const DpFunction *function, List *arguments)
{
	Oid *types, any = InvalidOid;
	int n;
	DpRowExpression *call = node(DP_X_CALL, get_func_signature(function->oid, &types, &n));

	if (n != list_length(arguments))
		refuse("A function has another number of arguments.");
	for (int i = 0; i < n; i++)
		if (!argument_fits(types[i], ((DpRowExpression *) list_nth(arguments, i))->type, &any))
			refuse("A function takes arguments of other types.");
	call->function = function;
	call->arguments = arguments;
	return call;
}

static void
check_all(const List *arguments, Oid type)
{
	ListCell *cell;

	foreach (cell, arguments)
		if (((DpRowExpression *) lfirst(cell))->type != type)
			refuse("Its parts are of different types.");
}

static Oid
type_of_case(const List *arguments)
{
	Oid type = ((DpRowExpression *) llast(arguments))->type;

	if (list_length(arguments) < 3 || list_length(arguments) % 2 == 0)
		refuse("CASE has pairs of a condition and a value, and a value at its end.");
	for (int i = 0; i < list_length(arguments); i++)
	{
		bool is_condition = i % 2 == 0 && i < list_length(arguments) - 1;

		if (((DpRowExpression *) list_nth(arguments, i))->type != (is_condition ? BOOLOID : type))
			refuse("The branches of CASE are of different types.");
	}
	return type;
}

static void
check_in(const List *arguments)
{
	if (list_length(arguments) < 2)
		refuse("IN has no values.");
	check_all(arguments, ((DpRowExpression *) linitial(arguments))->type);
	for (int i = 1; i < list_length(arguments); i++)
		if (!dp_x_is_constant(list_nth(arguments, i)))
			refuse("The values of IN are constants.");
}

/* How these are printed depends on no setting. */
static void
check_printed(const List *arguments)
{
	Oid type = ((DpRowExpression *) linitial(arguments))->type;

	if (list_length(arguments) != 1)
		refuse("It has more than one part.");
	if (!dp_is_integer(type) && type != NUMERICOID && type != BOOLOID && !type_is_enum(type))
		refuse("Only booleans, enums and whole numbers become texts.");
}

DpRowExpression *
dp_x_of(DpRowExpressionKind kind, List *arguments)
{
	DpRowExpression *made = node(kind, BOOLOID);

	if (arguments == NIL)
		refuse("It has no parts.");
	made->arguments = arguments;
	switch (kind)
	{
		case DP_X_CASE:
			made->type = type_of_case(arguments);
			break;
		case DP_X_AND:
		case DP_X_OR:
			check_all(arguments, BOOLOID);
			break;
		case DP_X_NOT:
			check_all(arguments, BOOLOID);
			DP_FALLTHROUGH;
		case DP_X_NULL:
			if (list_length(arguments) != 1)
				refuse("It has more than one part.");
			break;
		case DP_X_IN:
			check_in(arguments);
			break;
		case DP_X_TEXT:
			check_printed(arguments);
			made->type = TEXTOID;
			break;
		case DP_X_COALESCE:
		case DP_X_LEAST:
		case DP_X_GREATEST:
			made->type = ((DpRowExpression *) linitial(arguments))->type;
			check_all(arguments, made->type);
			break;
		default:
			refuse("It is of no known kind.");
	}
	return made;
}

DpRowExpression *
dp_x_exists(uint32 relation, DpRowExpression *condition)
{
	DpRowExpression *exists = node(DP_X_EXISTS, BOOLOID);

	exists->relation = relation;
	exists->arguments = list_make1(condition);
	check_all(exists->arguments, BOOLOID);
	return exists;
}

DpRowExpression *
dp_x_as(Oid type, DpRowExpression *argument)
{
	DpRowExpression *as;

	if (argument->type == type)
		return argument;
	if ((type != TEXTOID && type != VARCHAROID) ||
		(argument->type != TEXTOID && argument->type != VARCHAROID))
		refuse("Only varchar and text are the same bytes.");
	as = node(DP_X_AS, type);
	as->arguments = list_make1(argument);
	return as;
}

List *
dp_x_columns(const DpRowExpression *expression, List *columns)
{
	ListCell *cell;

	check_stack_depth();
	if (expression->kind == DP_X_COLUMN)
	{
		foreach (cell, columns)
		{
			const DpRowExpression *known = lfirst(cell);

			if (known->relation == expression->relation &&
				strcmp(known->name, expression->name) == 0)
				return columns;
		}
		return lappend(columns, unconstify(DpRowExpression *, expression));
	}
	foreach (cell, expression->arguments)
		columns = dp_x_columns(lfirst(cell), columns);
	return columns;
}

bool
dp_x_is_equality(const DpRowExpression *expression)
{
	return expression->kind == DP_X_CALL && expression->function->operator!= NULL &&
												strcmp(expression->function->operator, "=") == 0;
}

bool
dp_x_has_exists(const DpRowExpression *expression)
{
	ListCell *cell;

	check_stack_depth();
	foreach (cell, expression->arguments)
		if (dp_x_has_exists(lfirst(cell)))
			return true;
	return expression->kind == DP_X_EXISTS;
}

DpRowExpression *
dp_x_implied(const DpRowExpression *condition, DpKeepsCondition *keeps, const void *context)
{
	List *parts = NIL;
	ListCell *cell;

	check_stack_depth();
	if (keeps(condition, context))
		return unconstify(DpRowExpression *, condition);
	if (condition->kind != DP_X_AND && condition->kind != DP_X_OR)
		return NULL;
	foreach (cell, condition->arguments)
	{
		DpRowExpression *part = dp_x_implied(lfirst(cell), keeps, context);

		if (part != NULL)
			parts = lappend(parts, part);
		else if (condition->kind == DP_X_OR)
			return NULL;
	}
	if (list_length(parts) < 2)
		return parts == NIL ? NULL : linitial(parts);
	return dp_x_of(condition->kind, parts);
}

/* ---- the normal form ---- */

static int
compare_texts(const ListCell *a, const ListCell *b)
{
	return strcmp(dp_x_text(lfirst(a)), dp_x_text(lfirst(b)));
}

/* (a AND b) AND c is one conjunction. */
static List *
flattened(DpRowExpressionKind kind, const List *arguments)
{
	List *flat = NIL;
	ListCell *cell;

	foreach (cell, arguments)
	{
		DpRowExpression *part = lfirst(cell);

		flat = part->kind == kind ? list_concat(flat, list_copy(part->arguments))
								  : lappend(flat, part);
	}
	return flat;
}

static List *
ordered_once(List *arguments)
{
	List *once = NIL;
	ListCell *cell;

	list_sort(arguments, compare_texts);
	foreach (cell, arguments)
		if (once == NIL || strcmp(dp_x_text(llast(once)), dp_x_text(lfirst(cell))) != 0)
			once = lappend(once, lfirst(cell));
	return once;
}

/* Constants stand on the right, else the parts in the order of their texts. */
static DpRowExpression *
comparison_normal(DpRowExpression *call)
{
	DpRowExpression *left = linitial(call->arguments), *right = lsecond(call->arguments);
	bool turn = dp_x_is_constant(left) ||
				(!dp_x_is_constant(right) && strcmp(dp_x_text(left), dp_x_text(right)) > 0);
	const DpFunction *other = turn ? dp_function_commuted(call->function) : NULL;

	return other == NULL ? call : dp_x_call(other, list_make2(right, left));
}

/* A condition, or NOT of it. Two of them are none, and that of a comparison is the other comparison. */
static DpRowExpression *
negated(DpRowExpression *condition)
{
	const DpFunction *other =
		condition->kind == DP_X_CALL ? dp_function_negated(condition->function) : NULL;

	if (condition->kind == DP_X_NOT)
		return linitial(condition->arguments);
	return other != NULL ? dp_x_call(other, condition->arguments)
						 : dp_x_of(DP_X_NOT, list_make1(condition));
}

/* A condition that is compared with true is itself. NULL: it is another comparison. */
static DpRowExpression *
of_truth(const DpRowExpression *comparison)
{
	const DpRowExpression *truth = lsecond(comparison->arguments);
	Oid function = comparison->function->oid;

	if ((function != F_BOOLEQ && function != F_BOOLNE) || !dp_x_is_constant(truth) ||
		truth->text == NULL)
		return NULL;
	return (truth->text[0] == 't') == (function == F_BOOLEQ)
			   ? linitial(comparison->arguments)
			   : negated(linitial(comparison->arguments));
}

static bool
is_constant_of(const DpRowExpression *expression, const char *text)
{
	return dp_x_is_constant(expression) && expression->text != NULL &&
		   strcmp(expression->text, text) == 0;
}

/* Without what is always true, of AND, or always false, of OR. */
static List *
without_constants(DpRowExpressionKind kind, const List *arguments)
{
	List *rest = NIL;
	ListCell *cell;

	foreach (cell, arguments)
		if (!is_constant_of(lfirst(cell), kind == DP_X_AND ? "t" : "f"))
			rest = lappend(rest, lfirst(cell));
	return rest != NIL ? rest : list_make1(linitial(arguments));
}

/* x = 1, with a constant of the same type, or x IN (1, 2) */
static bool
lists_values(const DpRowExpression *condition)
{
	return condition->kind == DP_X_IN ||
		   (dp_x_is_equality(condition) && dp_x_is_constant(lsecond(condition->arguments)) &&
			((DpRowExpression *) linitial(condition->arguments))->type ==
				((DpRowExpression *) lsecond(condition->arguments))->type);
}

/* x = 1 OR x = 2 is x IN (1, 2). */
static List *
listed(const List *alternatives)
{
	List *result = NIL;
	ListCell *cell, *known;

	foreach (cell, alternatives)
	{
		DpRowExpression *each = lfirst(cell);
		List *arguments = each->arguments;

		foreach (known, result)
		{
			DpRowExpression *other = lfirst(known);

			if (!lists_values(each) || !lists_values(other) ||
				strcmp(dp_x_text(linitial(arguments)), dp_x_text(linitial(other->arguments))) != 0)
				continue;
			lfirst(known) = dp_x_normal(
				dp_x_of(DP_X_IN, list_concat_copy(other->arguments, list_copy_tail(arguments, 1))));
			break;
		}
		if (known == NULL)
			result = lappend(result, each);
	}
	return result;
}

/* Units of time are the same in any case. */
static DpRowExpression *
call_normal(DpRowExpression *call)
{
	const DpRowExpression *unit = linitial(call->arguments);
	Oid function = call->function->oid;

	if (call->function->rule == DP_RULE_COMPARE && call->function->operator!= NULL)
	{
		DpRowExpression *normal = comparison_normal(call), *truth = of_truth(normal);

		return truth != NULL ? truth : normal;
	}
	if ((call->function->rule == DP_RULE_EXTRACT || function == F_DATE_TRUNC_TEXT_TIMESTAMP ||
		 function == F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT) &&
		dp_x_is_constant(unit) && unit->text != NULL)
		linitial(call->arguments) =
			dp_x_value(TEXTOID, asc_tolower(unit->text, strlen(unit->text)));
	return call;
}

DpRowExpression *
dp_x_normal(DpRowExpression *expression)
{
	DpRowExpression *normal = palloc(sizeof(DpRowExpression));
	ListCell *cell;

	check_stack_depth();
	*normal = *expression;
	normal->arguments = NIL;
	foreach (cell, expression->arguments)
		normal->arguments = lappend(normal->arguments, dp_x_normal(lfirst(cell)));
	switch (normal->kind)
	{
		case DP_X_AND:
		case DP_X_OR:
			normal->arguments = without_constants(
				normal->kind, ordered_once(flattened(normal->kind, normal->arguments)));
			if (normal->kind == DP_X_OR)
				normal->arguments = ordered_once(listed(normal->arguments));
			if (list_length(normal->arguments) == 1)
				return linitial(normal->arguments);
			return normal;
		case DP_X_IN:
			normal->arguments = lcons(linitial(normal->arguments),
									  ordered_once(list_copy_tail(normal->arguments, 1)));
			return normal;
		case DP_X_NOT:
			return negated(linitial(normal->arguments));
		case DP_X_CALL:
			return call_normal(normal);
		default:
			return normal;
	}
}
