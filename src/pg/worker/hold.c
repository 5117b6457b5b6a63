/*
 * hold.c -- what a release keeps from changing until its rows are read. RELEASE WORKER ONLY.
 *
 * The locks are held from before the plan until the rows are read, so that what was planned
 * and paid for is what is there to be read: the same columns and types, and enums with the
 * same labels. If somebody holds a lock in the way, that is an error before the debit and
 * not after.
 *
 * PostgreSQL gives such a lock back when a transaction fails.
 */
#include "pg/worker/hold.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"

static List *held = NIL; /* OIDs, in TopMemoryContext */

static void hold_enums(Oid type);

static void
hold_enums_of_columns(TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			hold_enums(TupleDescAttr(desc, i)->atttypid);
}

/* ALTER TYPE ... ADD VALUE and RENAME VALUE wait for this lock. */
static void
hold_enum(Oid type)
{
	LOCKTAG tag;

	LockDatabaseObject(TypeRelationId, type, 0, RowShareLock);
	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, TypeRelationId, type, 0);
	(void) LockAcquire(&tag, RowShareLock, true, false);
}

/* The enums in a type: itself, or what an array, a range or a row is made of. */
static void
hold_enums(Oid type)
{
	TupleDesc desc;

	check_stack_depth();
	type = getBaseType(type);
	switch (get_typtype(type))
	{
		case TYPTYPE_ENUM:
			hold_enum(type);
			break;
		case TYPTYPE_RANGE:
			hold_enums(get_range_subtype(type));
			break;
		case TYPTYPE_MULTIRANGE:
			hold_enums(get_multirange_range(type));
			break;
		case TYPTYPE_COMPOSITE:
			desc = lookup_rowtype_tupdesc(type, -1);
			hold_enums_of_columns(desc);
			ReleaseTupleDesc(desc);
			break;
		default:
			if (OidIsValid(get_element_type(type)))
				hold_enums(get_element_type(type));
	}
}

void
dp_hold(Oid relation)
{
	LockRelId name = {relation, IsSharedRelation(relation) ? InvalidOid : MyDatabaseId};
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
	Relation open;

	held = list_append_unique_oid(held, relation);
	MemoryContextSwitchTo(caller);
	LockRelationOid(relation, AccessShareLock);
	LockRelationIdForSession(&name, AccessShareLock);
	open = try_relation_open(relation, NoLock);
	if (open == NULL)
		return; /* dropped meanwhile, which preparing the release finds */
	hold_enums_of_columns(RelationGetDescr(open));
	relation_close(open, NoLock);
}

/* ---- what names of a statement mean ---- */

static bool names_awaited = false;
static bool was_renamed = false;
static post_parse_analyze_hook_type next_hook = NULL;

static bool
is_held(Oid relation)
{
	ListCell *cell;

	if (list_member_oid(held, relation))
		return true;
	foreach (cell, held)
		if (list_member_oid(find_all_inheritors(lfirst_oid(cell), AccessShareLock, NULL), relation))
			return true;
	return false;
}

static bool
check_names(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		was_renamed = entry->rtekind == RTE_RELATION && !is_held(entry->relid);
		if (was_renamed)
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
	bool awaited = names_awaited;

	if (next_hook != NULL)
		next_hook(state, query, jumble);
	names_awaited = false; /* the code that a statement calls has statements of its own */
	if (awaited)
		(void) check_names((Node *) query, NULL);
}

/* A statement that failed before it was analyzed is not awaited any more. */
static void
after_transaction(XactEvent event, void *context)
{
	names_awaited = false;
}

void
dp_hold_names(void)
{
	static bool is_set = false;

	if (!is_set)
	{
		RegisterXactCallback(after_transaction, NULL); /* may fail, so it comes first */
		next_hook = post_parse_analyze_hook;
		post_parse_analyze_hook = after_analysis;
		is_set = true;
	}
	names_awaited = true;
}

bool
dp_hold_was_renamed(void)
{
	return was_renamed;
}

void
dp_hold_end(void)
{
	LockReleaseSession(DEFAULT_LOCKMETHOD);
	list_free(held);
	held = NIL;
}
