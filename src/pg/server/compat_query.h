/*
 * compat_query.h -- differences between the supported PostgreSQL versions in the trees of queries:
 * compat.h for those files that take queries apart.
 */
#ifndef DPSYN_COMPAT_QUERY_H
#define DPSYN_COMPAT_QUERY_H

#include "pg/server/compat.h"

#include "access/stratnum.h"
#include "catalog/pg_class.h"
#if PG_VERSION_NUM >= 180000 /* 18: EXPLAIN has several headers */
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#include "commands/explain.h"
#endif
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

/* 18: how an operator orders is no number of a B-tree any more. */
static inline bool
dp_orders_descending(Oid operator)
{
	Oid family, type;
#if PG_VERSION_NUM >= 180000
	CompareType order;

	return get_ordering_op_properties(operator, & family, &type, &order) && order == COMPARE_GT;
#else
	int16 order;

	return get_ordering_op_properties(operator, & family, &type, &order) &&
		   order == BTGreaterStrategyNumber;
#endif
}

/*
 * 16: the rights of a query's relations are kept beside the range table. Whether the reader of an
 * entry, who may be the owner of a view, may read it.
 */
#if PG_VERSION_NUM >= 160000
static inline bool
dp_entry_is_readable(const Query *query, const RangeTblEntry *entry)
{
	RangeTblEntry alone = *entry;

	if (entry->perminfoindex == 0)
		return true;
	alone.perminfoindex = 1;
	return ExecCheckPermissions(
		list_make1(&alone),
		list_make1(getRTEPermissionInfo(query->rteperminfos, (RangeTblEntry *) entry)), false);
}
/* A copy of an entry of one query for another one, with its rights. */
static inline RangeTblEntry *
dp_entry_of_rights(Query *query, const Query *of, const RangeTblEntry *entry)
{
	RangeTblEntry *copy = copyObject(unconstify(RangeTblEntry *, entry));

	if (query == of || entry->perminfoindex == 0)
		return copy;
	query->rteperminfos =
		lappend(query->rteperminfos,
				copyObject(getRTEPermissionInfo(of->rteperminfos, (RangeTblEntry *) entry)));
	copy->perminfoindex = list_length(query->rteperminfos);
	return copy;
}
#define DP_APPEND_ENTRIES(query, other)                                                            \
	CombineRangeTables(&(query)->rtable, &(query)->rteperminfos, (other)->rtable,                  \
					   (other)->rteperminfos)
#else
static inline bool
dp_entry_is_readable(const Query *query, const RangeTblEntry *entry)
{
	(void) query;
	return ExecCheckRTPerms(list_make1((void *) entry), false);
}
static inline RangeTblEntry *
dp_entry_of_rights(Query *query, const Query *of, const RangeTblEntry *entry)
{
	(void) query;
	(void) of;
	return copyObject(unconstify(RangeTblEntry *, entry));
}
#define DP_APPEND_ENTRIES(query, other)                                                            \
	((query)->rtable = list_concat((query)->rtable, (other)->rtable))
#endif

/*
 * The view whose definition the rewriter put in place of this entry; InvalidOid: there is none.
 * Before 16 the entry says so no more, but its definition has the view as its first entry.
 */
static inline Oid
dp_entry_view(const RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 160000
	return entry->rtekind == RTE_SUBQUERY && entry->relkind == RELKIND_VIEW ? entry->relid
																			: InvalidOid;
#else
	const RangeTblEntry *first;

	if (entry->rtekind != RTE_SUBQUERY || entry->subquery->rtable == NIL)
		return InvalidOid;
	first = linitial_node(RangeTblEntry, entry->subquery->rtable);
	return first->rtekind == RTE_RELATION && first->relkind == RELKIND_VIEW && !first->inFromCl
			   ? first->relid
			   : InvalidOid;
#endif
}

/* Whether the reader of such an entry may read the view. */
static inline bool
dp_view_is_readable(const Query *query, const RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 160000
	return dp_entry_is_readable(query, entry);
#else
	return dp_entry_is_readable(query, linitial(entry->subquery->rtable));
#endif
}

/* 16: variables of joins are flattened for a query that may be planned. */
#if PG_VERSION_NUM >= 160000
#define DP_FLATTEN_JOINS(query, node) flatten_join_alias_vars(NULL, query, node)
#else
#define DP_FLATTEN_JOINS(query, node) flatten_join_alias_vars(query, node)
#endif

/* 16: variables say which outer joins make them NULL. */
#if PG_VERSION_NUM >= 160000
#define DP_FORGET_OUTER_JOIN(node, number)                                                         \
	remove_nulling_relids(node, bms_make_singleton(number), NULL)
#else
#define DP_FORGET_OUTER_JOIN(node, number) ((void) (number), (node))
#endif

/* 18: expressions of GROUP BY stand in an entry of the range table, and variables of it elsewhere. */
#if PG_VERSION_NUM >= 180000
#define DP_FLATTEN_GROUPS(query, node)                                                             \
	((query)->hasGroupRTE ? flatten_group_exprs(NULL, query, node) : (node))
#define DP_FORGET_GROUPS(query) ((query)->hasGroupRTE = false)
#define DP_FORGOTTEN_GROUPS(query) ((query)->hasGroupRTE ? 0 : QTW_IGNORE_GROUPEXPRS)
#define DP_REPLACE_VARS(node, number, entry, targets, has_sublinks)                                \
	ReplaceVarsFromTargetList(node, number, 0, entry, targets, 0, REPLACEVARS_REPORT_ERROR, 0,     \
							  has_sublinks)
#else
#define DP_FLATTEN_GROUPS(query, node) (node)
#define DP_FORGET_GROUPS(query) ((void) (query))
#define DP_FORGOTTEN_GROUPS(query) 0
#define DP_REPLACE_VARS(node, number, entry, targets, has_sublinks)                                \
	ReplaceVarsFromTargetList(node, number, 0, entry, targets, REPLACEVARS_REPORT_ERROR, 0,        \
							  has_sublinks)
#endif

#endif
