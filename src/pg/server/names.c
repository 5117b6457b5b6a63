/*
 * names.c -- what the names in a statement of ours mean, compared before any of it runs.
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

#include "pg/server/untrusted_code.h"

/* ---- functions ---- */

/*
 * Whether a statement of ours may call a function: it is PostgreSQL's own, dpsyn's, a superuser's
 * in C, such as those of the types of extensions, or the current user's.
 */
static bool
may_call(Oid function)
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
	return result ||
		   getExtensionOfObject(ProcedureRelationId, function) == get_extension_oid("dpsyn", true);
}

/* ---- a statement ---- */

/* What a statement is compared with. */
typedef struct Meant
{
	DpMayName may_name;
	List *named; /* relations of the statement that it may name */
} Meant;

static bool changed = false;

static DP_NORETURN void
raise_changed(const char *message)
{
	changed = true;
	ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE), errmsg("%s", message),
					errhint("Try again.")));
}

static bool
check_relations(Node *node, void *context)
{
	Meant *meant = context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		if (entry->rtekind != RTE_RELATION)
			return false; /* its sub-queries are looked at by themselves */
		if (!meant->may_name(entry->relid))
			raise_changed("a relation was renamed meanwhile, and its name means another one");
		meant->named = list_append_unique_oid(meant->named, entry->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, check_relations, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, check_relations, context);
}

static bool
check_function(Oid function, void *context)
{
	if (!may_call(function))
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

		found =
			!form->attisdropped && (type == form->atttypid || type == getBaseType(form->atttypid));
	}
	relation_close(relation, NoLock);
	return found;
}

static void
check_type(Oid type, const Meant *meant)
{
	ListCell *cell;

	if (type < FirstUnpinnedObjectId || !dp_type_runs_code(type))
		return;
	foreach (cell, meant->named)
		if (is_of_relation(type, lfirst_oid(cell)))
			return;
	if (getExtensionOfObject(TypeRelationId, type) == get_extension_oid("dpsyn", true))
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

/* Exists from dp_expect_names until the statement was analyzed. */
typedef struct Awaited
{
	bool is_awaited;
	char *text; /* in TopMemoryContext; NULL: any */
	DpMayName may_name;
	List *relations; /* in TopMemoryContext */
} Awaited;

static Awaited awaited;

static post_parse_analyze_hook_type next_hook = NULL;

static void
forget(void)
{
	awaited.is_awaited = false;
	if (awaited.text != NULL)
		pfree(awaited.text);
	awaited.text = NULL;
}

/* The query whose names are looked up: that of a SELECT, or the one that EXPLAIN explains, which is
 * analyzed with it. Other utility statements are not analyzed here. */
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
after_analysis(ParseState *state, Query *query, DP_JUMBLE_STATE *jumble)
{
	if (awaited.is_awaited)
	{
		Meant meant = {.may_name = awaited.may_name};
		bool is_it = awaited.text == NULL || (state->p_sourcetext != NULL &&
											  strcmp(awaited.text, state->p_sourcetext) == 0);

		forget(); /* the code that a statement calls has statements of its own */
		if (is_it)
		{
			Node *looked_at = query_of(query);

			(void) check_relations(looked_at, &meant);
			(void) check_calls(looked_at, &meant);
		}
	}
	if (next_hook != NULL)
		next_hook(state, query, jumble);
}

/* A statement that failed before it was analyzed is not awaited any more. */
static void
after_transaction(XactEvent event, void *context)
{
	forget();
}

static void
after_subtransaction(SubXactEvent event, SubTransactionId own, SubTransactionId parent,
					 void *context)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		forget();
}

void
dp_expect_names(const char *text, DpMayName may_name)
{
	static bool is_set = false;

	if (!is_set)
	{
		RegisterXactCallback(after_transaction, NULL); /* may fail, so they come first */
		RegisterSubXactCallback(after_subtransaction, NULL);
		next_hook = post_parse_analyze_hook;
		post_parse_analyze_hook = after_analysis;
		is_set = true;
	}
	forget();
	if (text != NULL)
		awaited.text = MemoryContextStrdup(TopMemoryContext, text);
	awaited.may_name = may_name;
	awaited.is_awaited = true;
}

static bool
is_listed(Oid relation)
{
	return list_member_oid(awaited.relations, relation);
}

const char *
dp_expect_relations(const char *text, const List *relations)
{
	MemoryContext caller;

	dp_expect_names(text, is_listed);
	caller = MemoryContextSwitchTo(TopMemoryContext);
	list_free(awaited.relations);
	awaited.relations = list_copy(relations);
	MemoryContextSwitchTo(caller);
	return text;
}

const char *
dp_expect_relation(const char *text, Oid relation)
{
	List *relations = list_make1_oid(relation);

	(void) dp_expect_relations(text, relations);
	list_free(relations);
	return text;
}

static bool
is_own(Oid relation)
{
	return relation < FirstUnpinnedObjectId ||
		   getExtensionOfObject(RelationRelationId, relation) == get_extension_oid("dpsyn", true);
}

void
dp_expect_own(void)
{
	dp_expect_names(NULL, is_own);
}

bool
dp_names_changed(void)
{
	return changed;
}
