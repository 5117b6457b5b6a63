/*
 * describe.c -- functions that describe and spend nothing: the domains of a relation, the
 * methods, the expected error of a stability histogram.
 */
#include "pg/server/compat.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "core/base/decimal.h"
#include "core/mechanism/stability.h"
#include "core/methods/registry.h"
#include "core/plan/planner.h"
#include "pg/budget/public_relation.h"
#include "pg/domain/fill.h"
#include "pg/domain/key_capacity.h"
#include "pg/release/several.h"
#include "pg/server/arguments.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_tree_list);
PG_FUNCTION_INFO_V1(dp_relations_named);
PG_FUNCTION_INFO_V1(dp_schemas_named);
PG_FUNCTION_INFO_V1(dp_is_protected);
PG_FUNCTION_INFO_V1(dp_column_domains);
PG_FUNCTION_INFO_V1(dp_column_roles);
PG_FUNCTION_INFO_V1(dp_column_domains_now);
PG_FUNCTION_INFO_V1(dp_rows_max);
PG_FUNCTION_INFO_V1(dp_check_keys);
PG_FUNCTION_INFO_V1(dp_method_list);
PG_FUNCTION_INFO_V1(dp_error_of_counts);
PG_FUNCTION_INFO_V1(dp_epsilon);
PG_FUNCTION_INFO_V1(dp_delta);
PG_FUNCTION_INFO_V1(dp_rho);
PG_FUNCTION_INFO_V1(dp_zcdp_total);
PG_FUNCTION_INFO_V1(dp_zcdp_spent);
PG_FUNCTION_INFO_V1(dp_membership_bound);

/* ---- dp_tree_list ---- */

#define TREE_COLUMNS 4

static void
put_root(FunctionCallInfo fcinfo, Oid relation)
{
	Datum values[TREE_COLUMNS] = {ObjectIdGetDatum(relation)};
	bool nulls[TREE_COLUMNS] = {false, true, true, true};

	dp_put_row(fcinfo, values, nulls);
}

static void
put_tree(FunctionCallInfo fcinfo, const DpTableTree *tree)
{
	for (int i = 0; i < tree->tables; i++)
	{
		const DpTreeTable *table = &tree->table[i];
		Datum values[TREE_COLUMNS] = {ObjectIdGetDatum(table->relation)};
		bool nulls[TREE_COLUMNS] = {false, i == 0, i == 0, i == 0};

		if (i > 0)
		{
			values[1] = ObjectIdGetDatum(table->dataset.parent);
			const DpForeignKey *key = table->reference;

			values[2] = dp_names_argument(key->column, key->columns).value;
			values[3] = dp_names_argument(key->key, key->columns).value;
		}
		dp_put_row(fcinfo, values, nulls);
	}
}

/* The tree of some roots, for a caller who may ask for releases of them. */
Datum
dp_tree_list(PG_FUNCTION_ARGS)
{
	const DpReleaseRequest call = {.method = "", .user = GetUserId()};
	const DpReleaseForest *forest = dp_forest_of(&call, dp_relations_argument(fcinfo, 0));

	for (int i = 0; i < forest->trees; i++)
	{
		DpDataset dataset;

		dp_dataset_get(forest->tree[i].relation, false, &dataset);
		dp_check_may_ask(&dataset, GetUserId());
	}
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < forest->trees; i++)
	{
		const DpReleaseRequest *tree = &forest->tree[i];

		if (tree->tree == NULL)
			put_root(fcinfo, tree->relation);
		else
			put_tree(fcinfo, dp_tree_of(dp_released_relations(tree)));
	}
	return (Datum) 0;
}

/* ---- which relations ---- */

Datum
dp_relations_named(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(dp_oid_array(dp_relations_argument(fcinfo, 0), REGCLASSOID));
}

Datum
dp_schemas_named(PG_FUNCTION_ARGS)
{
	const List *schemas = dp_schemas_argument(fcinfo, 0, true);

	if (schemas == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_SCHEMA_NAME),
				 errmsg("schema \"%s\" does not exist", text_to_cstring(PG_GETARG_TEXT_PP(0))),
				 errhint("Name one, or several in braces: {sales,staff}.")));
	PG_RETURN_DATUM(dp_oid_array(schemas, OIDOID));
}

Datum
dp_is_protected(PG_FUNCTION_ARGS)
{
	DpDataset dataset;

	PG_RETURN_BOOL(dp_dataset_find(PG_GETARG_OID(0), false, &dataset) && dataset.active);
}

/* ---- dp_column_domains ---- */

#define DOMAIN_COLUMNS 10

static Datum
texts_array(const char **words, uint32 n)
{
	Datum *texts = palloc(sizeof(Datum) * Max(n, 1));

	for (uint32 i = 0; i < n; i++)
		texts[i] = CStringGetTextDatum(words[i]);
	return PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* Of a range its two ends. */
static Datum
labels_array(const DpAttribute *attribute, const DpColumn *column)
{
	const char *ends[] = {column->low, column->high};

	if (attribute->range != NULL)
		return texts_array(ends, 2);
	return texts_array(attribute->labels, attribute->labels_n);
}

static const char *
kind_name(const DpAttribute *attribute)
{
	if (attribute->open)
		return "open";
	if (attribute->range != NULL)
		return "range";
	return attribute->kind == DP_BINS ? "bins" : "categories";
}

static void
put_domain(FunctionCallInfo fcinfo, const DpAttribute *attribute, const DpColumn *column)
{
	Datum values[DOMAIN_COLUMNS] = {0};
	bool nulls[DOMAIN_COLUMNS] = {false};

	values[0] = Int32GetDatum(column->number);
	values[1] = DirectFunctionCall1(namein, CStringGetDatum(attribute->name));
	values[2] = ObjectIdGetDatum(column->type);
	values[3] = CStringGetTextDatum(kind_name(attribute));
	values[4] = CStringGetTextDatum(column->source);
	values[5] = Int32GetDatum((int32) attribute->levels);
	nulls[5] = attribute->open || attribute->range != NULL;
	values[6] = labels_array(attribute, column);
	nulls[6] = attribute->open;
	values[7] = BoolGetDatum(attribute->has_other);
	nulls[8] = attribute->other == NULL;
	if (attribute->other)
		values[8] = CStringGetTextDatum(attribute->other);
	nulls[9] = column->resolution == NULL;
	if (column->resolution)
		values[9] = CStringGetTextDatum(column->resolution);
	dp_put_row(fcinfo, values, nulls);
}

/* The pattern or the expression of a column that is not modelled; NULL: it has none. */
static const char *
what_it_holds(const DpUnmodelled *column)
{
	return column->expression != NULL ? column->expression : column->fill;
}

static const char *
kind_unmodelled(const DpUnmodelled *column)
{
	if (column->expression != NULL)
		return "computed";
	if (column->fill == NULL)
		return NULL;
	return column->key ? "key" : "fill";
}

static void
put_no_domain(FunctionCallInfo fcinfo, const DpUnmodelled *column)
{
	Datum values[DOMAIN_COLUMNS] = {0};
	bool nulls[DOMAIN_COLUMNS];

	memset(nulls, true, sizeof(nulls));
	nulls[0] = nulls[1] = nulls[2] = false;
	values[0] = Int32GetDatum(column->number);
	values[1] = DirectFunctionCall1(namein, CStringGetDatum(column->name));
	values[2] = ObjectIdGetDatum(column->type);
	if (column->source)
	{
		values[4] = CStringGetTextDatum(column->expression != NULL ? "declared" : column->source);
		nulls[4] = false;
	}
	if (what_it_holds(column))
	{
		Datum pattern = CStringGetTextDatum(what_it_holds(column));

		values[3] = CStringGetTextDatum(kind_unmodelled(column));
		values[6] = dp_text_array(&pattern, 1);
		nulls[3] = nulls[6] = false;
	}
	dp_put_row(fcinfo, values, nulls);
}

/* Gives only the source, for a relation that cannot be examined now. */
static void
put_unknown(FunctionCallInfo fcinfo, const char *source)
{
	Datum values[DOMAIN_COLUMNS] = {0};
	bool nulls[DOMAIN_COLUMNS];

	memset(nulls, true, sizeof(nulls));
	values[4] = CStringGetTextDatum(source);
	nulls[4] = false;
	dp_put_row(fcinfo, values, nulls);
}

static void
put_relation(FunctionCallInfo fcinfo, Oid oid, int32 dataset)
{
	DpRelation *relation = dp_relation_domain(oid, dataset, false);
	ListCell *cell;

	for (uint32 i = 0; i < relation->domain.attributes; i++)
		put_domain(fcinfo, &relation->domain.attribute[i], &relation->column[i]);
	foreach (cell, relation->unmodelled)
		put_no_domain(fcinfo, lfirst(cell));
}

/* Who may ask for releases, or draw from one, which has the domains in it. */
static bool
may_see(const DpDataset *dataset)
{
	return dp_may_ask(dataset, GetUserId()) || dp_may_draw(dataset, GetUserId());
}

Datum
dp_column_domains(PG_FUNCTION_ARGS)
{
	Oid oid = PG_GETARG_OID(0);
	DpDataset dataset;

	if ((!dp_dataset_find(oid, false, &dataset) || !dp_may_ask(&dataset, GetUserId())) &&
		!dp_relation_is_public(oid))
		dp_check_custodian(oid, "see its domains");
	InitMaterializedSRF(fcinfo, 0);
	put_relation(fcinfo, oid, dataset.id);
	return (Datum) 0;
}

/* ---- dp_column_roles ---- */

#define ROLE_COLUMNS 5

static void
put_role(FunctionCallInfo fcinfo, AttrNumber number, const char *name, const char *kind,
		 const char *source, const char *fill)
{
	Datum values[ROLE_COLUMNS] = {
		Int32GetDatum(number), DirectFunctionCall1(namein, CStringGetDatum(name)),
		dp_text_argument(kind).value, dp_text_argument(source).value, dp_text_argument(fill).value};
	bool nulls[ROLE_COLUMNS] = {false, false, kind == NULL, source == NULL, fill == NULL};

	dp_put_row(fcinfo, values, nulls);
}

/* The kinds of a relation's columns, without their values: for a role that may ask for releases,
 * for one that may draw from a release and makes tables of the rows, and of a public table for
 * everybody. */
Datum
dp_column_roles(PG_FUNCTION_ARGS)
{
	Oid oid = PG_GETARG_OID(0);
	DpDataset dataset = {0};
	DpRelation *relation;
	ListCell *cell;

	if ((!dp_dataset_find(oid, false, &dataset) || !may_see(&dataset)) &&
		!dp_relation_is_declared_public(oid))
		dp_check_custodian(oid, "see its domains");
	relation = dp_relation_roles(oid, dataset.id);
	InitMaterializedSRF(fcinfo, 0);
	for (uint32 i = 0; i < relation->domain.attributes; i++)
		put_role(fcinfo, relation->column[i].number, relation->domain.attribute[i].name,
				 kind_name(&relation->domain.attribute[i]), relation->column[i].source, NULL);
	foreach (cell, relation->unmodelled)
	{
		const DpUnmodelled *column = lfirst(cell);

		put_role(fcinfo, column->number, column->name, kind_unmodelled(column), column->source,
				 column->fill);
	}
	return (Datum) 0;
}

/* How many rows can be numbered; ERROR if that is less than what is asked for, if anything is. */
Datum
dp_rows_max(PG_FUNCTION_ARGS)
{
	Oid oid = PG_GETARG_OID(0);
	DpRelation *relation;
	DpDataset dataset;

	dp_dataset_get(oid, false, &dataset);
	if (!may_see(&dataset))
		dp_check_custodian(oid, "see its domains");
	relation = dp_relation_domain(oid, dataset.id, false);
	if (!PG_ARGISNULL(1) && PG_GETARG_INT64(1) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rows must not be negative")));
	if (!PG_ARGISNULL(1))
		dp_fill_check_rows(relation, (uint64) PG_GETARG_INT64(1));
	PG_RETURN_INT64((int64) Min(dp_fill_rows_max(relation), (uint64) PG_INT64_MAX));
}

/* ERROR if rows that are to be made would all repeat what is UNIQUE; WARNING if there can be too
 * few of them. */
Datum
dp_check_keys(PG_FUNCTION_ARGS)
{
	Oid oid = PG_GETARG_OID(0);
	uint64 rows = PG_ARGISNULL(1) ? 2 : (uint64) PG_GETARG_INT64(1); /* several */
	DpDataset dataset;

	dp_dataset_get(oid, false, &dataset);
	if (!dp_may_ask(&dataset, GetUserId()))
		dp_check_custodian(oid, "see its domains");
	dp_key_capacities_check(dp_relation_domain(oid, dataset.id, false), rows,
							PG_GETARG_BOOL(2) ? dataset.rows_per_parent : 0);
	PG_RETURN_VOID();
}

/*
 * As dp_column_domains, for the view dp_columns. Its rows must neither fail nor wait because of
 * what somebody else does with a relation meanwhile: locking it, dropping it, or taking rights
 * back.
 */
Datum
dp_column_domains_now(PG_FUNCTION_ARGS)
{
	Oid oid = PG_GETARG_OID(0);
	DpDataset dataset;

	InitMaterializedSRF(fcinfo, 0);
	if (!ConditionalLockRelationOid(oid, AccessShareLock))
	{
		put_unknown(fcinfo, "locked");
		return (Datum) 0;
	}
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(oid)) &&
		dp_dataset_find(oid, false, &dataset) && dp_may_ask(&dataset, GetUserId()))
		put_relation(fcinfo, oid, dataset.id);
	UnlockRelationOid(oid, AccessShareLock);
	return (Datum) 0;
}

/* ---- dp_method_list ---- */

static const char *
option_type_name(DpOptionType type)
{
	switch (type)
	{
		case DP_OPTION_INTEGER:
			return "integer";
		case DP_OPTION_INTEGER_OR_WORD:
			return "integer or word";
		case DP_OPTION_MEMORY:
			return "memory";
		case DP_OPTION_SHARE:
			return "share";
		case DP_OPTION_BOOLEAN:
			return "boolean";
		case DP_OPTION_CHOICE:
			return "choice";
		case DP_OPTION_TEXT:
			return "text";
		case DP_OPTION_NAME:
			return "column";
		case DP_OPTION_NAMES:
			return "list of columns";
		case DP_OPTION_DOMAIN:
			return "domain";
		case DP_OPTION_SETS:
			return "sets of columns";
		case DP_OPTION_WEIGHTED_SETS:
			return "weighted sets of columns";
		default:
			return "map of column to list of columns";
	}
}

static void
append_limits(StringInfo json, const DpOptionSpec *spec)
{
	int digits = spec->type == DP_OPTION_SHARE ? 9 : 0;
	char words[32];

	if (spec->choices != NULL)
	{
		appendStringInfoString(json, ", \"choices\": ");
		escape_json(json, spec->choices);
	}
	if (spec->type != DP_OPTION_INTEGER && spec->type != DP_OPTION_INTEGER_OR_WORD &&
		spec->type != DP_OPTION_MEMORY && spec->type != DP_OPTION_SHARE &&
		spec->type != DP_OPTION_SETS && spec->type != DP_OPTION_WEIGHTED_SETS)
		return;
	appendStringInfo(json, ", \"minimum\": %s", dp_decimal_print(spec->minimum, digits, words));
	appendStringInfo(json, ", \"maximum\": %s", dp_decimal_print(spec->maximum, digits, words));
}

/* A jsonb object has no order, so each option says where it stands among the arguments. */
static void
append_specs(StringInfo json, const DpOptionSpec *specs, uint32 n, uint32 before)
{
	for (uint32 i = 0; i < n; i++)
	{
		appendStringInfoString(json, json->len > 1 ? ", " : "");
		escape_json(json, specs[i].name);
		appendStringInfo(json,
						 ": {\"position\": %u, \"type\": \"%s\", \"default\": ", before + i + 1,
						 option_type_name(specs[i].type));
		if (specs[i].fallback)
			escape_json(json, specs[i].fallback);
		else
			appendStringInfoString(json, "null");
		append_limits(json, &specs[i]);
		appendStringInfoString(json, ", \"summary\": ");
		escape_json(json, specs[i].summary);
		appendStringInfoChar(json, '}');
	}
}

Datum
dp_method_list(PG_FUNCTION_ARGS)
{
	bool nulls[5] = {false};

	InitMaterializedSRF(fcinfo, 0);
	for (uint32 i = 0; i < dp_methods_n; i++)
	{
		const DpMethod *method = dp_methods[i];
		StringInfoData json;
		Datum values[5];

		initStringInfo(&json);
		appendStringInfoChar(&json, '{');
		append_specs(&json, method->specs, method->specs_n, 0);
		append_specs(&json, dp_common_specs, dp_common_specs_n, method->specs_n);
		appendStringInfoChar(&json, '}');
		values[0] = CStringGetTextDatum(method->name);
		values[1] = CStringGetTextDatum(method->guarantee);
		values[2] = CStringGetTextDatum(method->summary);
		values[3] = CStringGetTextDatum(method->source);
		values[4] = DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
		dp_put_row(fcinfo, values, nulls);
	}
	return (Datum) 0;
}

/* ---- dp_error of counts ---- */

static int64 *
counts_argument(ArrayType *array, int *n)
{
	bool *nulls;
	Datum *elements = dp_elements(PointerGetDatum(array), &nulls, n);
	int64 *counts = palloc(sizeof(int64) * Max(*n, 1));

	for (int i = 0; i < *n; i++)
	{
		counts[i] = nulls[i] ? 0 : DatumGetInt64(elements[i]);
		if (counts[i] < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("counts must be at least 1"),
					 errdetail("A stability histogram says nothing of empty cells.")));
	}
	return counts;
}

Datum
dp_error_of_counts(PG_FUNCTION_ARGS)
{
	int n;
	int64 *counts = counts_argument(PG_GETARG_ARRAYTYPE_P(0), &n);
	int64 epsilon_nano = dp_epsilon_argument(fcinfo, 1, false, "epsilon");
	int64 delta_atto = dp_delta_argument(fcinfo, 2, false);
	DpUnit unit = {.neighbours = dp_neighbours_from_name(text_to_cstring(PG_GETARG_TEXT_PP(3))),
				   .rows_max = 1};
	char *noise = text_to_cstring(PG_GETARG_TEXT_PP(4));
	double result;

	if (epsilon_nano < 1 || delta_atto < 1 || delta_atto >= DP_DELTA_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon must be above 0, and delta between 0 and 1")));
	if (strcmp(noise, "continuous") == 0)
	{
		double b = (double) dp_unit_l1(&unit) * DP_EPSILON_ONE / epsilon_nano;
		double threshold = 1 + b * log(DP_DELTA_ONE / (double) delta_atto);

		PG_RETURN_FLOAT8(dp_stability_expected_error_continuous(counts, n, b, threshold));
	}
	if (strcmp(noise, "discrete") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown noise \"%s\"", noise),
				 errhint("Use discrete or continuous.")));
	if (dp_stability_expected_error(
			counts, n,
			&(DpStability){{.epsilon_nano = epsilon_nano, .delta_atto = delta_atto}, unit},
			&result) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("epsilon is too small for this delta")));
	PG_RETURN_FLOAT8(result);
}

/* ---- amounts, for the views ---- */

Datum
dp_epsilon(PG_FUNCTION_ARGS)
{
	return dp_epsilon_to_numeric(PG_GETARG_INT64(0));
}

Datum
dp_delta(PG_FUNCTION_ARGS)
{
	return dp_delta_to_numeric(PG_GETARG_INT64(0));
}

Datum
dp_rho(PG_FUNCTION_ARGS)
{
	return dp_rho_to_numeric(PG_GETARG_INT64(0));
}

Datum
dp_zcdp_total(PG_FUNCTION_ARGS)
{
	DpBudget amounts = {PG_GETARG_INT64(0), PG_GETARG_INT64(1), 0};

	PG_RETURN_INT64(dp_budget_allowed(DP_ZCDP, amounts).rho_pico);
}

Datum
dp_zcdp_spent(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(
		dp_epsilon_of_rho((DpBudget){.rho_pico = PG_GETARG_INT64(0),
									 .delta_atto = dp_zcdp_conversion_delta(PG_GETARG_INT64(1))}));
}

/* dp_evaluate_risk(epsilon, delta) */
Datum
dp_membership_bound(PG_FUNCTION_ARGS)
{
	double epsilon = PG_GETARG_FLOAT8(0);
	double delta = PG_GETARG_FLOAT8(1);

	if (!(epsilon >= 0) || !(delta >= 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon and delta must not be negative")));
	PG_RETURN_FLOAT8(dp_membership_advantage(epsilon, delta));
}
