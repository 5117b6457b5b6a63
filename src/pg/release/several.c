/*
 * several.c -- which relations a request is of.
 */
#include "pg/release/several.h"

#include "lib/stringinfo.h"

#include "pg/budget/public_relation.h"
#include "pg/domain/table_tree.h"

/* Public tables among them are as they are, and nothing is released of them. */
static List *
without_public(List *relations)
{
	List *left = NIL;
	ListCell *cell;

	foreach (cell, relations)
		if (!dp_relation_is_declared_public(lfirst_oid(cell)))
			left = lappend_oid(left, lfirst_oid(cell));
	return left == NIL ? relations : left;
}

void
dp_request_relations(DpReleaseRequest *request, List *relations)
{
	StringInfoData words;
	const DpTableTree *tree;

	relations = without_public(relations);
	request->relation = linitial_oid(relations);
	if (list_length(relations) == 1)
		return;
	tree = dp_tree_of(relations);
	request->relation = tree->table[0].relation;
	initStringInfo(&words);
	for (int i = 0; i < tree->tables; i++)
		appendStringInfo(&words, "%s%u", i > 0 ? " " : "", tree->table[i].relation);
	request->tree = words.data;
	if (strcmp(request->method, "auto") == 0)
		request->method = pstrdup("aim");
}
