/*
 * answer_join.c -- rows of protected relations joined with the groups that an answer chose.
 */
#include "pg/sql/rewrite.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "pg/sql/absorb.h"
#include "pg/sql/answer_call.h"
#include "pg/sql/carried.h"

/* ---- an answer with one group ---- */

/* Whether a column of a query is the only group of an answer, so that its values differ. */
static bool
is_only_group(const Query *query, int column)
{
	const Var *variable;
	const RangeTblEntry *entry;
	List *externals, *nodes;

	if (query->setOperations != NULL || query->hasTargetSRFs || column < 1 ||
		column > list_length(query->targetList) ||
		list_length(dp_entries_in_from((Node *) query->jointree)) != 1)
		return false;
	variable = (const Var *) list_nth_node(TargetEntry, query->targetList, column - 1)->expr;
	if (!IsA(variable, Var) || variable->varlevelsup != 0)
		return false;
	entry = rt_fetch(variable->varno, query->rtable);
	if (entry->rtekind == RTE_SUBQUERY)
		return is_only_group(entry->subquery, variable->varattno);
	nodes = dp_answer_of_entry(entry, &externals);
	return nodes != NIL && dp_carried_is_only_group(nodes, variable->varattno);
}

/* ---- its place in FROM ---- */

/* Whether an entry stands where no outer join is around it. */
static bool
is_inner(Node *node, int number)
{
	ListCell *cell;

	if (IsA(node, RangeTblRef))
		return ((RangeTblRef *) node)->rtindex == number;
	if (IsA(node, JoinExpr))
		return ((JoinExpr *) node)->jointype == JOIN_INNER &&
			   (is_inner(((JoinExpr *) node)->larg, number) ||
				is_inner(((JoinExpr *) node)->rarg, number));
	foreach (cell, castNode(FromExpr, node)->fromlist)
		if (is_inner(lfirst(cell), number))
			return true;
	return false;
}

typedef struct References
{
	int number;
	Index depth;
	int n;
} References;

static bool
count_references(Node *node, void *context)
{
	References *references = context;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		references->n += ((Var *) node)->varno == references->number &&
						 ((Var *) node)->varlevelsup == references->depth;
		return false;
	}
	if (IsA(node, Query))
	{
		bool stop;

		references->depth++;
		stop = query_tree_walker((Query *) node, count_references, context, 0);
		references->depth--;
		return stop;
	}
	return expression_tree_walker(node, count_references, context);
}

/* How often a part of a query refers to an entry of it. */
static int
references_in(Node *node, int number)
{
	References references = {.number = number};

	(void) count_references(node, &references);
	return references.n;
}

/* ---- the condition ---- */

/* The variable under casts that change no byte; NULL: it is none. */
static Var *
variable_of(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) ? (Var *) node : NULL;
}

/* SELECT column FROM (the answer). */
static Query *
select_column(const Query *answer, const Node *column)
{
	Query *query = makeNode(Query);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *reference = makeNode(RangeTblRef);
	Node *own = copyObject((Node *) column);

	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = copyObject((Query *) answer);
	IncrementVarSublevelsUp((Node *) entry->subquery, 1, 1);
	entry->eref = makeAlias("answer", NIL);
	for (int i = 0; i < list_length(answer->targetList); i++)
		entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup("column")));
	entry->inFromCl = true;
	reference->rtindex = variable_of(own)->varno = 1;
	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	query->rtable = list_make1(entry);
	query->jointree = makeFromExpr(list_make1(reference), NULL);
	query->targetList = list_make1(makeTargetEntry((Expr *) own, 1, pstrdup("column"), false));
	return query;
}

static Node *
in_answer(OpExpr *test, Node *value, const Node *column, const Query *answer)
{
	SubLink *sublink = makeNode(SubLink);
	Param *param = makeNode(Param);

	param->paramkind = PARAM_SUBLINK;
	param->paramid = 1;
	param->paramtype = exprType(column);
	param->paramtypmod = exprTypmod(column);
	param->paramcollid = exprCollation(column);
	param->location = -1;
	test = copyObject(test);
	test->args = list_make2(value, param);
	sublink->subLinkType = ANY_SUBLINK;
	sublink->testexpr = (Node *) test;
	sublink->operName = list_make1(makeString(pstrdup("=")));
	sublink->subselect = (Node *) select_column(answer, column);
	sublink->location = test->location;
	return (Node *) sublink;
}

typedef struct AnswerJoin
{
	int number;
	const Query *answer;
	bool is_found;
} AnswerJoin;

/* The condition in place of a comparison with the answer's group; NULL: it is none. */
static Node *
condition_of(OpExpr *test, AnswerJoin *join)
{
	Node *left, *right;
	bool is_left;
	const Var *column;

	if (list_length(test->args) != 2)
		return NULL;
	left = linitial(test->args);
	right = lsecond(test->args);
	is_left = variable_of(left) != NULL && variable_of(left)->varno == join->number;
	column = variable_of(is_left ? left : right);
	if (column == NULL || column->varno != join->number || column->varlevelsup != 0 ||
		references_in(is_left ? right : left, join->number) > 0 ||
		!op_mergejoinable(test->opno, exprType(left)) ||
		!is_only_group(join->answer, column->varattno))
		return NULL;
	if (is_left)
	{
		test = copyObject(test);
		test->opno = get_commutator(test->opno);
		test->opfuncid = get_opcode(test->opno);
		if (!OidIsValid(test->opno))
			return NULL;
	}
	join->is_found = true;
	return in_answer(test, is_left ? right : left, is_left ? left : right, join->answer);
}

/* The tree without the entry, and with the condition. Only conditions that must hold are looked at. */
static Node *
without_join(Node *node, AnswerJoin *join)
{
	Node *condition;
	ListCell *cell;

	if (node == NULL)
		return NULL;
	if (IsA(node, FromExpr))
	{
		FromExpr *from = makeFromExpr(NIL, without_join(((FromExpr *) node)->quals, join));

		foreach (cell, ((FromExpr *) node)->fromlist)
			if (!IsA(lfirst(cell), RangeTblRef) ||
				((RangeTblRef *) lfirst(cell))->rtindex != join->number)
				from->fromlist = lappend(from->fromlist, without_join(lfirst(cell), join));
		return (Node *) from;
	}
	if (IsA(node, JoinExpr) && ((JoinExpr *) node)->jointype == JOIN_INNER)
	{
		const JoinExpr *inner = (const JoinExpr *) node;

		return without_join(
			(Node *) makeFromExpr(list_make2(inner->larg, inner->rarg), inner->quals), join);
	}
	if (is_andclause(node))
	{
		List *parts = NIL;

		foreach (cell, ((BoolExpr *) node)->args)
			parts = lappend(parts, without_join(lfirst(cell), join));
		return (Node *) make_andclause(parts);
	}
	condition = IsA(node, OpExpr) ? condition_of((OpExpr *) node, join) : NULL;
	return condition != NULL ? condition : node;
}

static void
try_join(Query *query, int number)
{
	RangeTblEntry *entry = rt_fetch(number, query->rtable);
	AnswerJoin join = {.number = number, .answer = entry->subquery};
	Node *jointree;

	if (!is_inner((Node *) query->jointree, number) ||
		references_in((Node *) query->targetList, number) > 0 ||
		references_in(query->havingQual, number) > 0 ||
		references_in((Node *) query->jointree, number) != 1)
		return;
	jointree = without_join((Node *) query->jointree, &join);
	if (!join.is_found || dp_entries_in_from(jointree) == NIL)
		return;
	query->jointree = (FromExpr *) jointree;
	query->hasSubLinks = true;
	entry->rtekind = RTE_RESULT;
	entry->subquery = NULL;
	entry->inFromCl = false;
}

void
dp_answer_joins_as_conditions(Query *query)
{
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		const RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);

		if (entry->rtekind == RTE_SUBQUERY && dp_selects_from_answer(entry->subquery))
			try_join(query, lfirst_int(cell));
	}
}
