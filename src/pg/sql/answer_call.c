/*
 * answer_call.c -- the call that stands in a range table for the noisy answer of a question.
 */
#include "pg/sql/answer_call.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "pg/server/catalog.h"

Oid
dp_answer_function(void)
{
	return dp_function_inside("dp_question_rows", INTERNALOID);
}

List *
dp_answer_of_entry(const RangeTblEntry *entry, List **externals)
{
	const FuncExpr *call;
	const Const *pointer;

	if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1)
		return NULL;
	call = (FuncExpr *) linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	if (call == NULL || !IsA(call, FuncExpr) || call->args == NIL)
		return NULL;
	pointer = linitial(call->args);
	if (!IsA(pointer, Const) || pointer->consttype != INTERNALOID || pointer->constisnull ||
		call->funcid != dp_answer_function())
		return NULL;
	*externals = list_copy_tail(call->args, 1);
	return (List *) DatumGetPointer(pointer->constvalue);
}

static bool
reads_answer(Node *node, void *context)
{
	List *externals;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return dp_answer_of_entry((RangeTblEntry *) node, &externals) != NIL;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_answer, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_answer, context);
}

bool
dp_reads_answer(Node *node)
{
	return reads_answer(node, NULL);
}

bool
dp_selects_from_answer(const Query *query)
{
	List *externals;
	ListCell *cell;

	foreach (cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);

		if (dp_answer_of_entry(entry, &externals) != NIL ||
			(entry->rtekind == RTE_SUBQUERY && dp_selects_from_answer(entry->subquery)))
			return true;
	}
	return false;
}
