/*
 * guard.c -- triggers around the catalog. One lets nobody but dpsyn write it. Another tells
 * whoever drops the extension what is lost. The third notes that a protected relation is dropped.
 */
#include "pg/server/compat.h"

#include "catalog/pg_extension.h"
#include "commands/event_trigger.h"
#include "commands/extension.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "pg/server/catalog.h"

PG_FUNCTION_INFO_V1(dp_catalog_guard);
PG_FUNCTION_INFO_V1(dp_warn_of_drop);
PG_FUNCTION_INFO_V1(dp_note_drop);

/* dpsyn's own statements run as a superuser, and so they pass. */
Datum
dp_catalog_guard(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("dp_catalog_guard was not called by a trigger")));
	if (!superuser())
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied for table %s",
							   RelationGetRelationName(trigger->tg_relation)),
						errdetail("Only dpsyn's own functions write its catalog."),
						errhint("Use dp_protect, dp_grant, dp_revoke and the like.")));
	if (!TRIGGER_FIRED_FOR_ROW(trigger->tg_event))
		PG_RETURN_POINTER(NULL); /* no row; PG_RETURN_NULL is an error in a trigger */
	PG_RETURN_POINTER(TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple
																 : trigger->tg_trigtuple);
}

/* ---- DROP EXTENSION ---- */

static bool
drops_dpsyn(const Node *statement)
{
	const DropStmt *drop = (const DropStmt *) statement;
	ListCell *cell;

	if (!IsA(statement, DropStmt) || drop->removeType != OBJECT_EXTENSION)
		return false;
	foreach (cell, drop->objects)
		if (strcmp(strVal(lfirst(cell)), "dpsyn") == 0)
			return true;
	return false;
}

static void
warn_of_drop(void)
{
	DpElevation elevation;

	dp_catalog_open(&elevation);
	(void) dp_spi_read(
		"SELECT (SELECT pg_catalog.count(*) FROM dp_catalog.dp_dataset WHERE active),"
		" (SELECT pg_catalog.count(*) FROM dp_catalog.dp_ledger_entry WHERE kind = 'debit'),"
		" (SELECT pg_catalog.count(*) FROM dp_catalog.dp_release_store)",
		DP_NO_ARGUMENTS);
	ereport(WARNING,
			(errmsg("DROP EXTENSION dpsyn deletes the ledger of %lld protected relations",
					(long long) dp_spi_int64(0, 1)),
			 errdetail("With it go the record of %lld debits, so that what was spent could be "
					   "spent again, and %lld stored releases.",
					   (long long) dp_spi_int64(0, 2), (long long) dp_spi_int64(0, 3)),
			 errhint("To keep them, roll back, and dump the database first.")));
	dp_catalog_close(&elevation);
}

/* It runs before the command and before its checks, so it warns only a role that may drop it. */
Datum
dp_warn_of_drop(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("dp_warn_of_drop was not called by an event trigger")));
	if (drops_dpsyn(((EventTriggerData *) fcinfo->context)->parsetree) &&
		DP_OWNS_EXTENSION(get_extension_oid("dpsyn", false), GetUserId()) &&
		dp_catalog_is_current()) /* one of another version can be dropped too */
		warn_of_drop();
	PG_RETURN_NULL();
}

/* ---- DROP of a relation ---- */

#define DROPPED_DATASETS                                                                           \
	"pg_catalog.pg_event_trigger_dropped_objects() o"                                              \
	" WHERE o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND o.objsubid = 0"             \
	" AND o.objid = d.relation AND d.dropped_at IS NULL"

/* A relation takes its budget with it, and one that is made anew under its name begins with nothing
 * spent. Only who may drop the relation comes here. */
static void
warn_of_spent(void)
{
	DpElevation elevation;
	uint64 rows;

	dp_catalog_open(&elevation);
	rows = dp_spi_read(
		"SELECT d.relation_name, dp_catalog.dp_epsilon(d.spent_epsilon_nano),"
		" dp_catalog.dp_delta(d.spent_delta_atto) FROM dp_catalog.dp_dataset d, " DROPPED_DATASETS
		" AND o.original AND d.spent_epsilon_nano > 0 ORDER BY d.id",
		DP_NO_ARGUMENTS);
	for (uint64 i = 0; i < rows; i++)
		ereport(WARNING,
				(errmsg("the budget of relation %s ends with it", dp_spi_text(i, 1)),
				 errdetail("Epsilon %s and delta %s of it were spent.", dp_spi_text(i, 2),
						   dp_spi_text(i, 3)),
				 errhint("If a relation with the same rows takes its place, state that with "
						 "dp_reconcile once it is protected. To load it anew, empty it instead.")));
	dp_catalog_close(&elevation);
}

/*
 * PostgreSQL uses a number again after four thousand million others. The next relation of that
 * number must not find what belonged to the one that was dropped. A transaction of an older snapshot
 * does not see that the relation was protected since, so it may not drop it.
 */
Datum
dp_note_drop(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("dp_note_drop was not called by an event trigger")));
	if (!dp_catalog_is_current())
		PG_RETURN_NULL();
	warn_of_spent();
	(void) dp_catalog_write(
		"UPDATE dp_catalog.dp_dataset d SET active = false, dropped_at = pg_catalog.now()"
		" FROM " DROPPED_DATASETS,
		DP_NO_ARGUMENTS);
	if (dp_catalog_finds("SELECT FROM dp_catalog.dp_dataset d, " DROPPED_DATASETS, DP_NO_ARGUMENTS))
		dp_raise_newer();
	PG_RETURN_NULL();
}
