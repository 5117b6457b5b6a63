/*
 * functions.c -- the functions that a question may call. Each was looked at by itself: it is
 * immutable and PostgreSQL's own, its time is bounded by the size of its arguments, and it raises no
 * error where its rule holds (extent.c). No name is resolved: what counts is the OID.
 *
 * Left out on purpose: regular expressions (their time has no bound), casts of texts to numbers
 * (errors), what depends on settings (dates beside timestamps with time zone), repeat and the like
 * (memory), random numbers. to_char depends on settings for some patterns, which are refused.
 */
#include "pg/question/expression.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "pg/server/values.h"

#define CALL(word, rule)                                                                           \
	{                                                                                              \
		F_##word, #word, NULL, DP_RULE_##rule                                                      \
	}
#define OPERATOR(word, sign, rule)                                                                 \
	{                                                                                              \
		F_##word, #word, sign, DP_RULE_##rule                                                      \
	}
/* The six comparisons of a pair of types. */
#define COMPARE(prefix)                                                                            \
	OPERATOR(prefix##EQ, "=", COMPARE), OPERATOR(prefix##NE, "<>", COMPARE),                       \
		OPERATOR(prefix##LT, "<", COMPARE), OPERATOR(prefix##LE, "<=", COMPARE),                   \
		OPERATOR(prefix##GT, ">", COMPARE), OPERATOR(prefix##GE, ">=", COMPARE)

static const DpFunction functions[] = {
	COMPARE(INT2),
	COMPARE(INT4),
	COMPARE(INT8),
	COMPARE(INT24),
	COMPARE(INT42),
	COMPARE(INT28),
	COMPARE(INT82),
	COMPARE(INT48),
	COMPARE(INT84),
	COMPARE(FLOAT4),
	COMPARE(FLOAT8),
	COMPARE(FLOAT48),
	COMPARE(FLOAT84),
	COMPARE(NUMERIC_),
	COMPARE(BOOL),
	COMPARE(BPCHAR),
	COMPARE(DATE_),
	COMPARE(TIMESTAMP_),
	COMPARE(TIMESTAMPTZ_),
	COMPARE(TIME_),
	COMPARE(INTERVAL_),
	COMPARE(UUID_),
	COMPARE(ENUM_),
	OPERATOR(DATE_EQ_TIMESTAMP, "=", COMPARE),
	OPERATOR(DATE_NE_TIMESTAMP, "<>", COMPARE),
	OPERATOR(DATE_LT_TIMESTAMP, "<", COMPARE),
	OPERATOR(DATE_LE_TIMESTAMP, "<=", COMPARE),
	OPERATOR(DATE_GT_TIMESTAMP, ">", COMPARE),
	OPERATOR(DATE_GE_TIMESTAMP, ">=", COMPARE),
	OPERATOR(TIMESTAMP_EQ_DATE, "=", COMPARE),
	OPERATOR(TIMESTAMP_NE_DATE, "<>", COMPARE),
	OPERATOR(TIMESTAMP_LT_DATE, "<", COMPARE),
	OPERATOR(TIMESTAMP_LE_DATE, "<=", COMPARE),
	OPERATOR(TIMESTAMP_GT_DATE, ">", COMPARE),
	OPERATOR(TIMESTAMP_GE_DATE, ">=", COMPARE),
	OPERATOR(TEXTEQ, "=", COMPARE),
	OPERATOR(TEXTNE, "<>", COMPARE),
	OPERATOR(TEXT_LT, "<", COMPARE),
	OPERATOR(TEXT_LE, "<=", COMPARE),
	OPERATOR(TEXT_GT, ">", COMPARE),
	OPERATOR(TEXT_GE, ">=", COMPARE),

	OPERATOR(INT2PL, "+", ADD),
	OPERATOR(INT4PL, "+", ADD),
	OPERATOR(INT8PL, "+", ADD),
	OPERATOR(INT24PL, "+", ADD),
	OPERATOR(INT42PL, "+", ADD),
	OPERATOR(INT28PL, "+", ADD),
	OPERATOR(INT82PL, "+", ADD),
	OPERATOR(INT48PL, "+", ADD),
	OPERATOR(INT84PL, "+", ADD),
	OPERATOR(FLOAT8PL, "+", ADD),
	OPERATOR(FLOAT48PL, "+", ADD),
	OPERATOR(FLOAT84PL, "+", ADD),
	OPERATOR(NUMERIC_ADD, "+", ADD),
	OPERATOR(DATE_PLI, "+", ADD),
	OPERATOR(INTEGER_PL_DATE, "+", ADD),
	OPERATOR(INT2MI, "-", SUBTRACT),
	OPERATOR(INT4MI, "-", SUBTRACT),
	OPERATOR(INT8MI, "-", SUBTRACT),
	OPERATOR(INT24MI, "-", SUBTRACT),
	OPERATOR(INT42MI, "-", SUBTRACT),
	OPERATOR(INT28MI, "-", SUBTRACT),
	OPERATOR(INT82MI, "-", SUBTRACT),
	OPERATOR(INT48MI, "-", SUBTRACT),
	OPERATOR(INT84MI, "-", SUBTRACT),
	OPERATOR(FLOAT8MI, "-", SUBTRACT),
	OPERATOR(FLOAT48MI, "-", SUBTRACT),
	OPERATOR(FLOAT84MI, "-", SUBTRACT),
	OPERATOR(NUMERIC_SUB, "-", SUBTRACT),
	OPERATOR(DATE_MII, "-", SUBTRACT),
	OPERATOR(DATE_MI, "-", SUBTRACT),
	OPERATOR(INT2MUL, "*", MULTIPLY),
	OPERATOR(INT4MUL, "*", MULTIPLY),
	OPERATOR(INT8MUL, "*", MULTIPLY),
	OPERATOR(INT24MUL, "*", MULTIPLY),
	OPERATOR(INT42MUL, "*", MULTIPLY),
	OPERATOR(INT28MUL, "*", MULTIPLY),
	OPERATOR(INT82MUL, "*", MULTIPLY),
	OPERATOR(INT48MUL, "*", MULTIPLY),
	OPERATOR(INT84MUL, "*", MULTIPLY),
	OPERATOR(FLOAT8MUL, "*", MULTIPLY),
	OPERATOR(FLOAT48MUL, "*", MULTIPLY),
	OPERATOR(FLOAT84MUL, "*", MULTIPLY),
	OPERATOR(NUMERIC_MUL, "*", MULTIPLY),
	OPERATOR(INT2DIV, "/", DIVIDE),
	OPERATOR(INT4DIV, "/", DIVIDE),
	OPERATOR(INT8DIV, "/", DIVIDE),
	OPERATOR(INT24DIV, "/", DIVIDE),
	OPERATOR(INT42DIV, "/", DIVIDE),
	OPERATOR(INT28DIV, "/", DIVIDE),
	OPERATOR(INT82DIV, "/", DIVIDE),
	OPERATOR(INT48DIV, "/", DIVIDE),
	OPERATOR(INT84DIV, "/", DIVIDE),
	OPERATOR(FLOAT8DIV, "/", DIVIDE),
	OPERATOR(FLOAT48DIV, "/", DIVIDE),
	OPERATOR(FLOAT84DIV, "/", DIVIDE),
	OPERATOR(NUMERIC_DIV, "/", DIVIDE),
	OPERATOR(INT2MOD, "%", MODULO),
	OPERATOR(INT4MOD, "%", MODULO),
	OPERATOR(INT8MOD, "%", MODULO),
	OPERATOR(NUMERIC_MOD, "%", MODULO),
	CALL(MOD_INT2_INT2, MODULO),
	CALL(MOD_INT4_INT4, MODULO),
	CALL(MOD_INT8_INT8, MODULO),
	CALL(MOD_NUMERIC_NUMERIC, MODULO),
	OPERATOR(INT2UM, "-", NEGATE),
	OPERATOR(INT4UM, "-", NEGATE),
	OPERATOR(INT8UM, "-", NEGATE),
	OPERATOR(FLOAT8UM, "-", NEGATE),
	OPERATOR(NUMERIC_UMINUS, "-", NEGATE),
	OPERATOR(INT2UP, "+", SAME),
	OPERATOR(INT4UP, "+", SAME),
	OPERATOR(INT8UP, "+", SAME),
	OPERATOR(FLOAT8UP, "+", SAME),
	OPERATOR(NUMERIC_UPLUS, "+", SAME),

	CALL(INT2_INT4, SAME),
	CALL(INT2_INT8, SAME),
	CALL(INT4_INT2, SAME),
	CALL(INT4_INT8, SAME),
	CALL(INT8_INT2, SAME),
	CALL(INT8_INT4, SAME),
	CALL(FLOAT8_INT2, SAME),
	CALL(FLOAT8_INT4, SAME),
	CALL(FLOAT8_INT8, SAME),
	CALL(FLOAT8_FLOAT4, SAME),
	CALL(FLOAT8_NUMERIC, SAME),
	CALL(NUMERIC_INT2, SAME),
	CALL(NUMERIC_INT4, SAME),
	CALL(NUMERIC_INT8, SAME),
	CALL(NUMERIC_FLOAT4, DECIMAL),
	CALL(NUMERIC_FLOAT8, DECIMAL),
	CALL(INT2_NUMERIC, ROUND),
	CALL(INT4_NUMERIC, ROUND),
	CALL(INT8_NUMERIC, ROUND),
	CALL(INT4_FLOAT8, ROUND),
	CALL(INT8_FLOAT8, ROUND),
	CALL(NUMERIC_NUMERIC_INT4, PRECISION),
	CALL(INT4_BOOL, BOOLEAN_NUMBER),

	CALL(ABS_INT2, ABS),
	CALL(ABS_INT4, ABS),
	CALL(ABS_INT8, ABS),
	CALL(ABS_FLOAT8, ABS),
	CALL(ABS_NUMERIC, ABS),
	CALL(SIGN_FLOAT8, SIGN),
	CALL(SIGN_NUMERIC, SIGN),
	CALL(ROUND_FLOAT8, ROUND),
	CALL(ROUND_NUMERIC, ROUND),
	CALL(ROUND_NUMERIC_INT4, ROUND),
	CALL(TRUNC_FLOAT8, ROUND),
	CALL(TRUNC_NUMERIC, ROUND),
	CALL(TRUNC_NUMERIC_INT4, ROUND),
	CALL(CEIL_FLOAT8, ROUND),
	CALL(CEIL_NUMERIC, ROUND),
	CALL(CEILING_FLOAT8, ROUND),
	CALL(CEILING_NUMERIC, ROUND),
	CALL(FLOOR_FLOAT8, ROUND),
	CALL(FLOOR_NUMERIC, ROUND),
	CALL(SQRT_FLOAT8, SQRT),
	CALL(SQRT_NUMERIC, SQRT),
	CALL(LN_FLOAT8, LN),
	CALL(LN_NUMERIC, LN),
	CALL(LOG10_FLOAT8, LN),
	CALL(LOG10_NUMERIC, LN),
	CALL(LOG_FLOAT8, LN),
	CALL(LOG_NUMERIC, LN),
	CALL(EXP_FLOAT8, EXP),
	CALL(EXP_NUMERIC, EXP),
	CALL(WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4, BUCKET),
	CALL(WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4, BUCKET),

	OPERATOR(DATE_PL_INTERVAL, "+", TIME),
	OPERATOR(DATE_MI_INTERVAL, "-", TIME),
	OPERATOR(TIMESTAMP_PL_INTERVAL, "+", TIME),
	OPERATOR(TIMESTAMP_MI_INTERVAL, "-", TIME),
	CALL(TIMESTAMP_DATE, TIME),
	CALL(DATE_TIMESTAMP, TIME),
	OPERATOR(TIMESTAMP_MI, "-", SUBTRACT),
	OPERATOR(TIMESTAMPTZ_MI, "-", SUBTRACT),
	CALL(INTERVAL_TIME, SAME),
	CALL(DATE_TRUNC_TEXT_TIMESTAMP, TIME),
	CALL(DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, TIME),
	CALL(TIMEZONE_TEXT_TIMESTAMPTZ, TIME), /* of UTC, or a place */
	CALL(TIMEZONE_TEXT_TIMESTAMP, TIME),
	CALL(DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, TIME),
	CALL(DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, TIME),
	CALL(TIME_TIMESTAMP, CLOCK),
	CALL(AGE_TIMESTAMP_TIMESTAMP, AGE),
	CALL(TO_CHAR_TIMESTAMP_TEXT, FORMAT),
	CALL(EXTRACT_TEXT_DATE, EXTRACT),
	CALL(EXTRACT_TEXT_TIMESTAMP, EXTRACT),
	CALL(EXTRACT_TEXT_TIME, EXTRACT),
	CALL(EXTRACT_TEXT_INTERVAL, EXTRACT),
	CALL(DATE_PART_TEXT_TIMESTAMP, EXTRACT),
	CALL(DATE_PART_TEXT_TIME, EXTRACT),
	CALL(DATE_PART_TEXT_INTERVAL, EXTRACT),

	OPERATOR(TEXTLIKE, "~~", LIKE),
	OPERATOR(TEXTNLIKE, "!~~", LIKE),
	OPERATOR(TEXTICLIKE, "~~*", LIKE),
	OPERATOR(TEXTICNLIKE, "!~~*", LIKE),
	OPERATOR(BPCHARLIKE, "~~", LIKE),
	OPERATOR(BPCHARNLIKE, "!~~", LIKE),
	OPERATOR(BPCHARICLIKE, "~~*", LIKE),
	OPERATOR(BPCHARICNLIKE, "!~~*", LIKE),
	CALL(STARTS_WITH, COMPARE),
	OPERATOR(TEXTCAT, "||", TEXT),
	CALL(TEXT_BPCHAR, TEXT),
	CALL(LOWER_TEXT, TEXT),
	CALL(UPPER_TEXT, TEXT),
	CALL(BTRIM_TEXT, TEXT),
	CALL(BTRIM_TEXT_TEXT, TEXT),
	CALL(LTRIM_TEXT, TEXT),
	CALL(LTRIM_TEXT_TEXT, TEXT),
	CALL(RTRIM_TEXT, TEXT),
	CALL(RTRIM_TEXT_TEXT, TEXT),
	CALL(LEFT, TEXT),
	CALL(RIGHT, TEXT),
	CALL(SUBSTR_TEXT_INT4, TEXT),
	CALL(SUBSTR_TEXT_INT4_INT4, TEXT),
	CALL(SUBSTRING_TEXT_INT4, TEXT),
	CALL(SUBSTRING_TEXT_INT4_INT4, TEXT),
	CALL(SPLIT_PART, TEXT),
	CALL(REPLACE, TEXT),
	CALL(TRANSLATE, TEXT),
	CALL(LPAD_TEXT_INT4, TEXT),
	CALL(LPAD_TEXT_INT4_TEXT, TEXT),
	CALL(RPAD_TEXT_INT4, TEXT),
	CALL(RPAD_TEXT_INT4_TEXT, TEXT),
	CALL(INITCAP, TEXT),
	CALL(REVERSE, TEXT),
	CALL(STRPOS, LENGTH),
	CALL(POSITION_TEXT_TEXT, LENGTH),
	CALL(LENGTH_TEXT, LENGTH),
	CALL(LENGTH_BPCHAR, LENGTH),
	CALL(CHAR_LENGTH_TEXT, LENGTH),
	CALL(CHAR_LENGTH_BPCHAR, LENGTH),
	CALL(CHARACTER_LENGTH_TEXT, LENGTH),
	CALL(CHARACTER_LENGTH_BPCHAR, LENGTH),
};

const DpFunction *
dp_function_of(Oid oid)
{
	for (size_t i = 0; i < lengthof(functions); i++)
		if (functions[i].oid == oid)
			return &functions[i];
	return NULL;
}

const DpFunction *
dp_function_called(const char *name, size_t length)
{
	for (size_t i = 0; i < lengthof(functions); i++)
		if (strlen(functions[i].name) == length &&
			pg_strncasecmp(functions[i].name, name, length) == 0)
			return &functions[i];
	return NULL;
}

/* What the operators are called that have their arguments the other way round, and that are true where
 * they are false. */
static const struct
{
	const char *operator, * mirrored, *negated;
} comparisons[] = {{"=", "=", "<>"}, {"<>", "<>", "="}, {"<", ">", ">="},
				   {">", "<", "<="}, {"<=", ">=", ">"}, {">=", "<=", "<"}};

/* The comparison of that operator, of arguments of these types. */
static const DpFunction *
comparison(const char *sign, Oid left, Oid right)
{
	Oid *others;
	int n;

	for (size_t i = 0; i < lengthof(functions); i++)
	{
		if (functions[i].rule != DP_RULE_COMPARE || functions[i].operator== NULL ||
														strcmp(functions[i].operator, sign) != 0)
			continue;
		(void) get_func_signature(functions[i].oid, &others, &n);
		if (others[0] == left && others[1] == right)
			return &functions[i];
	}
	return NULL;
}

const DpFunction *
dp_function_commuted(const DpFunction *function)
{
	Oid *types;
	int n;

	(void) get_func_signature(function->oid, &types, &n);
	for (size_t i = 0; i < lengthof(comparisons); i++)
		if (strcmp(comparisons[i].operator, function->operator) == 0)
			return comparison(comparisons[i].mirrored, types[1], types[0]);
	return NULL;
}

const DpFunction *
dp_function_negated(const DpFunction *function)
{
	Oid *types;
	int n;

	if (function->rule != DP_RULE_COMPARE || function->operator== NULL)
		return NULL;
	(void) get_func_signature(function->oid, &types, &n);
	for (size_t i = 0; i < lengthof(comparisons); i++)
		if (strcmp(comparisons[i].operator, function->operator) == 0)
			return comparison(comparisons[i].negated, types[0], types[1]);
	return NULL;
}

bool
dp_function_reads_as_is(const DpFunction *function)
{
	return function->rule == DP_RULE_COMPARE || function->rule == DP_RULE_LIKE ||
		   function->rule == DP_RULE_BOOLEAN_NUMBER;
}

/* ---- types ---- */

static const struct
{
	Oid type;
	const char *name; /* in pg_type: format_type would call text of any length "character" */
} names[] = {
	{BOOLOID, "bool"},           {INT2OID, "int2"},
	{INT4OID, "int4"},           {INT8OID, "int8"},
	{FLOAT4OID, "float4"},       {FLOAT8OID, "float8"},
	{NUMERICOID, "numeric"},     {DATEOID, "date"},
	{TIMESTAMPOID, "timestamp"}, {TIMESTAMPTZOID, "timestamptz"},
	{TIMEOID, "time"},           {INTERVALOID, "interval"},
	{TEXTOID, "text"},           {VARCHAROID, "varchar"},
	{BPCHAROID, "bpchar"},       {UUIDOID, "uuid"},
};

bool
dp_expression_type(Oid type)
{
	for (size_t i = 0; i < lengthof(names); i++)
		if (names[i].type == type)
			return true;
	return type_is_enum(type);
}

bool
dp_is_of_citext(Oid class, Oid object)
{
	Oid extension = object < FirstNormalObjectId ? InvalidOid : getExtensionOfObject(class, object);
	const char *name = OidIsValid(extension) ? get_extension_name(extension) : NULL;

	return name != NULL && strcmp(name, "citext") == 0;
}

Oid
dp_expression_type_read(Oid type)
{
	if (type == CASHOID)
		return NUMERICOID;
	if (dp_expression_type(type))
		return type;
	return dp_is_of_citext(TypeRelationId, type) && IsBinaryCoercible(type, TEXTOID) ? TEXTOID
																					 : InvalidOid;
}

char *
dp_expression_type_name(Oid type)
{
	for (size_t i = 0; i < lengthof(names); i++)
		if (names[i].type == type)
			return pstrdup(names[i].name);
	return dp_type_label(type);
}

Oid
dp_expression_type_named(const char *name)
{
	for (size_t i = 0; i < lengthof(names); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].type;
	return dp_type_of_label(name);
}

char *
dp_expression_type_label(Oid type)
{
	char *name = dp_expression_type_name(type);

	return type_is_enum(type) ? name : psprintf("pg_catalog.%s", name);
}
