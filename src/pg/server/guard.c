/*
 * guard.c -- triggers around the catalog. One lets nobody but dpsyn write it. Another tells
 * whoever drops the extension what is lost. The third notes that a protected relation is dropped,
 * and the fourth whose views keep a custodian from changing one.
 */
#include "pg/server/compat.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "commands/extension.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "utils/acl.h"
#include "utils/rel.h"

#include "pg/server/catalog.h"
#include "pg/server/labels.h"

PG_FUNCTION_INFO_V1(dp_catalog_guard);
PG_FUNCTION_INFO_V1(dp_warn_of_drop);
PG_FUNCTION_INFO_V1(dp_note_drop);
PG_FUNCTION_INFO_V1(dp_note_views);

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
	DpUserContext user_context;

	dp_catalog_open(&user_context);
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
	dp_catalog_close(&user_context);
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

/* Dropping a relation ends its budget: one that is created anew under its name begins with nothing
 * spent. Only who may drop the relation comes here. */
static void
warn_of_spent(void)
{
	DpUserContext user_context;
	uint64 rows;

	dp_catalog_open(&user_context);
	rows = dp_spi_read(
		"SELECT d.relation_name, dp_catalog.dp_epsilon(CASE d.accountant"
		" WHEN 'zcdp' THEN dp_catalog.dp_zcdp_spent(d.spent_rho_pico, d.delta_atto)"
		" ELSE d.spent_epsilon_nano END),"
		" dp_catalog.dp_delta(d.spent_delta_atto) FROM dp_catalog.dp_dataset d, " DROPPED_DATASETS
		" AND o.original AND d.spent_epsilon_nano > 0 ORDER BY d.id",
		DP_NO_ARGUMENTS);
	for (uint64 i = 0; i < rows; i++)
		ereport(WARNING,
				(errmsg("the budget of relation \"%s\" ends with it", dp_spi_text(i, 1)),
				 errdetail("Epsilon %s and delta %s of it were spent.", dp_spi_text(i, 2),
						   dp_spi_text(i, 3)),
				 errhint("If a relation with the same rows takes its place, state that with "
						 "dp_reconcile once it is protected. To load it anew, empty it instead.")));
	dp_catalog_close(&user_context);
}

/*
 * PostgreSQL uses a number again after four thousand million others. The next relation of that
 * number must not find what belonged to the one that was dropped. A transaction of an older
 * snapshot does not see that the relation was protected since, so it may not drop it.
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
	(void) dp_catalog_write(
		"DELETE FROM dp_catalog.dp_public_relation d"
		" USING pg_catalog.pg_event_trigger_dropped_objects() o"
		" WHERE o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND o.objsubid = 0"
		" AND o.objid = d.relation",
		DP_NO_ARGUMENTS);
	PG_RETURN_NULL();
}

/* ---- views of others ---- */

/* A view over dp_sample(NULL::t, ...) depends on t, as PostgreSQL says in an error that does not
 * say whose it is: the custodian may neither know the view nor be able to look into it. A column of
 * NULL stands for the whole relation. */
static void
note_views(Oid relation, const char *column)
{
	DpUserContext user_context;
	uint64 rows;

	dp_catalog_open(&user_context);
	rows = dp_spi_read(
		"SELECT DISTINCT pg_catalog.format('%I.%I', n.nspname, v.relname),"
		" pg_catalog.pg_get_userbyid(v.relowner), p.relation_name"
		" FROM dp_catalog.dp_dataset p JOIN pg_catalog.pg_class c ON c.oid = p.relation"
		" JOIN pg_catalog.pg_depend d ON d.refobjid = c.oid"
		" AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass"
		" LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid"
		" JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid"
		" AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass"
		" JOIN pg_catalog.pg_class v ON v.oid = r.ev_class AND v.relowner <> c.relowner"
		" JOIN pg_catalog.pg_namespace n ON n.oid = v.relnamespace"
		" WHERE p.relation = $1 AND p.active AND ($2 IS NULL OR a.attname = $2)"
		" ORDER BY 1",
		DP_ARGUMENTS(DP_REGCLASS(relation), dp_name_argument(column)));
	for (uint64 i = 0; i < rows; i++)
		ereport(
			NOTICE,
			(errmsg("view %s of role %s depends on %s", dp_spi_text(i, 1), dp_spi_text(i, 2),
					column ? psprintf("column \"%s\" of relation \"%s\"", column, dp_spi_text(i, 3))
						   : psprintf("relation \"%s\"", dp_spi_text(i, 3))),
			 errhint("Its owner can make it anew without that, or with a list of columns, which "
					 "depends on nothing: dp_sample(%s, ...) AS v(...). CASCADE drops it.",
					 dp_literal(dp_spi_text(i, 3)))));
	dp_catalog_close(&user_context);
}

/* The relation of a statement, if it is there and the caller's to alter. */
static Oid
own_relation(const RangeVar *name)
{
	Oid relation = RangeVarGetRelid(name, NoLock, true);

	return OidIsValid(relation) && DP_OWNS_RELATION(relation, GetUserId()) ? relation : InvalidOid;
}

static void
note_of_alter(const AlterTableStmt *alter)
{
	Oid relation = own_relation(alter->relation);
	ListCell *cell;

	if (!OidIsValid(relation))
		return;
	foreach (cell, alter->cmds)
	{
		const AlterTableCmd *command = lfirst_node(AlterTableCmd, cell);

		if (command->subtype == AT_DropColumn || command->subtype == AT_AlterColumnType)
			note_views(relation, command->name);
	}
}

static void
note_of_drop(const DropStmt *drop)
{
	ListCell *cell;

	if (drop->removeType != OBJECT_TABLE && drop->removeType != OBJECT_VIEW)
		return;
	foreach (cell, drop->objects)
	{
		Oid relation = own_relation(makeRangeVarFromNameList(lfirst_node(List, cell)));

		if (OidIsValid(relation))
			note_views(relation, NULL);
	}
}

/*
 * The trigger runs before the command, so its notice comes together with an error of the command.
 */
Datum
dp_note_views(PG_FUNCTION_ARGS)
{
	const Node *statement;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR, (errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
						errmsg("dp_note_views was not called by an event trigger")));
	statement = ((EventTriggerData *) fcinfo->context)->parsetree;
	if (!dp_catalog_is_current())
		PG_RETURN_NULL();
	if (IsA(statement, AlterTableStmt))
		note_of_alter((const AlterTableStmt *) statement);
	else if (IsA(statement, DropStmt))
		note_of_drop((const DropStmt *) statement);
	PG_RETURN_NULL();
}
