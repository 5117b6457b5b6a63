/*
 * expression_sql.c -- expressions of a question as SQL, and as words.
 *
 * Every name is written with its schema, every operator as OPERATOR(pg_catalog.+), and every constant
 * with its type. So there is one function that a call can mean, whatever search_path is.
 *
 *   - A division by zero is NULL: a / NULLIF(b, 0), which is computed once, however deep divisors are
 *     nested. NULLIF looks for "=", and search_path is pg_catalog where these statements run.
 *   - A column that is computed with is within its public range: what rule proves that no error
 *     comes of it relies on that. What is only compared is read as it is.
 *   - A text that is computed with has TEXT_LETTERS_MAX letters at most, so that no result is too
 *     large for a value.
 */
#include "pg/question/expression.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#define TEXT_LETTERS_MAX "65536"
#define FLOAT_DIGITS "30" /* of a numeric that becomes a float */

typedef struct Writer
{
	DpColumnText text;
	void *context;
	StringInfo sql;
} Writer;

static void write_part(const Writer *writer, const DpRowExpression *expression, bool computed);

static void
put(const Writer *writer, const char *words)
{
	appendStringInfoString(writer->sql, words);
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

static void
write_column(const Writer *writer, const DpRowExpression *column, bool computed)
{
	char *text = writer->text(writer->context, column, computed);

	if (computed && is_text(column->type))
		appendStringInfo(writer->sql, "pg_catalog.\"left\"(%s, " TEXT_LETTERS_MAX ")%s", text,
						 column->type == VARCHAROID  ? "::pg_catalog.varchar"
						 : column->type == BPCHAROID ? "::pg_catalog.bpchar"
													 : "");
	else
		put(writer, text);
}

static void
write_value(const Writer *writer, const DpRowExpression *value)
{
	appendStringInfo(writer->sql, "%s::%s",
					 value->text == NULL ? "NULL" : quote_literal_cstr(value->text),
					 dp_expression_type_label(value->type));
}

static bool
divides(const DpFunction *function)
{
	return function->rule == DP_RULE_DIVIDE || function->rule == DP_RULE_MODULO;
}

/* What is divided by: NULL where it is 0. */
static void
write_not_zero(const Writer *writer, const DpRowExpression *divisor)
{
	put(writer, "NULLIF(");
	write_part(writer, divisor, true);
	appendStringInfo(writer->sql, ", '0'::%s)", dp_expression_type_label(divisor->type));
}

static void
write_operator(const Writer *writer, const DpRowExpression *call)
{
	bool computed = !dp_function_reads_as_is(call->function);

	put(writer, "(");
	if (list_length(call->arguments) == 2)
		write_part(writer, linitial(call->arguments), computed);
	appendStringInfo(writer->sql, " OPERATOR(pg_catalog.%s) ", call->function->operator);
	if (divides(call->function))
		write_not_zero(writer, llast(call->arguments));
	else
		write_part(writer, llast(call->arguments), computed);
	put(writer, ")");
}

static void
write_list(const Writer *writer, const List *arguments, const char *between, bool computed)
{
	ListCell *cell;

	foreach (cell, arguments)
	{
		if (cell != list_head(arguments))
			put(writer, between);
		write_part(writer, lfirst(cell), computed);
	}
}

static void
write_function(const Writer *writer, const DpRowExpression *call)
{
	bool to_float = call->function->oid == F_FLOAT8_NUMERIC;

	appendStringInfo(writer->sql, "pg_catalog.%s(",
					 quote_identifier(get_func_name(call->function->oid)));
	if (to_float)
		put(writer, "pg_catalog.round(");
	if (divides(call->function)) /* mod */
	{
		write_part(writer, linitial(call->arguments), true);
		put(writer, ", ");
		write_not_zero(writer, lsecond(call->arguments));
	}
	else
		write_list(writer, call->arguments, ", ", !dp_function_reads_as_is(call->function));
	put(writer, to_float ? ", " FLOAT_DIGITS "))" : ")");
}

static void
write_call(const Writer *writer, const DpRowExpression *call)
{
	if (call->function->operator!= NULL)
		write_operator(writer, call);
	else
		write_function(writer, call);
}

static void
write_case(const Writer *writer, const DpRowExpression *of, bool computed)
{
	int n = list_length(of->arguments);

	put(writer, "CASE");
	for (int i = 0; i + 1 < n; i += 2)
	{
		put(writer, " WHEN ");
		write_part(writer, list_nth(of->arguments, i), false);
		put(writer, " THEN ");
		write_part(writer, list_nth(of->arguments, i + 1), computed);
	}
	put(writer, " ELSE ");
	write_part(writer, llast(of->arguments), computed);
	put(writer, " END");
}

/* By the equality of the type's default operator class, one comparison a value. */
static void
write_in(const Writer *writer, const DpRowExpression *of)
{
	write_part(writer, linitial(of->arguments), false);
	put(writer, " OPERATOR(pg_catalog.=) ANY (ARRAY[");
	for (int i = 1; i < list_length(of->arguments); i++)
	{
		put(writer, i > 1 ? ", " : "");
		write_value(writer, list_nth(of->arguments, i));
	}
	put(writer, "])");
}

/* A whole number is printed without zeros after a point. */
static void
write_printed(const Writer *writer, const DpRowExpression *of)
{
	bool numeric = of->type == NUMERICOID;

	put(writer, numeric ? "pg_catalog.trunc(" : "");
	write_part(writer, of, true);
	put(writer, numeric ? ", 0)::pg_catalog.text" : "::pg_catalog.text");
}

static void
write_part(const Writer *writer, const DpRowExpression *of, bool computed)
{
	check_stack_depth();
	if (of->kind == DP_X_COLUMN)
	{
		write_column(writer, of, computed);
		return;
	}
	if (of->kind == DP_X_VALUE)
	{
		write_value(writer, of);
		return;
	}
	if (of->kind == DP_X_LEVEL || of->kind == DP_X_CODED)
	{
		put(writer, writer->text(writer->context, of, false));
		return;
	}
	put(writer, "(");
	switch (of->kind)
	{
		case DP_X_CALL:
			write_call(writer, of);
			break;
		case DP_X_CASE:
			write_case(writer, of, computed);
			break;
		case DP_X_AND:
			write_list(writer, of->arguments, " AND ", false);
			break;
		case DP_X_OR:
			write_list(writer, of->arguments, " OR ", false);
			break;
		case DP_X_NOT:
			put(writer, "NOT ");
			write_part(writer, linitial(of->arguments), false);
			break;
		case DP_X_NULL:
			write_part(writer, linitial(of->arguments), false);
			put(writer, " IS NULL");
			break;
		case DP_X_IN:
			write_in(writer, of);
			break;
		case DP_X_EXISTS:
			appendStringInfo(writer->sql, "EXISTS (SELECT %s AND ",
							 writer->text(writer->context, of, false));
			write_part(writer, linitial(of->arguments), false);
			put(writer, ")");
			break;
		case DP_X_AS:
			write_part(writer, linitial(of->arguments), computed);
			appendStringInfo(writer->sql, "::%s", dp_expression_type_label(of->type));
			break;
		case DP_X_TEXT:
			write_printed(writer, linitial(of->arguments));
			break;
		default: /* COALESCE, LEAST, GREATEST */
			put(writer, of->kind == DP_X_COALESCE ? "COALESCE("
						: of->kind == DP_X_LEAST  ? "LEAST("
												  : "GREATEST(");
			write_list(writer, of->arguments, ", ", computed);
			put(writer, ")");
	}
	put(writer, ")");
}

char *
dp_x_sql(const DpRowExpression *expression, DpColumnText text, void *context)
{
	StringInfoData sql;
	Writer writer = {text, context, &sql};

	initStringInfo(&sql);
	write_part(&writer, expression, expression->kind != DP_X_COLUMN);
	return sql.data;
}

/* ---- words ---- */

static void words_of(const DpRowExpression *of, StringInfo words, bool within);

static void
words_list(const List *arguments, const char *between, StringInfo words, bool within)
{
	ListCell *cell;

	foreach (cell, arguments)
	{
		if (cell != list_head(arguments))
			appendStringInfoString(words, between);
		words_of(lfirst(cell), words, within);
	}
}

static bool
needs_quotes(Oid type)
{
	return type != INT2OID && type != INT4OID && type != INT8OID && type != NUMERICOID &&
		   type != FLOAT4OID && type != FLOAT8OID && type != BOOLOID;
}

static void
words_of_call(const DpRowExpression *of, StringInfo words, bool within)
{
	if (list_length(of->arguments) == 1 && of->function->rule == DP_RULE_SAME)
		words_of(linitial(of->arguments), words, within);
	else if (of->function->operator== NULL)
	{
		appendStringInfo(words, "%s(", get_func_name(of->function->oid));
		words_list(of->arguments, ", ", words, false);
		appendStringInfoChar(words, ')');
	}
	else
	{
		const char *sign = of->function->rule == DP_RULE_LIKE
							   ? (of->function->operator[0] == '!' ? "NOT LIKE" : "LIKE")
							   : of->function->operator;

		appendStringInfoString(words, within ? "(" : "");
		if (list_length(of->arguments) == 1)
			appendStringInfoString(words, sign);
		words_list(of->arguments, psprintf(" %s ", sign), words, true);
		appendStringInfoString(words, within ? ")" : "");
	}
}

static void
words_of_case(const DpRowExpression *of, StringInfo words)
{
	int n = list_length(of->arguments);

	appendStringInfoString(words, "CASE");
	for (int i = 0; i + 1 < n; i++)
	{
		appendStringInfoString(words, i % 2 == 0 ? " WHEN " : " THEN ");
		words_of(list_nth(of->arguments, i), words, false);
	}
	if (!dp_x_is_constant(llast(of->arguments)) ||
		((DpRowExpression *) llast(of->arguments))->text != NULL)
	{
		appendStringInfoString(words, " ELSE ");
		words_of(llast(of->arguments), words, false);
	}
	appendStringInfoString(words, " END");
}

static void
words_of(const DpRowExpression *of, StringInfo words, bool within)
{
	check_stack_depth();
	switch (of->kind)
	{
		case DP_X_COLUMN:
		case DP_X_LEVEL:
			appendStringInfoString(words, of->name);
			break;
		case DP_X_VALUE:
			appendStringInfoString(words, of->text == NULL         ? "NULL"
										  : needs_quotes(of->type) ? quote_literal_cstr(of->text)
																   : of->text);
			break;
		case DP_X_CALL:
			words_of_call(of, words, within);
			break;
		case DP_X_CASE:
			words_of_case(of, words);
			break;
		case DP_X_AND:
		case DP_X_OR:
			appendStringInfoString(words, within ? "(" : "");
			words_list(of->arguments, of->kind == DP_X_AND ? " AND " : " OR ", words, true);
			appendStringInfoString(words, within ? ")" : "");
			break;
		case DP_X_NOT:
			appendStringInfoString(words, "NOT ");
			words_of(linitial(of->arguments), words, true);
			break;
		case DP_X_NULL:
			words_of(linitial(of->arguments), words, true);
			appendStringInfoString(words, " IS NULL");
			break;
		case DP_X_IN:
			words_of(linitial(of->arguments), words, true);
			appendStringInfoString(words, " IN (");
			words_list(list_copy_tail(of->arguments, 1), ", ", words, false);
			appendStringInfoChar(words, ')');
			break;
		case DP_X_EXISTS:
			appendStringInfoString(words, "EXISTS (");
			words_of(linitial(of->arguments), words, false);
			appendStringInfoChar(words, ')');
			break;
		case DP_X_AS:
			words_of(linitial(of->arguments), words, within);
			break;
		case DP_X_TEXT:
			words_of(linitial(of->arguments), words, true);
			appendStringInfoString(words, "::text");
			break;
		default:
			appendStringInfoString(words, of->kind == DP_X_COALESCE ? "COALESCE("
										  : of->kind == DP_X_LEAST  ? "LEAST("
																	: "GREATEST(");
			words_list(of->arguments, ", ", words, false);
			appendStringInfoChar(words, ')');
	}
}

char *
dp_x_words(const DpRowExpression *expression)
{
	StringInfoData words;

	initStringInfo(&words);
	words_of(expression, &words, false);
	return words.data;
}
