/*
 * marginals_json.c -- columns and sets of a spec as a user writes them:
 *
 *	columns  [{"name": "sex", "categories": ["f", "m"]},
 *	          {"name": "age", "bins": [0, 30, 60, 100], "type": "integer", "other": true},
 *	          {"name": "region", "levels": 16},           -- the integers 0 to 15
 *	          {"name": "word", "categories": ["a"], "collation": "public.anycase"}]
 *	sets     [["sex", "age"], {"columns": ["sex", "age", "region"], "hashed": true}]
 *
 * "collation": the one that the column's texts are compared by, with its schema,
 * where texts may be equal without being the same bytes.
 * "other": whether there is a level for NULL and the rest (the default); a text
 * says what that level is called.
 */
#include "marginals.h"

#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "utils/varlena.h"

static DP_NORETURN void
refuse(const char *what, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", what),
					hint ? errhint("%s", hint) : 0));
}

#define COLUMNS_HINT "For example [{\"name\": \"sex\", \"categories\": [\"f\", \"m\"]}]."
#define SETS_HINT                                                                                  \
	"For example [[\"a\", \"b\"], {\"columns\": [\"a\", \"b\", \"c\"], \"hashed\": true}]."

/* A member of an object, or NULL. */
static JsonbValue *
member(JsonbContainer *object, const char *key)
{
	return getKeyJsonValueFromContainer(object, key, (int) strlen(key), NULL);
}

static bool
is_container(const JsonbValue *value, bool array)
{
	if (value == NULL || value->type != jbvBinary)
		return false;
	return array ? JsonContainerIsArray(value->val.binary.data) &&
					   !JsonContainerIsScalar(value->val.binary.data)
				 : JsonContainerIsObject(value->val.binary.data);
}

/* The text of a string, number or boolean. */
static char *
scalar_text(const JsonbValue *value, const char *what, const char *hint)
{
	if (value != NULL && value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	if (value != NULL && value->type == jbvNumeric)
		return DatumGetCString(
			DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	if (value != NULL && value->type == jbvBool)
		return pstrdup(value->val.boolean ? "true" : "false");
	refuse(what, hint);
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

	if (!is_container(list, true))
		refuse("categories and bins must be lists", COLUMNS_HINT);
	array = list->val.binary.data;
	attribute->labels_n = JsonContainerSize(array);
	attribute->labels = palloc(sizeof(char *) * Max(attribute->labels_n, 1));
	for (uint32 i = 0; i < attribute->labels_n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		attribute->labels[i] =
			scalar_text(getIthJsonbValueFromContainer(array, i),
						"categories and bins must be texts or numbers", COLUMNS_HINT);
	}
}

static void
labels_from_levels(const JsonbValue *levels, DpAttribute *attribute)
{
	char *end;
	long n = strtol(scalar_text(levels, "levels must be a number", COLUMNS_HINT), &end, 10);

	if (*end != '\0' || n < 1 || n > DP_LEVELS_MAX)
		refuse(psprintf("levels must be between 1 and %d", DP_LEVELS_MAX), NULL);
	attribute->labels_n = (uint32) n;
	attribute->labels = palloc(sizeof(char *) * (size_t) n);
	for (long i = 0; i < n; i++)
		attribute->labels[i] = psprintf("%ld", i);
}

/*
 * The name of a collation as a spec has it; NULL for one under which equal texts are
 * the same bytes, which a spec need not name. Without a schema it is a built-in one:
 * a spec means the same whatever search_path says.
 */
static const char *
collation_from_json(const JsonbValue *value, const char *column)
{
	char *words = scalar_text(value, "a collation must be a text", COLUMNS_HINT);
	Oid schema = PG_CATALOG_NAMESPACE;
	Oid collation = InvalidOid;
	List *names;

	if (SplitIdentifierString(pstrdup(words), '.', &names) && names != NIL &&
		list_length(names) <= 2)
	{
		if (list_length(names) == 2)
			schema = get_namespace_oid(linitial(names), true);
		collation = dp_collation_in(schema, llast(names));
	}
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

	if (!is_container(value, false))
		refuse("a column must be an object", COLUMNS_HINT);
	object = value->val.binary.data;
	check_members(object);
	attribute->name = scalar_text(member(object, "name"), "a column has no name", COLUMNS_HINT);
	if (member(object, "type") != NULL)
		attribute->type =
			scalar_text(member(object, "type"), "a type must be a text", COLUMNS_HINT);
	*collation = NULL;
	if (member(object, "collation") != NULL)
		*collation = collation_from_json(member(object, "collation"), attribute->name);
	kind[0] = member(object, "categories");
	kind[1] = member(object, "bins");
	kind[2] = member(object, "levels");
	if ((kind[0] != NULL) + (kind[1] != NULL) + (kind[2] != NULL) != 1)
		refuse(psprintf("column \"%s\" needs categories, bins or levels", attribute->name),
			   COLUMNS_HINT);
	if (kind[2] != NULL)
		labels_from_levels(kind[2], attribute);
	else
		labels_from_list(kind[0] != NULL ? kind[0] : kind[1], attribute);
	attribute->kind = kind[1] != NULL ? DP_BINS : DP_CATEGORIES;
	other = member(object, "other");
	attribute->has_other = other == NULL || other->type != jbvBool || other->val.boolean;
	if (other != NULL && other->type == jbvString)
		attribute->other = scalar_text(other, "", NULL);
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

void
dp_spec_domain_from_json(Jsonb *json, DpSpec *spec)
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

	if (!is_container(list, true))
		refuse("a set must be a list of columns", SETS_HINT);
	array = list->val.binary.data;
	set->n = JsonContainerSize(array);
	set->attribute = palloc(sizeof(uint32) * Max(set->n, 1));
	for (uint32 k = 0; k < set->n; k++)
	{
		char *name = scalar_text(getIthJsonbValueFromContainer(array, k),
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

	if (is_container(value, false))
	{
		hashed = member(value->val.binary.data, "hashed");
		value = member(value->val.binary.data, "columns");
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

void
dp_spec_sets_from_json(Jsonb *json, int64 dense_cells, DpSpec *spec)
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
