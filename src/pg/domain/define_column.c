/*
 * define_column.c -- dp_define_column: the public domain of a column. It is checked, brought to the
 * text form that every session prints, and stored.
 */
#include "pg/server/compat.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_attribute.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "core/domain/pattern.h"
#include "pg/budget/dataset.h"
#include "pg/domain/bins.h"
#include "pg/domain/dictionary.h"
#include "pg/domain/fill.h"
#include "pg/domain/schema_keys.h"
#include "pg/domain/universe.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/values.h"

PG_FUNCTION_INFO_V1(dp_define_column);

/* The arguments, in their order. */
enum
{
	RELATION,
	COLUMN_NAME,
	CATEGORIES,
	BINS,
	OPEN,
	OTHER,
	COMPLETE,
	DOMAIN,
	KEY,
	FILL
};

typedef struct Column
{
	const char *name;
	AttrNumber number;
	Oid type;
	int32 typmod;
	Oid collation;
} Column;

/* false if there is no such column. */
static bool
column_find(Oid relation, const char *name, Column *column)
{
	HeapTuple tuple = SearchSysCacheAttName(relation, name);
	Form_pg_attribute form;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_attribute) GETSTRUCT(tuple);
	*column = (Column){name, form->attnum, form->atttypid, form->atttypmod, form->attcollation};
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
 * The texts of an array as values of the column's type; texts[i] becomes what the type prints for
 * value i. They are read with the session's settings (DateStyle, TimeZone), as the custodian means
 * them, and printed with pinned ones, as every other session reads them.
 */
static Datum *
values_canonical(Datum array, const Column *column, int minimum, const char *what, Datum **texts,
				 int *n)
{
	bool *nulls;
	Datum *values;
	int level;

	*texts = dp_text_elements(array, &nulls, n);
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

/* The finest edge decides the precision of all: beside 100.25, the edge 1e17 needs hundredths. */
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

static bool
is_true(FunctionCallInfo fcinfo, int argument)
{
	return !PG_ARGISNULL(argument) && PG_GETARG_BOOL(argument);
}

/* A constant in the text form that every session reads. */
static const char *
constant_canonical(const Column *column, const char *words)
{
	Datum value = dp_value_in(words, column->type, column->typmod);
	int level = dp_values_begin();

	words = dp_value_out(value, column->type);
	dp_values_end(level);
	return words;
}

/* ERROR unless the column can hold what the pattern says, and differs in each row where it must. */
static void
check_pattern(Oid oid, const Column *column, const char *pattern, bool key)
{
	Relation relation = relation_open(oid, AccessShareLock);

	dp_fill_check_pattern(relation, column->number - 1, pattern);
	if (!dp_pattern_is_unique(pattern) &&
		(key ||
		 (!dp_pattern_is_null(pattern) && dp_schema_is_unique(relation, column->number - 1))))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("column \"%s\" would be the same in each row", column->name),
						errdetail("It is a key, or UNIQUE."),
						errhint("Put {n}, the number of the row, into the text.")));
	relation_close(relation, AccessShareLock);
}

/* What key and fill say that the column holds. */
static const char *
pattern_from_arguments(FunctionCallInfo fcinfo, const Column *column)
{
	const char *pattern;

	if (column->number == InvalidAttrNumber)
		return ""; /* there is no such column, which is said soon */
	if (PG_ARGISNULL(FILL))
		pattern = dp_fill_key_pattern(column->name, column->type, column->typmod);
	else
		pattern = text_to_cstring(PG_GETARG_TEXT_PP(FILL));
	if (pattern == NULL)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("column \"%s\" of type %s cannot be a key", column->name,
							   format_type_be(column->type)),
						errdetail("Keys are integers, numeric, uuid or text."),
						errhint("Say what it holds: fill => '...{n}...'.")));
	check_pattern(PG_GETARG_OID(RELATION), column, pattern, is_true(fcinfo, KEY));
	if (!dp_pattern_is_unique(pattern) && !dp_pattern_is_null(pattern))
		pattern = constant_canonical(column, pattern);
	return pattern;
}

/* Fills kind and labels from the arguments; false if nothing was declared. */
static bool
domain_from_arguments(FunctionCallInfo fcinfo, const Column *column, Datum *kind, Datum *labels)
{
	bool open = is_true(fcinfo, OPEN);
	bool filled = is_true(fcinfo, KEY) || !PG_ARGISNULL(FILL);
	int given = !PG_ARGISNULL(CATEGORIES) + !PG_ARGISNULL(BINS) + open + filled;
	const char *name = "open";
	Datum *texts = NULL;
	Datum *values;
	int n = 0;

	if (given == 0)
		return false;
	if (given > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more than one domain given for column \"%s\"", column->name),
						errhint("Give categories, or bins, or open => true, or key and fill.")));
	if (!PG_ARGISNULL(CATEGORIES))
	{
		name = "categories";
		(void) values_canonical(PG_GETARG_DATUM(CATEGORIES), column, 1, "categories", &texts, &n);
		check_distinct(texts, n, column->name);
	}
	else if (!PG_ARGISNULL(BINS))
	{
		name = "bins";
		values = values_canonical(PG_GETARG_DATUM(BINS), column, 2, "bin edges", &texts, &n);
		check_bins(column, values, n);
		check_bins_together(column, texts, n);
	}
	else if (filled)
	{
		name = is_true(fcinfo, KEY) ? "key" : "fill";
		texts = palloc(sizeof(Datum));
		texts[n++] = CStringGetTextDatum(pattern_from_arguments(fcinfo, column));
	}
	else
		dp_check_open(column->name, column->type);
	*kind = CStringGetTextDatum(name);
	*labels = dp_text_array(texts, n);
	return true;
}

/* Values that are made up leave none over. */
static void
check_no_other(FunctionCallInfo fcinfo, const Column *column)
{
	if (is_true(fcinfo, KEY) || !PG_ARGISNULL(FILL))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("other does not fit column \"%s\", which is filled", column->name),
						errhint("Only a column that is modelled has values for the rest.")));
}

static Datum
other_from_argument(FunctionCallInfo fcinfo, const Column *column, Datum labels)
{
	char *words = text_to_cstring(PG_GETARG_TEXT_PP(OTHER));
	Datum value = dp_value_in(words, column->type, column->typmod);
	int level = dp_values_begin();
	Datum *texts;
	int n;

	words = dp_value_out(value, column->type);
	dp_values_end(level);
	texts = dp_text_elements(labels, NULL, &n);
	for (int i = 0; PG_ARGISNULL(BINS) && i < n; i++)
		if (strcmp(TextDatumGetCString(texts[i]), words) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" is a category of column \"%s\" and cannot stand for the rest",
							words, column->name),
					 errhint("Leave it out of the categories.")));
	return CStringGetTextDatum(words);
}

/* complete: whether the custodian states that there is nothing but the categories. */
static bool
complete_argument(FunctionCallInfo fcinfo, const Column *column)
{
	bool complete = is_true(fcinfo, COMPLETE);

	if (complete && (PG_ARGISNULL(CATEGORIES) || !PG_ARGISNULL(OTHER)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("complete does not fit the domain of column \"%s\"", column->name),
						errhint("Only categories can be complete, and then nothing stands for the "
								"rest.")));
	return complete;
}

/*
 * domain: what an open column may hold. It is checked now, and kept with the values of its
 * dictionaries, so that it stays as it was declared, whatever becomes of their tables.
 */
static Datum
domain_argument(FunctionCallInfo fcinfo, const Column *column)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	Jsonb *domain;

	if (!is_true(fcinfo, OPEN))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a domain does not fit the domain of column \"%s\"", column->name),
						errhint("Only open columns have one, open => true.")));
	domain = DatumGetJsonbP(DirectFunctionCall1(
		jsonb_in, CStringGetDatum(dp_domain_expand(PG_GETARG_JSONB_P(DOMAIN)))));
	(void) dp_universe_from_json(domain, column->name, column->type, column->typmod, &arena);
	return JsonbPGetDatum(domain);
}

/* What dp_define_column stores. */
typedef struct Declaration
{
	Datum kind;
	Datum labels;
	DpArgument other;
	bool complete;
	DpArgument domain;
} Declaration;

static void
declaration_write(DpArgument dataset, const Column *column, const Declaration *declaration)
{
	(void) dp_catalog_write(
		"INSERT INTO @.dp_dataset_column (dataset, column_name, type, kind, labels, other,"
		" complete, domain) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
		" ON CONFLICT (dataset, column_name) DO UPDATE"
		" SET type = $3, kind = $4, labels = $5, other = $6, complete = $7, domain = $8",
		DP_ARGUMENTS(dataset, dp_name_argument(column->name), DP_OID(column->type),
					 {TEXTOID, declaration->kind, false},
					 {TEXTARRAYOID, declaration->labels, false}, declaration->other,
					 DP_BOOL(declaration->complete), declaration->domain));
}

Datum
dp_define_column(PG_FUNCTION_ARGS)
{
	Declaration declaration = {.other = {TEXTOID, 0, true}, .domain = {JSONBOID, 0, true}};
	DpDataset dataset;
	Column column;
	DpElevation elevation;
	bool given;
	bool exists;

	if (PG_ARGISNULL(RELATION) || PG_ARGISNULL(COLUMN_NAME))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("relation and column_name must not be null")));
	dp_check_custodian(PG_GETARG_OID(RELATION), "declare its public domains");
	dp_dataset_get(PG_GETARG_OID(RELATION), false, &dataset);
	exists = column_find(PG_GETARG_OID(RELATION), NameStr(*PG_GETARG_NAME(COLUMN_NAME)), &column);
	if (!exists)
		column =
			(Column){.name = NameStr(*PG_GETARG_NAME(COLUMN_NAME)), .type = TEXTOID, .typmod = -1};

	dp_become_owner(&elevation, dp_relation_owner(PG_GETARG_OID(RELATION)));
	given = domain_from_arguments(fcinfo, &column, &declaration.kind, &declaration.labels);
	if (given && !exists)
		dp_no_such_column(column.name, PG_GETARG_OID(RELATION), NULL);
	if (given && !PG_ARGISNULL(OTHER))
		check_no_other(fcinfo, &column);
	if (given && !PG_ARGISNULL(OTHER))
		declaration.other =
			(DpArgument){TEXTOID, other_from_argument(fcinfo, &column, declaration.labels), false};
	dp_unelevate(&elevation);
	if (given && !PG_ARGISNULL(DOMAIN))
		declaration.domain = (DpArgument){JSONBOID, domain_argument(fcinfo, &column), false};
	declaration.complete = given && complete_argument(fcinfo, &column);
	if (given)
		declaration_write(DP_INT32(dataset.id), &column, &declaration);
	else
		(void) dp_catalog_write(
			"DELETE FROM @.dp_dataset_column WHERE dataset = $1 AND column_name = $2",
			DP_ARGUMENTS(DP_INT32(dataset.id), dp_name_argument(column.name)));
	PG_RETURN_VOID();
}
