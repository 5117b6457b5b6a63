/*
 * declared_values.c -- the column that a declaration names, and the values that it gives, checked.
 */
#include "pg/domain/declared_values.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/domain/bins.h"
#include "pg/domain/range_part.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

bool
dp_named_column(Oid relation, const char *name, DpNamedColumn *column)
{
	HeapTuple tuple = SearchSysCacheAttName(relation, name);
	Form_pg_attribute form;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_attribute) GETSTRUCT(tuple);
	*column = (DpNamedColumn){.name = name,
							  .number = form->attnum,
							  .type = form->atttypid,
							  .typmod = form->atttypmod,
							  .collation = form->attcollation};
	if (form->attnum < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
						errmsg("system column \"%s\" cannot be modelled", name)));
	if (dp_is_json_field_name(name))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" cannot be declared", name),
						errdetail("Its name is that of a field of a jsonb column."),
						errhint("Rename the column.")));
	ReleaseSysCache(tuple);
	return true;
}

bool
dp_named_field(Oid relation, const char *words, DpNamedColumn *column)
{
	DpJsonField *field;
	DpNamedColumn whole;

	if (!dp_is_json_field(words))
		return false;
	field = dp_json_field_parse(words);
	if (!dp_named_column(relation, field->column, &whole))
		dp_no_such_column(field->column, relation,
						  field->part == DP_NO_RANGE_PART ? "A field of it was declared."
														  : "A part of it was declared.");
	if (field->part != DP_NO_RANGE_PART)
	{
		if (!dp_type_has_range_parts(whole.type))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" has no ends", whole.name),
					 errdetail("It is of type %s, which is none of PostgreSQL's range types.",
							   format_type_be(whole.type))));
		field->type = dp_range_part_type(field->part, whole.type);
		field->range = whole.type;
	}
	else if (whole.type != JSONBOID)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("column \"%s\" has no fields", whole.name),
			 errdetail("It is of type %s, and fields are of jsonb.", format_type_be(whole.type))));
	*column = (DpNamedColumn){.name = field->name,
							  .number = whole.number,
							  .type = field->type,
							  .typmod = -1,
							  .collation = get_typcollation(field->type),
							  .field = field};
	return true;
}

static void
check_labels_count(int n, int minimum, const char *what)
{
	if (n < minimum)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("too few %s", what),
						errdetail("At least %d must be given.", minimum)));
	if (n > DP_LEVELS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many %s", what),
						errdetail("The limit is %d.", DP_LEVELS_MAX)));
}

Datum *
dp_declared_values(Datum array, const DpNamedColumn *column, int minimum, const char *what,
				   Datum **texts, int *n)
{
	DpValueContext context = {.column = column->name, .what = what};
	bool *nulls;
	Datum *values;
	int level;

	*texts = dp_elements(array, &nulls, n);
	check_labels_count(*n, minimum, what);
	values = palloc(sizeof(Datum) * *n);
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not contain NULL", what),
							errdetail("NULL has its level wherever a column can hold it.")));
		values[i] = dp_column_value_in(TextDatumGetCString((*texts)[i]), column->type,
									   column->typmod, &context);
	}
	level = dp_values_begin();
	for (int i = 0; i < *n; i++)
		(*texts)[i] = CStringGetTextDatum(dp_value_out(values[i], column->type));
	dp_values_end(level);
	return values;
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

void
dp_declared_distinct(Datum *texts, int n, const char *column)
{
	char **sorted = palloc(sizeof(char *) * n);

	for (int i = 0; i < n; i++)
		sorted[i] = TextDatumGetCString(texts[i]);
	qsort(sorted, n, sizeof(char *), compare_texts);
	for (int i = 1; i < n; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("category \"%s\" of column \"%s\" is given twice", sorted[i], column),
					 errdetail("Two spellings can be one value, like 1 and 01 of an integer.")));
}

void
dp_declared_edges(const DpNamedColumn *column, Datum *edges, int n)
{
	TypeCacheEntry *type = lookup_type_cache(getBaseType(column->type), TYPECACHE_CMP_PROC_FINFO);

	if (!dp_type_has_bins(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of type %s cannot have bins", column->name,
						format_type_be(column->type)),
				 errdetail("Bins are for integers, floating point, numeric, date and timestamps."),
				 errhint("Declare categories, or open => true.")));
	for (int i = 1; i < n; i++)
		if (DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, column->collation, edges[i - 1],
											edges[i])) >= 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("bins of column \"%s\" are not ascending", column->name),
							errdetail("Edge %d is not above edge %d.", i + 1, i)));
	for (int i = 0; i < n; i++)
		if (!dp_edge_is_drawable(edges[i], column->type, column->typmod))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("edge %d of the bins of column \"%s\" is infinite or too large", i + 1,
							column->name),
					 errdetail("Values are drawn uniformly between two edges."),
					 errhint("Give finite first and last edges; values outside are clamped.")));
}

void
dp_declared_edges_together(const DpNamedColumn *column, Datum *texts, int n)
{
	DpAttribute attribute = {.name = column->name, .type = "", .kind = DP_BINS, .labels_n = n};
	int level = dp_values_begin();

	attribute.labels = palloc(sizeof(char *) * n);
	for (int i = 0; i < n; i++)
		attribute.labels[i] = TextDatumGetCString(texts[i]);
	(void) dp_bins_create(&attribute, column->type, column->typmod);
	dp_values_end(level);
}
