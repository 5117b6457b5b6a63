/*
 * module.c -- what happens when PostgreSQL loads the library: settings, and hooks.
 */
#include "pg/server/compat.h"

#include "mb/pg_wchar.h"

#include "core/domain/domain_bytes.h"
#include "pg/counting/counting_scan.h"
#include "pg/server/citus.h"
#include "pg/server/code_gate.h"
#include "pg/server/dpsyn.h"
#include "pg/sql/mode.h"

DP_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static bool
text_is_valid(const char *text, size_t length)
{
	return pg_verifymbstr(text, (int) length, true);
}

/* PostgreSQL calls it once more with the session's next call, if it failed. */
void
_PG_init(void)
{
	static bool is_set = false;

	dp_settings_define();
	dp_text_is_valid = text_is_valid;
	if (is_set)
		return;
	dp_citus_call_watch();
	dp_question_scan_init();
	dp_counting_scan_init();
	dp_private_queries_init();
	dp_code_gate_init();
	is_set = true;
}
