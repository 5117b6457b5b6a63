/*
 * dictionary.c -- domains that are the values of a table: {"table": "words", "column": "word"}.
 *
 * The caller's session reads the table, with the caller's rights, and the values go to the worker
 * with the request. So the worker reads nothing but what it was asked to release, and temporary
 * tables serve as well.
 *
 * A domain must say nothing of what is protected. So a dictionary is a plain table that the caller
 * may read, that is not and was not protected, and whose rows no protected relation holds: it is
 * not a child or partition of one, nor below one that is a view. Views, foreign tables, row
 * security and types of users are refused, because reading them runs code that somebody else wrote.
 */
#include "pg/domain/dictionary.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/regproc.h"
#include "utils/rel.h"

#include "pg/budget/public_relation.h"
#include "pg/domain/predicate.h"
#include "pg/domain/universe.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

#define DICTIONARY_BYTES_MAX (256 * 1024 * 1024) /* of the values */
#define FETCH_ROWS 10000

PG_FUNCTION_INFO_V1(dp_domain_summary);

/* ---- what may be read ---- */

/*
 * A relation has its own rows, those of its children and partitions, and, if it is a view, those of
 * the tables that its query reads; and so on, in any number of steps. A relation that is no longer
 * protected counts too: its releases are out, and what they kept private must stay so.
 */
bool
dp_holds_protected_rows(Oid relation)
{
	return dp_catalog_finds("WITH RECURSIVE below(relation) AS ("
							" SELECT d.relation::oid FROM dp_catalog.dp_dataset d"
							" UNION"
							" SELECT part.relation FROM below b CROSS JOIN LATERAL ("
							"  SELECT i.inhrelid AS relation FROM pg_catalog.pg_inherits i"
							"   WHERE i.inhparent = b.relation"
							"  UNION ALL"
							"  SELECT p.refobjid FROM pg_catalog.pg_rewrite r"
							"   JOIN pg_catalog.pg_depend p ON p.objid = r.oid"
							"    AND p.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
							"    AND p.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass"
							"   WHERE r.ev_class = b.relation) part)"
							" SELECT FROM below WHERE relation = $1",
							DP_ARGUMENTS(DP_OID(relation)));
}

/* Opens a dictionary, and locks it until the transaction ends. */
static Relation
dictionary_open(const char *name)
{
	RangeVar *range = makeRangeVarFromNameList(DP_QUALIFIED_NAME(name));
	Relation relation = table_openrv(range, AccessShareLock);

	if (relation->rd_rel->relkind != RELKIND_RELATION || relation->rd_rel->relrowsecurity)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" cannot be a dictionary", name),
				 errdetail("Only a plain table without row security can."),
				 errhint("Copy the values into one.")));
	if (dp_holds_protected_rows(RelationGetRelid(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("\"%s\" cannot be a dictionary", name),
				 errdetail("It is protected, or holds rows of a protected relation; a domain must "
						   "be public.")));
	return relation;
}

static Oid
dictionary_column_type(Relation relation, const char *column)
{
	AttrNumber number = get_attnum(RelationGetRelid(relation), column);
	Oid type;

	if (number <= 0)
		dp_no_such_column(column, RelationGetRelid(relation), "A domain was to be read from it.");
	type = getBaseType(get_atttype(RelationGetRelid(relation), number));
	if (!dp_type_is_plain(type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of dictionary \"%s\" is of a type that cannot be used",
						column, RelationGetRelationName(relation)),
				 errdetail("It must be a scalar type that PostgreSQL brings and that names none of "
						   "its objects."),
				 errhint("Copy the values into a column of type text.")));
	return type;
}

/* ---- reading it ---- */

typedef struct Dictionary
{
	const char *name; /* for messages */
	bool is_public;   /* it must be declared so */
	Oid type;
	FmgrInfo output;
	MemoryContext context; /* of the values */
	const char **value;
	uint64 n;
	uint64 capacity;
	size_t bytes;
} Dictionary;

static void
check_size(const Dictionary *dictionary)
{
	if (dictionary->n > DP_UNIVERSE_LIST_MAX || dictionary->bytes > DICTIONARY_BYTES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("dictionary \"%s\" is too large", dictionary->name),
						errdetail("It may have %d rows, and %d MB of values.", DP_UNIVERSE_LIST_MAX,
								  DICTIONARY_BYTES_MAX / 1024 / 1024)));
}

static void
keep_value(Dictionary *dictionary, const char *words)
{
	if (dictionary->n == dictionary->capacity)
	{
		dictionary->capacity *= 2;
		dictionary->value = repalloc_huge(dictionary->value, sizeof(char *) * dictionary->capacity);
	}
	dictionary->value[dictionary->n++] = MemoryContextStrdup(dictionary->context, words);
	dictionary->bytes += strlen(words) + 1;
}

/* Keeps the values of the rows that were fetched. NULL is in no domain. */
static void
keep_values(Dictionary *dictionary, MemoryContext batch)
{
	MemoryContext caller = MemoryContextSwitchTo(batch);

	if (getBaseType(SPI_gettypeid(SPI_tuptable->tupdesc, 1)) != dictionary->type)
		elog(ERROR, "dpsyn: a column has changed its type meanwhile");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Datum value = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);

		if (!isnull)
			keep_value(dictionary, dp_text_canonical(&dictionary->output, dictionary->type, value));
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(batch);
	check_size(dictionary);
}

/* Reads all rows as the current user. */
static void
values_fetch(Dictionary *dictionary, Relation relation, const char *column)
{
	MemoryContext batch =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn batch", ALLOCSET_DEFAULT_SIZES);
	char *statement = psprintf("SELECT %s FROM ONLY %s", quote_identifier(column),
							   dp_relation_label(RelationGetRelid(relation)));
	DpUserContext user_context;
	Portal portal;

	dp_caller_open(&user_context, list_make1_oid(RelationGetRelid(relation)));
	portal = SPI_cursor_open_with_args(NULL, statement, 0, NULL, NULL, NULL, true, 0);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		keep_values(dictionary, batch);
		SPI_freetuptable(SPI_tuptable);
		CHECK_FOR_INTERRUPTS();
	}
	SPI_cursor_close(portal);
	dp_caller_close(&user_context);
	MemoryContextDelete(batch);
}

/* The distinct values of a dictionary, in bytewise order. */
static void
dictionary_read(Dictionary *dictionary, const char *column, DpUniverse *list)
{
	Relation relation = dictionary_open(dictionary->name);
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	int level = dp_values_begin();
	DpError error = {0};
	Oid function;
	bool varlena;
	uint64 dropped;

	if (dictionary->is_public)
		dp_check_public(RelationGetRelid(relation));
	dictionary->type = dictionary_column_type(relation, column);
	getTypeOutputInfo(dictionary->type, &function, &varlena);
	fmgr_info(function, &dictionary->output);
	dictionary->context = CurrentMemoryContext;
	dictionary->capacity = FETCH_ROWS;
	dictionary->value = palloc(sizeof(char *) * dictionary->capacity);
	values_fetch(dictionary, relation, column);
	dp_values_end(level);
	table_close(relation, NoLock);
	if (dictionary->n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("dictionary \"%s\" is empty", dictionary->name)));
	if (dp_universe_list(dictionary->value, dictionary->n, list, &dropped, &arena, &error) != DP_OK)
		dp_raise(&error);
}

const char **
dp_dictionary_public_values(const char *table, const char *column, uint64 *n)
{
	Dictionary dictionary = {.name = table, .is_public = true};
	DpUniverse list;

	dictionary_read(&dictionary, column, &list);
	*n = list.size;
	return list.value;
}

/* ---- putting dictionaries into a domain ---- */

static char *
string_member(JsonbContainer *object, const char *key)
{
	JsonbValue *value = dp_json_member(object, key);

	return value != NULL && value->type == jbvString ? dp_json_text(value) : NULL;
}

static void
expand_table(StringInfo json, JsonbContainer *object)
{
	char *name = string_member(object, "table");
	char *column = string_member(object, "column");
	Dictionary dictionary = {0};
	DpUniverse list;

	if (name == NULL || column == NULL || JsonContainerSize(object) != 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a dictionary needs a \"table\" and a \"column\", and no more"),
						errhint("Write {\"table\": \"words\", \"column\": \"word\"}.")));
	appendStringInfoString(json, "{\"table\": ");
	escape_json(json, name);
	appendStringInfoString(json, ", \"column\": ");
	escape_json(json, column);
	dictionary.name = name;
	dictionary_read(&dictionary, column, &list);
	for (uint64 i = 0; i < list.size; i++)
	{
		appendStringInfoString(json, i ? ", " : ", \"values\": [");
		escape_json(json, list.value[i]);
	}
	appendStringInfoString(json, "]}");
}

/* Writes what stands in place of a domain. */
typedef void (*Rewrite)(StringInfo json, JsonbContainer *domain);

/* Writes the list of a product's parts, each of them rewritten. */
static void
rewrite_parts(StringInfo json, JsonbContainer *list, Rewrite rewrite)
{
	check_stack_depth();
	appendStringInfoChar(json, '[');
	for (uint32 i = 0; i < JsonContainerSize(list); i++)
	{
		JsonbValue *part = getIthJsonbValueFromContainer(list, i);

		appendStringInfoString(json, i ? ", " : "");
		if (part->type != jbvBinary)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the parts of a product must be domains")));
		rewrite(json, part->val.binary.data);
	}
	appendStringInfoChar(json, ']');
}

static void
rewrite_product(StringInfo json, JsonbContainer *object, Rewrite rewrite)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue value;
	JsonbIteratorToken token;
	bool is_list = false;
	const char *comma = "{";

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			char *key = pnstrdup(value.val.string.val, value.val.string.len);

			is_list = strcmp(key, "product") == 0;
			appendStringInfoString(json, comma);
			escape_json(json, key);
			appendStringInfoString(json, ": ");
			comma = ", ";
		}
		else if (token == WJB_VALUE && value.type == jbvBinary && is_list &&
				 JsonContainerIsArray(value.val.binary.data))
			rewrite_parts(json, value.val.binary.data, rewrite);
		else if (token == WJB_VALUE)
			dp_json_put(json, &value);
	}
	appendStringInfoChar(json, '}');
}

static bool
has_member(JsonbContainer *domain, const char *key)
{
	return JsonContainerIsObject(domain) && dp_json_member(domain, key) != NULL;
}

static void
expand(StringInfo json, JsonbContainer *domain)
{
	if (has_member(domain, "table"))
		expand_table(json, domain);
	else if (has_member(domain, "product"))
		rewrite_product(json, domain, expand);
	else
		(void) JsonbToCString(json, domain, 0);
}

char *
dp_domain_expand(Jsonb *domain, Oid type)
{
	JsonbValue list = {.type = jbvBinary,
					   .val.binary = {.len = VARSIZE_ANY_EXHDR(domain), .data = &domain->root}};
	JsonbValue *values =
		has_member(&domain->root, "table") ? NULL : dp_json_member(&domain->root, "values");
	StringInfoData json;

	initStringInfo(&json);
	if (dp_json_is_array(&list))
		dp_json_put_canonical(&json, &list, type);
	else if (dp_json_is_array(values) && JsonContainerSize(&domain->root) == 1)
	{
		appendStringInfoString(&json, "{\"values\": ");
		dp_json_put_canonical(&json, values, type);
		appendStringInfoChar(&json, '}');
	}
	else
		expand(&json, &domain->root);
	return json.data;
}

/* ---- domains without the values of their dictionaries ---- */

/* Whether expand_table wrote the domain. */
static bool
is_dictionary(JsonbContainer *domain)
{
	return JsonContainerIsObject(domain) && string_member(domain, "table") != NULL &&
		   string_member(domain, "column") != NULL &&
		   dp_json_is_array(dp_json_member(domain, "values"));
}

/* Writes the domain with the number of values in place of those of a dictionary. */
static void
summarise(StringInfo json, JsonbContainer *domain)
{
	if (is_dictionary(domain))
	{
		JsonbValue *values = dp_json_member(domain, "values");

		appendStringInfoString(json, "{\"table\": ");
		escape_json(json, string_member(domain, "table"));
		appendStringInfoString(json, ", \"column\": ");
		escape_json(json, string_member(domain, "column"));
		appendStringInfo(json, ", \"values\": %u}", JsonContainerSize(values->val.binary.data));
	}
	else if (has_member(domain, "product"))
		rewrite_product(json, domain, summarise);
	else
		(void) JsonbToCString(json, domain, 0);
}

Datum
dp_domain_summary(PG_FUNCTION_ARGS)
{
	Jsonb *domain = PG_GETARG_JSONB_P(0);
	StringInfoData json;

	initStringInfo(&json);
	summarise(&json, &domain->root);
	PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}

/* ---- domains that are too long to keep ---- */

#define LIST_KEPT_MAX 1000 /* values */

/* Writes the length and a digest of a list, by which two lists are compared. */
static void
put_digest(StringInfo json, JsonbValue *list)
{
	StringInfoData words;
	bytea *digest;

	initStringInfo(&words);
	dp_json_put(&words, list);
	digest = DatumGetByteaPP(DirectFunctionCall1(
		sha256_bytea, PointerGetDatum(cstring_to_text_with_len(words.data, words.len))));
	appendStringInfo(json, "{\"listed\": %u, \"sha256\": \"",
					 JsonContainerSize(list->val.binary.data));
	for (Size i = 0; i < VARSIZE_ANY_EXHDR(digest); i++)
		appendStringInfo(json, "%02x", (unsigned char) VARDATA_ANY(digest)[i]);
	appendStringInfoString(json, "\"}");
	pfree(words.data);
}

static void
shorten(StringInfo json, JsonbValue *value)
{
	JsonbIterator *iterator;
	JsonbValue part;
	JsonbIteratorToken token;
	const char *comma = "";

	check_stack_depth();
	if (value->type != jbvBinary)
	{
		dp_json_put(json, value);
		return;
	}
	if (JsonContainerIsArray(value->val.binary.data) &&
		JsonContainerSize(value->val.binary.data) > LIST_KEPT_MAX)
	{
		put_digest(json, value);
		return;
	}
	iterator = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &part, true)) != WJB_DONE)
	{
		if (token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT)
			appendStringInfoChar(json, token == WJB_BEGIN_ARRAY ? '[' : '{');
		else if (token == WJB_END_ARRAY || token == WJB_END_OBJECT)
			appendStringInfoChar(json, token == WJB_END_ARRAY ? ']' : '}');
		else if (token == WJB_KEY)
		{
			appendStringInfoString(json, comma);
			dp_json_put(json, &part);
			appendStringInfoString(json, ": ");
		}
		else
		{
			appendStringInfoString(json, token == WJB_ELEM ? comma : "");
			shorten(json, &part);
		}
		comma = token == WJB_ELEM || token == WJB_VALUE ? ", " : comma;
	}
}

char *
dp_options_kept(char *options)
{
	Jsonb *given;
	JsonbIterator *iterator;
	JsonbValue value;
	JsonbIteratorToken token;
	StringInfoData json;
	bool is_domain = false;

	if (strlen(options) <= LIST_KEPT_MAX)
		return options;
	given = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(options)));
	iterator = JsonbIteratorInit(&given->root);
	initStringInfo(&json);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			is_domain = value.val.string.len == 6 && memcmp(value.val.string.val, "domain", 6) == 0;
			appendStringInfoString(&json, json.len > 0 ? ", " : "{");
			dp_json_put(&json, &value);
			appendStringInfoString(&json, ": ");
		}
		else if (token == WJB_VALUE && is_domain)
			shorten(&json, &value);
		else if (token == WJB_VALUE)
			dp_json_put(&json, &value);
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}
