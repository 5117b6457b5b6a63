/*
 * suggest.c -- what a custodian may want to declare of a column, from the schema alone.
 */
#include "pg/domain/suggest.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/catalog.h"

/* Whether values of the type fall into bins; they are too many to be found one by one. */
static bool
has_bins(Oid type)
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

char *
dp_suggest_call(Oid relation, const DpUnmodelled *column)
{
	return psprintf("SELECT dp_define_column(%s, %s, %s);",
					quote_literal_cstr(dp_relation_label(relation)),
					quote_literal_cstr(column->name),
					has_bins(column->type) ? "bins => '{...}'" : "open => true");
}
