/*
 * statement.c -- what CREATE and ALTER do, of relations by their OIDs.
 */
#include "pg/synthetic/statement.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "commands/tablecmds.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#include "pg/server/catalog.h"

ObjectAddress
dp_run_command(Node *statement, DpCommand command, void *context)
{
	const char *name = CreateCommandName(statement);
	ObjectAddress made = InvalidObjectAddress;
	volatile bool begun = false;

	PreventCommandIfReadOnly(name);
	PreventCommandIfParallelMode(name);
	begun = EventTriggerBeginCompleteQuery();
	PG_TRY();
	{
		EventTriggerDDLCommandStart(statement);
		made = command(statement, context);
		EventTriggerSQLDrop(statement);
		EventTriggerDDLCommandEnd(statement);
	}
	PG_FINALLY();
	{
		if (begun)
			EventTriggerEndCompleteQuery();
	}
	PG_END_TRY();
	CommandCounterIncrement();
	return made;
}

void
dp_lock_own_table(Oid table, LOCKMODE mode)
{
	LockRelationOid(table, mode);
	if (get_rel_relkind(table) != RELKIND_RELATION)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("relation \"%s\" is not a table", dp_relation_words(table))));
	if (!DP_OWNS_RELATION(table, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
}

static ObjectAddress
alter(Node *statement, void *context)
{
	const Oid *table = context;
	AlterTableStmt *parts = castNode(AlterTableStmt, statement);
	AlterTableUtilityContext of = {.queryString = "", .relid = *table};
	ObjectAddress address;

	of.pstmt = makeNode(PlannedStmt);
	of.pstmt->commandType = CMD_UTILITY;
	of.pstmt->canSetTag = false;
	of.pstmt->utilityStmt = statement;
	of.pstmt->stmt_location = -1;
	EventTriggerAlterTableStart(statement);
	EventTriggerAlterTableRelid(*table);
	AlterTable(parts, AlterTableGetLockLevel(parts->cmds), &of);
	EventTriggerAlterTableEnd();
	ObjectAddressSet(address, RelationRelationId, *table);
	return address;
}

void
dp_alter_table(Oid table, AlterTableCmd *part)
{
	AlterTableStmt *statement = makeNode(AlterTableStmt);

	statement->cmds = list_make1(part);
	statement->objtype = OBJECT_TABLE;
	dp_lock_own_table(table, AlterTableGetLockLevel(statement->cmds));
	/* for event triggers, which read the parse tree: AlterTable itself uses the OID */
	statement->relation =
		makeRangeVar(get_namespace_name(get_rel_namespace(table)), get_rel_name(table), -1);
	(void) dp_run_command((Node *) statement, alter, &table);
}
