/*
 * derived.c -- columns whose values are made from other columns.
 */
#include "pg/domain/derived.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "pg/domain/distance_base.h"
#include "pg/domain/moment.h"
#include "pg/domain/range_part.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/catalog.h"

#define DICTIONARY_MAX 1000000 /* entries */

void
dp_check_dictionary(Jsonb *dictionary, const char *column)
{
	JsonbIterator *iterator = JsonbIteratorInit(&dictionary->root);
	JsonbValue value;
	JsonbIteratorToken token;
	bool plain = JB_ROOT_IS_OBJECT(dictionary);

	while (plain && (token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_VALUE)
			plain = value.type != jbvBinary;
	if (!plain)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the domain of column \"%s\" is no dictionary", column),
						errdetail("It must be an object with a value for each value of the other "
								  "column, {\"10115\": \"Berlin\"}."),
						errhint("SELECT jsonb_object_agg(zip, state) FROM a public table makes "
								"one.")));
	if (JB_ROOT_COUNT(dictionary) > DICTIONARY_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the dictionary of column \"%s\" is too large", column),
						errdetail("The limit is %d values.", DICTIONARY_MAX)));
}

/* The attribute of a column number; -1: it is not modelled. */
static int
attribute_of(const DpRelation *relation, AttrNumber number)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (relation->column[a].number == number && relation->column[a].field == NULL)
			return (int) a;
	return -1;
}

static DP_NORETURN void
raise_base(const DpRelation *relation, uint32 a, const char *problem, const char *hint)
{
	const DpDistanceBase base = dp_distance_base_of(&relation->column[a]);

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("column \"%s\" is modelled as the distance from column \"%s\", which is %s",
					relation->domain.attribute[a].name, base.column, problem),
			 OidIsValid(base.relation)
				 ? errdetail("That is a column of relation \"%s\", to whose rows rows of relation "
							 "\"%s\" belong.",
							 dp_relation_words(base.relation), dp_relation_words(relation->oid))
				 : 0,
			 errhint("%s", hint)));
}

/* The part of a range that its end is made of; -1: it is not modelled. */
static int
end_of(const DpRelation *relation, const char *name)
{
	int at = dp_domain_find(&relation->domain, name);
	char *range;

	(void) dp_range_end_named(name, &range);
	/* the upper end is a distance from the lower one */
	return at < 0 ? -1
				  : dp_domain_find(&relation->domain, dp_range_part_name(DP_RANGE_LOWER, range));
}

/* The attribute that a distance is from, of the row itself; -1: it is not modelled, or the distance
 * is from none. */
static int
base_beside(const DpRelation *relation, int a)
{
	if (relation->column[a].base_end != DP_NO_RANGE_PART)
		return end_of(relation, relation->column[a].base_name);
	return relation->column[a].base == 0 ? -1 : attribute_of(relation, relation->column[a].base);
}

static void
check_beside(const DpRelation *relation, uint32 a)
{
	static const char *const hint = "The option \"columns\" must name both columns or neither, and "
									"the custodian must declare a "
									"domain of the other column itself.";
	int at = base_beside(relation, (int) a);

	if (at < 0)
		raise_base(relation, a, "not modelled", hint);
	for (uint32 steps = 0; at >= 0; steps++)
	{
		if (steps > relation->domain.attributes)
			raise_base(relation, a, "a distance from it in turn", hint);
		at = base_beside(relation, at);
	}
}

void
dp_check_offsets(const DpRelation *relation)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (relation->column[a].base != 0)
			check_beside(relation, a);
}

static void
check_above(const DpRelation *relation, uint32 a, const List *above)
{
	const DpColumn *column = &relation->column[a];
	const ListCell *cell;

	foreach (cell, above)
	{
		const DpRelation *of = lfirst(cell);
		int base = column->base_end == DP_NO_RANGE_PART
					   ? dp_domain_find(&of->domain, column->base_name)
					   : end_of(of, column->base_name);

		if (of->oid != column->base_relation)
			continue;
		if (base < 0 || of->column[base].number <= 0 || of->domain.attribute[base].open)
			raise_base(relation, a, base < 0 ? "not modelled" : "not modelled by its values",
					   "The custodian must declare a domain of that column.");
		return;
	}
	raise_base(relation, a, "not of this release",
			   "Release both relations together, or leave the column out by the option "
			   "\"columns\".");
}

void
dp_check_offsets_above(const DpRelation *relation, const List *above)
{
	for (uint32 a = 0; a < relation->domain.attributes; a++)
		if (OidIsValid(relation->column[a].base_relation))
			check_above(relation, a, above);
}

/* ---- what a release keeps ---- */

static void
append_distinct(StringInfo json, const List *sets)
{
	const ListCell *cell, *name;

	foreach (cell, sets)
	{
		const DpDistinct *set = lfirst(cell);

		appendStringInfoString(json,
							   cell != list_head(sets) ? ", {\"columns\": [" : "{\"columns\": [");
		foreach (name, set->columns)
		{
			appendStringInfoString(json, name != list_head(set->columns) ? ", " : "");
			escape_json(json, lfirst(name));
		}
		appendStringInfo(json, "], \"nulls_equal\": %s}", set->nulls_equal ? "true" : "false");
	}
}

/* Facts about rows as a whole. They are stored under the empty name, which no column has. */
static void
append_rows(StringInfo json, const DpRelation *relation)
{
	if (relation->distinct == NIL && !relation->of_now)
		return;
	appendStringInfo(json, "%s\"\": {\"distinct\": [", json->len ? ", " : "{");
	append_distinct(json, relation->distinct);
	appendStringInfoChar(json, ']');
	if (relation->of_now)
		appendStringInfo(json, ", \"now\": \"" INT64_FORMAT "\"", dp_moment_now());
	appendStringInfoChar(json, '}');
}

/* How a modelled column is computed where its parts are known; NULL: it is not. */
static const DpComputed *
computed_of(const DpRelation *relation, const DpColumn *column)
{
	ListCell *cell;

	foreach (cell, relation->computed)
		if (column->field == NULL && ((DpComputed *) lfirst(cell))->number == column->number)
			return lfirst(cell);
	return NULL;
}

static void
append_computed(StringInfo json, const char *before, const DpComputed *computed)
{
	if (computed == NULL)
		return;
	appendStringInfo(json, "%s\"computed\": ", before);
	escape_json(json, computed->words);
	appendStringInfoString(json, computed->always ? ", \"always\": \"true\"" : "");
}

/* Columns of which nothing else is kept. */
static void
append_computed_alone(StringInfo json, const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, relation->computed)
	{
		const DpComputed *computed = lfirst(cell);
		int at = attribute_of(relation, computed->number);

		if (at >= 0 && relation->column[at].base != 0)
			continue;
		appendStringInfoString(json, json->len ? ", " : "{");
		escape_json(json, computed->column);
		append_computed(json, ": {", computed);
		appendStringInfoChar(json, '}');
	}
}

static void
append_table(StringInfo json, const char *table)
{
	if (table == NULL)
		return;
	appendStringInfoString(json, ", \"table\": ");
	escape_json(json, table);
}

char *
dp_derived_to_json(const DpRelation *relation)
{
	StringInfoData json;
	ListCell *cell;

	initStringInfo(&json);
	for (uint32 a = 0; a < relation->domain.attributes; a++)
	{
		const DpColumn *column = &relation->column[a];

		if (!dp_column_is_distance(column) && column->field == NULL)
			continue;
		appendStringInfoString(&json, json.len ? ", " : "{");
		escape_json(&json, relation->domain.attribute[a].name);
		appendStringInfoString(&json, column->field ? ": {\"field_of\": " : ": {\"offset_of\": ");
		escape_json(&json, column->field ? column->field->column : column->base_name);
		append_table(&json, OidIsValid(column->base_relation) ? get_rel_name(column->base_relation)
															  : NULL);
		appendStringInfoString(
			&json, column->field && column->field->not_null ? ", \"not_null\": \"true\"" : "");
		append_computed(&json, ", ", computed_of(relation, column));
		appendStringInfoChar(&json, '}');
	}
	append_computed_alone(&json, relation);
	foreach (cell, relation->derived)
	{
		const DpDerived *derived = lfirst(cell);

		if (derived->table == NULL && dp_domain_find(&relation->domain, derived->base) < 0)
			continue;
		appendStringInfoString(&json, json.len ? ", " : "{");
		escape_json(&json, derived->column);
		appendStringInfoString(&json, ": {\"derived_from\": ");
		escape_json(&json, derived->base);
		append_table(&json, derived->table);
		if (derived->dictionary != NULL)
			appendStringInfo(
				&json, ", \"values\": %s",
				JsonbToCString(NULL, &derived->dictionary->root, VARSIZE(derived->dictionary)));
		appendStringInfoChar(&json, '}');
	}
	append_rows(&json, relation);
	appendStringInfoString(&json, json.len ? "}" : "{}");
	return json.data;
}

/* ---- reading it ---- */

static char *
member_text(JsonbContainer *object, const char *name)
{
	JsonbValue *value = getKeyJsonValueFromContainer(object, name, (int) strlen(name), NULL);

	if (value == NULL || value->type != jbvString)
		return NULL;
	return pnstrdup(value->val.string.val, value->val.string.len);
}

bool
dp_derivation_find(Jsonb *derived, const char *column, DpDerivation *derivation)
{
	JsonbValue *entry;
	JsonbValue *values;
	JsonbContainer *object;

	*derivation = (DpDerivation){0};
	if (derived == NULL || !JB_ROOT_IS_OBJECT(derived))
		return false;
	entry = getKeyJsonValueFromContainer(&derived->root, column, (int) strlen(column), NULL);
	if (entry == NULL || entry->type != jbvBinary || !JsonContainerIsObject(entry->val.binary.data))
		return false;
	object = entry->val.binary.data;
	derivation->computed = member_text(object, "computed");
	derivation->always = member_text(object, "always") != NULL;
	derivation->base = member_text(object, "offset_of");
	derivation->is_offset = derivation->base != NULL;
	derivation->table = member_text(object, "table");
	if (derivation->is_offset)
		return true;
	derivation->field_of = member_text(object, "field_of");
	derivation->not_null = member_text(object, "not_null") != NULL;
	if (derivation->field_of != NULL)
		return true;
	derivation->base = member_text(object, "derived_from");
	values = getKeyJsonValueFromContainer(object, "values", 6, NULL);
	if (derivation->base == NULL || values == NULL)
		return derivation->base != NULL || derivation->computed != NULL;
	if (values->type != jbvBinary || !JsonContainerIsObject(values->val.binary.data))
		return false;
	derivation->dictionary = JsonbValueToJsonb(values);
	return true;
}

static DpDistinct *
distinct_read(JsonbContainer *object)
{
	JsonbValue *columns = getKeyJsonValueFromContainer(object, "columns", 7, NULL);
	JsonbValue *nulls = getKeyJsonValueFromContainer(object, "nulls_equal", 11, NULL);
	DpDistinct *set = palloc0(sizeof(DpDistinct));

	if (columns == NULL || columns->type != jbvBinary ||
		!JsonContainerIsArray(columns->val.binary.data))
		return NULL;
	set->nulls_equal = nulls != NULL && nulls->type == jbvBool && nulls->val.boolean;
	for (uint32 i = 0; i < JsonContainerSize(columns->val.binary.data); i++)
	{
		JsonbValue *name = getIthJsonbValueFromContainer(columns->val.binary.data, i);

		if (name->type != jbvString)
			return NULL;
		set->columns = lappend(set->columns, pnstrdup(name->val.string.val, name->val.string.len));
	}
	return set;
}

/* What is kept that is not of one column; NULL: nothing. */
static JsonbContainer *
rows_entry(Jsonb *derived)
{
	JsonbValue *entry = NULL;

	if (derived != NULL && JB_ROOT_IS_OBJECT(derived))
		entry = getKeyJsonValueFromContainer(&derived->root, "", 0, NULL);
	if (entry == NULL || entry->type != jbvBinary || !JsonContainerIsObject(entry->val.binary.data))
		return NULL;
	return entry->val.binary.data;
}

List *
dp_distinct_find(Jsonb *derived)
{
	JsonbContainer *entry = rows_entry(derived);
	JsonbValue *listed = NULL;
	List *sets = NIL;

	if (entry != NULL)
		listed = getKeyJsonValueFromContainer(entry, "distinct", 8, NULL);
	if (listed == NULL || listed->type != jbvBinary ||
		!JsonContainerIsArray(listed->val.binary.data))
		return NIL;
	for (uint32 i = 0; i < JsonContainerSize(listed->val.binary.data); i++)
	{
		JsonbValue *one = getIthJsonbValueFromContainer(listed->val.binary.data, i);
		DpDistinct *set = NULL;

		if (one->type == jbvBinary && JsonContainerIsObject(one->val.binary.data))
			set = distinct_read(one->val.binary.data);
		if (set != NULL)
			sets = lappend(sets, set);
	}
	return sets;
}

TimestampTz
dp_derived_now(Jsonb *derived)
{
	JsonbContainer *entry = rows_entry(derived);
	char *words = entry == NULL ? NULL : member_text(entry, "now");

	return words == NULL ? 0 : (TimestampTz) strtoll(words, NULL, 10);
}

char *
dp_dictionary_look_up(Jsonb *dictionary, const char *text)
{
	JsonbValue *value =
		getKeyJsonValueFromContainer(&dictionary->root, text, (int) strlen(text), NULL);

	if (value == NULL)
		return NULL;
	switch (value->type)
	{
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvNumeric:
			return DatumGetCString(
				DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
		case jbvBool:
			return pstrdup(value->val.boolean ? "t" : "f");
		default:
			return NULL;
	}
}
