/*
 * define_column.c -- dp_define_column: the public domain of a column, checked
 * and brought to the text form that every session prints, then stored.
 */
#include "dpsyn.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(dp_define_column);

typedef struct Column
{
	const char *name;
	Oid type;
	int32 typmod;
	Oid collation;
} Column;

/* false: no such column. */
static bool
column_find(Oid relation, const char *name, Column *column)
{
	HeapTuple tuple = SearchSysCacheAttName(relation, name);
	Form_pg_attribute form;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_attribute) GETSTRUCT(tuple);
	*column = (Column){name, form->atttypid, form->atttypmod, form->attcollation};
	if (form->attnum < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_COLUMN_REFERENCE),
						errmsg("system column \"%s\" cannot be modelled", name)));
	ReleaseSysCache(tuple);
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

/*
 * Values of the column's type; texts[i] becomes what the type prints for it. They
 * are read with the session's settings, as the custodian means them (DateStyle,
 * TimeZone), and printed with pinned ones, as every other session reads them.
 */
static Datum *
values_canonical(Datum array, const Column *column, int minimum, const char *what, Datum **texts,
				 int *n)
{
	bool *nulls;
	Datum *values;
	int level;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, texts, &nulls,
					  n);
	check_labels_count(*n, minimum, what);
	values = palloc(sizeof(Datum) * *n);
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s must not contain NULL", what),
							errdetail("NULL has its level wherever a column can hold it.")));
		values[i] = dp_value_in(TextDatumGetCString((*texts)[i]), column->type, column->typmod);
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

static void
check_distinct(Datum *texts, int n, const char *column)
{
	char **sorted = palloc(sizeof(char *) * n);

	for (int i = 0; i < n; i++)
		sorted[i] = TextDatumGetCString(texts[i]);
	qsort(sorted, n, sizeof(char *), compare_texts);
	for (int i = 1; i < n; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("category \"%s\" of column \"%s\" is given twice", sorted[i], column)));
}

static void
check_bins(const Column *column, Datum *edges, int n)
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

/* One edge's precision counts for all: 100.25 asks for hundredths of 1e17 too. */
static void
check_bins_together(const Column *column, Datum *texts, int n)
{
	DpAttribute attribute = {.name = column->name, .type = "", .kind = DP_BINS, .labels_n = n};
	int level = dp_values_begin();

	attribute.labels = palloc(sizeof(char *) * n);
	for (int i = 0; i < n; i++)
		attribute.labels[i] = TextDatumGetCString(texts[i]);
	(void) dp_bins_create(&attribute, column->type, column->typmod);
	dp_values_end(level);
}

static Datum
text_array(Datum *texts, int n)
{
	return PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Fills kind and labels ($4, $5) from the arguments; false: no domain was given. */
static bool
domain_from_arguments(FunctionCallInfo fcinfo, const Column *column, Datum *kind, Datum *labels)
{
	bool open = !PG_ARGISNULL(4) && PG_GETARG_BOOL(4);
	int given = !PG_ARGISNULL(2) + !PG_ARGISNULL(3) + open;
	const char *name = "open";
	Datum *texts = NULL;
	Datum *values;
	int n = 0;

	if (given == 0)
		return false;
	if (given > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more than one domain given for column \"%s\"", column->name),
						errhint("Give categories, or bins, or open => true.")));
	if (!PG_ARGISNULL(2))
	{
		name = "categories";
		(void) values_canonical(PG_GETARG_DATUM(2), column, 1, "categories", &texts, &n);
		check_distinct(texts, n, column->name);
	}
	else if (!PG_ARGISNULL(3))
	{
		name = "bins";
		values = values_canonical(PG_GETARG_DATUM(3), column, 2, "bin edges", &texts, &n);
		check_bins(column, values, n);
		check_bins_together(column, texts, n);
	}
	else
		dp_check_open(column->name, column->type);
	*kind = CStringGetTextDatum(name);
	*labels = text_array(texts, n);
	return true;
}

static Datum
other_from_argument(FunctionCallInfo fcinfo, const Column *column, Datum labels)
{
	char *words = text_to_cstring(PG_GETARG_TEXT_PP(5));
	Datum value = dp_value_in(words, column->type, column->typmod);
	int level = dp_values_begin();
	Datum *texts;
	int n;

	words = dp_value_out(value, column->type);
	dp_values_end(level);
	deconstruct_array(DatumGetArrayTypeP(labels), TEXTOID, -1, false, TYPALIGN_INT, &texts, NULL,
					  &n);
	for (int i = 0; PG_ARGISNULL(3) && i < n; i++)
		if (strcmp(TextDatumGetCString(texts[i]), words) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" is a category of column \"%s\" and cannot stand for the rest",
							words, column->name),
					 errhint("Leave it out of the categories.")));
	return CStringGetTextDatum(words);
}

/* The custodian states that there is nothing but the categories. */
static bool
complete_argument(FunctionCallInfo fcinfo, const Column *column)
{
	bool complete = !PG_ARGISNULL(6) && PG_GETARG_BOOL(6);

	if (complete && (PG_ARGISNULL(2) || !PG_ARGISNULL(5)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("complete does not fit the domain of column \"%s\"", column->name),
						errhint("Only categories can be complete, and then nothing stands for the "
								"rest.")));
	return complete;
}

/* What an open column may hold: checked now, and kept with the values of its dictionaries, so that what
 * was declared is what counts, whatever becomes of them. */
static Datum
domain_argument(FunctionCallInfo fcinfo, const Column *column)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	Jsonb *domain;

	if (PG_ARGISNULL(4) || !PG_GETARG_BOOL(4))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a domain does not fit the domain of column \"%s\"", column->name),
						errhint("Only open columns have one, open => true.")));
	domain = DatumGetJsonbP(
		DirectFunctionCall1(jsonb_in, CStringGetDatum(dp_domain_expand(PG_GETARG_JSONB_P(7)))));
	(void) dp_universe_from_json(domain, column->name, column->type, column->typmod, &arena);
	return JsonbPGetDatum(domain);
}

static void
declaration_write(int32 dataset, Datum name, bool given, Datum *values, const char *nulls)
{
	Oid types[8] = {INT4OID, NAMEOID, OIDOID, TEXTOID, TEXTARRAYOID, TEXTOID, BOOLOID, JSONBOID};
	DpElevation elevation;

	values[0] = Int32GetDatum(dataset);
	values[1] = name;
	dp_elevate(&elevation);
	SPI_connect();
	if (given)
		dp_spi("INSERT INTO @.dp_dataset_column (dataset, column_name, type, kind, labels, other,"
			   " complete, domain) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
			   " ON CONFLICT (dataset, column_name) DO UPDATE"
			   " SET type = $3, kind = $4, labels = $5, other = $6, complete = $7, domain = $8",
			   SPI_OK_INSERT, 8, types, values, nulls, false);
	else
		dp_spi("DELETE FROM @.dp_dataset_column WHERE dataset = $1 AND column_name = $2",
			   SPI_OK_DELETE, 2, types, values, nulls, false);
	SPI_finish();
	dp_unelevate(&elevation);
}

Datum
dp_define_column(PG_FUNCTION_ARGS)
{
	char nulls[9] = "        ";
	Datum values[8] = {0};
	DpDataset dataset;
	Column column;
	DpElevation elevation;
	bool given;
	bool exists;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("relation and column_name must not be null")));
	dp_check_custodian(PG_GETARG_OID(0), "declare its public domains");
	dp_dataset_get(PG_GETARG_OID(0), false, &dataset);
	exists = column_find(PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)), &column);
	if (!exists)
		column = (Column){.name = NameStr(*PG_GETARG_NAME(1)), .type = TEXTOID, .typmod = -1};

	dp_become_owner(&elevation, dp_relation_owner(PG_GETARG_OID(0)));
	given = domain_from_arguments(fcinfo, &column, &values[3], &values[4]);
	if (given && !exists)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of relation %s does not exist", column.name,
							   dp_relation_label(PG_GETARG_OID(0)))));
	if (given && !PG_ARGISNULL(5))
		values[5] = other_from_argument(fcinfo, &column, values[4]);
	else
		nulls[5] = 'n';
	dp_unelevate(&elevation);
	if (given && PG_NARGS() > 7 && !PG_ARGISNULL(7))
		values[7] = domain_argument(fcinfo, &column);
	else
		nulls[7] = 'n';
	values[6] = BoolGetDatum(given && complete_argument(fcinfo, &column));

	values[2] = ObjectIdGetDatum(column.type);
	declaration_write(dataset.id, PG_GETARG_DATUM(1), given, values, nulls);
	PG_RETURN_VOID();
}
