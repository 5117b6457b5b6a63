/*
 * names.c -- that the names in a statement mean what was looked at.
 */
#include "pg/server/names.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/server/own_code.h"

/* Whether dpsyn brought an object. */
static bool
is_of_dpsyn(Oid class, Oid object)
{
	return getExtensionOfObject(class, object) == get_extension_oid("dpsyn", true);
}

/* ---- functions ---- */

bool
dp_may_call(Oid function)
{
	HeapTuple tuple;
	Form_pg_proc form;
	bool result;

	if (function < FirstUnpinnedObjectId)
		return true;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	result = form->proowner == GetUserId() ||
			 ((form->prolang == ClanguageId || form->prolang == INTERNALlanguageId) &&
			  superuser_arg(form->proowner));
	ReleaseSysCache(tuple);
	return result || is_of_dpsyn(ProcedureRelationId, function);
}

/* ---- a statement ---- */

/* What a statement is compared with. */
typedef struct Comparison
{
	DpNameTest is_meant;
	List *named; /* relations that it names */
} Comparison;

static bool were_changed = false;

static DP_NORETURN void
raise_changed(const char *message)
{
	were_changed = true;
	ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE), errmsg("%s", message),
					errhint("Try again.")));
}

static bool
check_relations(Node *node, void *context)
{
	Comparison *comparison = context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		if (entry->rtekind != RTE_RELATION)
			return false; /* what stands in it is looked at by itself */
		if (!comparison->is_meant(entry->relid))
			raise_changed("a relation was renamed meanwhile, and its name means another one");
		comparison->named = list_append_unique_oid(comparison->named, entry->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, check_relations, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, check_relations, context);
}

static bool
check_function(Oid function, void *context)
{
	if (!dp_may_call(function))
		raise_changed("a function was renamed meanwhile, and its name means another one");
	return false;
}

/* Whether the type is of a column or a row of the relation, or below one. */
static bool
is_of_relation(Oid type, Oid oid)
{
	Relation relation = relation_open(oid, NoLock); /* its analysis has locked it */
	TupleDesc desc = RelationGetDescr(relation);
	bool found = type == relation->rd_rel->reltype;

	for (int i = 0; !found && i < desc->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(desc, i);

		found = !form->attisdropped &&
				(type == form->atttypid || type == getBaseType(form->atttypid));
	}
	relation_close(relation, NoLock);
	return found;
}

static void
check_type(Oid type, const Comparison *comparison)
{
	ListCell *cell;

	if (type < FirstUnpinnedObjectId || !dp_type_runs_code(type))
		return;
	foreach (cell, comparison->named)
		if (is_of_relation(type, lfirst_oid(cell)))
			return;
	if (is_of_dpsyn(TypeRelationId, type))
		return;
	raise_changed("a type was renamed meanwhile, and its name means another one");
}

static bool
has_type(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Const:
		case T_Param:
		case T_FuncExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_ConvertRowtypeExpr:
		case T_CoerceToDomain:
		case T_RowExpr:
			return true;
		default:
			return false;
	}
}

static bool
check_calls(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, check_calls, context, 0);
	(void) check_functions_in_node(node, check_function, context);
	if (has_type(node))
		check_type(exprType(node), context);
	return expression_tree_walker(node, check_calls, context);
}

/* ---- waiting for it ---- */

static DpNameTest awaited = NULL; /* NULL: the next statement is not asked about */
static List *meant = NIL;         /* OIDs, in TopMemoryContext */
static post_parse_analyze_hook_type next_hook = NULL;

/* What EXPLAIN explains is analyzed with it. No other utility statement says what it means. */
static Node *
query_of(Query *query)
{
	if (query->commandType != CMD_UTILITY)
		return (Node *) query;
	if (!IsA(query->utilityStmt, ExplainStmt))
		elog(ERROR, "dpsyn: a statement is of a kind that cannot be compared");
	return ((ExplainStmt *) query->utilityStmt)->query;
}

static void
after_analysis(ParseState *state, Query *query, JumbleState *jumble)
{
	Comparison comparison = {.is_meant = awaited};

	awaited = NULL;
	if (comparison.is_meant != NULL)
	{
		(void) check_relations(query_of(query), &comparison);
		(void) check_calls(query_of(query), &comparison);
	}
	if (next_hook != NULL)
		next_hook(state, query, jumble);
}

/* A statement that failed before it was analyzed is not awaited any more. */
static void
after_transaction(XactEvent event, void *context)
{
	awaited = NULL;
}

static void
after_subtransaction(SubXactEvent event, SubTransactionId own, SubTransactionId parent,
					 void *context)
{
	awaited = NULL;
}

void
dp_names_await(DpNameTest is_meant)
{
	static bool is_set = false;

	if (!is_set)
	{
		next_hook = post_parse_analyze_hook;
		post_parse_analyze_hook = after_analysis;
		RegisterXactCallback(after_transaction, NULL);
		RegisterSubXactCallback(after_subtransaction, NULL);
		is_set = true;
	}
	awaited = is_meant;
}

static bool
is_listed(Oid relation)
{
	return list_member_oid(meant, relation);
}

void
dp_names_await_these(const List *relations)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

	list_free(meant);
	meant = NIL;
	meant = list_copy(relations);
	MemoryContextSwitchTo(caller);
	dp_names_await(is_listed);
}

static bool
is_own(Oid relation)
{
	return relation < FirstUnpinnedObjectId || is_of_dpsyn(RelationRelationId, relation);
}

void
dp_names_await_own(void)
{
	dp_names_await(is_own);
}

bool
dp_names_were_changed(void)
{
	return were_changed;
}
