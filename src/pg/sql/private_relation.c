/*
 * private_relation.c -- which relations of a statement its reader may not see, but ask about.
 */
#include "pg/sql/private_relation.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"

#include "pg/budget/dataset.h"
#include "pg/server/catalog.h"
#include "pg/server/compat_query.h"

static bool
is_protected(DpPrivacy *privacy, Oid relation)
{
	DpDataset dataset;
	bool found;

	if (relation < FirstNormalObjectId || list_member_oid(privacy->unprotected, relation))
		return false;
	if (list_member_oid(privacy->protected, relation))
		return true;
	found = dp_catalog_is_current() && dp_dataset_find(relation, false, &dataset) && dataset.active;
	if (found)
		privacy->protected = lappend_oid(privacy->protected, relation);
	else
		privacy->unprotected = lappend_oid(privacy->unprotected, relation);
	return found;
}

static bool
is_stored(char kind)
{
	return kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE ||
		   kind == RELKIND_FOREIGN_TABLE || kind == RELKIND_MATVIEW;
}

bool
dp_entry_is_private(DpPrivacy *privacy, const Query *query, const RangeTblEntry *entry)
{
	if (entry->rtekind != RTE_RELATION || entry->relid < FirstNormalObjectId)
		return false;
	if (entry->relkind == RELKIND_VIEW) /* one that dp_restore_private_views left there */
		return entry->inFromCl && list_member_oid(privacy->protected, entry->relid);
	return is_stored(entry->relkind) && (privacy->how.all || !dp_entry_is_readable(query, entry)) &&
		   is_protected(privacy, entry->relid);
}

static bool
is_private_view(DpPrivacy *privacy, const Query *query, const RangeTblEntry *entry)
{
	Oid view = dp_entry_view(entry);

	return OidIsValid(view) && (privacy->how.all || !dp_view_is_readable(query, entry)) &&
		   is_protected(privacy, view);
}

void
dp_restore_private_views(DpPrivacy *privacy, Query *query)
{
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (!is_private_view(privacy, query, entry))
			continue;
		entry->relid = dp_entry_view(entry);
		entry->rtekind = RTE_RELATION;
		entry->relkind = RELKIND_VIEW;
		entry->subquery = NULL;
		entry->inh = true;
	}
}

/* ---- anywhere ---- */

typedef struct Search
{
	DpPrivacy *privacy;
	const Query *query;
	Oid found;
} Search;

static bool
search(Node *node, void *context)
{
	Search *at = context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		if (is_private_view(at->privacy, at->query, entry))
			at->found = dp_entry_view(entry);
		else if (dp_entry_is_private(at->privacy, at->query, entry))
			at->found = entry->relid;
		return OidIsValid(at->found);
	}
	if (IsA(node, Query))
	{
		Search within = {at->privacy, (Query *) node, InvalidOid};
		bool stop = query_tree_walker((Query *) node, search, &within, QTW_EXAMINE_RTES_BEFORE);

		at->found = within.found;
		return stop;
	}
	return expression_tree_walker(node, search, context);
}

Oid
dp_find_private(DpPrivacy *privacy, Query *query)
{
	Search all = {privacy, query, InvalidOid};

	(void) search((Node *) query, &all);
	return all.found;
}
