/*
 * lock.c -- what a release keeps from changing until its rows are read. RELEASE WORKER ONLY.
 *
 * The locks are held from before the plan until the rows are read, so that what was planned
 * and paid for is what is there to be read: the same columns and types, and enums with the
 * same labels. Below a view, these are also the definitions of views and the foreign keys by
 * which its rows were found to be those of one unit. If somebody holds a lock in the way, that
 * is an error before the debit and not after.
 *
 * PostgreSQL gives such a lock back when a transaction fails.
 */
#include "pg/worker/lock.h"

#include "access/relation.h"
#include "catalog/catalog.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "pg/budget/view_facts.h"
#include "pg/server/catalog.h"
#include "pg/server/names.h"

static List *held = NIL; /* OIDs, in TopMemoryContext */

static void lock_enums(Oid type);

static void
lock_enums_of_columns(TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			lock_enums(TupleDescAttr(desc, i)->atttypid);
}

/* ALTER TYPE ... ADD VALUE and RENAME VALUE wait for this lock. */
static void
lock_enum(Oid type)
{
	LOCKTAG tag;

	LockDatabaseObject(TypeRelationId, type, 0, RowShareLock);
	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, TypeRelationId, type, 0);
	(void) LockAcquire(&tag, RowShareLock, true, false);
}

/* The enums in a type: itself, or what an array, a range or a row is made of. */
static void
lock_enums(Oid type)
{
	TupleDesc desc;

	check_stack_depth();
	type = getBaseType(type);
	switch (get_typtype(type))
	{
		case TYPTYPE_ENUM:
			lock_enum(type);
			break;
		case TYPTYPE_RANGE:
			lock_enums(get_range_subtype(type));
			break;
		case TYPTYPE_MULTIRANGE:
			lock_enums(get_multirange_range(type));
			break;
		case TYPTYPE_COMPOSITE:
			desc = lookup_rowtype_tupdesc(type, -1);
			lock_enums_of_columns(desc);
			ReleaseTupleDesc(desc);
			break;
		default:
			if (OidIsValid(get_element_type(type)))
				lock_enums(get_element_type(type));
	}
}

static void
lock(Oid relation, LOCKMODE mode)
{
	LockRelId name = {relation, IsSharedRelation(relation) ? InvalidOid : MyDatabaseId};
	Relation open;

	LockRelationOid(relation, mode);
	LockRelationIdForSession(&name, mode);
	open = try_relation_open(relation, NoLock);
	if (open == NULL)
		return; /* dropped meanwhile, which preparing the release finds */
	lock_enums_of_columns(RelationGetDescr(open));
	relation_close(open, NoLock);
}

static void
hold(Oid relation, LOCKMODE mode)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

	held = list_append_unique_oid(held, relation);
	MemoryContextSwitchTo(caller);
	lock(relation, mode);
}

void
dp_lock(Oid relation)
{
	hold(relation, AccessShareLock);
}

/* CREATE INDEX waits for this lock. */
void
dp_lock_public(Oid relation)
{
	hold(relation, RowExclusiveLock);
}

/* A definition is read after its view was locked, so it stays what it is. */
void
dp_lock_below(Oid relation)
{
	List *below = list_make1_oid(relation);

	if (!dp_is_view(relation))
		return;
	/* the list grows meanwhile */
	for (int i = 0; i < list_length(below); i++)
	{
		Oid at = list_nth_oid(below, i);

		CHECK_FOR_INTERRUPTS();
		lock(at, AccessShareLock);
		below = list_concat_unique_oid(
			below, dp_is_view(at) ? dp_view_reads(at) : find_inheritance_children(at, NoLock));
	}
}

/* ---- what names of a statement mean ---- */

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

void
dp_lock_names(void)
{
	dp_expect_names(NULL, is_held);
}

void
dp_lock_end(void)
{
	LockReleaseSession(DEFAULT_LOCKMETHOD);
	list_free(held);
	held = NIL;
}
