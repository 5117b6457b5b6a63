/*
 * settings.c -- what the release worker pins of what a role, or a database, may have set.
 * RELEASE WORKER ONLY.
 */
#include "pg/worker/settings.h"

#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "pg/server/catalog.h"
#include "pg/server/values.h"

/* A role or a database may have set these, and that must not matter here. */
static const struct
{
	const char *name;
	const char *value;
} pinned_settings[] = {
	{"role", "none"},                       /* nobody, whatever the database says */
	{"synchronous_commit", "on"},           /* so that a debit survives a crash */
	{"search_path", "pg_catalog, pg_temp"}, /* no operator of a user */
	{"session_replication_role", "origin"}, /* triggers fire */
	{"default_transaction_isolation", "read committed"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_deferrable", "off"},
	{"row_security", "off"}, /* a hidden row is an error, not a silent gap */
	{"statement_timeout", "0"},
	{"idle_in_transaction_session_timeout", "0"},
#ifdef DP_HAVE_TRANSACTION_TIMEOUT
	{"transaction_timeout", "0"},
#endif
	{"lock_timeout", "2s"},  /* the caller itself may hold the lock, which no deadlock check sees */
	{"track_counts", "off"}, /* pg_stat_user_tables would show the exact number of rows */
	{"track_functions", "none"},
	{"compute_query_id", "off"}, /* or pg_stat_statements shows the number of rows to every role */
	{"dpsyn.counting_memory", "2147483647"}, /* what was planned is what is needed */
	{"jit", "off"},
	{"standard_conforming_strings", "on"},
	{"transform_null_equals", "off"},
	{"exit_on_error", "off"}, /* an error is recorded in the ledger */
};

void
dp_worker_settings_pin(void)
{
	for (size_t i = 0; i < lengthof(pinned_settings); i++)
		SetConfigOption(pinned_settings[i].name, pinned_settings[i].value, PGC_SUSET,
						PGC_S_OVERRIDE);
	dp_values_pin();
}

void
dp_worker_settings_pin_citus(void)
{
	SetConfigOption("citus.max_intermediate_result_size", "-1", PGC_SUSET, PGC_S_OVERRIDE);
}

char *
dp_worker_temp_limit(Oid owner, const char *otherwise)
{
	MemoryContext memory = CurrentMemoryContext;
	char *limit = NULL;
	DpUserContext user_context;

	dp_catalog_open(&user_context);
	if (dp_spi_read("SELECT pg_catalog.split_part(c, '=', 2) FROM pg_catalog.pg_db_role_setting s"
					" CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c WHERE s.setrole = $1"
					" AND s.setdatabase IN (0, $2) AND c LIKE 'temp_file_limit=%'"
					" ORDER BY s.setdatabase DESC LIMIT 1",
					DP_ARGUMENTS(DP_OID(owner), DP_OID(MyDatabaseId))) == 1)
		limit = MemoryContextStrdup(memory, dp_spi_text(0, 1));
	dp_catalog_close(&user_context);
	return limit != NULL ? limit : pstrdup(otherwise);
}
