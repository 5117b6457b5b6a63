/*
 * request.c -- one release, from words to a plan, without the data. The
 * caller's backend prepares to find errors early, dp_explain to show the plan;
 * the release worker prepares again, with the ledger's rows locked, and only
 * that preparation counts.
 */
#include "dpsyn.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "utils/builtins.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#define DP_SETS_MAX 1000000

static void
check_method(const DpReleaseRequest *request, const DpMethod **method)
{
	*method = dp_method_find(request->method);
	if (*method == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("method \"%s\" does not exist", request->method),
						errhint("The view dp_methods lists the methods.")));
}

static void
check_amounts(const DpReleaseRequest *request)
{
	if (request->epsilon_nano < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon must be at least 0.000000001")));
	if (request->delta_atto >= DP_DELTA_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("delta must be below 1"),
						errhint("Choose it well below 1 / (number of rows), for instance 1e-9.")));
	if (request->sets < 1 || request->sets > DP_SETS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("sets must be between 1 and %d", DP_SETS_MAX)));
}

/* What the worker's scan, run as the owner, would stumble over after the debit. */
static void
check_owner_can_read(Oid relation)
{
	Oid owner = dp_relation_owner(relation);

	if (pg_class_aclcheck(relation, owner, ACL_SELECT) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the owner of relation %s may not read it", dp_relation_label(relation)),
				 errdetail("A release reads it with the rights of its owner, role %s.",
						   dp_role_label(owner))));
	if (check_enable_rls(relation, owner, true) == RLS_ENABLED)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("row security of relation %s applies to its owner",
							   dp_relation_label(relation)),
						errdetail("A release reads every row, as its owner."),
						errhint("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY.",
								dp_relation_label(relation))));
}

/* The worker counts with an aggregate of this extension, as the owner. */
static void
check_owner_can_count(Oid relation)
{
	Oid schema =
		DatumGetObjectId(DirectFunctionCall1(regnamespacein, CStringGetDatum(dp_schema())));
	Oid owner = dp_relation_owner(relation);

	if (DP_SCHEMA_ACLCHECK(schema, owner, ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the owner of relation %s may not use the schema of dpsyn",
						dp_relation_label(relation)),
				 errdetail("A release counts with the rights of its owner, role %s.",
						   dp_role_label(owner)),
				 errhint("GRANT USAGE ON SCHEMA %s TO %s.", dp_schema(), dp_role_label(owner))));
}

static void
check_something_to_model(const DpRelation *relation)
{
	if (relation->domain.attributes > 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("relation %s has no column with a public domain",
						   dp_relation_label(relation->oid)),
					errhint("Its custodian can declare domains with dp_define_column; "
							"dp_suggest_columns writes the calls.")));
}

char *
dp_options_with_settings(const char *method_name, char *options)
{
	const DpMethod *method = dp_method_find(method_name);
	Datum given, both;

	for (uint32 i = 0; method != NULL && i < method->specs_n; i++)
	{
		if (strcmp(method->specs[i].name, "max_model_memory") != 0)
			continue;
		given = DirectFunctionCall1(jsonb_in, CStringGetDatum(options));
		if (!JB_ROOT_IS_OBJECT(DatumGetJsonbP(given)))
			return options; /* refused later */
		both = DirectFunctionCall1(
			jsonb_in, CStringGetDatum(psprintf("{\"max_model_memory\": %d}", dpsyn_model_memory)));
		both = DirectFunctionCall2(jsonb_concat, both, given);
		return JsonbToCString(NULL, &DatumGetJsonbP(both)->root, VARSIZE_ANY_EXHDR(both));
	}
	return options;
}

DpPrepared *
dp_prepare_request(const DpReleaseRequest *request, bool for_update)
{
	DpPrepared *prepared = palloc0(sizeof(DpPrepared));
	const DpMethod *method;
	DpError error = {0};

	check_method(request, &method);
	check_amounts(request);
	dp_dataset_get(request->relation, for_update, &prepared->dataset);
	dp_payer_get(&prepared->dataset, request->user, for_update, &prepared->payer);

	check_owner_can_read(request->relation);
	check_owner_can_count(request->relation);
	if (prepared->dataset.unit_column)
		dp_check_unit_column(request->relation, prepared->dataset.unit_column);
	prepared->arena = dp_arena_for(CurrentMemoryContext);
	prepared->relation = dp_relation_domain(request->relation, prepared->dataset.id, true);
	dp_options_from_jsonb(
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(request->options))),
		&prepared->options);
	dp_relation_restrict(prepared->relation, &prepared->options);
	check_something_to_model(prepared->relation);
	if (dp_domain_check(&prepared->relation->domain, &error) != DP_OK)
		dp_raise(&error);

	prepared->request.domain = &prepared->relation->domain;
	prepared->request.unit = prepared->dataset.unit;
	prepared->request.budget =
		(DpBudget){.epsilon_nano = request->epsilon_nano, .delta_atto = request->delta_atto};
	prepared->request.options = &prepared->options;
	prepared->request.sets = (uint32) request->sets;
	if (dp_plan(method, &prepared->request, &prepared->arena, &prepared->plan, &error) != DP_OK)
		dp_raise(&error);
	return prepared;
}

void
dp_notice_unmodelled(const DpPrepared *prepared)
{
	StringInfoData names;
	ListCell *cell;

	if (prepared->relation->unmodelled == NIL)
		return;
	initStringInfo(&names);
	foreach (cell, prepared->relation->unmodelled)
		appendStringInfo(&names, "%s%s", names.len ? ", " : "",
						 quote_identifier(((DpUnmodelled *) lfirst(cell))->name));
	ereport(NOTICE, (errmsg("columns without a public domain come back NULL: %s", names.data),
					 errhint("The custodian can declare them with dp_define_column.")));
}
