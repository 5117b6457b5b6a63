/*
 * choose.c -- method "auto". The caller's backend chooses the method by public facts. From
 * there on the release is as if the caller had named the method: the release worker and the
 * ledger know nothing else.
 */
#include "pg/release/choose.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "core/methods/choose.h"
#include "core/methods/registry.h"
#include "core/release/graphical_options.h"
#include "pg/server/bridge.h"
#include "pg/server/catalog.h"
#include "pg/server/json.h"

#define ROWS_OPTION "table_rows"

static const DpOptionSpec rows_spec = {
	.name = ROWS_OPTION,
	.type = DP_OPTION_INTEGER,
	.minimum = 1,
	.maximum = INT64CONST(1000000000000),
	.summary = "Rows of the table, to the order of magnitude, as publicly known.",
};

static const DpOptionSpec predict_spec = DP_SPEC_PREDICT;
static const DpOptionSpec effort_spec = DP_SPEC_EFFORT;

/* Takes what every method takes; "predict", which is a reason to choose one that takes it; and
 * "effort", which others do without. */
static void
check_options(const DpOptions *options)
{
	DpOptionSpec *specs = palloc(sizeof(DpOptionSpec) * (dp_common_specs_n + 3));
	DpError error = {0};

	memcpy(specs, dp_common_specs, sizeof(DpOptionSpec) * dp_common_specs_n);
	specs[dp_common_specs_n] = rows_spec;
	specs[dp_common_specs_n + 1] = predict_spec;
	specs[dp_common_specs_n + 2] = effort_spec;
	if (dp_options_check(options, specs, dp_common_specs_n + 3, "auto", &error) != DP_OK)
		dp_raise(&error);
}

/*
 * Methods whose releases need not hold as many rows as the relation. They hold as many as the
 * caller asked for, or only those whose values are in a domain that the caller wrote, or whose
 * values reach a threshold.
 */
static Datum
methods_of_other_rows(void)
{
	Datum *names = palloc(sizeof(Datum) * dp_methods_n);
	int n = 0;

	for (uint32 i = 0; i < dp_methods_n; i++)
		if (dp_methods[i]->sampler->fetch != NULL || dp_methods[i]->keeps_open)
			names[n++] = CStringGetTextDatum(dp_methods[i]->name);
	return PointerGetDatum(construct_array(names, n, TEXTOID, -1, false, TYPALIGN_INT));
}

int64
dp_rows_released(int32 dataset, Oid user)
{
	DpElevation elevation;
	int64 rows = 0;

	dp_catalog_open(&elevation);
	if (dp_spi_read(
			"SELECT r.rows FROM dp_catalog.dp_release_store r WHERE r.dataset = $1 AND r.rows > 0"
			" AND NOT r.unprotected AND r.method <> ALL ($3)"
			" AND (r.public OR EXISTS (SELECT FROM pg_catalog.pg_authid a"
			"  JOIN ROWS FROM (pg_catalog.unnest(r.readers || r.role || r.payer),"
			"  pg_catalog.unnest(r.reader_names || r.role_name || r.payer_name)) who(role, name)"
			"  ON a.oid = who.role AND a.rolname = who.name"
			"  WHERE pg_catalog.pg_has_role($2, a.oid, 'USAGE')))"
			" ORDER BY r.rows_stddev, r.id DESC LIMIT 1",
			DP_ARGUMENTS(DP_INT32(dataset), DP_OID(user),
						 {TEXTARRAYOID, methods_of_other_rows(), false})) == 1)
		rows = dp_spi_int64(0, 1);
	dp_catalog_close(&elevation);
	return rows;
}

static DpChoiceFacts
facts_get(const DpPrepared *prepared, Oid user, const DpOptions *options)
{
	DpChoiceFacts facts = {.request = &prepared->request, .source = DP_ROWS_STATED};

	facts.rows = dp_option_given(options, ROWS_OPTION)
					 ? (uint64) dp_option_integer(options, &rows_spec, 1, ROWS_OPTION)
					 : 0;
	if (facts.rows == 0)
	{
		facts.rows = (uint64) dp_rows_released(prepared->dataset.id, user);
		facts.source = facts.rows > 0 ? DP_ROWS_RELEASED : DP_ROWS_UNKNOWN;
	}
	return facts;
}

static bool
takes_effort(const DpMethod *method)
{
	for (uint32 i = 0; i < method->specs_n; i++)
		if (strcmp(method->specs[i].name, DP_OPTION_EFFORT) == 0)
			return true;
	return false;
}

/* The options that a method is given: one that knows no effort does without. */
static DpOptions
options_for(const DpMethod *method, const DpOptions *all)
{
	DpOptions own = {0, palloc(sizeof(DpOption) * Max(all->n, 1))};

	for (uint32 i = 0; i < all->n; i++)
		if (strcmp(all->option[i].name, DP_OPTION_EFFORT) != 0 || takes_effort(method))
			own.option[own.n++] = all->option[i];
	return own;
}

/* What a release by a method that nobody asked for may be expected to take. */
static double
seconds_most(const DpOptions *options)
{
	static const double seconds[] = {
		[DP_EFFORT_FAST] = 15, [DP_EFFORT_NORMAL] = 60, [DP_EFFORT_BEST] = 600};

	return seconds[dp_option_integer(options, &effort_spec, 1, DP_OPTION_EFFORT)];
}

/* The first method whose plan succeeds and is not expected to take too long, else the quickest one
 * whose plan succeeds. If none does, the error of the last. */
static const DpChoice *
first_that_plans(DpPrepared *prepared, const DpChoiceFacts *facts, const DpChoice *choice, uint32 n)
{
	DpOptions all = prepared->options;
	const DpChoice *quickest = NULL;
	double least = 0;
	DpError error = {0};

	for (uint32 i = 0; i < n; i++)
	{
		double seconds;

		prepared->options = options_for(choice[i].method, &all);
		if (dp_plan(choice[i].method, &prepared->request, &prepared->plan, &prepared->arena,
					&error) != DP_OK)
			continue;
		seconds = dp_plan_seconds(&prepared->plan, dp_assumed_rows(facts));
		if (quickest == NULL || seconds < least)
		{
			quickest = &choice[i];
			least = seconds;
		}
		if (seconds <= seconds_most(&all))
			return &choice[i];
	}
	if (quickest == NULL)
		dp_raise(&error);
	return quickest;
}

static char *
without(const char *option, const char *options)
{
	Datum json = DirectFunctionCall1(jsonb_in, CStringGetDatum(options));

	json = DirectFunctionCall2(jsonb_delete, json, CStringGetTextDatum(option));
	return DatumGetCString(DirectFunctionCall1(jsonb_out, json));
}

void
dp_take_table_rows(DpReleaseRequest *request)
{
	DpError error = {0};
	DpOptions options;
	DpOptions rows = {0, NULL};

	if (strcmp(request->method, "auto") == 0)
		return; /* it is one of its options */
	dp_options_from_jsonb(
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(request->options))), &options);
	for (uint32 i = 0; i < options.n; i++)
		if (strcmp(options.option[i].name, ROWS_OPTION) == 0)
			rows = (DpOptions){1, &options.option[i]};
	if (dp_options_check(&rows, &rows_spec, 1, request->method, &error) != DP_OK)
		dp_raise(&error);
	if (!dp_option_given(&rows, ROWS_OPTION))
		return;
	request->table_rows = dp_option_integer(&rows, &rows_spec, 1, ROWS_OPTION);
	request->options = without(ROWS_OPTION, request->options);
}

void
dp_resolve_method(DpReleaseRequest *request)
{
	DpChoice choices[DP_CHOICES_MAX];
	const DpChoice *choice;
	DpPrepared *prepared;
	DpChoiceFacts facts;
	DpOptions options;

	if (strcmp(request->method, "auto") != 0)
		return;
	dp_options_from_jsonb(
		DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(request->options))), &options);
	check_options(&options);
	request->options = without(ROWS_OPTION, request->options);
	prepared = dp_prepare_facts(request, NULL);
	facts = facts_get(prepared, request->user, &options);
	request->table_rows = (int64) facts.rows;
	choice = first_that_plans(prepared, &facts, choices, dp_choose_methods(&facts, choices));
	if (!takes_effort(choice->method))
		request->options = without(DP_OPTION_EFFORT, request->options);
	request->method = pstrdup(choice->method->name);
	request->chosen_since = pstrdup(choice->reason);
}
