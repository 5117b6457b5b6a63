/*
 * absorb.c -- sub-queries that only choose rows and columns, made a part of the query around them.
 */
#include "pg/sql/absorb.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "pg/server/compat_query.h"

const char *
dp_more_than_rows(const Query *query)
{
	if (query->setOperations != NULL)
		return "UNION, INTERSECT or EXCEPT";
	if (query->limitCount != NULL || query->limitOffset != NULL)
		return "LIMIT";
	if (query->distinctClause != NIL)
		return "DISTINCT";
	if (query->hasWindowFuncs)
		return "a window function";
	if (query->hasTargetSRFs)
		return "a function that returns rows";
	if (query->rowMarks != NIL)
		return "FOR UPDATE";
	if (query->hasAggs || query->groupClause != NIL || query->groupingSets != NIL ||
		query->havingQual != NULL)
		return "GROUP BY";
	if (query->cteList != NIL && query->hasModifyingCTE)
		return "WITH";
	return query->commandType == CMD_SELECT ? NULL : "RETURNING";
}

static bool
refers_outside(Node *node, void *context)
{
	Index *depth = context;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup > *depth;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup > *depth)
		return true;
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup > *depth)
		return true;
	if (IsA(node, Query))
	{
		bool found;

		(*depth)++;
		found = query_tree_walker((Query *) node, refers_outside, context, 0);
		(*depth)--;
		return found;
	}
	return expression_tree_walker(node, refers_outside, context);
}

bool
dp_refers_outside(Node *query)
{
	Index depth = 0;

	return query_tree_walker(castNode(Query, query), refers_outside, &depth, 0);
}

static bool
reads_outer_cte(Node *node, void *context)
{
	Index *depth = context;
	bool found;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_CTE &&
			   ((RangeTblEntry *) node)->ctelevelsup > *depth;
	if (!IsA(node, Query))
		return expression_tree_walker(node, reads_outer_cte, context);
	(*depth)++;
	found = query_tree_walker((Query *) node, reads_outer_cte, context, QTW_EXAMINE_RTES_BEFORE);
	(*depth)--;
	return found;
}

bool
dp_reads_outer_cte(Node *query)
{
	Index depth = 0;

	return query_tree_walker(castNode(Query, query), reads_outer_cte, &depth,
							 QTW_EXAMINE_RTES_BEFORE);
}

static bool
find_references(Node *node, List **numbers)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblRef))
		*numbers = lappend_int(*numbers, ((RangeTblRef *) node)->rtindex);
	if (IsA(node, SubLink) || IsA(node, Query))
		return false;
	return expression_tree_walker(node, find_references, numbers);
}

List *
dp_entries_in_from(Node *jointree)
{
	List *numbers = NIL;

	(void) find_references(jointree, &numbers);
	return numbers;
}

void
dp_flatten_groups(Query *query)
{
	query->targetList = (List *) DP_FLATTEN_GROUPS(query, (Node *) query->targetList);
	query->havingQual = DP_FLATTEN_GROUPS(query, query->havingQual);
	DP_FORGET_GROUPS(query);
}

void
dp_flatten_variables(Query *query)
{
	dp_flatten_groups(query);
	query->targetList = (List *) DP_FLATTEN_JOINS(query, (Node *) query->targetList);
	query->havingQual = DP_FLATTEN_JOINS(query, query->havingQual);
	query->jointree = (FromExpr *) DP_FLATTEN_JOINS(query, (Node *) query->jointree);
}

/* ---- below outer joins ---- */

/* Whether an entry stands where an outer join can make its columns NULL. */
static bool
can_be_missing(Node *node, int number, bool below)
{
	ListCell *cell;

	if (IsA(node, RangeTblRef))
		return below && ((RangeTblRef *) node)->rtindex == number;
	if (IsA(node, JoinExpr))
	{
		const JoinExpr *join = (const JoinExpr *) node;
		bool left = join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL;
		bool right = join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL;

		return can_be_missing(join->larg, number, below || left) ||
			   can_be_missing(join->rarg, number, below || right);
	}
	foreach (cell, castNode(FromExpr, node)->fromlist)
		if (can_be_missing(lfirst(cell), number, below))
			return true;
	return false;
}

bool
dp_can_be_missing(Node *jointree, int number)
{
	return can_be_missing(jointree, number, false);
}

static bool
has_only_columns(const Query *query)
{
	ListCell *cell;

	foreach (cell, query->targetList)
		if (!IsA(lfirst_node(TargetEntry, cell)->expr, Var))
			return false;
	return true;
}

/* ---- the query around it ---- */

typedef struct Reference
{
	int number;
	Node *tree; /* that takes its place */
} Reference;

static Node *
replace_reference(Node *node, void *context)
{
	const Reference *reference = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, RangeTblRef) && ((RangeTblRef *) node)->rtindex == reference->number)
		return reference->tree;
	if (IsA(node, SubLink) || IsA(node, Query))
		return node;
	return expression_tree_mutator(node, replace_reference, context);
}

/*
 * Nothing refers to the entry any more. If it was a view, the permission check on the view remains.
 */
static void
empty_entry(RangeTblEntry *entry)
{
	entry->subquery = NULL;
	entry->rtekind = OidIsValid(entry->relid) ? RTE_RELATION : RTE_RESULT;
	entry->lateral = false;
	entry->inFromCl = false;
}

bool
dp_absorb(Query *query, int number)
{
	RangeTblEntry *entry = rt_fetch(number, query->rtable);
	Query *inner = entry->subquery;
	RangeTblEntry *named = copyObject(entry);
	Reference reference = {.number = number};

	if (!has_only_columns(inner) && dp_can_be_missing((Node *) query->jointree, number))
		return false;
	dp_flatten_variables(inner);
	OffsetVarNodes((Node *) inner, list_length(query->rtable), 0);
	IncrementVarSublevelsUp((Node *) inner, -1, 1);
	empty_entry(entry);
	reference.tree = (Node *) inner->jointree;
	query->jointree = (FromExpr *) replace_reference((Node *) query->jointree, &reference);
	DP_APPEND_ENTRIES(query, inner);
	query->hasSubLinks |= inner->hasSubLinks;
	/* in every part of the query, sub-selects and lateral entries too */
	*query = *(Query *) DP_REPLACE_VARS((Node *) query, number, named, inner->targetList,
										&query->hasSubLinks);
	return true;
}

/* ---- a query of one entry ---- */

static Node *
within_entry(Node *node, void *entry)
{
	if (node != NULL && IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
	{
		Var *column = copyObject((Var *) node);
		bool own = (int) column->varno == *(int *) entry;

		column->varno = own ? 1 : column->varno;
		column->varlevelsup = own ? 0 : 1;
		return (Node *) column;
	}
	return node == NULL || IsA(node, Query) ? node
											: expression_tree_mutator(node, within_entry, entry);
}

Node *
dp_within_entry(Node *node, int entry)
{
	return within_entry(node, &entry);
}

Query *
dp_query_of_entry(const Query *query, int entry, List *conditions)
{
	Query *alone = makeNode(Query);
	RangeTblRef *reference = makeNode(RangeTblRef);

	alone->commandType = CMD_SELECT;
	alone->canSetTag = true;
	alone->hasSubLinks = checkExprHasSubLink((Node *) conditions);
	alone->rtable = list_make1(dp_entry_of_rights(alone, query, rt_fetch(entry, query->rtable)));
	reference->rtindex = 1;
	alone->jointree = makeFromExpr(
		list_make1(reference),
		conditions == NIL ? NULL : dp_within_entry((Node *) make_ands_explicit(conditions), entry));
	return alone;
}

bool
dp_reads_only(Node *node, int entry)
{
	return bms_is_subset(pull_varnos(NULL, node), bms_make_singleton(entry));
}

List *
dp_conjuncts(Node *node, List *conjuncts)
{
	ListCell *cell;

	check_stack_depth();
	if (node == NULL)
		return conjuncts;
	if (is_andclause(node))
		node = (Node *) ((BoolExpr *) node)->args;
	if (!IsA(node, List))
		return lappend(conjuncts, node);
	foreach (cell, (List *) node)
		conjuncts = dp_conjuncts(lfirst(cell), conjuncts);
	return conjuncts;
}
