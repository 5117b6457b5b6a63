/*
 * several.c -- which relations a request is of.
 */
#include "pg/release/several.h"

#include "lib/stringinfo.h"

#include "pg/domain/table_tree.h"

void
dp_request_relations(DpReleaseRequest *request, List *relations)
{
	StringInfoData words;
	const DpTableTree *tree;

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
