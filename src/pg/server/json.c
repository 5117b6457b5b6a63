/*
 * json.c -- reading jsonb: members and texts, and the options of a method.
 */
#include "pg/server/json.h"

#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

JsonbValue *
dp_json_member(JsonbContainer *object, const char *key)
{
	return JsonContainerIsObject(object)
			   ? getKeyJsonValueFromContainer(object, key, (int) strlen(key), NULL)
			   : NULL;
}

bool
dp_json_is_array(const JsonbValue *value)
{
	return value != NULL && value->type == jbvBinary &&
		   JsonContainerIsArray(value->val.binary.data) &&
		   !JsonContainerIsScalar(value->val.binary.data);
}

bool
dp_json_is_object(const JsonbValue *value)
{
	return value != NULL && value->type == jbvBinary &&
		   JsonContainerIsObject(value->val.binary.data);
}

char *
dp_json_text(const JsonbValue *value)
{
	if (value == NULL)
		return NULL;
	if (value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	if (value->type == jbvNumeric)
		return DatumGetCString(
			DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	if (value->type == jbvBool)
		return pstrdup(value->val.boolean ? "true" : "false");
	return NULL;
}

void
dp_json_put(StringInfo json, JsonbValue *value)
{
	Jsonb *whole = JsonbValueToJsonb(value);

	(void) JsonbToCString(json, &whole->root, VARSIZE_ANY_EXHDR(whole));
}

/* ---- options ---- */

/* A JSON array of strings; false if it holds anything else. */
static bool
name_list_from_jsonb(JsonbContainer *array, DpNameList *list)
{
	JsonbIterator *iterator = JsonbIteratorInit(array);
	JsonbValue value;
	JsonbIteratorToken token;

	list->n = 0;
	list->name = palloc0(sizeof(char *) * (JsonContainerSize(array) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token != WJB_ELEM)
			continue;
		if (value.type != jbvString)
			return false;
		list->name[list->n++] = dp_json_text(&value);
	}
	return true;
}

/* A JSON object of arrays of strings; false if it holds anything else. */
static bool
name_map_from_jsonb(JsonbContainer *object, DpOption *option)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue value;
	JsonbIteratorToken token;

	option->list = palloc0(sizeof(DpNameList) * (JsonContainerSize(object) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			option->list[option->lists++].key = dp_json_text(&value);
		else if (token == WJB_VALUE)
		{
			DpNameList *list = &option->list[option->lists - 1];

			if (!dp_json_is_array(&value) || !name_list_from_jsonb(value.val.binary.data, list))
				return false;
		}
	}
	return true;
}

/* A set of columns, "a,b" or ["a", "b"]. */
static bool
set_from_jsonb(const JsonbValue *value, DpNameList *set)
{
	if (value->type == jbvString)
		set->key = dp_json_text(value);
	else if (!dp_json_is_array(value) || !name_list_from_jsonb(value->val.binary.data, set))
		return false;
	return true;
}

/* {"columns": set, "weight": number} */
static bool
weighted_set_from_jsonb(JsonbContainer *object, DpNameList *set, const char **weight)
{
	JsonbValue *attributes = dp_json_member(object, "columns");
	JsonbValue *number = dp_json_member(object, "weight");

	if (attributes == NULL || !set_from_jsonb(attributes, set) ||
		(number != NULL && number->type != jbvNumeric) ||
		JsonContainerSize(object) != 1 + (number != NULL))
		return false;
	*weight = number != NULL ? dp_json_text(number) : NULL;
	return true;
}

/* [set, ...], with sets as above, or {"a,b": weight, ...}; false if it holds anything else. */
static bool
sets_from_jsonb(JsonbContainer *container, DpOption *option)
{
	JsonbIterator *iterator = JsonbIteratorInit(container);
	JsonbValue value;
	JsonbIteratorToken token;

	option->lists = 0;
	option->list = palloc0(sizeof(DpNameList) * (JsonContainerSize(container) + 1));
	option->weight = palloc0(sizeof(char *) * (JsonContainerSize(container) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		DpNameList *set = &option->list[option->lists];
		const char **weight = &option->weight[option->lists];

		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			set->key = dp_json_text(&value);
		else if (token == WJB_VALUE && value.type == jbvNumeric)
			option->weight[option->lists++] = dp_json_text(&value);
		else if (token == WJB_ELEM &&
				 (dp_json_is_object(&value)
					  ? weighted_set_from_jsonb(value.val.binary.data, set, weight)
					  : set_from_jsonb(&value, set)))
			option->lists++;
		else if (token == WJB_VALUE || token == WJB_ELEM)
			return false;
	}
	return true;
}

/* The first form that fits: a list of strings, a map of lists of strings, sets. */
static void
container_from_jsonb(JsonbContainer *container, bool array, DpOption *option)
{
	option->kind = DP_VALUE_OTHER;
	if (array)
	{
		option->list = palloc0(sizeof(DpNameList));
		option->lists = 1;
		if (name_list_from_jsonb(container, option->list))
			option->kind = DP_VALUE_LIST;
	}
	else if (name_map_from_jsonb(container, option))
		option->kind = DP_VALUE_MAP;
	if (option->kind == DP_VALUE_OTHER && sets_from_jsonb(container, option))
		option->kind = DP_VALUE_SETS;
}

static void
option_from_jsonb(const JsonbValue *value, DpOption *option)
{
	switch (value->type)
	{
		case jbvNull:
			option->kind = DP_VALUE_NULL;
			break;
		case jbvString:
		case jbvNumeric:
			option->kind = value->type == jbvString ? DP_VALUE_STRING : DP_VALUE_NUMBER;
			option->text = dp_json_text(value);
			break;
		case jbvBool:
			option->kind = DP_VALUE_BOOLEAN;
			option->flag = value->val.boolean;
			break;
		default:
			container_from_jsonb(value->val.binary.data, dp_json_is_array(value), option);
	}
}

void
dp_options_from_jsonb(Jsonb *json, DpOptions *options)
{
	JsonbIterator *iterator = JsonbIteratorInit(&json->root);
	JsonbValue value;
	JsonbIteratorToken token;

	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("options must be a JSON object"),
				 errhint("For instance {\"parents\": 2}; the view dp_methods lists the "
						 "options of each method.")));
	options->n = 0;
	options->option = palloc0(sizeof(DpOption) * (JB_ROOT_COUNT(json) + 1));
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			options->option[options->n].name = dp_json_text(&value);
		else if (token == WJB_VALUE)
			option_from_jsonb(&value, &options->option[options->n++]);
	}
}
