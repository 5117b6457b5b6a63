/*
 * view_constructs.c -- what no query of a view may have, whose rows must each depend on the rows of
 * one privacy unit.
 */
#include "pg/budget/view_level.h"

#include "access/sysattr.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "pg/server/catalog.h"

void
dp_view_refuse(Oid view, const char *construct)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("view %s has %s", dp_relation_label(view), construct),
		 errdetail("A row of the view must depend on the rows of one privacy unit, by filters, "
				   "immutable expressions, and joins along the unit or with public relations."),
		 errhint("Name relations without anybody's data in public_relations, or state how many "
				 "rows of the view one unit can change: dp_protect(..., sensitivity => ...).")));
}

static const char *
set_operation_name(const Query *query)
{
	switch (((SetOperationStmt *) query->setOperations)->op)
	{
		case SETOP_INTERSECT:
			return "INTERSECT";
		case SETOP_EXCEPT:
			return "EXCEPT";
		default:
			return "UNION";
	}
}

void
dp_view_check_constructs(Oid view, const Query *query)
{
	if (query->hasWindowFuncs)
		dp_view_refuse(view, "a window function");
	if (query->hasAggs)
		dp_view_refuse(view, "an aggregate");
	if (query->groupClause != NIL || query->groupingSets != NIL)
		dp_view_refuse(view, "GROUP BY");
	if (query->havingQual != NULL)
		dp_view_refuse(view, "HAVING");
	if (query->distinctClause != NIL)
		dp_view_refuse(view, "DISTINCT");
	if (query->limitCount != NULL)
		dp_view_refuse(view, "LIMIT");
	if (query->limitOffset != NULL)
		dp_view_refuse(view, "OFFSET");
	if (query->setOperations != NULL)
		dp_view_refuse(view, set_operation_name(query));
	if (query->cteList != NIL)
		dp_view_refuse(view, "WITH");
}

/* Before 16 the query of a view has entries for the view itself, which nothing reads. */
bool
dp_view_reads_secret(Node *node, DpViewLevel *level)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (RangeTblEntry *) node;

		return entry->rtekind == RTE_RELATION && entry->relid != level->view &&
			   !list_member_oid(level->walk->public_relations, entry->relid);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, dp_view_reads_secret, level,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, dp_view_reads_secret, level);
}

static bool
refuse_mutable(Oid function, void *level)
{
	if (func_volatile(function) != PROVOLATILE_IMMUTABLE)
		dp_view_refuse(((DpViewLevel *) level)->view,
					   psprintf("function %s, which is not immutable", get_func_name(function)));
	return false;
}

bool
dp_view_check_expression(Node *node, DpViewLevel *level)
{
	if (node == NULL)
		return false;
	(void) check_functions_in_node(node, refuse_mutable, level);
	if (IsA(node, SQLValueFunction))
		dp_view_refuse(level->view, "the time, the user or the like, which is not immutable");
	if (IsA(node, Var) && ((Var *) node)->varattno < 0 &&
		((Var *) node)->varattno != TableOidAttributeNumber)
		dp_view_refuse(level->view, "a system column");
	if (IsA(node, SubLink) && dp_view_reads_secret(((SubLink *) node)->subselect, level))
		dp_view_refuse(level->view, "a sub-select on a relation that is not public");
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, dp_view_check_expression, level, 0);
	return expression_tree_walker(node, dp_view_check_expression, level);
}
