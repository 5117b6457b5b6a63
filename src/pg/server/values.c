/*
 * values.c -- texts of values, types and collations that mean the same in every session.
 *
 * The labels of a domain are stored as text. They must mean the same value to the custodian who
 * declared them, to the release worker and to the analyst.
 */
#include "pg/server/values.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "pg/server/numbers.h"

/* Every setting that the text form of a built-in type depends on. */
static const struct
{
	const char *name;
	const char *value;
} text_settings[] = {
	{"DateStyle", "ISO, YMD"}, {"IntervalStyle", "postgres"}, {"extra_float_digits", "1"},
	{"bytea_output", "hex"},   {"TimeZone", "UTC"},           {"lc_monetary", "C"},
	{"xmloption", "content"},  {"array_nulls", "on"},
};

void
dp_values_pin(void)
{
	for (size_t i = 0; i < lengthof(text_settings); i++)
		SetConfigOption(text_settings[i].name, text_settings[i].value, PGC_SUSET, PGC_S_OVERRIDE);
}

int
dp_values_begin(void)
{
	int level = NewGUCNestLevel();

	for (size_t i = 0; i < lengthof(text_settings); i++)
		(void) set_config_option(text_settings[i].name, text_settings[i].value, PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

int
dp_words_begin(void)
{
	int level = dp_values_begin();

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

void
dp_values_end(int level)
{
	AtEOXact_GUC(false, level);
}

Datum
dp_value_in(const char *words, Oid type, int32 typmod)
{
	Oid function;
	Oid parameter;

	getTypeInputInfo(type, &function, &parameter);
	return OidInputFunctionCall(function, unconstify(char *, words), parameter, typmod);
}

static void
tell_column(void *argument)
{
	const DpValueContext *context = argument;

	errcontext("%s of column \"%s\", read as type %s", context->what, context->column,
			   format_type_be(context->type));
	if (context->read_from != NULL &&
		dp_type_of_label(context->read_from) != getBaseType(context->type))
		errhint("The column was released as %s. Draw it into a column of that type.",
				context->read_from);
}

Datum
dp_column_value_in(const char *words, Oid type, int32 typmod, DpValueContext *context)
{
	ErrorContextCallback callback = {error_context_stack, tell_column, context};
	Datum value;

	context->type = type;
	error_context_stack = &callback;
	value = dp_value_in(words, type, typmod);
	error_context_stack = callback.previous;
	return value;
}

char *
dp_value_out(Datum value, Oid type)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(type, &function, &varlena);
	return OidOutputFunctionCall(function, value);
}

char *
dp_value_canonical(const char *words, Oid type, int32 typmod)
{
	Datum value = dp_value_in(words, type, typmod);
	int level = dp_values_begin();
	char *canonical = dp_value_out(value, type);

	dp_values_end(level);
	return canonical;
}

Oid
dp_type_of_parts(Oid type)
{
	if (OidIsValid(get_element_type(type)))
		type = get_element_type(type);
	if (type_is_multirange(type))
		type = get_multirange_range(type);
	return OidIsValid(get_range_subtype(type)) ? get_range_subtype(type) : type;
}

bool
dp_type_reads_by_settings(Oid type)
{
	if (type >= FirstNormalObjectId) /* reading it can run anybody's code */
		return false;
	switch (dp_type_of_parts(type))
	{
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMETZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

/* ---- the text form of a column in a statement ---- */

PG_FUNCTION_INFO_V1(dp_text);

char *
dp_text_expression(const char *column)
{
	return psprintf("dp_catalog.dp_text(%s)", column);
}

typedef struct TextForm
{
	Oid base;
	FmgrInfo output;
} TextForm;

static TextForm *
text_form(FmgrInfo *flinfo)
{
	TextForm *form = flinfo->fn_extra;
	Oid type = get_fn_expr_argtype(flinfo, 0);
	Oid function;
	bool varlena;

	if (form != NULL)
		return form;
	if (!OidIsValid(type))
		elog(ERROR, "dpsyn: the type of a value is not known");
	form = MemoryContextAlloc(flinfo->fn_mcxt, sizeof(TextForm));
	form->base = getBaseType(type);
	getTypeOutputInfo(form->base, &function, &varlena);
	fmgr_info_cxt(function, &form->output, flinfo->fn_mcxt);
	flinfo->fn_extra = form;
	return form;
}

/* As PostgreSQL's own casts: true rather than t, and no blanks at the end of a char(n). */
Datum
dp_text(PG_FUNCTION_ARGS)
{
	TextForm *form = text_form(fcinfo->flinfo);
	Datum value = PG_GETARG_DATUM(0);

	switch (form->base)
	{
		case TEXTOID:
		case VARCHAROID:
			PG_RETURN_DATUM(value);
		case BPCHAROID:
			return DirectFunctionCall1(rtrim1, value);
		case BOOLOID:
			PG_RETURN_TEXT_P(cstring_to_text(DatumGetBool(value) ? "true" : "false"));
		default:
			PG_RETURN_TEXT_P(cstring_to_text(OutputFunctionCall(&form->output, value)));
	}
}

/* ---- names of types and collations ---- */

#define BUILT_IN "pg_catalog."

/* A built-in type goes without its schema: "name", not "pg_catalog.name". */
char *
dp_type_label(Oid type)
{
	char *label = format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY);

	return strncmp(label, BUILT_IN, strlen(BUILT_IN)) == 0 ? label + strlen(BUILT_IN) : label;
}

/*
 * The schema and the name in a label: "name" of a built-in object, or schema.name. InvalidOid if
 * it is neither, or there is no such schema.
 */
static Oid
schema_of_label(const char *label, const char **name)
{
	List *names;

	if (!SplitIdentifierString(pstrdup(label), '.', &names) || names == NIL ||
		list_length(names) > 2)
		return InvalidOid;
	*name = llast(names);
	return list_length(names) == 2 ? get_namespace_oid(linitial(names), true)
								   : PG_CATALOG_NAMESPACE;
}

static Oid
type_named(const char *label)
{
	const char *name;
	Oid schema = schema_of_label(label, &name);

	if (!OidIsValid(schema))
		return InvalidOid;
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
						   ObjectIdGetDatum(schema));
}

/* The type, unless it is a shell or a pseudo-type. */
static Oid
usable_type(Oid type)
{
	if (!OidIsValid(type) || !get_typisdefined(type) || get_typtype(type) == TYPTYPE_PSEUDO)
		return InvalidOid;
	return type;
}

Oid
dp_type_of_label(const char *label)
{
	static const Oid known[] = {
		BOOLOID,   INT2OID,     INT4OID, INT8OID,      FLOAT4OID,
		FLOAT8OID, NUMERICOID,  TEXTOID, VARCHAROID,   NAMEOID,
		BPCHAROID, INTERVALOID, DATEOID, TIMESTAMPOID, TIMESTAMPTZOID,
	};
	size_t length;

	if (label == NULL)
		return InvalidOid;
	for (size_t i = 0; i < lengthof(known); i++)
	{
		if (strcmp(label, dp_type_label(known[i])) == 0)
			return known[i];
	}
	length = strlen(label);
	if (length > 2 && strcmp(label + length - 2, "[]") == 0)
		return get_array_type(dp_type_of_label(pnstrdup(label, length - 2)));
	return usable_type(type_named(label));
}

Oid
dp_collation_of_label(const char *label)
{
	const char *name;
	Oid schema = schema_of_label(label, &name);
	Oid collation = InvalidOid;

	/* one of this encoding goes before one of any encoding */
	if (OidIsValid(schema))
		collation = GetSysCacheOid3(COLLNAMEENCNSP, Anum_pg_collation_oid, CStringGetDatum(name),
									Int32GetDatum(GetDatabaseEncoding()), ObjectIdGetDatum(schema));
	if (OidIsValid(schema) && !OidIsValid(collation))
		collation = GetSysCacheOid3(COLLNAMEENCNSP, Anum_pg_collation_oid, CStringGetDatum(name),
									Int32GetDatum(-1), ObjectIdGetDatum(schema));
	return collation;
}

char *
dp_collation_name(Oid collation)
{
	HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Form_pg_collation form;
	char *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	form = (Form_pg_collation) GETSTRUCT(tuple);
	name = quote_qualified_identifier(get_namespace_name(form->collnamespace),
									  NameStr(form->collname));
	ReleaseSysCache(tuple);
	return name;
}

const char *
dp_collation_label(Oid collation)
{
	return !OidIsValid(collation) || get_collation_isdeterministic(collation)
			   ? NULL
			   : dp_collation_name(collation);
}

bool
dp_type_has_bins(Oid type)
{
	const Oid base = getBaseType(type);

	return dp_is_number(base) || dp_is_time(base);
}

int64
dp_value_word(Datum value, Oid type)
{
	switch (type)
	{
		case BOOLOID:
			return DatumGetBool(value);
		case CHAROID:
			return DatumGetChar(value);
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
		case DATEOID:
			return DatumGetInt32(value);
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DatumGetInt64(value);
		default: /* oid, enum */
			return DatumGetObjectId(value);
	}
}

/* The base type of an array's elements; any other type as it is. */
static Oid
scalar_type(Oid type)
{
	Oid element = get_element_type(type);

	return OidIsValid(element) ? getBaseType(element) : type;
}

/*
 * Which object a text names, and which text is printed for an object, depend on search_path, on
 * renames and on what else has that name. No setting pins that.
 */
bool
dp_type_names_objects(Oid type)
{
	switch (scalar_type(type))
	{
		case REGPROCOID:
		case REGPROCEDUREOID:
		case REGOPEROID:
		case REGOPERATOROID:
		case REGCLASSOID:
		case REGCOLLATIONOID:
		case REGTYPEOID:
		case REGROLEOID:
		case REGNAMESPACEOID:
		case REGCONFIGOID:
		case REGDICTIONARYOID:
		case ACLITEMOID:
			return true;
		default:
			return false;
	}
}

bool
dp_type_is_plain(Oid type)
{
	return type < FirstNormalObjectId && get_typtype(type) == TYPTYPE_BASE &&
		   !OidIsValid(get_element_type(type)) && !dp_type_names_objects(type);
}

/*
 * Values that are discovered are printed, and read again to be counted. If several functions, or
 * operators, have one name, these types print that name and then refuse to read it.
 */
void
dp_check_open(const char *column, Oid type)
{
	Oid scalar = scalar_type(getBaseType(type));

	if (scalar == REGPROCOID || scalar == REGOPEROID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of type %s cannot be open", column, format_type_be(type)),
				 errdetail("Several objects can have the name that it prints."),
				 errhint("Declare categories.")));
}
