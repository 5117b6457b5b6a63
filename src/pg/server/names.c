/*
 * names.c -- that the names in a statement mean the relations that were looked at.
 */
#include "pg/server/names.h"

#include "access/xact.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "utils/memutils.h"

static DpNameTest awaited = NULL; /* NULL: the next statement is not asked about */
static List *meant = NIL;         /* OIDs, in TopMemoryContext */
static bool were_changed = false;
static post_parse_analyze_hook_type next_hook = NULL;

static bool
check_names(Node *node, void *context)
{
	DpNameTest is_meant = *(DpNameTest *) context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		were_changed = entry->rtekind == RTE_RELATION && !is_meant(entry->relid);
		if (were_changed)
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("a relation was renamed meanwhile, and its name means another one"),
					 errhint("Try again.")));
		return false; /* what stands in it is looked at by itself */
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, check_names, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, check_names, context);
}

static void
after_analysis(ParseState *state, Query *query, JumbleState *jumble)
{
	DpNameTest is_meant = awaited;

	if (next_hook != NULL)
		next_hook(state, query, jumble);
	awaited = NULL;
	if (is_meant != NULL)
		(void) check_names((Node *) query, &is_meant);
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

bool
dp_names_were_changed(void)
{
	return were_changed;
}
