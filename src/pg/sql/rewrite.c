/*
 * rewrite.c -- a statement that asks about private relations, made one that reads noisy answers.
 *
 * Each query of the statement is looked at after those within it. One that only chooses rows of
 * private relations becomes a part of the query around it (absorb.c); the first one that aggregates
 * asks the question (replace.c), and what stands around that sees numbers alone.
 */
#include "pg/sql/rewrite.h"

#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "pg/budget/dataset.h"
#include "pg/server/compat.h"
#include "pg/server/compat_query.h"
#include "pg/server/labels.h"
#include "pg/sql/absorb.h"
#include "pg/sql/answer_call.h"
#include "pg/sql/composed_aggregate.h"
#include "pg/sql/exists_join.h"
#include "pg/sql/expression_interval.h"
#include "pg/sql/outer_join_by_unit.h"
#include "pg/sql/private_relation.h"
#include "pg/sql/refuse.h"
#include "pg/sql/undefined.h"
#include "pg/sql/unit_subselect.h"

typedef struct Rewriter
{
	DpPrivacy *privacy;
	List *queries;  /* Query *, from the one at hand outwards */
	List *row_ctes; /* CommonTableExpr *, that hold rows of private relations */
	int asked;      /* sub-selects around the query at hand that a question holds */
} Rewriter;

/* What stands around a sub-select. */
typedef struct Around
{
	Rewriter *rewriter;
	bool is_asked; /* a part of a question: it may hold rows of the unit's own */
} Around;

static bool rewrite_query(Rewriter *rewriter, Query *query, bool is_aggregated);

static DP_NORETURN void
refuse_rows(const Rewriter *rewriter, Query *query, int location)
{
	Oid relation = dp_find_private(rewriter->privacy, query);

	if (dp_aggregates(query) && dp_is_correlated(query))
		dp_refuse_clause((DpClausePlace){rewriter->privacy->text, location},
						 "a sub-select that depends on the row around it",
						 "Join the tables, and group by what it depends on.");
	dp_refuse_clause((DpClausePlace){rewriter->privacy->text, location},
					 psprintf("a SELECT of rows of %s", OidIsValid(relation)
															? dp_relation_label(relation)
															: "a protected relation"),
					 "Aggregate them, as in SELECT count(*), avg(x) ... GROUP BY ...; dp_sample "
					 "draws synthetic rows.");
}

/* ---- CTEs ---- */

static CommonTableExpr *
find_cte(const Rewriter *rewriter, const RangeTblEntry *entry)
{
	const Query *query;
	ListCell *cell;

	if (entry->self_reference || (int) entry->ctelevelsup >= list_length(rewriter->queries))
		return NULL;
	query = list_nth(rewriter->queries, (int) entry->ctelevelsup);
	foreach (cell, query->cteList)
		if (strcmp(lfirst_node(CommonTableExpr, cell)->ctename, entry->ctename) == 0)
			return lfirst(cell);
	return NULL;
}

/* The entry becomes a sub-query of the CTE's own. */
static void
inline_cte(RangeTblEntry *entry, CommonTableExpr *cte)
{
	Query *query = (Query *) copyObject(cte->ctequery);

	IncrementVarSublevelsUp((Node *) query, (int) entry->ctelevelsup, 1);
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = query;
	entry->security_barrier = false;
	entry->ctename = NULL;
	entry->ctelevelsup = 0;
	entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
}

static void
rewrite_ctes(Rewriter *rewriter, Query *query)
{
	ListCell *cell;

	foreach (cell, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (!IsA(cte->ctequery, Query) || !rewrite_query(rewriter, (Query *) cte->ctequery, true))
			continue;
		if (cte->cterecursive)
			dp_refuse_clause((DpClausePlace){rewriter->privacy->text, cte->location},
							 "WITH RECURSIVE", NULL);
		rewriter->row_ctes = lappend(rewriter->row_ctes, cte);
	}
}

/* ---- entries of FROM ---- */

/* Whether an entry holds rows of private relations. is_aggregated: a query around it aggregates its
 * rows. */
static bool
rewrite_entry(Rewriter *rewriter, const Query *query, RangeTblEntry *entry, bool is_aggregated)
{
	CommonTableExpr *cte;

	if (entry->rtekind == RTE_SUBQUERY)
		return rewrite_query(rewriter, entry->subquery, is_aggregated);
	if (entry->rtekind != RTE_CTE)
		return dp_entry_is_private(rewriter->privacy, query, entry);
	cte = find_cte(rewriter, entry);
	if (cte == NULL)
		return false;
	if (list_member_ptr(rewriter->row_ctes, cte))
	{
		inline_cte(entry, cte);
		cte->cterefcount = 0; /* so is every other reference; the planner leaves it alone then */
		return true;
	}
	/* a question holds a sub-select as a number that another answer gives, and no CTE */
	if (rewriter->asked > 0 && !cte->cterecursive && dp_reads_answer(cte->ctequery))
		inline_cte(entry, cte);
	return false;
}

static bool
rewrite_entries(Rewriter *rewriter, Query *query, bool is_aggregated)
{
	bool is_private = false;
	bool aggregates = dp_aggregates(query) || (is_aggregated && dp_more_than_rows(query) == NULL);
	ListCell *cell;
	int number = 0;

	dp_restore_private_views(rewriter->privacy, query);
	foreach (cell, query->rtable)
	{
		number++;
		if (rewrite_entry(rewriter, query, lfirst(cell), aggregates) &&
			number != query->resultRelation)
			is_private = true;
	}
	return is_private;
}

/* ---- sub-selects in expressions ---- */

/* IN and EXISTS do not see how often a row comes. */
static void
forget_duplicates(const Rewriter *rewriter, const SubLink *sublink, Query *query)
{
	if ((sublink->subLinkType != ANY_SUBLINK && sublink->subLinkType != EXISTS_SUBLINK) ||
		query->hasAggs || query->havingQual != NULL || query->hasWindowFuncs ||
		query->hasDistinctOn || query->groupingSets != NIL || query->limitCount != NULL ||
		query->limitOffset != NULL)
		return;
	query->groupClause = NIL;
	query->distinctClause = NIL;
	if (sublink->subLinkType == EXISTS_SUBLINK)
		query->targetList = query->sortClause = NIL;
	if (query->setOperations == NULL && !query->hasTargetSRFs && query->jointree->fromlist != NIL)
		dp_joins_as_in(rewriter->privacy, query);
}

static bool
rewrite_sublinks(Node *node, void *context)
{
	Around *around = context;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0)
	{
		Around asked = {around->rewriter, true};

		return expression_tree_walker(node, rewrite_sublinks, &asked);
	}
	if (IsA(node, SubLink))
	{
		SubLink *sublink = (SubLink *) node;
		Query *query = castNode(Query, sublink->subselect);

		bool is_rows;

		around->rewriter->asked += around->is_asked;
		is_rows = rewrite_query(around->rewriter, query, around->is_asked);
		around->rewriter->asked -= around->is_asked;
		if (is_rows && !around->is_asked)
			refuse_rows(around->rewriter, query, sublink->location);
		if (is_rows)
			forget_duplicates(around->rewriter, sublink, query);
	}
	return expression_tree_walker(node, rewrite_sublinks, context);
}

/* Whether an entry is a group that depends on the rows. */
static bool
is_group(const TargetEntry *target, const Query *query)
{
	return get_sortgroupref_clause_noerr(target->ressortgroupref, query->groupClause) != NULL &&
		   contain_vars_of_level((Node *) target->expr, 0);
}

/* is_private: the query reads rows of private relations. */
static void
rewrite_expressions(Rewriter *rewriter, Query *query, bool is_private)
{
	Around rest = {rewriter, is_private && !dp_aggregates(query)};
	Around asked = {rewriter, is_private};
	Around after = {rewriter, false};
	ListCell *cell;

	if (!query->hasSubLinks)
		return;
	(void) rewrite_sublinks((Node *) query->jointree, &asked);
	foreach (cell, query->targetList)
		(void) rewrite_sublinks(lfirst(cell), is_group(lfirst(cell), query) ? &asked : &rest);
	(void) rewrite_sublinks(query->havingQual, &rest);
	(void) rewrite_sublinks((Node *) query->returningList, &rest);
	(void) rewrite_sublinks(query->limitOffset, &after);
	(void) rewrite_sublinks(query->limitCount, &after);
	(void) rewrite_sublinks((Node *) query->windowClause, &after);
	(void) rewrite_sublinks((Node *) query->onConflict, &rest);
	(void) rewrite_sublinks((Node *) query->mergeActionList, &rest);
	(void) range_table_walker(query->rtable, rewrite_sublinks, &rest, DP_FORGOTTEN_GROUPS(query));
}

/* ---- a query ---- */

/* Whether an entry is a sub-query that can be a part of this one; a CTE becomes one. */
static bool
is_to_absorb(const Rewriter *rewriter, RangeTblEntry *entry)
{
	CommonTableExpr *cte = entry->rtekind == RTE_CTE ? find_cte(rewriter, entry) : NULL;

	if (cte != NULL && !cte->cterecursive && IsA(cte->ctequery, Query) &&
		dp_more_than_rows((Query *) cte->ctequery) == NULL)
		inline_cte(entry, cte);
	return entry->rtekind == RTE_SUBQUERY && dp_more_than_rows(entry->subquery) == NULL;
}

/* The number of an entry that can be absorbed; 0: there is none. */
static int
next_to_absorb(const Rewriter *rewriter, const Query *query)
{
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);

		if (is_to_absorb(rewriter, entry) && !dp_selects_from_answer(entry->subquery))
			return lfirst_int(cell);
	}
	return 0;
}

/* Each brings entries of its own. */
static void
absorb_entries(const Rewriter *rewriter, Query *query)
{
	for (int number; (number = next_to_absorb(rewriter, query)) > 0;)
	{
		const char *name = rt_fetch(number, query->rtable)->eref->aliasname;

		CHECK_FOR_INTERRUPTS();
		if (!dp_absorb(query, number))
			dp_refuse_clause((DpClausePlace){rewriter->privacy->text, -1},
							 psprintf("an outer join with \"%s\", which has expressions,", name),
							 "Write the expressions in the SELECT around it.");
	}
}

/* What stands between rows and the query that aggregates them. */
static void
check_absorbed(const Rewriter *rewriter, const Query *query)
{
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		const RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);

		if (entry->rtekind == RTE_SUBQUERY && dp_more_than_rows(entry->subquery) != NULL &&
			!dp_groups_by_unit(rewriter->privacy, entry->subquery) &&
			OidIsValid(dp_find_private(rewriter->privacy, entry->subquery)))
			dp_refuse_clause(
				(DpClausePlace){rewriter->privacy->text, -1},
				psprintf("%s in \"%s\", of rows,", dp_more_than_rows(entry->subquery),
						 entry->eref->aliasname),
				entry->subquery->hasDistinctOn || entry->subquery->hasWindowFuncs
					? "For the first row of each person write WHERE at = (SELECT min(x.at) "
					  "FROM visits x WHERE x.patient = visits.patient)."
					: "Aggregate the rows without it.");
	}
}

/* Turns SELECT DISTINCT patient into GROUP BY patient. Other DISTINCTs, not by unit, are left. */
static void
group_distinct(const Rewriter *rewriter, Query *query)
{
	List *distinct = query->distinctClause;

	if (distinct == NIL || query->hasDistinctOn || query->hasWindowFuncs || query->hasAggs ||
		query->groupClause != NIL)
		return;
	query->groupClause = distinct;
	if (dp_groups_by_unit(rewriter->privacy, query))
		query->distinctClause = NIL;
	else
		query->groupClause = NIL;
}

/* Whether it asks a question by itself: it aggregates, and neither depends on a query around it nor
 * makes rows of single units for one. */
static bool
asks(const Rewriter *rewriter, const Query *query, bool is_aggregated)
{
	return dp_aggregates(query) && !dp_is_correlated(query) &&
		   !(is_aggregated && dp_groups_by_unit(rewriter->privacy, query));
}

/* Rewrites a query, and all within it. true: it gives rows of private relations, or of their units.
 * is_aggregated: a query around it aggregates its rows. */
static bool
rewrite_query(Rewriter *rewriter, Query *query, bool is_aggregated)
{
	bool is_private;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	rewriter->queries = lcons(query, rewriter->queries);
	rewrite_ctes(rewriter, query);
	is_private = rewrite_entries(rewriter, query, is_aggregated);
	if (is_private && !is_aggregated && dp_gives_no_rows(query))
	{
		dp_read_nothing(rewriter->privacy, query);
		is_private = false;
	}
	if (is_private && query->commandType == CMD_SELECT)
		dp_flatten_groups(query); /* sub-selects among them are a part of the question */
	rewrite_expressions(rewriter, query, is_private);
	if (is_private && query->setOperations != NULL)
		refuse_rows(rewriter, query, -1);
	if (is_private && query->commandType == CMD_SELECT)
	{
		dp_flatten_variables(query);
		absorb_entries(rewriter, query);
		dp_values_joins_as_case(query);
		if (dp_counts_units(rewriter->privacy,
							query)) /* beside whom rows are counted and added up */
			dp_means_as_quotients(query);
		dp_joins_as_exists(rewriter->privacy, query);
		dp_outer_join_by_unit(rewriter->privacy, query);
		dp_join_unit_subselects(rewriter->privacy, query);
		dp_answer_joins_as_conditions(query);
		check_absorbed(rewriter, query);
		if (is_aggregated)
			group_distinct(rewriter, query);
		if (asks(rewriter, query, is_aggregated))
		{
			dp_replace(rewriter->privacy, query);
			is_private = false;
		}
	}
	rewriter->queries = list_delete_first(rewriter->queries);
	return is_private;
}

/* What no column has taken the place of would fail when it is called, after answers were paid for. */
static bool
refuse_intervals(Node *node, void *context)
{
	const DpPrivacy *privacy = context;
	DpAnswerPart part;

	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) && dp_interval_function(((FuncExpr *) node)->funcid, &part))
		dp_refuse_clause((DpClausePlace){privacy->text, exprLocation(node)},
						 "the interval of what is no aggregate of a protected relation", NULL);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, refuse_intervals, context, 0);
	return expression_tree_walker(node, refuse_intervals, context);
}

static bool
is_volatile(Oid function, void *context)
{
	DpAnswerPart part;

	return func_volatile(function) == PROVOLATILE_VOLATILE &&
		   !dp_interval_function(function, &part);
}

/* Whether it calls a volatile function; those of intervals are not called, a column takes their place. */
static bool
is_run_once(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_volatile, context) || IsA(node, NextValueExpr))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, is_run_once, context, 0);
	return expression_tree_walker(node, is_run_once, context);
}

bool
dp_rewrite_privately(DpPrivacy *privacy, Query *query)
{
	Rewriter rewriter = {.privacy = privacy};

	if (!OidIsValid(dp_find_private(privacy, query)))
		return false;
	privacy->how.ask.has_no_effect = query->commandType == CMD_SELECT && !query->hasModifyingCTE &&
									 !is_run_once((Node *) query, NULL);
	if (rewrite_query(&rewriter, query, false))
		refuse_rows(&rewriter, query, -1);
	(void) refuse_intervals((Node *) query, privacy);
	dp_undefined_as_null(query);
	return true;
}
