/*
 * asked.c -- the option "question": read, checked, and written.
 */
#include "pg/question/asked.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "core/domain/query.h"
#include "pg/budget/parent.h"
#include "pg/budget/public_relation.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/json.h"
#include "pg/server/values.h"

#define NANO 1e9

static DP_NORETURN void
refuse(const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"question\" is none"),
					errdetail("%s", what), errhint("dp_sql writes this option.")));
}

static const char *const measure_words[] = {
	[DP_COUNT_ROWS] = "rows", [DP_COUNT] = "count",       [DP_COUNT_DISTINCT] = "distinct",
	[DP_SUM] = "sum",         [DP_AVG] = "avg",           [DP_VAR] = "var",
	[DP_STDDEV] = "stddev",   [DP_QUANTILE] = "quantile",
};

static const char *const aggregate_words[] = {
	[DP_UNIT_ROWS] = "rows", [DP_UNIT_COUNT] = "count", [DP_UNIT_SUM] = "sum",
	[DP_UNIT_AVG] = "avg",   [DP_UNIT_MIN] = "min",     [DP_UNIT_MAX] = "max",
	[DP_UNIT_ANY] = "any",   [DP_UNIT_ALL] = "all",
};

/* ---- columns ---- */

DpAskedColumn *
dp_asked_column(DpAsked *asked, uint32 relation, const char *name)
{
	DpAskedRelation *of;
	DpAskedColumn *column;
	ListCell *cell;

	if (relation >= (uint32) list_length(asked->relations))
		refuse("A column is of a relation that is not there.");
	of = list_nth(asked->relations, (int) relation);
	foreach (cell, of->columns)
		if (strcmp(((DpAskedColumn *) lfirst(cell))->name, name) == 0)
			return lfirst(cell);
	column = of->units != NULL ? dp_unit_column_describe(of->units, name)
							   : dp_asked_column_describe(of, name);
	column->nullable |= of->units != NULL && of->outer;
	of->columns = lappend(of->columns, column);
	if (asked->narrows && !column->is_unread)
		dp_asked_narrow(asked, relation, column);
	return column;
}

DpAskedColumn *
dp_asked_column_values(DpAsked *asked, uint32 relation, const char *name)
{
	DpAskedColumn *column = dp_asked_column(asked, relation, name);

	if (!column->is_unread)
		return column;
	column->is_unread = false;
	dp_asked_column_read(asked, list_nth(asked->relations, (int) relation), column);
	if (asked->narrows)
		dp_asked_narrow(asked, relation, column);
	return column;
}

static Oid
type_of_column(void *context, uint32 relation, const char *name)
{
	return dp_asked_column(context, relation, name)->type;
}

/* ---- reading ---- */

static JsonbContainer *
object_of(JsonbValue *value)
{
	if (value == NULL || value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		refuse("It is no object, or a part of it is none.");
	return value->val.binary.data;
}

static DpRowExpression *
expression_of(DpAsked *asked, JsonbValue *value, int *nodes)
{
	if (value == NULL)
		return NULL;
	if (value->type != jbvBinary)
		refuse("An expression is no array.");
	return dp_x_read(value->val.binary.data, type_of_column, asked, nodes);
}

static DpRowExpression *
condition_of(DpAsked *asked, JsonbValue *value, int *nodes)
{
	DpRowExpression *condition = expression_of(asked, value, nodes);

	if (condition != NULL && condition->type != BOOLOID)
		refuse("A condition is not of type boolean.");
	return condition;
}

static double
number_of(JsonbValue *value)
{
	if (value == NULL || value->type != jbvNumeric)
		refuse("A number is none.");
	return DatumGetFloat8(
		DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
}

DpAskedRelation *
dp_asked_relation_create(Oid relation, int ancestor, bool is_public, bool outer,
						 const DpRelation *counted)
{
	DpAskedRelation *of = palloc0(sizeof(DpAskedRelation));
	DpDataset dataset;

	*of = (DpAskedRelation){
		.relation = relation, .ancestor = ancestor, .is_public = is_public, .outer = outer};
	if (is_public)
		return of;
	if (counted != NULL)
	{
		of->facts = palloc(sizeof(DpRelation));
		*of->facts = *counted; /* its domain is another one from then on */
		return of;
	}
	dp_dataset_get(relation, false, &dataset);
	of->facts = dp_relation_columns(relation, dataset.id, true);
	return of;
}

DpAskedRelation *
dp_asked_below_create(const DpAsked *asked, Oid relation, uint32 of)
{
	DpAskedRelation *below = palloc0(sizeof(DpAskedRelation));
	const DpAskedRelation *above =
		of < (uint32) list_length(asked->relations) ? list_nth(asked->relations, (int) of) : NULL;
	DpDataset dataset;

	dp_dataset_get(relation, false, &dataset);
	dp_dataset_check_parents(&dataset);
	if (above == NULL || above->is_public || above->is_below || above->units != NULL ||
		dataset.parent != above->relation)
		refuse("Rows of a relation do not belong to rows of the other one.");
	*below = (DpAskedRelation){.relation = relation, .is_below = true, .of = of};
	below->facts = dp_relation_columns(relation, dataset.id, true);
	return below;
}

DpAskedRelation *
dp_asked_units_create(const DpDataset *dataset, Oid relation, DpAsked *units, bool outer)
{
	DpAskedRelation *of = palloc0(sizeof(DpAskedRelation));
	DpDataset own, root;

	dp_dataset_get(relation, false, &own);
	dp_dataset_check_parents(&own);
	dp_dataset_get(dp_dataset_root(dataset), false, &root);
	if (dp_dataset_root(&own) != root.relation ||
		(root.unit_column != NULL && relation != dataset->relation))
		refuse("Rows of units are of units of another relation.");
	if (units->groups != NIL || units->all_units)
		refuse("A unit has several rows of units, or has one without having rows.");
	*of = (DpAskedRelation){.relation = relation, .units = units, .outer = outer};
	of->facts = dp_relation_columns(relation, own.id, true);
	return of;
}

void
dp_asked_check_below(const DpAsked *asked, uint32 relation)
{
	if (relation >= (uint32) list_length(asked->relations) ||
		!((DpAskedRelation *) list_nth(asked->relations, (int) relation))->is_below)
		refuse("EXISTS is of a relation that is not below another one.");
}

static Oid
oid_of(JsonbValue *value)
{
	double number = number_of(value);

	return number >= 1 && number <= 4294967295.0 ? (Oid) number : InvalidOid;
}

static DpAsked *units_read(JsonbContainer *question, const DpRelation *counted,
						   const DpDataset *dataset, int *nodes);

static DpAskedRelation *
counted_units_read(JsonbContainer *units, const DpRelation *counted, const DpDataset *dataset,
				   int *nodes)
{
	DpAskedRelation *of = palloc0(sizeof(DpAskedRelation));

	*of = (DpAskedRelation){.relation = counted->oid,
							.units = units_read(units, counted, dataset, nodes)};
	return of;
}

static DpAskedRelation *
joined_units_read(JsonbContainer *units, Oid relation, const DpDataset *dataset, bool outer,
				  int *nodes)
{
	DpDataset own;

	dp_dataset_get(relation, false, &own);
	return dp_asked_units_create(
		dataset, relation,
		units_read(units, dp_relation_columns(relation, own.id, true), &own, nodes), outer);
}

static DpAskedRelation *
relation_read(const DpAsked *asked, JsonbContainer *object, const DpRelation *counted,
			  const DpDataset *dataset, int *nodes)
{
	JsonbValue *units = dp_json_member(object, "units");
	JsonbValue *ancestor = dp_json_member(object, "ancestor");
	JsonbValue *below = dp_json_member(object, "below");
	JsonbValue *outer = dp_json_member(object, "outer");
	bool is_outer = outer != NULL && outer->type == jbvBool && outer->val.boolean;
	Oid relation;
	double number;

	if (units != NULL && !asked->within)
		return asked->relations == NIL
				   ? counted_units_read(object_of(units), counted, dataset, nodes)
				   : joined_units_read(object_of(units), oid_of(dp_json_member(object, "rows_of")),
									   dataset, is_outer, nodes);
	if (asked->relations == NIL)
		return dp_asked_relation_create(counted->oid, 0, false, false, counted);
	if (ancestor != NULL)
	{
		List *above = dp_dataset_parents(dataset);

		number = number_of(ancestor);
		if (!(number >= 1 && number <= list_length(above)))
			refuse("It has no such ancestor.");
		return dp_asked_relation_create(list_nth_oid(above, (int) number - 1), (int) number, false,
										false, NULL);
	}
	if (below != NULL)
		return dp_asked_below_create(asked, oid_of(below),
									 (uint32) Max(number_of(dp_json_member(object, "of")), 0));
	relation = oid_of(dp_json_member(object, "public"));
	if (!dp_relation_is_public(relation))
		refuse("A relation is not public.");
	return dp_asked_relation_create(relation, 0, true, is_outer, NULL);
}

static void
relations_read(DpAsked *asked, JsonbValue *value, const DpRelation *counted,
			   const DpDataset *dataset, int *nodes)
{
	JsonbContainer *array =
		value == NULL || value->type != jbvBinary ? NULL : value->val.binary.data;

	if (array == NULL || !JsonContainerIsArray(array) || JsonContainerSize(array) < 1 ||
		JsonContainerSize(array) > DP_ASKED_RELATIONS_MAX)
		refuse("It has no relations.");
	for (uint32 i = 0; i < JsonContainerSize(array); i++)
	{
		JsonbContainer *object = object_of(getIthJsonbValueFromContainer(array, i));
		DpAskedRelation *of = relation_read(asked, object, counted, dataset, nodes);

		asked->relations = lappend(asked->relations, of);
		/* the condition of the join may use the relation itself and those before it */
		of->on = condition_of(asked, dp_json_member(object, "on"), nodes);
		if (i == 0 && of->units != NULL && JsonContainerSize(array) > 1)
			refuse("Something is joined to rows of units.");
		if (of->on != NULL && !of->is_public)
			refuse("A condition is of a join by what the schema says.");
	}
}

/* Which of n words it is; n: none of them. */
static size_t
word_of(const JsonbValue *value, const char *const *words, size_t n)
{
	const char *text = value == NULL ? NULL : dp_json_text(value);
	size_t i = 0;

	while (i < n && (text == NULL || strcmp(words[i], text) != 0))
		i++;
	return i;
}

static DpAskedMeasure *
measure_read(DpAsked *asked, JsonbContainer *object, int *nodes)
{
	DpAskedMeasure *measure = palloc0(sizeof(DpAskedMeasure));
	JsonbValue *at = dp_json_member(object, "at");
	size_t kind =
		word_of(dp_json_member(object, "measure"), measure_words, lengthof(measure_words));

	if (kind == lengthof(measure_words))
		refuse("A measure is of no known kind.");
	measure->kind = kind;
	measure->of = expression_of(asked, dp_json_member(object, "of"), nodes);
	if ((measure->of == NULL) != (measure->kind == DP_COUNT_ROWS))
		refuse("A measure has no argument.");
	if (measure->kind == DP_QUANTILE)
	{
		double share = number_of(at);

		if (!(share >= 0 && share <= 1))
			refuse("A quantile is not between 0 and 1.");
		measure->quantile_nano = (int64) (share * NANO + 0.5);
	}
	return measure;
}

static DpUnitAggregate *
aggregate_read(DpAsked *asked, JsonbContainer *object, int *nodes)
{
	DpUnitAggregate *aggregate = palloc0(sizeof(DpUnitAggregate));
	size_t kind =
		word_of(dp_json_member(object, "aggregate"), aggregate_words, lengthof(aggregate_words));

	if (kind == lengthof(aggregate_words))
		refuse("An aggregate is of no known kind.");
	aggregate->kind = kind;
	aggregate->of = expression_of(asked, dp_json_member(object, "of"), nodes);
	if ((aggregate->of == NULL) != (aggregate->kind == DP_UNIT_ROWS))
		refuse("An aggregate has no argument.");
	(void) dp_unit_aggregate_type(aggregate);
	return aggregate;
}

static void
groups_read(DpAsked *asked, JsonbContainer *question, int *nodes)
{
	JsonbValue *groups = dp_json_member(question, "groups");

	if (groups != NULL && dp_json_is_array(groups))
		for (uint32 i = 0; i < JsonContainerSize(groups->val.binary.data); i++)
			asked->groups = lappend(
				asked->groups,
				expression_of(asked, getIthJsonbValueFromContainer(groups->val.binary.data, i),
							  nodes));
}

/* A question within a question: the rows of units. */
static DpAsked *
units_read(JsonbContainer *question, const DpRelation *counted, const DpDataset *dataset,
		   int *nodes)
{
	DpAsked *units = palloc0(sizeof(DpAsked));
	JsonbValue *aggregates = dp_json_member(question, "aggregates");
	JsonbValue *all = dp_json_member(question, "all");

	if (!dp_dataset_has_units(dataset))
		refuse("Nothing tells whose the rows are.");
	units->within = true;
	relations_read(units, dp_json_member(question, "relations"), counted, dataset, nodes);
	units->where = condition_of(units, dp_json_member(question, "where"), nodes);
	groups_read(units, question, nodes);
	units->unit_rows = dp_asked_unit_rows(units, dataset);
	units->all_units = all != NULL && all->type == jbvBool && all->val.boolean;
	if (units->all_units && (units->groups != NIL || list_length(dp_dataset_parents(dataset)) != 1))
		refuse("Units without rows are those of the table right above, and have no groups.");
	if (aggregates != NULL && dp_json_is_array(aggregates))
		for (uint32 i = 0; i < JsonContainerSize(aggregates->val.binary.data); i++)
			units->aggregates = lappend(
				units->aggregates,
				aggregate_read(
					units, object_of(getIthJsonbValueFromContainer(aggregates->val.binary.data, i)),
					nodes));
	return units;
}

static void
lists_read(DpAsked *asked, JsonbContainer *question, int *nodes)
{
	JsonbValue *measures = dp_json_member(question, "measures");

	groups_read(asked, question, nodes);
	if (measures == NULL || !dp_json_is_array(measures) ||
		JsonContainerSize(measures->val.binary.data) < 1 ||
		JsonContainerSize(measures->val.binary.data) > DP_MEASURES_MAX)
		refuse("It has no measures, or too many.");
	for (uint32 i = 0; i < JsonContainerSize(measures->val.binary.data); i++)
		asked->measures = lappend(
			asked->measures,
			measure_read(asked,
						 object_of(getIthJsonbValueFromContainer(measures->val.binary.data, i)),
						 nodes));
}

/* Rows of a unit that are alike are one row then, so that nothing but rows can be counted. */
static void
check_once(const DpAsked *asked, const DpDataset *dataset)
{
	ListCell *cell;

	if (!asked->once)
		return;
	if (!dp_dataset_has_units(dataset))
		refuse("Nothing tells whose the rows are.");
	foreach (cell, asked->measures)
		if (((DpAskedMeasure *) lfirst(cell))->of != NULL)
			refuse("Units are counted, and nothing beside them.");
}

bool
dp_asked_given(Jsonb *options)
{
	return JB_ROOT_IS_OBJECT(options) && dp_json_member(&options->root, DP_QUESTION_OPTION) != NULL;
}

DpAsked *
dp_asked_read(Jsonb *options, DpRelation *relation, const DpDataset *dataset)
{
	JsonbContainer *question = object_of(dp_json_member(&options->root, DP_QUESTION_OPTION));
	DpAsked *asked = palloc0(sizeof(DpAsked));
	JsonbValue *once = dp_json_member(question, "once");
	int nodes = DP_EXPRESSION_NODES_MAX, level = dp_values_begin();

	relations_read(asked, dp_json_member(question, "relations"), relation, dataset, &nodes);
	asked->where = condition_of(asked, dp_json_member(question, "where"), &nodes);
	lists_read(asked, question, &nodes);
	asked->once = once != NULL && once->type == jbvBool && once->val.boolean;
	check_once(asked, dataset);
	dp_values_end(level);
	return asked;
}

/* ---- writing ---- */

/* The columns that a question reads, each once. */
static List *
columns_read(const DpAsked *asked)
{
	List *columns = asked->where == NULL ? NIL : dp_x_columns(asked->where, NIL);
	ListCell *cell;

	foreach (cell, asked->relations)
		if (((DpAskedRelation *) lfirst(cell))->on != NULL)
			columns = dp_x_columns(((DpAskedRelation *) lfirst(cell))->on, columns);
	foreach (cell, asked->groups)
		columns = dp_x_columns(lfirst(cell), columns);
	foreach (cell, asked->measures)
		if (((DpAskedMeasure *) lfirst(cell))->of != NULL)
			columns = dp_x_columns(((DpAskedMeasure *) lfirst(cell))->of, columns);
	foreach (cell, asked->aggregates)
		if (((DpUnitAggregate *) lfirst(cell))->of != NULL)
			columns = dp_x_columns(((DpUnitAggregate *) lfirst(cell))->of, columns);
	return columns;
}

/* "columns": {"price": 5}: with attribute numbers, so that a column which takes over a name is not
 * mistaken. */
static void
write_columns(const DpAskedRelation *of, uint32 number, const List *columns, StringInfo json)
{
	const char *word = "\"columns\": {";
	ListCell *cell;

	foreach (cell, columns)
	{
		const DpRowExpression *column = lfirst(cell);

		if (column->relation != number || of->units != NULL)
			continue;
		appendStringInfoString(json, word);
		escape_json(json, column->name);
		appendStringInfo(json, ": %d", get_attnum(of->relation, column->name));
		word = ", ";
	}
	appendStringInfoString(json, word[0] == ',' ? "}" : "\"columns\": {}");
}

static void write_relation(const DpAskedRelation *of, StringInfo json);

static void
write_relations(const DpAsked *asked, StringInfo json)
{
	List *columns = columns_read(asked);
	ListCell *cell;

	appendStringInfoString(json, "{\"relations\": [");
	foreach (cell, asked->relations)
	{
		appendStringInfoString(json, cell == list_head(asked->relations) ? "{" : ", {");
		write_columns(lfirst(cell), (uint32) foreach_current_index(cell), columns, json);
		write_relation(lfirst(cell), json);
		appendStringInfoChar(json, '}');
	}
	appendStringInfoString(json, "], ");
}

static void
write_groups(const List *groups, StringInfo json)
{
	ListCell *cell;

	appendStringInfoString(json, "\"groups\": [");
	foreach (cell, groups)
		appendStringInfo(json, "%s%s", cell == list_head(groups) ? "" : ", ",
						 dp_x_text(lfirst(cell)));
	appendStringInfoChar(json, ']');
}

static void
write_units(const DpAsked *units, StringInfo json)
{
	ListCell *cell;

	appendStringInfoString(json, ", \"units\": ");
	write_relations(units, json);
	write_groups(units->groups, json);
	appendStringInfoString(json, ", \"aggregates\": [");
	foreach (cell, units->aggregates)
	{
		const DpUnitAggregate *aggregate = lfirst(cell);

		appendStringInfo(json, "%s{\"aggregate\": \"%s\"",
						 cell == list_head(units->aggregates) ? "" : ", ",
						 aggregate_words[aggregate->kind]);
		if (aggregate->of != NULL)
			appendStringInfo(json, ", \"of\": %s", dp_x_text(aggregate->of));
		appendStringInfoChar(json, '}');
	}
	appendStringInfoChar(json, ']');
	if (units->where != NULL)
		appendStringInfo(json, ", \"where\": %s", dp_x_text(units->where));
	appendStringInfoString(json, units->all_units ? ", \"all\": true}" : "}");
}

static void
write_relation(const DpAskedRelation *of, StringInfo json)
{
	if (of->units != NULL)
	{
		write_units(of->units, json);
		if (of->facts != NULL)
			appendStringInfo(json, ", \"rows_of\": %u%s", of->relation,
							 of->outer ? ", \"outer\": true" : "");
	}
	else if (of->is_below)
		appendStringInfo(json, ", \"below\": %u, \"of\": %u", of->relation, of->of);
	else if (of->ancestor > 0)
		appendStringInfo(json, ", \"ancestor\": %d", of->ancestor);
	else if (of->is_public)
	{
		appendStringInfo(json, ", \"public\": %u", of->relation);
		if (of->outer)
			appendStringInfoString(json, ", \"outer\": true");
		if (of->on != NULL)
			appendStringInfo(json, ", \"on\": %s", dp_x_text(of->on));
	}
}

static void
write_measure(const DpAskedMeasure *measure, StringInfo json)
{
	appendStringInfo(json, "{\"measure\": \"%s\"", measure_words[measure->kind]);
	if (measure->of != NULL)
		appendStringInfo(json, ", \"of\": %s", dp_x_text(measure->of));
	if (measure->kind == DP_QUANTILE)
		appendStringInfo(json, ", \"at\": %.9g", (double) measure->quantile_nano / NANO);
	appendStringInfoChar(json, '}');
}

char *
dp_asked_write(const DpAsked *asked)
{
	StringInfoData json;
	ListCell *cell;

	initStringInfo(&json);
	write_relations(asked, &json);
	write_groups(asked->groups, &json);
	appendStringInfoString(&json, ", \"measures\": [");
	foreach (cell, asked->measures)
	{
		appendStringInfoString(&json, cell == list_head(asked->measures) ? "" : ", ");
		write_measure(lfirst(cell), &json);
	}
	appendStringInfoChar(&json, ']');
	if (asked->where != NULL)
		appendStringInfo(&json, ", \"where\": %s", dp_x_text(asked->where));
	if (asked->once)
		appendStringInfoString(&json, ", \"once\": true");
	appendStringInfoChar(&json, '}');
	return json.data;
}

/* ---- what it stands on ---- */

List *
dp_asked_public(const DpAsked *asked)
{
	List *found = list_copy(asked->keys_of);
	ListCell *cell;

	foreach (cell, asked->relations)
	{
		const DpAskedRelation *of = lfirst(cell);

		if (of->units != NULL)
			found = list_concat_unique_oid(found, dp_asked_public(of->units));
		else if (of->is_public)
			found = list_append_unique_oid(found, of->relation);
	}
	return found;
}

uint64
dp_asked_digest(const DpAsked *asked)
{
	uint64 digest = asked->digest;
	ListCell *cell;

	foreach (cell, asked->relations)
	{
		const DpAskedRelation *of = lfirst(cell);

		if (of->units != NULL)
			digest = hash_combine64(digest, of->units->digest);
	}
	return digest;
}

List *
dp_asked_above(const DpAsked *asked)
{
	List *above = NIL;
	ListCell *cell;

	foreach (cell, asked->relations)
	{
		const DpAskedRelation *of = lfirst(cell);

		if (of->units != NULL)
			above = list_concat(above, dp_asked_above(of->units));
		if (of->ancestor > 0 || of->is_below || (of->units != NULL && of->facts != NULL))
			above = lappend(above, of->facts);
	}
	return above;
}
