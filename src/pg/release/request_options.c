/*
 * request_options.c -- options that a caller leaves to the settings: the memory of a model.
 */
#include "pg/release/request.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"

#include "core/methods/registry.h"
#include "core/plan/graphical_options.h"
#include "pg/server/dpsyn.h"

#define MEMORY_OPTION "max_model_memory"
#define GROWN_MOST 4 /* times the setting */

/* Megabytes of a memory as settings are written, '800MB'; -1: it is written otherwise. */
static int
memory_in_words(Jsonb *options)
{
	JsonbValue value;
	int megabytes;
	const char *hint = NULL;

	if (!JB_ROOT_IS_OBJECT(options) ||
		getKeyJsonValueFromContainer(&options->root, MEMORY_OPTION, strlen(MEMORY_OPTION),
									 &value) == NULL ||
		value.type != jbvString)
		return -1;
	if (!parse_int(pnstrdup(value.val.string.val, value.val.string.len), &megabytes, GUC_UNIT_MB,
				   &hint) ||
		megabytes < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"" MEMORY_OPTION "\" must be an amount of memory"),
						errhint("Write \"800MB\", for instance, or a number of megabytes.")));
	return megabytes;
}

/* Times the setting that a release may take for its model, in billionths. The size of the model
 * decides most of the time. With much budget more of the tables that a larger model takes stand out
 * of the noise: then a normal one grows with epsilon. */
static int64
effort_nano(const DpReleaseRequest *request, Jsonb *options)
{
	static const char *const words[] = {"fast", "normal", "best"};
	const int64 grown = request->epsilon_nano / Max(request->sets, 1) / 4;
	const int64 times[] = {DP_EPSILON_ONE / 4,
						   Min(Max(grown, DP_EPSILON_ONE), GROWN_MOST * DP_EPSILON_ONE),
						   8 * DP_EPSILON_ONE};
	JsonbValue value;

	if (JB_ROOT_IS_OBJECT(options) &&
		getKeyJsonValueFromContainer(&options->root, DP_OPTION_EFFORT, strlen(DP_OPTION_EFFORT),
									 &value) != NULL &&
		value.type == jbvString)
		for (size_t i = 0; i < lengthof(words); i++)
			if (value.val.string.len == (int) strlen(words[i]) &&
				memcmp(value.val.string.val, words[i], value.val.string.len) == 0)
				return times[i];
	return times[1]; /* not given, or refused later */
}

/* The megabytes of a model whose options do not state them. */
static int
memory_by_effort(const DpReleaseRequest *request, Jsonb *options, const DpOptionSpec *spec)
{
	int64 megabytes = dpsyn_model_memory * effort_nano(request, options) / DP_EPSILON_ONE;

	return (int) Min(Max(megabytes, spec->minimum), spec->maximum);
}

char *
dp_options_with_settings(const DpReleaseRequest *request)
{
	const DpMethod *method = dp_method_find(request->method);
	char *options = request->options;
	Datum given, both;
	int megabytes;

	for (uint32 i = 0; method != NULL && i < method->specs_n; i++)
	{
		if (strcmp(method->specs[i].name, MEMORY_OPTION) != 0)
			continue;
		given = DirectFunctionCall1(jsonb_in, CStringGetDatum(options));
		if (!JB_ROOT_IS_OBJECT(DatumGetJsonbP(given)))
			return options; /* refused later */
		megabytes = memory_in_words(DatumGetJsonbP(given));
		both = DirectFunctionCall1(
			jsonb_in,
			CStringGetDatum(psprintf(
				"{\"" MEMORY_OPTION "\": %d}",
				megabytes < 0 ? memory_by_effort(request, DatumGetJsonbP(given), &method->specs[i])
							  : megabytes)));
		both = megabytes < 0 ? DirectFunctionCall2(jsonb_concat, both, given)
							 : DirectFunctionCall2(jsonb_concat, given, both);
		return JsonbToCString(NULL, &DatumGetJsonbP(both)->root,
							  VARSIZE_ANY_EXHDR(DatumGetPointer(both)));
	}
	return options;
}
