/*
 * code_gate.c -- whose functions run with rights that are not the caller's.
 */
#include "pg/server/code_gate.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "pg/server/labels.h"
#include "pg/server/rights.h"
#include "pg/server/untrusted_code.h"

static object_access_hook_type next_access;
static planner_hook_type next_planner;
static ExecutorRun_hook_type next_executor;
static get_relation_info_hook_type next_relation;

static bool is_worker;
static int planning;  /* statements that are being planned */
static int executing; /* statements that are being executed */
static char *message; /* of the last function that was refused */

static Oid
owner_of(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

static bool
is_trusted(Oid function, Oid owner)
{
	return superuser_arg(owner) ||
		   getExtensionOfObject(ProcedureRelationId, function) == get_extension_oid("dpsyn", true);
}

/* A statement that is planned during execution belongs to a function that may run. */
static bool
may_run(Oid function, Oid owner)
{
	Oid user;
	int context;

	GetUserIdAndSecContext(&user, &context);
	if ((context & DP_SECURITY_TRUSTED_CODE) != 0)
		return is_trusted(function, owner);
	if (!is_worker || is_trusted(function, owner))
		return true;
	return (context & SECURITY_RESTRICTED_OPERATION) != 0 &&
		   (owner == user || planning == 0 || executing > 0);
}

static void
before_access(ObjectAccessType access, Oid class, Oid object, int part, void *context)
{
	Oid owner;
	char *said;

	if (next_access != NULL)
		next_access(access, class, object, part, context);
	if (access != OAT_FUNCTION_EXECUTE || object < FirstUnpinnedObjectId)
		return;
	owner = owner_of(object);
	if (may_run(object, owner))
		return;
	said = psprintf("function %s of role %s may not run here", format_procedure(object),
					dp_role_label(owner));
	if (message != NULL)
		pfree(message);
	message = MemoryContextStrdup(TopMemoryContext, said);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("%s", message),
			 errdetail("It would run with the rights of role %s, for another role.",
					   dp_role_label(GetUserId())),
			 errhint("It is in an index, a partition key, a constraint or the statistics of a "
					 "table that is read. Leave that table out, or ask its owner to drop it.")));
}

static PlannedStmt *
plan(DP_PLANNER_ARGUMENTS)
{
	PlannedStmt *planned;

	planning++;
	PG_TRY();
	{
		planned = next_planner(DP_PLANNER_HANDED_ON);
	}
	PG_FINALLY();
	{
		planning--;
	}
	PG_END_TRY();
	return planned;
}

static void
execute(DP_EXECUTOR_RUN_ARGUMENTS)
{
	executing++;
	PG_TRY();
	{
		if (next_executor != NULL)
			next_executor(DP_EXECUTOR_RUN_HANDED_ON);
		else
			standard_ExecutorRun(DP_EXECUTOR_RUN_HANDED_ON);
	}
	PG_FINALLY();
	{
		executing--;
	}
	PG_END_TRY();
}

/* Whether the indexes of a relation serve whatever code they have. */
static bool
is_trusted_owner(Oid owner)
{
	Oid user;
	int context;

	GetUserIdAndSecContext(&user, &context);
	if ((context & DP_SECURITY_TRUSTED_CODE) == 0 && (!is_worker || owner == user))
		return true;
	return superuser_arg(owner);
}

/* A scan of a partial index looks at the condition of the index again. So others serve only if they
 * run no code. */
static void
look_at_relation(PlannerInfo *root, Oid relation, bool is_parent, RelOptInfo *rel)
{
	ListCell *cell;

	if (next_relation != NULL)
		next_relation(root, relation, is_parent, rel);
	if (is_trusted_owner(dp_relation_owner(relation)))
		return;
	foreach (cell, rel->indexlist)
	{
		const IndexOptInfo *index = lfirst(cell);

		if (dp_stored_expression_obstacle((Node *) index->indpred) != NULL ||
			dp_stored_expression_obstacle((Node *) index->indexprs) != NULL)
			rel->indexlist = foreach_delete_current(rel->indexlist, cell);
	}
}

void
dp_code_gate_init(void)
{
	next_access = object_access_hook;
	object_access_hook = before_access;
	next_relation = get_relation_info_hook;
	get_relation_info_hook = look_at_relation;
}

void
dp_code_gate_close_for_worker(void)
{
	is_worker = true;
	next_planner = planner_hook; /* dpsyn's own is there */
	planner_hook = plan;
	next_executor = ExecutorRun_hook;
	ExecutorRun_hook = execute;
}

bool
dp_code_gate_refused(const ErrorData *error)
{
	return message != NULL && error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE &&
		   error->message != NULL && strcmp(error->message, message) == 0;
}
