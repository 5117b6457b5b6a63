/*
 * spec_json.c -- columns and sets of a spec as a user writes them:
 *
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
#include "pg/counting/spec.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "core/domain/domain.h"
#include "pg/server/bridge.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

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
