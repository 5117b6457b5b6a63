/*
 * choose.c -- method "auto": the method is chosen in the caller's backend, by
 * public facts, and from there on the release is as if the caller had named it.
 * The release worker and the ledger know the method alone.
 */
#include "dpsyn.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "choose.h"

#define ROWS_OPTION "table_rows"

static const DpOptionSpec rows_spec = {
	.name = ROWS_OPTION,
	.type = DP_OPTION_INTEGER,
	.minimum = 1,
	.maximum = INT64CONST(1000000000000),
	.summary = "Rows of the table, to the order of magnitude, as publicly known.",
};

/* Only what every method takes: other options are a method's own. */
static void
check_options(const DpOptions *options)
{
	DpOptionSpec *specs = palloc(sizeof(DpOptionSpec) * (dp_common_specs_n + 1));
	DpError error = {0};

	memcpy(specs, dp_common_specs, sizeof(DpOptionSpec) * dp_common_specs_n);
	specs[dp_common_specs_n] = rows_spec;
	if (dp_options_check(options, specs, dp_common_specs_n + 1, "auto", &error) != DP_OK)
		dp_raise(&error);
}

/*
 * Methods whose releases need not hold as many rows as the relation: as many as the caller asked
 * for, or those alone whose values are in a domain that the caller wrote, or reach a threshold.
 */
static Datum
methods_of_other_rows(void)
{
	Datum *names = palloc(sizeof(Datum) * dp_methods_n);
	int n = 0;

	for (uint32 i = 0; i < dp_methods_n; i++)
		if (dp_methods[i]->fetch != NULL || dp_methods[i]->keeps_open)
			names[n++] = CStringGetTextDatum(dp_methods[i]->name);
	return PointerGetDatum(construct_array(names, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* What the last release that the user may draw from was told, with noise where it is secret; 0: none was. */
static int64
rows_released(int32 dataset, Oid user)
{
	Oid types[3] = {INT4OID, OIDOID, TEXTARRAYOID};
	Datum values[3] = {Int32GetDatum(dataset), ObjectIdGetDatum(user), methods_of_other_rows()};
	DpElevation elevation;
	int64 rows = 0;

	dp_elevate(&elevation);
	SPI_connect();
	if (dp_spi("SELECT r.rows FROM @.dp_release_store r WHERE r.dataset = $1 AND r.rows > 0 AND "
			   "NOT r.unprotected AND "
			   "r.method <> ALL ($3)"
			   " AND (pg_catalog.pg_has_role($2, r.role, 'USAGE') OR r.public"
			   "      OR pg_catalog.pg_has_role($2, r.payer, 'USAGE')"
			   "      OR EXISTS (SELECT FROM pg_catalog.unnest(r.readers) reader"
			   "                 WHERE pg_catalog.pg_has_role($2, reader, 'USAGE')))"
			   " ORDER BY r.id DESC LIMIT 1",
			   SPI_OK_SELECT, 3, types, values, NULL, true) == 1)
		rows = dp_spi_int64(0, 1);
	SPI_finish();
	dp_unelevate(&elevation);
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
		facts.rows = (uint64) rows_released(prepared->dataset.id, user);
		facts.source = facts.rows > 0 ? DP_ROWS_RELEASED : DP_ROWS_UNKNOWN;
	}
	return facts;
}

/* The first whose plan succeeds; the error of the last if none does. */
static const DpChoice *
first_that_plans(DpPrepared *prepared, const DpChoice *choice, uint32 n)
{
	DpError error = {0};

	for (uint32 i = 0; i < n; i++)
		if (dp_plan(choice[i].method, &prepared->request, &prepared->arena, &prepared->plan,
					&error) == DP_OK)
			return &choice[i];
	dp_raise(&error);
}

static char *
without_rows(const char *options)
{
	Datum json = DirectFunctionCall1(jsonb_in, CStringGetDatum(options));

	json = DirectFunctionCall2(jsonb_delete, json, CStringGetTextDatum(ROWS_OPTION));
	return DatumGetCString(DirectFunctionCall1(jsonb_out, json));
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
	request->options = without_rows(request->options);
	prepared = dp_prepare_facts(request, NULL);
	facts = facts_get(prepared, request->user, &options);
	choice = first_that_plans(prepared, choices, dp_choose_methods(&facts, choices));
	request->method = pstrdup(choice->method->name);
	ereport(NOTICE, (errmsg("method \"%s\" was chosen: %s", choice->method->name, choice->reason),
					 errhint("dp_synthesize_%s asks for it by name, and takes its options.",
							 choice->method->name)));
}
