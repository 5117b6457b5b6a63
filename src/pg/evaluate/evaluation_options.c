/*
 * evaluation_options.c -- the options of functions that judge rows.
 */
#include "pg/evaluate/evaluation_options.h"

#include "miscadmin.h"

#include "core/base/nearest_name.h"
#include "pg/counting/object.h"
#include "pg/server/bridge.h"
#include "pg/server/json.h"

#define MEMORY_MIN_KB 1024

static bool
is_known(const DpEvaluationOptions *known, const char *name)
{
	for (uint32 i = 0; i < known->n; i++)
		if (strcmp(known->spec[i].name, name) == 0)
			return true;
	return false;
}

static const char *
names_of(const DpEvaluationOptions *known)
{
	StringInfoData names;

	initStringInfo(&names);
	for (uint32 i = 0; i < known->n; i++)
		appendStringInfo(&names, "%s%s", i ? ", " : "", known->spec[i].name);
	return names.data;
}

/* The core's own messages for these speak of methods. */
static DP_NORETURN void
refuse_unknown(const DpEvaluationOptions *known, const char *name)
{
	DpNearestName meant = dp_nearest_name(name);

	for (uint32 i = 0; i < known->n; i++)
		dp_nearest_name_try(&meant, known->spec[i].name);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s has no option \"%s\"", known->function, name),
					errdetail("Its options are: %s.", names_of(known)),
					meant.found ? errhint("Did you mean \"%s\"?", meant.found) : 0));
}

static void
check_object(const DpEvaluationOptions *known, Jsonb *json)
{
	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("options must be a JSON object"),
				 errdetail("The options of %s are: %s.", known->function, names_of(known)),
				 errhint("Write {} to leave all of them at their defaults.")));
}

void
dp_evaluation_options(const DpEvaluationOptions *known, Jsonb *json, DpOptions *options)
{
	DpError error = {0};

	check_object(known, json);
	dp_options_from_jsonb(json, options);
	for (uint32 i = 0; i < options->n; i++)
		if (!is_known(known, options->option[i].name))
			refuse_unknown(known, options->option[i].name);
	if (dp_options_check(options, known->spec, known->n, known->function, &error) != DP_OK)
		dp_raise(&error);
}

uint64
dp_evaluation_memory(const DpOptions *options)
{
	const char *words = dp_option_text(options, "memory");
	const char *hint = NULL;
	int kilobytes;

	if (words == NULL)
		return Max(dp_counts_memory(), UINT64CONST(1024) * maintenance_work_mem);
	if (!parse_int(words, &kilobytes, GUC_UNIT_KB, &hint) || kilobytes < MEMORY_MIN_KB)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("option \"memory\" must be an amount of memory, at least %d kB",
							   MEMORY_MIN_KB),
						errhint("Write \"256MB\", for instance.")));
	return (uint64) kilobytes * 1024;
}

List *
dp_evaluation_columns(const DpOptions *options)
{
	const DpOption *columns = dp_option_lists(options, "columns");
	List *names = NIL;

	for (uint32 i = 0; columns != NULL && i < columns->list[0].n; i++)
		names = lappend(names, unconstify(char *, columns->list[0].name[i]));
	return names;
}
