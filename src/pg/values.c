/*
 * values.c -- text forms of values, the same in every session: labels of a
 * domain are stored as text, and must mean the same value to the custodian who
 * declared them, to the release worker and to the analyst.
 */
#include "dpsyn.h"

#include "utils/guc.h"
#include "utils/lsyscache.h"

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
dp_values_pin(GucContext context, GucSource source)
{
	for (size_t i = 0; i < lengthof(text_settings); i++)
		SetConfigOption(text_settings[i].name, text_settings[i].value, context, source);
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

char *
dp_value_out(Datum value, Oid type)
{
	Oid function;
	bool varlena;

	getTypeOutputInfo(type, &function, &varlena);
	return OidOutputFunctionCall(function, value);
}

bool
dp_type_has_bins(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}

int64
dp_value_word(Oid type, Datum value)
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

bool
dp_type_runs_code(Oid type)
{
	Oid element = get_element_type(type);

	if (OidIsValid(element))
		return get_typtype(element) == TYPTYPE_DOMAIN || dp_type_runs_code(element);
	return get_typtype(type) == TYPTYPE_COMPOSITE || type_is_range(type) ||
		   type_is_multirange(type);
}
