/*
 * json_field.c -- fields of a jsonb column as columns of their own.
 */
#include "pg/domain/json_field.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "parser/parse_type.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/numeric.h"

#include "pg/domain/range_part.h"
#include "pg/server/arguments.h"

/* ---- names ---- */

bool
dp_is_json_field(const char *words)
{
	return strstr(words, "->") != NULL || strstr(words, "#>") != NULL ||
		   dp_is_range_part_name(words);
}

bool
dp_is_json_field_name(const char *name)
{
	size_t length = strlen(name);

	if (dp_is_range_part_name(name))
		return true;
	return length > 0 && name[length - 1] == '\'' &&
		   (strstr(name, "->'") != NULL || strstr(name, "->>'") != NULL ||
			strstr(name, "-> E'") != NULL || strstr(name, "->> E'") != NULL);
}

static DP_NORETURN void
refuse(const char *words, const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("\"%s\" is no field of a jsonb column that can be modelled", words),
					errdetail("%s", detail),
					errhint("Write meta->>'plan', meta->'address'->>'city', or "
							"(meta->>'age')::integer.")));
}

/* What is read of a field. */
typedef struct Reading
{
	const char *words;
	DpJsonField *field;
	bool as_text; /* the last operator is ->> or #>> */
} Reading;

static const char *
constant_of(const Reading *reading, Node *node)
{
	if (!IsA(node, A_Const) || castNode(A_Const, node)->isnull ||
		!IsA(&castNode(A_Const, node)->val, String))
		refuse(reading->words, "Keys are texts in quotes; elements of arrays have no columns.");
	return strVal(&castNode(A_Const, node)->val);
}

/* '{a,b}' */
static List *
keys_of_array(const Reading *reading, const char *array)
{
	bool *nulls;
	int n;
	Datum *elements = dp_elements(OidFunctionCall3(F_ARRAY_IN, CStringGetDatum(array),
												   ObjectIdGetDatum(TEXTOID), Int32GetDatum(-1)),
								  &nulls, &n);
	List *keys = NIL;

	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			refuse(reading->words, "A key is NULL.");
		keys = lappend(keys, TextDatumGetCString(elements[i]));
	}
	if (n == 0)
		refuse(reading->words, "The path is empty.");
	return keys;
}

static void
read_node(Reading *reading, Node *node, bool outermost)
{
	DpJsonField *field = reading->field;
	const char *op;
	A_Expr *expression;

	if (IsA(node, ColumnRef) && list_length(castNode(ColumnRef, node)->fields) == 1 &&
		IsA(linitial(castNode(ColumnRef, node)->fields), String))
	{
		field->column = strVal(linitial(castNode(ColumnRef, node)->fields));
		return;
	}
	if (!IsA(node, A_Expr) || castNode(A_Expr, node)->kind != AEXPR_OP ||
		list_length(castNode(A_Expr, node)->name) != 1 || castNode(A_Expr, node)->lexpr == NULL)
		refuse(reading->words, "It must be a column with ->, ->>, #> or #>> behind it.");
	expression = castNode(A_Expr, node);
	op = strVal(linitial(expression->name));
	read_node(reading, expression->lexpr, false);
	if (strcmp(op, "->") != 0 && strcmp(op, "#>") != 0 &&
		(!outermost || (strcmp(op, "->>") != 0 && strcmp(op, "#>>") != 0)))
		refuse(reading->words, "It must be a column with ->, ->>, #> or #>> behind it.");
	reading->as_text = op[strlen(op) - 2] == '>';
	if (op[0] == '-')
		field->keys =
			lappend(field->keys, unconstify(char *, constant_of(reading, expression->rexpr)));
	else
		field->keys = list_concat(field->keys,
								  keys_of_array(reading, constant_of(reading, expression->rexpr)));
}

/* The name from which the field can be read again. */
static char *
name_of(const DpJsonField *field)
{
	StringInfoData name;
	ListCell *cell;

	initStringInfo(&name);
	appendStringInfoString(&name, quote_identifier(field->column));
	foreach (cell, field->keys)
		appendStringInfo(&name, "%s%s",
						 lnext(field->keys, cell) == NULL && field->type != JSONBOID ? "->>" : "->",
						 quote_literal_cstr(lfirst(cell)));
	return name.data;
}

static void
read_words(const char *words, Reading *reading, Node **cast)
{
	List *statements = raw_parser(words, RAW_PARSE_PLPGSQL_EXPR);
	SelectStmt *select = castNode(SelectStmt, linitial_node(RawStmt, statements)->stmt);
	Node *node;

	if (list_length(select->targetList) != 1 || select->fromClause != NIL ||
		select->whereClause != NULL)
		refuse(words, "It is more than an expression.");
	node = linitial_node(ResTarget, select->targetList)->val;
	*cast = NULL;
	if (IsA(node, TypeCast))
	{
		*cast = node;
		node = castNode(TypeCast, node)->arg;
	}
	reading->words = words;
	reading->field = palloc0(sizeof(DpJsonField));
	read_node(reading, node, true);
	if (reading->field->keys == NIL)
		refuse(words, "It must be a column with ->, ->>, #> or #>> behind it.");
}

DpJsonField *
dp_json_field_of_name(const char *name, Oid type)
{
	Reading reading = {0};
	Node *cast;

	if (dp_is_range_part_name(name))
		return dp_range_part_of_name(name, type);
	read_words(name, &reading, &cast);
	reading.field->type = type;
	reading.field->name = name;
	return reading.field;
}

Oid
dp_json_field_type(const DpJsonField *field)
{
	return field->part == DP_NO_RANGE_PART ? field->type
										   : dp_range_part_type(field->part, field->range);
}

void
dp_check_json_fields_apart(const DpJsonField *field, const DpJsonField *other)
{
	ListCell *a;
	ListCell *b;

	if (strcmp(field->column, other->column) != 0 || strcmp(field->name, other->name) == 0 ||
		field->part != DP_NO_RANGE_PART)
		return;
	forboth(a, field->keys, b, other->keys) if (strcmp(lfirst(a), lfirst(b)) != 0) return;
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("the field \"%s\" contains the field \"%s\"",
				list_length(field->keys) < list_length(other->keys) ? field->name : other->name,
				list_length(field->keys) < list_length(other->keys) ? other->name : field->name),
		 errhint("Take one of them back: dp_define_column with nothing but its name.")));
}

/* ---- types ---- */

/* Types of fields. Numbers are read as numeric, and cut to these limits before they are cast. */
static const struct Kind
{
	Oid type;
	const char *name;
	const char *low;
	const char *high;
} kinds[] = {
	{TEXTOID, "text", NULL, NULL},
	{JSONBOID, "jsonb", NULL, NULL},
	{BOOLOID, "bool", NULL, NULL},
	{DATEOID, "date", NULL, NULL},
	{INT2OID, "int2", "-32768", "32767"},
	{INT4OID, "int4", "-2147483648", "2147483647"},
	{INT8OID, "int8", "-9223372036854775808", "9223372036854775807"},
	{FLOAT8OID, "float8", "-1e300", "1e300"},
	{NUMERICOID, "numeric", "-1e300", "1e300"},
};

static const struct Kind *
kind_of(Oid type)
{
	for (size_t i = 0; i < lengthof(kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

DpJsonField *
dp_json_field_parse(const char *words)
{
	Reading reading = {0};
	int32 typmod = -1;
	Node *cast;

	if (strlen(words) == NAMEDATALEN - 1) /* it may have been longer */
		ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG),
						errmsg("the name of a field is too long: %s", words),
						errdetail("It has %d bytes at most.", NAMEDATALEN - 2)));
	if (dp_is_range_part_name(words))
		return dp_range_part_of_name(words, InvalidOid);
	read_words(words, &reading, &cast);
	reading.field->type = reading.as_text ? TEXTOID : JSONBOID;
	if (cast != NULL)
		typenameTypeIdAndMod(NULL, castNode(TypeCast, cast)->typeName, &reading.field->type,
							 &typmod);
	if (kind_of(reading.field->type) == NULL || typmod != -1)
		refuse(words, "A field is text, smallint, integer, bigint, numeric without a precision, "
					  "double precision, boolean, date or jsonb.");
	reading.field->name = name_of(reading.field);
	if (strlen(reading.field->name) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG),
						errmsg("the name of a field is too long: %s", reading.field->name),
						errdetail("It has %d bytes at most.", NAMEDATALEN - 1)));
	return reading.field;
}

/* ---- reading ---- */

#define NUMBER "^[-+]?[0-9]{1,200}([.][0-9]{1,200})?$" /* texts that are read as numbers */

/*
 * A number, and a text that is one. No cast fails: CASE keeps the others from it, and a text too
 * long to be a number from the regular expression. A number so near to 0 that double precision does
 * not hold it would be an error, so it is 0.
 */
static char *
number_expression(const char *json, const char *text, const struct Kind *kind)
{
	char *number = psprintf("(CASE pg_catalog.jsonb_typeof(%s)"
							" WHEN 'number' THEN (%s)::pg_catalog.numeric"
							" WHEN 'string' THEN CASE WHEN pg_catalog.octet_length(%s)"
							" OPERATOR(pg_catalog.<=) 402 THEN"
							" CASE WHEN %s OPERATOR(pg_catalog.~) '" NUMBER
							"' THEN (%s)::pg_catalog.numeric END END END)",
							json, json, text, text, text);
	char *zero = kind->type == FLOAT8OID
					 ? psprintf(" WHEN pg_catalog.abs(%s) OPERATOR(pg_catalog.<)"
								" '1e-300'::pg_catalog.numeric THEN '0'::pg_catalog.float8",
								number)
					 : pstrdup("");

	return psprintf("(CASE%s WHEN %s OPERATOR(pg_catalog.<) %s THEN %s::pg_catalog.%s"
					" WHEN %s OPERATOR(pg_catalog.>) %s THEN %s::pg_catalog.%s"
					" ELSE %s::pg_catalog.%s END)",
					zero, number, psprintf("'%s'::pg_catalog.numeric", kind->low),
					psprintf("'%s'", kind->low), kind->name, number,
					psprintf("'%s'::pg_catalog.numeric", kind->high), psprintf("'%s'", kind->high),
					kind->name, number, kind->name);
}

char *
dp_json_field_expression(const DpJsonField *field, const char *of)
{
	const struct Kind *kind = kind_of(field->type);
	StringInfoData json;
	char *text;
	ListCell *cell;

	if (field->part != DP_NO_RANGE_PART)
		return dp_range_part_expression(field, of);
	initStringInfo(&json);
	appendStringInfo(&json, "%s%s", of, quote_identifier(field->column));
	foreach (cell, field->keys)
	{
		if (lnext(field->keys, cell) == NULL)
			break;
		appendStringInfo(&json, " OPERATOR(pg_catalog.->) %s::pg_catalog.text",
						 quote_literal_cstr(lfirst(cell)));
	}
	text = psprintf("(%s OPERATOR(pg_catalog.->>) %s::pg_catalog.text)", json.data,
					quote_literal_cstr(llast(field->keys)));
	appendStringInfo(&json, " OPERATOR(pg_catalog.->) %s::pg_catalog.text",
					 quote_literal_cstr(llast(field->keys)));
	switch (field->type)
	{
		case TEXTOID:
			return text;
		case JSONBOID:
			return psprintf("(%s)", json.data);
		case BOOLOID:
			return psprintf("(CASE WHEN pg_catalog.jsonb_typeof(%s) OPERATOR(pg_catalog.=) "
							"'boolean' THEN (%s)::pg_catalog.bool END)",
							json.data, json.data);
		case DATEOID: /* the path has a date, or fails silently */
			return psprintf("(pg_catalog.jsonb_path_query_first(%s,"
							" '$.datetime(\"YYYY-MM-DD\")', '{}', true)"
							" OPERATOR(pg_catalog.#>>) '{}')::pg_catalog.date",
							json.data);
		default:
			return number_expression(psprintf("(%s)", json.data), text, kind);
	}
}

/* ---- putting together ---- */

static JsonbValue
text_value(char *words)
{
	JsonbValue value = {.type = jbvString};

	value.val.string.val = words;
	value.val.string.len = (int) strlen(words);
	return value;
}

static JsonbValue
numeric_value(Datum number)
{
	JsonbValue value = {.type = jbvNumeric};

	value.val.numeric = DatumGetNumeric(number);
	return value;
}

static JsonbValue
jsonb_value(Datum datum)
{
	Jsonb *json = DatumGetJsonbP(datum);
	JsonbValue value = {.type = jbvBinary};

	if (JB_ROOT_IS_SCALAR(json))
	{
		(void) JsonbExtractScalar(&json->root, &value);
		return value;
	}
	value.val.binary.data = &json->root;
	value.val.binary.len = (int) VARSIZE_ANY_EXHDR(json);
	return value;
}

static JsonbValue
value_of(Oid type, Datum datum)
{
	JsonbValue value = {.type = jbvBool};

	switch (type)
	{
		case JSONBOID:
			return jsonb_value(datum);
		case BOOLOID:
			value.val.boolean = DatumGetBool(datum);
			return value;
		case DATEOID:
			return text_value(JsonEncodeDateTime(NULL, datum, DATEOID, NULL));
		case INT2OID:
			return numeric_value(DirectFunctionCall1(int2_numeric, datum));
		case INT4OID:
			return numeric_value(DirectFunctionCall1(int4_numeric, datum));
		case INT8OID:
			return numeric_value(DirectFunctionCall1(int8_numeric, datum));
		case FLOAT8OID:
			return numeric_value(DirectFunctionCall1(float8_numeric, datum));
		case NUMERICOID:
			return numeric_value(datum);
		default:
			return text_value(TextDatumGetCString(datum));
	}
}

/* The fields of an object that is being made. */
typedef struct Making
{
	DpJsonField *const *field;
	const Datum *values;
	const bool *nulls;
	DpJsonbState state;
} Making;

/* Adds the object of the listed fields, whose first depth keys are the same. */
static void
add_object(Making *making, const List *listed, int depth)
{
	List *rest = list_copy(listed);

	DP_JSONB_PUSH(&making->state, WJB_BEGIN_OBJECT, NULL);
	while (rest != NIL)
	{
		int first = linitial_int(rest);
		char *key = list_nth(making->field[first]->keys, depth);
		JsonbValue value = text_value(key);
		List *same = NIL;
		List *others = NIL;
		ListCell *cell;

		foreach (cell, rest)
			if (strcmp(list_nth(making->field[lfirst_int(cell)]->keys, depth), key) == 0)
				same = lappend_int(same, lfirst_int(cell));
			else
				others = lappend_int(others, lfirst_int(cell));
		rest = others;
		DP_JSONB_PUSH(&making->state, WJB_KEY, &value);
		if (list_length(making->field[first]->keys) > depth + 1)
		{
			add_object(making, same, depth + 1);
			continue;
		}
		value = value_of(making->field[first]->type, making->values[first]);
		DP_JSONB_PUSH(&making->state, WJB_VALUE, &value);
	}
	DP_JSONB_PUSH(&making->state, WJB_END_OBJECT, NULL);
}

bool
dp_json_fields_object(DpJsonField *const *field, int n, const Datum *values, const bool *nulls,
					  Datum *object)
{
	Making making = {.field = field, .values = values, .nulls = nulls};
	List *there = NIL;

	if (n > 0 && field[0]->part != DP_NO_RANGE_PART)
		return dp_range_of_parts(field, n, values, nulls, object);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			there = lappend_int(there, i);
	add_object(&making, there, 0);
	*object = JsonbPGetDatum(JsonbValueToJsonb(making.state.result));
	return there != NIL;
}
