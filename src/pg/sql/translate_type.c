/*
 * translate_type.c -- money and citext, which a question reads as numbers and texts.
 *
 * Money is the number of its cents / 100, as lc_monetary C reads it. What is equal in citext are texts in
 * lower case: a comparison is one of these, and a group is the listed value that a row's is equal to.
 */
#include "pg/sql/translate.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/cash.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#define FOLDED_VALUES_MAX 500
#define CENT_DIGITS "2"

/* ---- functions of the same meaning ---- */

static const struct
{
	Oid of_money, of_numbers;
} of_money[] = {
	{F_CASH_EQ, F_NUMERIC_EQ},  {F_CASH_NE, F_NUMERIC_NE},  {F_CASH_LT, F_NUMERIC_LT},
	{F_CASH_LE, F_NUMERIC_LE},  {F_CASH_GT, F_NUMERIC_GT},  {F_CASH_GE, F_NUMERIC_GE},
	{F_CASH_PL, F_NUMERIC_ADD}, {F_CASH_MI, F_NUMERIC_SUB},
};

static const struct
{
	const char *source;
	Oid of_texts;
} of_citext[] = {
	{"citext_eq", F_TEXTEQ},  {"citext_ne", F_TEXTNE},  {"citext_lt", F_TEXT_LT},
	{"citext_le", F_TEXT_LE}, {"citext_gt", F_TEXT_GT}, {"citext_ge", F_TEXT_GE},
};

/* Functions of the extension are those of text, or compare in lower case. */
static Oid
text_function(Oid function, bool *folds)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid meant = InvalidOid, language;
	bool isnull;
	Datum body;
	char *source;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	body = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	source = isnull ? pstrdup("") : TextDatumGetCString(body);
	language = ((Form_pg_proc) GETSTRUCT(tuple))->prolang;
	ReleaseSysCache(tuple);
	if (language == INTERNALlanguageId)
		return fmgr_internal_function(source);
	for (size_t i = 0; language == ClanguageId && i < lengthof(of_citext); i++)
		if (strcmp(of_citext[i].source, source) == 0)
			meant = of_citext[i].of_texts;
	*folds = OidIsValid(meant);
	return meant;
}

Oid
dp_function_meant(Oid function, bool *folds)
{
	*folds = false;
	for (size_t i = 0; i < lengthof(of_money); i++)
		if (of_money[i].of_money == function)
			return of_money[i].of_numbers;
	if (dp_is_of_citext(ProcedureRelationId, function))
	{
		Oid meant = text_function(function, folds);

		return OidIsValid(meant) ? meant : function;
	}
	return function;
}

/* ---- citext ---- */

DpRowExpression *
dp_folded(DpRowExpression *value)
{
	DpRowExpression *text = dp_x_as(TEXTOID, value);

	if (!dp_x_is_constant(text))
		return dp_x_call(dp_function_of(F_LOWER_TEXT), list_make1(text));
	return text->text == NULL ? text
							  : dp_x_value(TEXTOID, str_tolower(text->text, strlen(text->text),
																DEFAULT_COLLATION_OID));
}

DpRowExpression *
dp_folded_group(DpAsked *asked, DpRowExpression *group)
{
	const DpAskedColumn *column;
	List *parts = NIL, *known = NIL;

	if (group->kind != DP_X_COLUMN ||
		!dp_asked_column(asked, group->relation, group->name)->ignores_case)
		return group;
	column = dp_asked_column_values(asked, group->relation, group->name);
	if (!column->lists || column->values == 0 || column->values > FOLDED_VALUES_MAX)
		return group;
	for (uint32 i = 0; i < column->values; i++)
	{
		DpRowExpression *value = dp_x_value(TEXTOID, column->value[i]);
		DpRowExpression *is =
			dp_x_call(dp_function_of(F_TEXTEQ), list_make2(dp_folded(group), dp_folded(value)));
		const char *words = dp_x_text(is);
		ListCell *cell;

		foreach (cell, known)
			if (strcmp(lfirst(cell), words) == 0)
				break;
		if (cell != NULL)
			continue;
		known = lappend(known, unconstify(char *, words));
		parts = lappend(lappend(parts, is), value);
	}
	return dp_x_of(DP_X_CASE, lappend(parts, dp_x_value(TEXTOID, NULL)));
}

/* ---- money ---- */

static DpRowExpression *
call_of(Oid function, List *arguments)
{
	return dp_x_call(dp_function_of(function), arguments);
}

static DpRowExpression *
in_cents(Oid rounding, DpRowExpression *amount)
{
	return call_of(rounding, list_make2(amount, dp_x_value(INT4OID, CENT_DIGITS)));
}

/* Whole numbers as numeric; others as they are. */
static DpRowExpression *
as_numeric(DpRowExpression *number)
{
	switch (number->type)
	{
		case INT2OID:
			return call_of(F_NUMERIC_INT2, list_make1(number));
		case INT4OID:
			return call_of(F_NUMERIC_INT4, list_make1(number));
		case INT8OID:
			return call_of(F_NUMERIC_INT8, list_make1(number));
		default:
			return number;
	}
}

/* money * float, money / float: cents are multiplied as floats, and rounded to whole ones. */
static DpRowExpression *
scaled(Oid function, DpRowExpression *amount, DpRowExpression *factor)
{
	DpRowExpression *cents = call_of(
		F_FLOAT8_NUMERIC,
		list_make1(call_of(F_NUMERIC_MUL, list_make2(amount, dp_x_value(NUMERICOID, "100")))));

	if (factor->type == FLOAT4OID)
		factor = call_of(F_FLOAT8_FLOAT4, list_make1(factor));
	cents = call_of(F_ROUND_FLOAT8, list_make1(call_of(function, list_make2(cents, factor))));
	return in_cents(
		F_ROUND_NUMERIC_INT4,
		call_of(F_NUMERIC_FLOAT8,
				list_make1(call_of(F_FLOAT8DIV, list_make2(cents, dp_x_value(FLOAT8OID, "100"))))));
}

/* A cast between money and numbers depends on how many digits lc_monetary shows. */
static void
check_cents(DpTranslation *translation, const Node *node)
{
	Datum one =
		DirectFunctionCall1(numeric_cash, DirectFunctionCall1(int4_numeric, Int32GetDatum(1)));

	if (DatumGetCash(one) != 100)
		dp_translation_refuse(translation, node, "a cast of money, as lc_monetary says",
							  "SET lc_monetary = 'C' first.");
}

DpRowExpression *
dp_translate_money(DpTranslation *translation, const Node *node, Oid function,
				   const List *arguments)
{
	DpRowExpression *first, *second;

	switch (function)
	{
		case F_NUMERIC_MONEY:
			check_cents(translation, node);
			return dp_translate(translation, linitial(arguments));
		case F_MONEY_NUMERIC:
		case F_MONEY_INT4:
		case F_MONEY_INT8:
			check_cents(translation, node);
			first = as_numeric(dp_translate(translation, linitial(arguments)));
			return function == F_MONEY_NUMERIC ? in_cents(F_ROUND_NUMERIC_INT4, first) : first;
		case F_CASH_MUL_INT2:
		case F_CASH_MUL_INT4:
		case F_CASH_MUL_INT8:
		case F_INT2_MUL_CASH:
		case F_INT4_MUL_CASH:
		case F_INT8_MUL_CASH:
		case F_CASH_DIV_INT2:
		case F_CASH_DIV_INT4:
		case F_CASH_DIV_INT8:
		case F_CASH_MUL_FLT4:
		case F_CASH_MUL_FLT8:
		case F_CASH_DIV_FLT4:
		case F_CASH_DIV_FLT8:
		case F_FLT4_MUL_CASH:
		case F_FLT8_MUL_CASH:
		case F_CASH_DIV_CASH:
			first = dp_translate(translation, linitial(arguments));
			second = dp_translate(translation, lsecond(arguments));
			break;
		default:
			return NULL;
	}
	switch (function)
	{
		case F_CASH_DIV_INT2:
		case F_CASH_DIV_INT4:
		case F_CASH_DIV_INT8:
			return in_cents(F_TRUNC_NUMERIC_INT4,
							call_of(F_NUMERIC_DIV, list_make2(first, as_numeric(second))));
		case F_CASH_MUL_FLT4:
		case F_CASH_MUL_FLT8:
			return scaled(F_FLOAT8MUL, first, second);
		case F_CASH_DIV_FLT4:
		case F_CASH_DIV_FLT8:
			return scaled(F_FLOAT8DIV, first, second);
		case F_FLT4_MUL_CASH:
		case F_FLT8_MUL_CASH:
			return scaled(F_FLOAT8MUL, second, first);
		case F_CASH_DIV_CASH:
			return call_of(F_FLOAT8DIV, list_make2(call_of(F_FLOAT8_NUMERIC, list_make1(first)),
												   call_of(F_FLOAT8_NUMERIC, list_make1(second))));
		default:
			return call_of(F_NUMERIC_MUL, list_make2(as_numeric(first), as_numeric(second)));
	}
}
