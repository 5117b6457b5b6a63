/*
 * several.c -- which trees the relations of a call are.
 */
#include "pg/release/several.h"

#include "lib/stringinfo.h"
#include "utils/lsyscache.h"

#include "pg/budget/public_relation.h"
#include "pg/domain/table_tree.h"
#include "pg/release/choose.h"

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

#define FOREST_RELATIONS_MAX 256

/* The root of the tree that contains a relation. ERROR if the relation, or one of its ancestors, is
 * named without its parent. */
static Oid
root_of(Oid relation, List *relations)
{
	DpDataset dataset;

	dp_dataset_get(relation, false, &dataset);
	for (int depth = 0; OidIsValid(dataset.parent) && depth < DP_TREE_DEPTH_MAX; depth++)
	{
		if (!list_member_oid(relations, dataset.parent))
			dp_tree_parent_missing(dataset.relation, dataset.parent);
		dp_dataset_get(dataset.parent, false, &dataset);
	}
	return dataset.relation;
}

static void
check_names(List *relations)
{
	for (int i = 0; i < list_length(relations); i++)
		for (int j = 0; j < i; j++)
		{
			char *name = get_rel_name(list_nth_oid(relations, i));
			char *other = get_rel_name(list_nth_oid(relations, j));

			if (name != NULL && other != NULL && strcmp(name, other) == 0)
				dp_tree_same_name(name);
		}
}

static char *
oids_of(List *relations)
{
	StringInfoData words;
	ListCell *cell;

	initStringInfo(&words);
	foreach (cell, relations)
		appendStringInfo(&words, "%s%u", words.len > 0 ? " " : "", lfirst_oid(cell));
	return words.data;
}

/* The relations of a tree, parents first. */
static char *
tree_words(List *relations)
{
	const DpTableTree *tree = dp_tree_of(relations);
	List *ordered = NIL;

	for (int i = 0; i < tree->tables; i++)
		ordered = lappend_oid(ordered, tree->table[i].relation);
	return oids_of(ordered);
}

DpReleaseForest
dp_forest_single(DpReleaseRequest *request)
{
	return (DpReleaseForest){1, request};
}

DpReleaseForest *
dp_forest_of(const DpReleaseRequest *call, List *relations)
{
	DpReleaseForest *forest = palloc0(sizeof(DpReleaseForest));
	List **of; /* [trees] the relations of each */
	ListCell *cell;
	int n;

	relations = without_public(relations);
	n = list_length(relations);
	forest->tree = palloc0(sizeof(DpReleaseRequest) * n);
	of = palloc0(sizeof(List *) * n);
	if (n == 1) /* by itself, also where it has a parent */
	{
		forest->trees = 1;
		forest->tree[0] = *call;
		forest->tree[0].relation = linitial_oid(relations);
		return forest;
	}
	if (n > FOREST_RELATIONS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("more than %d relations", FOREST_RELATIONS_MAX)));
	check_names(relations);
	foreach (cell, relations)
	{
		Oid root = root_of(lfirst_oid(cell), relations);
		int at = 0;

		while (at < forest->trees && forest->tree[at].relation != root)
			at++;
		if (at == forest->trees)
		{
			forest->tree[at] = *call;
			forest->tree[at].relation = root;
			forest->tree[at].together = oids_of(relations);
			forest->trees++;
		}
		of[at] = lappend_oid(of[at], lfirst_oid(cell));
	}
	for (int i = 0; i < forest->trees; i++)
		if (list_length(of[i]) > 1)
			forest->tree[i].tree = tree_words(of[i]);
	return forest;
}

void
dp_forest_resolve_methods(DpReleaseForest *forest)
{
	for (int i = 0; i < forest->trees; i++)
		dp_resolve_method(&forest->tree[i]);
}
