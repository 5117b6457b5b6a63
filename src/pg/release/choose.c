/*
 * choose.c -- method "auto". The caller's backend chooses the method by public facts. From
 * there on the release is as if the caller had named the method: the release worker and the
 * ledger know nothing else.
 */
#include "pg/release/choose.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "core/methods/choose.h"
#include "core/methods/registry.h"
#include "core/plan/graphical_options.h"
#include "core/plan/planner.h"
#include "pg/release/expected.h"
#include "pg/release/request_parts.h"
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

static char *
without(const char *option, const char *options)
{
	Datum json = DirectFunctionCall1(jsonb_in, CStringGetDatum(options));

	json = DirectFunctionCall2(jsonb_delete, json, CStringGetTextDatum(option));
	return DatumGetCString(DirectFunctionCall1(jsonb_out, json));
}

static DpOptions
options_read(const char *text)
{
	DpOptions options;

	dp_options_from_jsonb(DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text))),
						  &options);
	return options;
}

/* The options that a release by this method has: one that knows no effort does without, and others
 * leave to it how large a model may be. */
static char *
options_for(const DpReleaseRequest *request, const DpMethod *method)
{
	DpReleaseRequest own = *request;

	own.method = pstrdup(method->name);
	if (!takes_effort(method))
		own.options = without(DP_OPTION_EFFORT, own.options);
	return dp_options_with_settings(&own);
}

/*
 * The longest time that a release may be expected to take if its method was chosen automatically.
 */
static double
seconds_most(const DpReleaseRequest *request, const DpOptions *options)
{
	static const double seconds[] = {
		[DP_EFFORT_FAST] = 15, [DP_EFFORT_NORMAL] = 60, [DP_EFFORT_BEST] = 600};

	const double stated = dp_effort_seconds(request->options);

	return stated > 0 ? stated
					  : seconds[dp_option_integer(options, &effort_spec, 1, DP_OPTION_EFFORT)];
}

/* The options with the effort that is this many seconds. */
static char *
with_seconds(const char *options, double seconds)
{
	Datum effort = DirectFunctionCall1(
		jsonb_in,
		CStringGetDatum(psprintf("{\"" DP_OPTION_EFFORT "\": \"%.0fms\"}", seconds * 1000)));

	return DatumGetCString(DirectFunctionCall1(
		jsonb_out,
		DirectFunctionCall2(jsonb_concat, DirectFunctionCall1(jsonb_in, CStringGetDatum(options)),
							effort)));
}

typedef struct Trial
{
	DpPrepared *prepared; /* its plan and options are those of the method that is tried */
	const DpReleaseRequest *request;
	char *options[DP_CHOICES_MAX]; /* of each method */
	uint64 rows;
	double most; /* seconds */
	DpError error;
} Trial;

/* What a release by this method is expected to take; infinity and an error if its plan fails. */
static double
seconds_with(Trial *trial, const DpMethod *method, const char *options)
{
	DpPrepared *prepared = trial->prepared;

	prepared->options = options_read(options);
	if (dp_plan(method, &prepared->request, &prepared->plan, &prepared->arena, &trial->error) !=
		DP_OK)
		return INFINITY;
	return dp_plan_seconds(&prepared->plan, trial->rows);
}

/* The same with the largest model with which it takes no longer than it may, if there is one. */
static double
seconds_of(Trial *trial, const DpMethod *method, char **options)
{
	DpReleaseRequest smaller = *trial->request;
	double seconds, fewer;
	char *own;

	*options = options_for(trial->request, method);
	seconds = seconds_with(trial, method, *options);
	if (seconds <= trial->most || isinf(seconds) || !takes_effort(method))
		return seconds;
	smaller.options = with_seconds(smaller.options, trial->most);
	own = options_for(&smaller, method);
	fewer = seconds_with(trial, method, own);
	if (fewer > trial->most)
		return seconds;
	*options = own;
	return fewer;
}

/*
 * The first method whose plan succeeds and is not expected to take too long: more than the limit,
 * and more than twice as long as the quickest one, since there are scans that no method avoids.
 * NULL and the error of the last if no plan succeeds.
 */
static const DpChoice *
first_in_time(Trial *trial, const DpChoice *choice, uint32 n, char **options)
{
	double seconds[DP_CHOICES_MAX], least = INFINITY;

	for (uint32 i = 0; i < n; i++)
	{
		seconds[i] = seconds_of(trial, choice[i].method, &options[i]);
		least = Min(least, seconds[i]);
	}
	for (uint32 i = 0; i < n && !isinf(least); i++)
		if (seconds[i] <= Max(trial->most, 2 * least))
			return &choice[i];
	return NULL;
}

/* Those that any facts suit are asked where no other plan succeeds: time alone is no reason for
 * them. */
static const DpChoice *
first_that_plans(Trial *trial, const DpChoice *choice, uint32 n)
{
	const DpChoice *first;
	uint32 suited = 0;

	while (suited < n && !choice[suited].last_resort)
		suited++;
	first = first_in_time(trial, choice, suited, trial->options);
	if (first == NULL)
		first = first_in_time(trial, choice + suited, n - suited, trial->options + suited);
	if (first == NULL)
		dp_raise(&trial->error);
	return first;
}

void
dp_take_table_rows(DpReleaseRequest *request)
{
	DpError error = {0};
	DpOptions options, rows = {0, NULL};

	if (strcmp(request->method, "auto") == 0)
		return; /* it is one of its options */
	options = options_read(request->options);
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

/* ---- several tables ---- */

/* A method for a tree. */
typedef struct TreeTrial
{
	DpReleaseRequest request;
	DpPrepared *prepared; /* NULL: a plan fails, and error says why */
	double seconds;       /* of the release and of its rows */
	DpError error;
} TreeTrial;

static void
try_tree(TreeTrial *trial, const DpReleaseRequest *request, const DpMethod *method)
{
	*trial = (TreeTrial){.request = *request};
	trial->request.method = pstrdup(method->name);
	trial->request.options = options_for(request, method);
	trial->prepared = dp_prepare_tree(&trial->request, &trial->error);
	trial->seconds = trial->prepared == NULL
						 ? INFINITY
						 : dp_cost_estimate_seconds(&trial->request, trial->prepared) +
							   dp_cost_estimate_draw_seconds(&trial->request, trial->prepared);
}

static DpTreeChoiceFacts
tree_facts(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	const DpTableTree *tree = dp_tree_of(dp_released_relations(request));
	DpTreeChoiceFacts facts = {.tables = (uint32) tree->tables, .delta = request->delta_atto > 0};

	for (int t = 0; t < tree->tables; t++)
	{
		const DpPrepared *part = t == 0 || prepared == NULL ? prepared : prepared->part[t];

		facts.rows += (uint64) dp_rows_released(tree->table[t].dataset.id, request->user);
		if (part != NULL)
			facts.columns = Max(facts.columns, part->request.domain->attributes);
	}
	facts.rows = Max(facts.rows, (uint64) request->table_rows);
	return facts;
}

/*
 * As for one table: aim comes nearest, unless its models are too wide for it, or it is expected to
 * take too long. Where it refuses, mst is taken. mst need not be tried where aim serves.
 */
static void
resolve_tree(DpReleaseRequest *request, const DpOptions *options)
{
	const double most = seconds_most(request, options);
	TreeTrial aim = {0}, mst = {0};
	const TreeTrial *chosen = &aim;
	DpTreeChoiceFacts facts;
	DpChoice choice;

	try_tree(&aim, request, dp_method_called("aim"));
	facts = tree_facts(request, aim.prepared);
	if (aim.prepared != NULL && aim.seconds > most)
	{
		DpReleaseRequest smaller = *request;
		TreeTrial in_time;

		smaller.options = with_seconds(request->options, most);
		try_tree(&in_time, &smaller, dp_method_called("aim"));
		if (in_time.seconds <= most)
			aim = in_time;
	}
	if (aim.seconds > most || !dp_aim_suits_tree(&facts))
		try_tree(&mst, request, dp_method_called("mst"));
	if (mst.prepared != NULL &&
		(aim.seconds > Max(most, 2 * mst.seconds) || !dp_aim_suits_tree(&facts)))
		chosen = &mst;
	if (chosen->prepared == NULL)
		dp_raise(&aim.error);
	dp_tree_choice_reason(dp_method_called(chosen->request.method), &facts, choice.reason,
						  sizeof(choice.reason));
	request->options = chosen->request.options;
	request->method = chosen->request.method;
	request->chosen_since = aim.prepared == NULL ? psprintf("aim cannot: %s", aim.error.message)
												 : pstrdup(choice.reason);
}

void
dp_resolve_method(DpReleaseRequest *request)
{
	DpChoice choices[DP_CHOICES_MAX];
	const DpChoice *choice;
	DpChoiceFacts facts;
	DpOptions options;
	Trial trial = {.request = request};

	if (strcmp(request->method, "auto") != 0)
		return;
	options = options_read(dp_effort_seconds(request->options) > 0
							   ? without(DP_OPTION_EFFORT, request->options)
							   : request->options);
	check_options(&options);
	request->options = without(ROWS_OPTION, request->options);
	if (request->tree != NULL && request->tree[0] != '\0')
	{
		if (dp_option_given(&options, ROWS_OPTION))
			request->table_rows = dp_option_integer(&options, &rows_spec, 1, ROWS_OPTION);
		resolve_tree(request, &options);
		return;
	}
	trial.prepared = dp_prepare_facts(request, NULL);
	facts = facts_get(trial.prepared, request->user, &options);
	request->table_rows = (int64) facts.rows;
	trial.rows = dp_assumed_rows(&facts);
	trial.most = seconds_most(request, &options);
	choice = first_that_plans(&trial, choices, dp_choose_methods(&facts, choices));
	request->options = trial.options[choice - choices];
	request->method = pstrdup(choice->method->name);
	request->chosen_since = pstrdup(choice->reason);
}
