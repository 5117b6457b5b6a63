/*
 * spec.c -- specs of what to count: of a relation, or written by hand. They hold public facts
 * alone.
 */
#include "pg/counting/spec.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "core/domain/domain.h"
#include "pg/budget/payer.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

PG_FUNCTION_INFO_V1(dp_marginal_spec);
PG_FUNCTION_INFO_V1(dp_marginal_columns);

#define WAYS_MAX 8
#define ARGUMENTS_MAX 98 /* columns that dp_marginals can take */
#define DENSE_CELLS_MAX 100000000

/* ---- as a user writes them ---- */

/*
 *	columns  [{"name": "sex", "categories": ["f", "m"]},
 *	          {"name": "age", "bins": [0, 30, 60, 100], "type": "integer", "other": true},
 *	          {"name": "region", "levels": 16},           -- the integers 0 to 15
 *	          {"name": "word", "categories": ["a"], "collation": "public.anycase"}]
 *	sets     [["sex", "age"], {"columns": ["sex", "age", "region"], "hashed": true}]
 *
 * "collation" names, with its schema, the collation by which the column's texts are compared. It is
 * needed only where texts can be equal without being the same bytes.
 * "other" says whether there is a level for NULL and other values, which is the default; a text
 * gives that level a name.
 */

static DP_NORETURN void
refuse(const char *what, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", what),
					hint ? errhint("%s", hint) : 0));
}

#define COLUMNS_HINT "For example [{\"name\": \"sex\", \"categories\": [\"f\", \"m\"]}]."
#define SETS_HINT                                                                                  \
	"For example [[\"a\", \"b\"], {\"columns\": [\"a\", \"b\", \"c\"], \"hashed\": true}]."

/* The text of a string, a number or a boolean. */
static char *
text_of(const JsonbValue *value, const char *what, const char *hint)
{
	char *text = dp_json_text(value);

	if (text == NULL)
		refuse(what, hint);
	return text;
}

static JsonbContainer *
array_of(Jsonb *json, const char *what, const char *hint)
{
	if (!JB_ROOT_IS_ARRAY(json) || JB_ROOT_IS_SCALAR(json))
		refuse(what, hint);
	return &json->root;
}

/* ---- columns ---- */

static void
labels_from_list(const JsonbValue *list, DpAttribute *attribute)
{
	JsonbContainer *array;

	if (!dp_json_is_array(list))
		refuse("categories and bins must be lists", COLUMNS_HINT);
	array = list->val.binary.data;
	attribute->labels_n = JsonContainerSize(array);
	attribute->labels = palloc(sizeof(char *) * Max(attribute->labels_n, 1));
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		attribute->labels[i] =
			text_of(getIthJsonbValueFromContainer(array, i),
					"categories and bins must be texts or numbers", COLUMNS_HINT);
	}
}

#define NUMBER_BYTES sizeof(CppAsString2(DP_LEVELS_MAX)) /* of the text of any number below it */

static void
labels_from_levels(const JsonbValue *levels, DpAttribute *attribute)
{
	char *end;
	char *text;
	long n = strtol(text_of(levels, "levels must be a number", COLUMNS_HINT), &end, 10);

	if (*end != '\0' || n < 1 || n > DP_LEVELS_MAX)
		refuse(psprintf("levels must be between 1 and %d", DP_LEVELS_MAX), NULL);
	attribute->labels_n = (uint32) n;
	attribute->labels = palloc(sizeof(char *) * (size_t) n);
	/* one piece of memory for all of them: one for each would take several times as much */
	text = palloc(NUMBER_BYTES * (size_t) n);
	for (int32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		attribute->labels[i] = text;
		text += pg_ltoa(i, text) + 1;
	}
}

/*
 * The name of a collation as a spec has it; NULL for a collation under which equal texts are the
 * same bytes, which a spec need not name. A name without a schema is that of a built-in collation,
 * so that a spec means the same whatever search_path says.
 */
static const char *
collation_from_json(const JsonbValue *value, const char *column)
{
	char *words = text_of(value, "a collation must be a text", COLUMNS_HINT);
	Oid collation = dp_collation_of_label(words);

	if (!OidIsValid(collation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("collation %s of column \"%s\" does not exist", words, column),
				 errhint("Write it with its schema, as an identifier: \"public.anycase\".")));
	return dp_collation_label(collation);
}

static void
check_members(JsonbContainer *object)
{
	static const char *const known[] = {"name", "type",   "collation", "categories",
										"bins", "levels", "other"};
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbIteratorToken token;
	JsonbValue value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		bool found = token != WJB_KEY;

		for (size_t i = 0; i < lengthof(known) && !found; i++)
			found = value.val.string.len == (int) strlen(known[i]) &&
					memcmp(value.val.string.val, known[i], strlen(known[i])) == 0;
		if (!found)
			refuse(psprintf("a column has no member \"%.*s\"", value.val.string.len,
							value.val.string.val),
				   COLUMNS_HINT);
	}
}

static void
attribute_from_json(const JsonbValue *value, DpAttribute *attribute, const char **collation)
{
	JsonbContainer *object;
	JsonbValue *other;
	JsonbValue *kind[3];

	if (!dp_json_is_object(value))
		refuse("a column must be an object", COLUMNS_HINT);
	object = value->val.binary.data;
	check_members(object);
	attribute->name = text_of(dp_json_member(object, "name"), "a column has no name", COLUMNS_HINT);
	if (dp_json_member(object, "type") != NULL)
		attribute->type =
			text_of(dp_json_member(object, "type"), "a type must be a text", COLUMNS_HINT);
	*collation = NULL;
	if (dp_json_member(object, "collation") != NULL)
		*collation = collation_from_json(dp_json_member(object, "collation"), attribute->name);
	kind[0] = dp_json_member(object, "categories");
	kind[1] = dp_json_member(object, "bins");
	kind[2] = dp_json_member(object, "levels");
	if ((kind[0] != NULL) + (kind[1] != NULL) + (kind[2] != NULL) != 1)
		refuse(psprintf("column \"%s\" needs categories, bins or levels", attribute->name),
			   COLUMNS_HINT);
	if (kind[2] != NULL)
		labels_from_levels(kind[2], attribute);
	else
		labels_from_list(kind[0] != NULL ? kind[0] : kind[1], attribute);
	attribute->kind = kind[1] != NULL ? DP_BINS : DP_CATEGORIES;
	other = dp_json_member(object, "other");
	attribute->has_other = other == NULL || other->type != jbvBool || other->val.boolean;
	if (other != NULL && other->type == jbvString)
		attribute->other = text_of(other, "", NULL);
	dp_attribute_count_levels(attribute);
}

static bool
ascend(const char *a, const char *b, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);

	return DatumGetInt32(FunctionCall2(&cache->cmp_proc_finfo, dp_value_in(a, type, -1),
									   dp_value_in(b, type, -1))) < 0;
}

/* Bins must ascend, as dp_define_column sees to for a relation. */
static void
check_edges(const DpAttribute *attribute)
{
	Oid type = dp_type_of_label(attribute->type);
	int level = dp_values_begin();

	if (attribute->kind != DP_BINS)
		type = InvalidOid;
	else if (!OidIsValid(type) || !dp_type_has_bins(type))
		refuse(psprintf("column \"%s\" has bins, and no type that bins can be of", attribute->name),
			   "Say its type: integer, numeric, date, ...");
	for (uint32 i = 1; i < attribute->labels_n && OidIsValid(type); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!ascend(attribute->labels[i - 1], attribute->labels[i], type))
			refuse(psprintf("the bins of column \"%s\" do not ascend", attribute->name), NULL);
	}
	dp_values_end(level);
}

/* Columns: [{"name": "a", "categories": ["x"], "other": true}, ...]. ERROR for anything else. */
static void
domain_from_json(Jsonb *json, DpSpec *spec)
{
	JsonbContainer *array = array_of(json, "columns must be a list of objects", COLUMNS_HINT);
	uint32 n = JsonContainerSize(array);
	DpError error = {0};

	spec->domain.attributes = n;
	spec->domain.attribute = palloc0(sizeof(DpAttribute) * Max(n, 1));
	spec->collation = palloc0(sizeof(char *) * Max(n, 1));
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		attribute_from_json(getIthJsonbValueFromContainer(array, i), &spec->domain.attribute[i],
							&spec->collation[i]);
		check_edges(&spec->domain.attribute[i]);
	}
	if (dp_domain_check(&spec->domain, &error) != DP_OK)
		dp_raise(&error);
}

/* ---- sets ---- */

static void
set_from_list(const JsonbValue *list, const DpDomain *domain, DpSpecSet *set)
{
	JsonbContainer *array;

	if (!dp_json_is_array(list))
		refuse("a set must be a list of columns", SETS_HINT);
	array = list->val.binary.data;
	set->n = JsonContainerSize(array);
	set->attribute = palloc(sizeof(uint32) * Max(set->n, 1));
	for (uint32 k = 0; k < set->n; k++)
	{
		char *name = text_of(getIthJsonbValueFromContainer(array, k),
							 "a set must be a list of columns", SETS_HINT);
		int found = dp_domain_find(domain, name);

		if (found < 0)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
							errmsg("column \"%s\" of a set is not among the columns", name)));
		set->attribute[k] = (uint32) found;
	}
}

static void
set_from_json(const JsonbValue *value, const DpDomain *domain, int64 dense_cells, DpSpecSet *set)
{
	JsonbValue *hashed = NULL;

	if (dp_json_is_object(value))
	{
		hashed = dp_json_member(value->val.binary.data, "hashed");
		value = dp_json_member(value->val.binary.data, "columns");
		if (hashed != NULL && hashed->type != jbvBool)
			refuse("hashed must be true or false", SETS_HINT);
	}
	set_from_list(value, domain, set);
	if (hashed != NULL)
		set->storage = hashed->val.boolean ? DP_SPARSE : DP_DENSE;
	else
		set->storage = dp_domain_cells(domain, set->attribute, set->n) <= (uint64) dense_cells
						   ? DP_DENSE
						   : DP_SPARSE;
}

/* Sets of the spec's columns: [["a","b"], {"columns": ["a","b"], "hashed": true}]. Tables of more
 * than dense_cells cells are hashed where the user does not say. ERROR for anything else. */
static void
sets_from_json(Jsonb *json, int64 dense_cells, DpSpec *spec)
{
	JsonbContainer *array = array_of(json, "sets must be a list of lists", SETS_HINT);

	spec->sets = JsonContainerSize(array);
	if (spec->sets > DP_SPEC_SETS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are more than %d sets", DP_SPEC_SETS_MAX)));
	spec->set = palloc0(sizeof(DpSpecSet) * Max(spec->sets, 1));
	for (uint32 i = 0; i < spec->sets; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set_from_json(getIthJsonbValueFromContainer(array, i), &spec->domain, dense_cells,
					  &spec->set[i]);
	}
}

/* ---- bytes ---- */

bytea *
dp_spec_to_bytea(const DpSpec *spec)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpError error = {0};
	unsigned char *bytes = NULL;
	size_t length = 0;

	if (dp_spec_serialise(spec, &bytes, &length, &dp_interrupt_tick, &arena, &error) != DP_OK)
		dp_raise(&error);
	if (length > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the spec does not fit one value")));
	return dp_bytea(bytes, length);
}

void
dp_spec_from_bytes(const unsigned char *bytes, size_t length, DpArena *arena, DpSpec *spec)
{
	DpError error = {0};

	if (dp_spec_parse(bytes, length, spec, &dp_interrupt_tick, arena, &error) != DP_OK)
		dp_raise(&error);
}

/* ---- calls ---- */

char *
dp_column_list(const DpDomain *domain, const uint32 *attribute, uint32 n)
{
	StringInfoData names;

	initStringInfo(&names);
	for (uint32 i = 0; i < n; i++)
		appendStringInfo(&names, "%s%s", i ? ", " : "",
						 quote_identifier(domain->attribute[attribute[i]].name));
	return names.data;
}

/* Whether a call with a column alone would count its elements, as dp_marginals(bytea, text[]). */
static bool
is_taken_for_columns(Oid type)
{
	Oid text_array = TEXTARRAYOID, integer_array = INT4ARRAYOID;

	return can_coerce_type(1, &type, &text_array, COERCION_IMPLICIT) ||
		   can_coerce_type(1, &type, &integer_array, COERCION_IMPLICIT);
}

/*
 * Columns are counted as one row where there are more than a function can have arguments, and
 * where an array alone would be taken for the list of all columns.
 */
char *
dp_count_call(const DpDomain *domain, const DpColumn *column, const uint32 *attribute, uint32 n)
{
	bool as_row = n > ARGUMENTS_MAX || (n == 1 && is_taken_for_columns(column[attribute[0]].type));

	return psprintf(as_row ? "%s.dp_marginals($1, ROW(%s))" : "%s.dp_marginals($1, %s)",
					dp_schema(), dp_column_list(domain, attribute, n));
}

/* ---- sets ---- */

/* The next set of n indexes below limit in lexicographic order; false after the last. */
static bool
combination_next(uint32 *index, uint32 n, uint32 limit)
{
	for (uint32 k = n; k-- > 0;)
	{
		if (index[k] + n - k < limit)
		{
			index[k]++;
			for (uint32 i = k + 1; i < n; i++)
				index[i] = index[i - 1] + 1;
			return true;
		}
	}
	return false;
}

static uint64
combinations(uint64 limit, uint64 n)
{
	uint64 result = 1;

	for (uint64 k = 1; k <= n && result <= (uint64) DP_SPEC_SETS_MAX * WAYS_MAX; k++)
		result = result * (limit - n + k) / k;
	return result;
}

/* Makes all sets of that many attributes the sets of the spec. */
static void
sets_of_ways(int32 ways, int64 dense_cells, DpSpec *spec)
{
	uint32 index[WAYS_MAX];
	uint32 n = (uint32) ways;
	uint64 sets;

	if (ways < 1 || ways > WAYS_MAX || n > spec->domain.attributes)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("ways must be between 1 and %u",
							   Min((uint32) WAYS_MAX, spec->domain.attributes))));
	sets = combinations(spec->domain.attributes, n);
	if (sets > DP_SPEC_SETS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are more than %d sets of %d columns", DP_SPEC_SETS_MAX, ways),
						errhint("Name the sets, or the columns.")));
	spec->set = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(DpSpecSet) * sets);
	for (uint32 k = 0; k < n; k++)
		index[k] = k;
	do
	{
		DpSpecSet *set = &spec->set[spec->sets++];

		CHECK_FOR_INTERRUPTS();
		set->n = n;
		set->attribute = palloc(sizeof(uint32) * n);
		memcpy(set->attribute, index, sizeof(uint32) * n);
		set->storage =
			dp_domain_cells(&spec->domain, index, n) <= (uint64) dense_cells ? DP_DENSE : DP_SPARSE;
	} while (combination_next(index, n, spec->domain.attributes));
}

static void
check_dense_cells(int64 dense_cells)
{
	if (dense_cells < 0 || dense_cells > DENSE_CELLS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("dense_cells must be between 0 and %d", DENSE_CELLS_MAX)));
}

/* Reads the arguments sets (1) and ways (2). */
static bytea *
spec_with_sets(FunctionCallInfo fcinfo, int64 dense_cells, DpSpec *spec)
{
	if (PG_ARGISNULL(1))
		sets_of_ways(PG_GETARG_INT32(2), dense_cells, spec);
	else
		sets_from_json(PG_GETARG_JSONB_P(1), dense_cells, spec);
	return dp_spec_to_bytea(spec);
}

/* ---- of a relation ---- */

/* ERROR unless the user may read the rows, or was granted a budget: others must not see domains. */
static void
check_may_know(Oid relation, const DpDataset *dataset)
{
	if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		(dataset->id == 0 || !dp_may_ask(dataset, GetUserId())))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for relation \"%s\"", dp_relation_words(relation)),
				 errdetail("A spec tells the domains of its columns.")));
}

void
dp_spec_domain(const DpDomain *domain, const DpColumn *column, const uint32 *index, uint32 n,
			   DpSpec *spec)
{
	*spec = (DpSpec){.domain = {.attributes = n}};
	spec->domain.attribute = palloc(sizeof(DpAttribute) * Max(n, 1));
	spec->collation = palloc(sizeof(char *) * Max(n, 1));
	for (uint32 i = 0; i < n; i++)
	{
		spec->domain.attribute[i] = domain->attribute[index[i]];
		spec->domain.attribute[i].type = dp_type_label(getBaseType(column[index[i]].type));
		spec->collation[i] = dp_collation_label(column[index[i]].collation);
	}
}

/* Fills index with the columns asked for, in that order, and returns how many; names NULL: all
 * columns that have levels. */
static uint32
columns_wanted(const DpRelation *relation, ArrayType *names, uint32 *index)
{
	Datum *name;
	int n;

	if (names == NULL)
	{
		uint32 all = 0;

		for (uint32 i = 0; i < relation->domain.attributes; i++)
			if (dp_attribute_has_levels(&relation->domain.attribute[i]))
				index[all++] = i;
		return all;
	}
	if (array_contains_nulls(names))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the name of a column must not be null")));
	name = dp_elements(PointerGetDatum(names), NULL, &n);
	if ((uint32) n > relation->domain.attributes)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("more columns than relation \"%s\" has with a public domain",
							   dp_relation_words(relation->oid))));
	for (int i = 0; i < n; i++)
	{
		const char *wanted = NameStr(*DatumGetName(name[i]));
		int found = dp_domain_find(&relation->domain, wanted);

		if (found < 0 || !dp_attribute_has_levels(&relation->domain.attribute[found]))
			dp_no_public_domain(relation, wanted);
		index[i] = (uint32) found;
	}
	return (uint32) n;
}

static void
spec_of_relation(FunctionCallInfo fcinfo, DpSpec *spec)
{
	Oid oid = PG_GETARG_OID(0);
	DpDataset dataset = {0};
	DpRelation *relation;
	uint32 *index;
	uint32 n;

	dp_check_not_null(fcinfo, 0, "relation");
	(void) dp_dataset_find(oid, false, &dataset);
	check_may_know(oid, &dataset);
	relation = dp_relation_domain(oid, dataset.id, true);
	index = palloc(sizeof(uint32) * Max(relation->domain.attributes, 1));
	n = columns_wanted(relation, PG_ARGISNULL(3) ? NULL : PG_GETARG_ARRAYTYPE_P(3), index);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" has no column with public levels", dp_relation_words(oid)),
				 errhint("Its custodian can declare domains with dp_define_column; or write "
						 "the columns by hand.")));
	dp_spec_domain(&relation->domain, relation->column, index, n, spec);
}

static bytea *
spec_make(FunctionCallInfo fcinfo)
{
	int64 dense_cells = PG_GETARG_INT64(4);
	DpSpec spec = {.sets = 0};

	dp_check_not_null(fcinfo, 2, "ways");
	dp_check_not_null(fcinfo, 4, "dense_cells");
	check_dense_cells(dense_cells);
	if (PG_ARGISNULL(5))
		spec_of_relation(fcinfo, &spec);
	else if (PG_ARGISNULL(0) && PG_ARGISNULL(3))
		domain_from_json(PG_GETARG_JSONB_P(5), &spec);
	else
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("domains are given in place of relation and columns")));
	return spec_with_sets(fcinfo, dense_cells, &spec);
}

/*
 * The spec that one place of a statement made last. An aggregate evaluates its arguments for each
 * row, and making a spec reads the catalog. The function is stable: within a statement the same
 * arguments mean the same spec. A statement is known by its snapshot, because a place in a function
 * can outlive it.
 */
typedef struct MadeSpec
{
	StringInfoData key;
	bytea *spec; /* NULL: none yet */
} MadeSpec;

static void
append_argument(StringInfo key, FunctionCallInfo fcinfo, int argument, bool is_varlena)
{
	bool isnull = PG_ARGISNULL(argument);
	Datum value = PG_GETARG_DATUM(argument);

	appendBinaryStringInfo(key, (char *) &isnull, sizeof(isnull));
	if (isnull)
		return;
	if (is_varlena)
	{
		struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

		value = VARSIZE_ANY_EXHDR(bytes);
		appendBinaryStringInfo(key, (char *) &value, sizeof(value));
		appendBinaryStringInfo(key, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}
	else
		appendBinaryStringInfo(key, (char *) &value, sizeof(value));
}

/* The key under which a spec is cached: the statement, the user, and the arguments. */
static void
append_key(StringInfo key, FunctionCallInfo fcinfo)
{
	Snapshot snapshot = GetActiveSnapshot();
	uint32 statement[] = {snapshot->xmin, snapshot->xmax, snapshot->xcnt, snapshot->curcid,
						  GetUserId()};

	appendBinaryStringInfo(key, (char *) statement, sizeof(statement));
	for (int i = 0; i < PG_NARGS(); i++)
		append_argument(key, fcinfo, i, i == 1 || i == 3 || i == 5);
}

/* dp_marginal_spec(relation, sets, ways, columns, dense_cells, domains) */
Datum
dp_marginal_spec(PG_FUNCTION_ARGS)
{
	MadeSpec *made = fcinfo->flinfo->fn_extra;
	StringInfoData key;
	MemoryContext caller;
	bytea *spec;

	initStringInfo(&key);
	append_key(&key, fcinfo);
	if (made != NULL && made->spec != NULL && made->key.len == key.len &&
		memcmp(made->key.data, key.data, key.len) == 0)
		PG_RETURN_BYTEA_P(made->spec);
	spec = spec_make(fcinfo);
	caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	if (made == NULL)
	{
		made = palloc0(sizeof(MadeSpec));
		initStringInfo(&made->key);
		fcinfo->flinfo->fn_extra = made;
	}
	if (made->spec != NULL)
		pfree(made->spec);
	made->spec = NULL;
	resetStringInfo(&made->key);
	appendBinaryStringInfo(&made->key, key.data, key.len);
	made->spec = (bytea *) pg_detoast_datum_copy((struct varlena *) spec);
	MemoryContextSwitchTo(caller);
	PG_RETURN_BYTEA_P(spec);
}

Datum
dp_marginal_columns(PG_FUNCTION_ARGS)
{
	bytea *given = PG_GETARG_BYTEA_PP(0);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpSpec spec;
	Datum *names;

	dp_spec_from_bytes((unsigned char *) VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given), &arena,
					   &spec);
	names = palloc(sizeof(Datum) * spec.domain.attributes);
	for (uint32 a = 0; a < spec.domain.attributes; a++)
		names[a] = CStringGetTextDatum(spec.domain.attribute[a].name);
	PG_RETURN_DATUM(dp_text_array(names, (int) spec.domain.attributes));
}
