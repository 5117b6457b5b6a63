/*
 * request_options.c -- options in another form than the caller's: the memory of a model, which is left
 * to the settings and follows from the effort of the release, a word or a number of seconds; and the
 * names of columns in a query, as a question.
 */
#include "pg/release/request.h"

#include <ctype.h>
#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"

#include "core/methods/registry.h"
#include "core/plan/graphical_options.h"
#include "pg/domain/predicate.h"
#include "pg/release/expected.h"
#include "pg/question/asked.h"
#include "pg/release/request_parts.h"
#include "pg/server/dpsyn.h"
#include "pg/server/json.h"

#define MEMORY_OPTION "max_model_memory"
#define GROWN_MOST 4 /* times the setting */
#define BEST 8       /* the same */

/* A text among the options; NULL: there is none of this name. */
static char *
text_option(Jsonb *options, const char *name)
{
	JsonbValue value;

	if (!JB_ROOT_IS_OBJECT(options) ||
		getKeyJsonValueFromContainer(&options->root, name, strlen(name), &value) == NULL ||
		value.type != jbvString)
		return NULL;
	return pnstrdup(value.val.string.val, value.val.string.len);
}

/* Megabytes of a memory as settings are written, '800MB'; -1: it is written otherwise. */
static int
memory_in_words(Jsonb *options)
{
	const char *words = text_option(options, MEMORY_OPTION);
	int megabytes;
	const char *hint = NULL;

	if (words == NULL)
		return -1;
	if (!parse_int(words, &megabytes, GUC_UNIT_MB, &hint) || megabytes < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"" MEMORY_OPTION "\" must be an amount of memory"),
						errhint("Write \"800MB\", for instance, or a number of megabytes.")));
	return megabytes;
}

static Jsonb *
json_of(const char *options)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(options)));
}

static double
effort_seconds(Jsonb *options)
{
	const char *words = text_option(options, DP_OPTION_EFFORT), *hint = NULL;
	int milliseconds;

	if (words == NULL || !isdigit((unsigned char) words[0]) ||
		!parse_int(words, &milliseconds, GUC_UNIT_MS, &hint) || milliseconds <= 0)
		return 0;
	return milliseconds / 1000.0;
}

double
dp_effort_seconds(const char *options)
{
	return effort_seconds(json_of(options));
}

/*
 * The memory of a model as a multiple of the setting, in billionths. The size of the model
 * determines most of the time. With a large epsilon more tables of a larger model are clear of
 * noise, so the memory with `normal` and `fast` grows with epsilon.
 */
static int64
effort_nano(const DpReleaseRequest *request, Jsonb *options)
{
	const char *word = text_option(options, DP_OPTION_EFFORT);
	int64 normal = Min(Max(request->epsilon_nano / Max(request->sets, 1) / 4, DP_EPSILON_ONE),
					   GROWN_MOST * DP_EPSILON_ONE);

	if (word != NULL && strcmp(word, "fast") == 0)
		return normal / 4;
	if (word != NULL && strcmp(word, "best") == 0)
		return BEST * DP_EPSILON_ONE;
	return normal; /* not given, or refused later */
}

/* Drops an effort in seconds: the memory of the model, which follows from it, is known. */
static Jsonb *
without_seconds(Jsonb *options)
{
	if (effort_seconds(options) <= 0)
		return options;
	return DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(options),
											  CStringGetTextDatum(DP_OPTION_EFFORT)));
}

static Jsonb *
with_memory(Jsonb *options, int64 megabytes)
{
	const char *memory = psprintf("{\"" MEMORY_OPTION "\": " INT64_FORMAT "}", megabytes);

	return DatumGetJsonbP(
		DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(without_seconds(options)),
							DirectFunctionCall1(jsonb_in, CStringGetDatum(memory))));
}

static char *
text_of(Jsonb *options)
{
	return JsonbToCString(NULL, &options->root, VARSIZE(options));
}

/* The expected seconds of the release with these options; infinity: it cannot be planned. */
static double
seconds_with(const DpReleaseRequest *request, Jsonb *options)
{
	DpReleaseRequest own = *request;
	const DpPrepared *prepared;
	DpError error = {0};

	own.options = text_of(options);
	prepared = own.tree != NULL && own.tree[0] != '\0'
				   ? dp_prepare_tree(&own, &error)
				   : dp_prepare_table(&own, (DpPartPlace){.tree = NULL}, &error);
	return prepared == NULL ? INFINITY : dp_cost_estimate_seconds(&own, prepared);
}

/* The largest model with which the release is expected to take at most the given number of seconds,
 * by halving; the smallest if all take longer. */
static int64
memory_by_seconds(const DpReleaseRequest *request, Jsonb *options, const DpOptionSpec *spec)
{
	double seconds = effort_seconds(options);
	int64 most = Min((int64) BEST * dpsyn_model_memory, spec->maximum), found = spec->minimum;

	for (int64 megabytes = found; megabytes <= most; megabytes += (megabytes + 1) / 2)
	{
		if (seconds_with(request, with_memory(options, megabytes)) > seconds)
			break;
		found = megabytes;
	}
	return found;
}

/* The megabytes of a model whose options do not state them. */
static int
memory_by_effort(const DpReleaseRequest *request, Jsonb *options, const DpOptionSpec *spec)
{
	int64 megabytes = dpsyn_model_memory * effort_nano(request, options) / DP_EPSILON_ONE;

	return (int) Min(Max(megabytes, spec->minimum), spec->maximum);
}

/* The filter's times as this session means them: the worker has settings of its own. */
static Jsonb *
with_canonical_filter(Oid relation, Jsonb *options)
{
	JsonbValue *filter = dp_json_member(&options->root, "filter");
	StringInfoData json;

	if (!dp_json_is_object(filter))
		return options;
	initStringInfo(&json);
	appendStringInfo(
		&json, "{\"filter\": %s}",
		text_of(dp_predicate_canonical(filter->val.binary.data, dp_type_in_relation, &relation)));
	return DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(options),
											  JsonbPGetDatum(json_of(json.data))));
}

char *
dp_options_with_settings(const DpReleaseRequest *request)
{
	const DpMethod *method = dp_method_find(request->method);
	Jsonb *given = json_of(request->options);
	JsonbValue value;
	int64 megabytes;

	if (method == NULL || !JB_ROOT_IS_OBJECT(given)) /* refused later */
		return request->options;
	given = with_canonical_filter(request->relation, given);
	for (uint32 i = 0; i < method->specs_n; i++)
	{
		if (strcmp(method->specs[i].name, MEMORY_OPTION) != 0)
			continue;
		megabytes = memory_in_words(given);
		if (megabytes >= 0)
			return text_of(with_memory(given, megabytes));
		if (getKeyJsonValueFromContainer(&given->root, MEMORY_OPTION, strlen(MEMORY_OPTION),
										 &value) != NULL)
			return text_of(without_seconds(given));
		megabytes = effort_seconds(given) > 0 ? memory_by_seconds(request, given, &method->specs[i])
											  : memory_by_effort(request, given, &method->specs[i]);
		return text_of(with_memory(given, megabytes));
	}
	return text_of(given);
}

/* ---- names of columns ---- */

bool
dp_request_as_question(DpReleaseRequest *request, const DpPrepared *prepared)
{
	static const char *const words[] = {"measures", "by", "filter", "narrow"};
	Datum options = JsonbPGetDatum(json_of(request->options));
	const char *question =
		dp_asked_by_select(prepared->relation)
			? NULL
			: dp_asked_columns_as_question(prepared->relation, &prepared->dataset);

	if (question == NULL)
		return false;
	for (size_t i = 0; i < lengthof(words); i++)
		options = DirectFunctionCall2(jsonb_delete, options, CStringGetTextDatum(words[i]));
	options = DirectFunctionCall2(
		jsonb_concat, options,
		JsonbPGetDatum(json_of(psprintf("{\"" DP_QUESTION_OPTION "\": %s}", question))));
	request->options = DatumGetCString(DirectFunctionCall1(jsonb_out, options));
	return true;
}
