/*
 * no_rows.c -- a SELECT of rows that gives none, as programs send it to learn names and types:
 * LIMIT 0, WHERE false. It reads nothing, so nothing is asked.
 */
#include "pg/sql/rewrite.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

static const Const *
constant(Node *expression)
{
	Node *value = eval_const_expressions(NULL, copyObject(expression));

	return value != NULL && IsA(value, Const) ? (const Const *) value : NULL;
}

bool
dp_gives_no_rows(const Query *query)
{
	const Const *limit = constant(query->limitCount), *where = constant(query->jointree->quals);

	return query->commandType == CMD_SELECT && !query->hasModifyingCTE && !query->hasAggs &&
		   query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
		   ((limit != NULL && !limit->constisnull && DatumGetInt64(limit->constvalue) == 0) ||
			(where != NULL && (where->constisnull || !DatumGetBool(where->constvalue))));
}

typedef struct Kept
{
	DpPrivacy *privacy;
	Query *query;
	List *entries;
} Kept;

static bool
keep_entries(Node *node, void *context)
{
	Kept *kept = context;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, keep_entries, context);
	kept->entries = dp_kept_entries(kept->privacy, kept->query, (Query *) node, kept->entries);
	return query_tree_walker((Query *) node, keep_entries, context, 0);
}

/* SELECT NULL, ... WHERE false. PostgreSQL checks the rights of what is not private, also of
 * sub-selects. */
void
dp_read_nothing(DpPrivacy *privacy, Query *query)
{
	Query *none = makeNode(Query);
	Kept kept = {privacy, none, NIL};
	ListCell *cell;

	none->commandType = CMD_SELECT;
	none->querySource = query->querySource;
	none->queryId = query->queryId;
	none->canSetTag = query->canSetTag;
	none->stmt_location = query->stmt_location;
	none->stmt_len = query->stmt_len;
	(void) keep_entries((Node *) query, &kept);
	none->rtable = kept.entries;
	none->jointree = makeFromExpr(NIL, makeBoolConst(false, false));
	foreach (cell, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);
		const Node *value = (const Node *) target->expr;

		if (target->resjunk)
			continue;
		target->expr =
			(Expr *) makeNullConst(exprType(value), exprTypmod(value), exprCollation(value));
		target->ressortgroupref = 0;
		none->targetList = lappend(none->targetList, target);
	}
	*query = *none;
}
