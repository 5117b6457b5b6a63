/*
 * by_unit.c -- sub-queries that aggregate the rows of each unit first.
 */
#include "pg/sql/by_unit.h"

#include "access/sysattr.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "access/table.h"

#include "pg/budget/dataset.h"

static bool
is_in_primary_key(Oid oid, AttrNumber column)
{
	Relation relation = table_open(oid, NoLock); /* its analysis has locked it */
	Bitmapset *key = RelationGetIndexAttrBitmap(relation, INDEX_ATTR_BITMAP_PRIMARY_KEY);
	bool found = bms_is_member(column - FirstLowInvalidHeapAttributeNumber, key);

	table_close(relation, NoLock);
	return found;
}

static bool
says_whose(DpPrivacy *privacy, const Query *query, const Var *column)
{
	const RangeTblEntry *entry = rt_fetch(column->varno, query->rtable);
	DpDataset dataset;
	char *name;

	if (column->varattno <= 0 || !dp_entry_is_private(privacy, query, entry) ||
		!dp_dataset_find(entry->relid, false, &dataset))
		return false;
	name = get_attname(entry->relid, column->varattno, true);
	if (name != NULL && dataset.unit_column != NULL && strcmp(name, dataset.unit_column) == 0)
		return true;
	return entry->relkind == RELKIND_RELATION && is_in_primary_key(entry->relid, column->varattno);
}

bool
dp_groups_by_unit(DpPrivacy *privacy, const Query *query)
{
	ListCell *cell;

	foreach (cell, query->groupClause)
	{
		Node *group = get_sortgroupclause_expr(lfirst(cell), query->targetList);

		if (IsA(group, Var) && ((Var *) group)->varlevelsup == 0 &&
			says_whose(privacy, query, (Var *) group))
			return true;
	}
	return false;
}
