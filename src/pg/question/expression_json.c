/*
 * expression_json.c -- expressions of a question to JSON and back (expression.h says how).
 */
#include "pg/question/expression.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

static const struct
{
	DpRowExpressionKind kind;
	const char *word;
} words[] = {
	{DP_X_CASE, "case"},   {DP_X_AND, "and"},           {DP_X_OR, "or"},
	{DP_X_NOT, "not"},     {DP_X_NULL, "null"},         {DP_X_IN, "in"},
	{DP_X_LEAST, "least"}, {DP_X_GREATEST, "greatest"}, {DP_X_COALESCE, "coalesce"},
	{DP_X_TEXT, "text"},
};

/* ---- writing ---- */

static const char *
word_of(DpRowExpressionKind kind)
{
	for (size_t i = 0; i < lengthof(words); i++)
		if (words[i].kind == kind)
			return words[i].word;
	elog(ERROR, "dpsyn: an expression of no known kind");
}

static char *
function_word(const DpFunction *function)
{
	char *word = pstrdup(function->name);

	for (char *at = word; *at; at++)
		*at = pg_tolower((unsigned char) *at);
	return word;
}

static void
write_text(const char *text, StringInfo json)
{
	if (text == NULL)
		appendStringInfoString(json, "null");
	else
		escape_json(json, text);
}

static void
expression_write(const DpRowExpression *expression, StringInfo json)
{
	ListCell *cell;

	check_stack_depth();
	switch (expression->kind)
	{
		case DP_X_COLUMN:
			appendStringInfo(json, "[\"column\", %u, ", expression->relation);
			write_text(expression->name, json);
			break;
		case DP_X_VALUE:
			appendStringInfoString(json, "[\"value\", ");
			write_text(dp_expression_type_name(expression->type), json);
			appendStringInfoString(json, ", ");
			write_text(expression->text, json);
			break;
		case DP_X_AS:
			appendStringInfoString(json, "[\"as\", ");
			write_text(dp_expression_type_name(expression->type), json);
			break;
		case DP_X_EXISTS:
			appendStringInfo(json, "[\"exists\", %u", expression->relation);
			break;
		case DP_X_CALL:
			appendStringInfo(json, "[\"%s\"", function_word(expression->function));
			break;
		default:
			appendStringInfo(json, "[\"%s\"", word_of(expression->kind));
	}
	foreach (cell, expression->arguments)
	{
		appendStringInfoString(json, ", ");
		expression_write(lfirst(cell), json);
	}
	appendStringInfoChar(json, ']');
}

char *
dp_x_text(const DpRowExpression *expression)
{
	StringInfoData json;

	initStringInfo(&json);
	expression_write(expression, &json);
	return json.data;
}

/* ---- reading ---- */

static DP_NORETURN void
refuse(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"question\" holds what is no expression"),
					errhint("dp_sql writes this option.")));
}

static char *
text_at(JsonbContainer *array, uint32 at)
{
	JsonbValue *value = getIthJsonbValueFromContainer(array, at);

	if (value == NULL || value->type != jbvString)
		refuse();
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static uint32
number_at(JsonbContainer *array, uint32 at)
{
	JsonbValue *value = getIthJsonbValueFromContainer(array, at);
	int64 number;

	if (value == NULL || value->type != jbvNumeric)
		refuse();
	number = DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(value->val.numeric)));
	if (number < 0 || number > 1000)
		refuse();
	return (uint32) number;
}

static Oid
type_at(JsonbContainer *array, uint32 at)
{
	Oid type = dp_expression_type_named(text_at(array, at));

	if (!OidIsValid(type) || !dp_expression_type(type))
		refuse();
	return type;
}

static DpRowExpression *
read_value(JsonbContainer *array)
{
	JsonbValue *value = getIthJsonbValueFromContainer(array, 2);

	if (JsonContainerSize(array) != 3 || value == NULL ||
		(value->type != jbvNull && value->type != jbvString))
		refuse();
	return dp_x_value(type_at(array, 1), value->type == jbvNull ? NULL : text_at(array, 2));
}

static DpRowExpression *
read_column(JsonbContainer *array, DpColumnType type, void *context)
{
	uint32 relation;
	char *name;

	if (JsonContainerSize(array) != 3)
		refuse();
	relation = number_at(array, 1);
	name = text_at(array, 2);
	return dp_x_column(relation, name, type(context, relation, name));
}

static List *
read_arguments(JsonbContainer *array, uint32 from, DpColumnType type, void *context, int *nodes)
{
	List *arguments = NIL;

	for (uint32 i = from; i < JsonContainerSize(array); i++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(array, i);

		if (value->type != jbvBinary)
			refuse();
		arguments = lappend(arguments, dp_x_read(value->val.binary.data, type, context, nodes));
	}
	return arguments;
}

static DpRowExpression *
read_named(const char *word, List *arguments)
{
	const DpFunction *function;

	for (size_t i = 0; i < lengthof(words); i++)
		if (strcmp(words[i].word, word) == 0)
			return dp_x_of(words[i].kind, arguments);
	function = dp_function_called(word, strlen(word));
	if (function == NULL)
		refuse();
	return dp_x_call(function, arguments);
}

DpRowExpression *
dp_x_read(JsonbContainer *array, DpColumnType type, void *context, int *nodes)
{
	char *word;
	List *arguments;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (!JsonContainerIsArray(array) || JsonContainerSize(array) < 1 || --*nodes < 0)
		refuse();
	word = text_at(array, 0);
	if (strcmp(word, "column") == 0)
		return read_column(array, type, context);
	if (strcmp(word, "value") == 0)
		return read_value(array);
	if (strcmp(word, "exists") == 0)
	{
		arguments = read_arguments(array, 2, type, context, nodes);
		if (list_length(arguments) != 1)
			refuse();
		/* the relation is one that belongs to another: whoever describes a column of it sees to that */
		return dp_x_exists(number_at(array, 1), linitial(arguments));
	}
	if (strcmp(word, "as") == 0)
	{
		arguments = read_arguments(array, 2, type, context, nodes);
		if (list_length(arguments) != 1)
			refuse();
		return dp_x_as(type_at(array, 1), linitial(arguments));
	}
	return read_named(word, read_arguments(array, 1, type, context, nodes));
}
