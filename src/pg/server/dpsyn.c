/*
 * dpsyn.c -- the settings. None of them can weaken a guarantee, so any
 * role may set them, except those that limit what one role can take from others.
 */
#include "pg/server/dpsyn.h"

#include <limits.h>

#include "utils/plancache.h"

int dpsyn_max_parallel_workers = -1;
int dpsyn_progress_interval = 10;
int dpsyn_counting_memory = -1;
int dpsyn_row_memory = 256 * 1024;
int dpsyn_model_memory = 160;
int dpsyn_spending = DP_SPENDING_ON;
bool dpsyn_log_releases = false;
int dpsyn_max_releases_per_role = 2;
int dpsyn_max_releases_per_relation = 4;
int dpsyn_release_timeout = 24 * 3600;
double dpsyn_query_epsilon = 0;
double dpsyn_query_delta = 0;
double dpsyn_query_confidence = 0.95;
int dpsyn_query_refresh = -1;
int dpsyn_query_max_rows_per_unit = 0;
double dpsyn_query_max_sum_per_unit = 0;

/* Hidden words are other spellings, as a Boolean setting takes them. */
static const struct config_enum_entry spending_words[] = {
	{"off", DP_SPENDING_OFF, false},     {"on", DP_SPENDING_ON, false},
	{"views", DP_SPENDING_VIEWS, false}, {"false", DP_SPENDING_OFF, true},
	{"true", DP_SPENDING_ON, true},      {"no", DP_SPENDING_OFF, true},
	{"yes", DP_SPENDING_ON, true},       {"0", DP_SPENDING_OFF, true},
	{"1", DP_SPENDING_ON, true},         {NULL, 0, false}};

/*
 * If there is no memory for a setting, they are declared once more with the session's next call. A
 * setting must not be defined twice. What is set before the library is loaded is a
 * placeholder.
 */
static bool
is_defined(const char *setting)
{
	return GetConfigOption(setting, true, false) != NULL &&
		   (GetConfigOptionFlags(setting, true) & GUC_CUSTOM_PLACEHOLDER) == 0;
}

/* Kept plans are of statements as they were answered under the setting. */
static void
assign_query_number(double value, void *extra)
{
	ResetPlanCache();
}

static void
assign_query_integer(int value, void *extra)
{
	ResetPlanCache();
}

static void
define_query_settings(void)
{
	if (!is_defined("dpsyn.query_epsilon"))
		DefineCustomRealVariable(
			"dpsyn.query_epsilon",
			"Sets the epsilon that a plain SELECT over protected relations spends.",
			"Above 0, SELECTs of relations that the role may not read are answered with noise. 0 "
			"turns that off. For a role or a database, with session_preload_libraries = 'dpsyn'.",
			&dpsyn_query_epsilon, 0, 0, 1e9, PGC_USERSET, 0, NULL, assign_query_number, NULL);
	if (!is_defined("dpsyn.query_delta"))
		DefineCustomRealVariable("dpsyn.query_delta", "Sets the delta that such a SELECT spends.",
								 NULL, &dpsyn_query_delta, 0, 0, 1, PGC_USERSET, 0, NULL,
								 assign_query_number, NULL);
	if (!is_defined("dpsyn.query_confidence"))
		DefineCustomRealVariable("dpsyn.query_confidence",
								 "Sets the confidence of the intervals of such a SELECT.", NULL,
								 &dpsyn_query_confidence, 0.95, 0.01, 0.999, PGC_USERSET, 0, NULL,
								 assign_query_number, NULL);
	if (!is_defined("dpsyn.query_refresh"))
		DefineCustomIntVariable(
			"dpsyn.query_refresh", "Sets the age at which a stored answer is asked for anew.",
			"-1: never; the same question has the same answer.", &dpsyn_query_refresh, -1, -1,
			DP_QUERY_REFRESH_MAX, PGC_USERSET, GUC_UNIT_S, NULL, assign_query_integer, NULL);
	if (!is_defined("dpsyn.query_max_rows_per_unit"))
		DefineCustomIntVariable("dpsyn.query_max_rows_per_unit",
								"Sets how many rows of a unit such a SELECT counts at most.",
								"0: a number that fits is found, at a tenth of epsilon.",
								&dpsyn_query_max_rows_per_unit, 0, 0, DP_QUERY_ROWS_MAX,
								PGC_USERSET, 0, NULL, assign_query_integer, NULL);
	if (!is_defined("dpsyn.query_max_sum_per_unit"))
		DefineCustomRealVariable("dpsyn.query_max_sum_per_unit",
								 "Sets how much a unit adds to each sum of such a SELECT at most.",
								 "0: an amount that fits is found, at a tenth of epsilon.",
								 &dpsyn_query_max_sum_per_unit, 0, 0, DP_QUERY_SUM_MAX, PGC_USERSET,
								 0, NULL, assign_query_number, NULL);
}

void
dp_settings_define(void)
{
	if (!is_defined("dpsyn.max_parallel_workers"))
		DefineCustomIntVariable(
			"dpsyn.max_parallel_workers",
			"Sets the maximum number of parallel workers that draw synthetic rows.",
			"-1 takes max_parallel_workers_per_gather. The rows drawn do not "
			"depend on it.",
			&dpsyn_max_parallel_workers, -1, -1, 1024, PGC_USERSET, 0, NULL, NULL, NULL);
	if (!is_defined("dpsyn.progress_interval"))
		DefineCustomIntVariable("dpsyn.progress_interval",
								"Sets the time between progress lines of long work.",
								"0 turns them off.", &dpsyn_progress_interval, 10, 0,
								INT_MAX / 1000, PGC_USERSET, GUC_UNIT_S, NULL, NULL, NULL);
	if (!is_defined("dpsyn.counting_memory"))
		DefineCustomIntVariable(
			"dpsyn.counting_memory",
			"Sets the maximum memory of the contingency tables of one aggregate.",
			"-1 takes that of a hash table: work_mem times hash_mem_multiplier. "
			"A release does not follow it here; foreign servers do.",
			&dpsyn_counting_memory, -1, -1, INT_MAX, PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	if (!is_defined("dpsyn.model_memory"))
		DefineCustomIntVariable(
			"dpsyn.model_memory", "Sets the memory that fitting a graphical model may take.",
			"For releases whose options do not say max_model_memory.", &dpsyn_model_memory, 160, 2,
			65536, PGC_USERSET, GUC_UNIT_MB, NULL, NULL, NULL);
	if (!is_defined("dpsyn.row_memory"))
		DefineCustomIntVariable(
			"dpsyn.row_memory",
			"Sets the memory for rows that a release keeps to count them again.",
			"A release that finds bins, or a query that bounds the rows of units, then reads its "
			"relation once. Rows that do not fit are read twice. Workers take it from the server "
			"or the database, not from a role.",
			&dpsyn_row_memory, 256 * 1024, 0, INT_MAX, PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	if (!is_defined("dpsyn.spending"))
		DefineCustomEnumVariable(
			"dpsyn.spending", "Sets whether calls may spend a privacy budget.",
			"It keeps a role or a database from spending by mistake, and is no "
			"wall: a role can set it again. \"views\" lets definitions of views "
			"spend, too.",
			&dpsyn_spending, DP_SPENDING_ON, spending_words, PGC_USERSET, 0, NULL, NULL, NULL);
	if (!is_defined("dpsyn.log_releases"))
		DefineCustomBoolVariable(
			"dpsyn.log_releases", "Sets whether the server log gets a line for each release.",
			"Who, what, its cost and what it leaves; no value of a relation. "
			"Workers take it from the server or the database, not from a role.",
			&dpsyn_log_releases, false, PGC_SUSET, 0, NULL, NULL, NULL);
	if (!is_defined("dpsyn.max_releases_per_role"))
		DefineCustomIntVariable("dpsyn.max_releases_per_role",
								"Sets how many releases that one role asked for may run at once.",
								"A call waits some seconds for its turn.",
								&dpsyn_max_releases_per_role, 2, 1, DP_RELEASES_MAX, PGC_SUSET, 0,
								NULL, NULL, NULL);
	if (!is_defined("dpsyn.max_releases_per_relation"))
		DefineCustomIntVariable("dpsyn.max_releases_per_relation",
								"Sets how many releases of one relation may run at once.",
								"A call waits some seconds for its turn.",
								&dpsyn_max_releases_per_relation, 4, 1, DP_RELEASES_MAX, PGC_SUSET,
								0, NULL, NULL, NULL);
	if (!is_defined("dpsyn.release_timeout"))
		DefineCustomIntVariable(
			"dpsyn.release_timeout", "Sets the time after which a release is ended.",
			"Once it is debited, the budget stays spent. 0 turns the limit off.",
			&dpsyn_release_timeout, 24 * 3600, 0, INT_MAX / 1000, PGC_SUSET, GUC_UNIT_S, NULL, NULL,
			NULL);
	define_query_settings();
	MarkGUCPrefixReserved("dpsyn");
}
