/*
 * values_join.c -- rows joined to a list of VALUES, as CASE.
 *
 * A list is written in the statement, and holds nobody's rows:
 *
 *     FROM visits v JOIN (VALUES ('er', 'acute'), ('icu', 'acute')) k(ward, kind) ON k.ward = v.ward
 *
 * A row meets one row of the list at most where the list's values of a column that it is compared with
 * by = are different ones, or where it is compared with the ends of ranges that do not overlap. Then
 * k.kind is CASE WHEN 'er' = v.ward THEN 'acute' ... END, and the join leaves what meets any. What a
 * list is joined by otherwise stays, and is refused. A series of numbers or days is such a list, too.
 *
 * FROM list LEFT JOIN visits is the same where groups are of the list alone and aggregates of rows alone:
 * groups come back with rows or without.
 */
#include "pg/sql/rewrite.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "pg/server/compat_query.h"
#include "pg/server/values.h"
#include "pg/sql/absorb.h"
#include "pg/sql/unit_subselect.h"

#define ROWS_MAX 500

typedef struct ValuesJoin
{
	int number; /* of the entry */
	List *rows; /* of lists of Const * */
	List *conditions;
	bool outer; /* rows that meet none stay */
	bool opens; /* rows of the list that none meets need not stay: their groups come back */
	bool days;  /* a list of dates that stand as times with time zone */
} ValuesJoin;

/* ---- the list ---- */

static void
add_row(ValuesJoin *join, Oid type, Datum value)
{
	join->rows = lappend(join->rows, list_make1(makeConst(type, -1, InvalidOid, get_typlen(type),
														  value, false, get_typbyval(type))));
}

static bool
series_of_numbers(const List *ends, Oid type, ValuesJoin *join)
{
	int64 end[3] = {0, 0, 1};
	ListCell *cell;

	foreach (cell, ends)
		end[foreach_current_index(cell)] =
			type == INT4OID ? DatumGetInt32(lfirst_node(Const, cell)->constvalue)
							: DatumGetInt64(lfirst_node(Const, cell)->constvalue);
	if (end[2] <= 0 || end[0] > end[1] ||
		(double) end[1] - (double) end[0] >= (double) end[2] * ROWS_MAX)
		return false;
	for (__int128 at = end[0]; at <= end[1]; at += end[2]) /* the last one can be the largest */
		add_row(join, type,
				type == INT4OID ? Int32GetDatum((int32) at) : Int64GetDatum((int64) at));
	return true;
}

/* type: of the list; from and to are timestamps. */
static bool
series_of_times(Timestamp from, Timestamp to, const Const *step, Oid type, ValuesJoin *join)
{
	Timestamp next;

	for (; from <= to; from = next)
	{
		if (TIMESTAMP_NOT_FINITE(from) || TIMESTAMP_NOT_FINITE(to) ||
			list_length(join->rows) >= ROWS_MAX)
			return false;
		add_row(join, type,
				type == DATEOID ? DirectFunctionCall1(timestamp_date, TimestampGetDatum(from))
								: TimestampGetDatum(from));
		next = DatumGetTimestamp(
			DirectFunctionCall2(timestamp_pl_interval, TimestampGetDatum(from), step->constvalue));
		if (next <= from)
			return false;
	}
	return join->rows != NIL;
}

/* A day that is taken for a time with time zone. */
static const Const *
day_of(const Node *node)
{
	const FuncExpr *cast = (const FuncExpr *) node;

	return IsA(node, FuncExpr) && cast->funcid == F_TIMESTAMPTZ_DATE &&
				   IsA(linitial(cast->args), Const) &&
				   !linitial_node(Const, cast->args)->constisnull
			   ? linitial(cast->args)
			   : NULL;
}

/* generate_series(date, date, interval): days, whatever the time zone is. */
static bool
series_of_days(const List *ends, ValuesJoin *join)
{
	const Const *from = day_of(linitial(ends)), *to = day_of(lsecond(ends)), *step = lthird(ends);

	if (from == NULL || to == NULL || !IsA(step, Const) || step->constisnull ||
		DatumGetIntervalP(step->constvalue)->time != 0)
		return false;
	join->days = true;
	return series_of_times(DatumGetTimestamp(DirectFunctionCall1(date_timestamp, from->constvalue)),
						   DatumGetTimestamp(DirectFunctionCall1(date_timestamp, to->constvalue)),
						   step, DATEOID, join);
}

/* generate_series of constants. False: it is another function, or has too many rows. */
static bool
read_series(const RangeTblEntry *entry, ValuesJoin *join)
{
	const FuncExpr *series;
	const List *ends;
	ListCell *cell;

	if (list_length(entry->functions) != 1 || entry->funcordinality)
		return false;
	series = (FuncExpr *) linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	if (!IsA(series, FuncExpr))
		return false;
	ends = (List *) eval_const_expressions(NULL, copyObject((Node *) series->args));
	if (series->funcid == F_GENERATE_SERIES_TIMESTAMPTZ_TIMESTAMPTZ_INTERVAL)
		return series_of_days(ends, join);
	foreach (cell, ends)
		if (!IsA(lfirst(cell), Const) || lfirst_node(Const, cell)->constisnull)
			return false;
	switch (series->funcid)
	{
		case F_GENERATE_SERIES_INT4_INT4:
		case F_GENERATE_SERIES_INT4_INT4_INT4:
			return series_of_numbers(ends, INT4OID, join);
		case F_GENERATE_SERIES_INT8_INT8:
		case F_GENERATE_SERIES_INT8_INT8_INT8:
			return series_of_numbers(ends, INT8OID, join);
		case F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL:
			return series_of_times(DatumGetTimestamp(linitial_node(Const, ends)->constvalue),
								   DatumGetTimestamp(lsecond_node(Const, ends)->constvalue),
								   lthird(ends), TIMESTAMPOID, join);
		default:
			return false;
	}
}

/* d::date of a day that stands as a time with time zone is that day. What else is made of it depends on
 * the time zone. */
static Node *
as_days(Node *node, void *context)
{
	ValuesJoin *join = context;
	const FuncExpr *cast = (const FuncExpr *) node;
	Var *day;

	if (node == NULL)
		return NULL;
	if (IsA(node, FuncExpr) && cast->funcid == F_DATE_TIMESTAMPTZ &&
		IsA(linitial(cast->args), Var) && linitial_node(Var, cast->args)->varno == join->number &&
		linitial_node(Var, cast->args)->varlevelsup == 0)
	{
		day = copyObject(linitial(cast->args));
		day->vartype = DATEOID;
		return (Node *) day;
	}
	if (IsA(node, Var) && ((Var *) node)->varno == join->number &&
		((Var *) node)->vartype == TIMESTAMPTZOID)
		join->days = false;
	if (IsA(node, Query))
	{
		join->days &= !dp_refers_outside(node);
		return copyObject(node);
	}
	return expression_tree_mutator(node, as_days, context);
}

/* False: it has too many rows, or what is no constant. */
static bool
read_rows(const RangeTblEntry *entry, ValuesJoin *join)
{
	ListCell *row, *cell;

	if (entry->rtekind == RTE_FUNCTION)
		return read_series(entry, join);
	if (entry->rtekind != RTE_VALUES || list_length(entry->values_lists) > ROWS_MAX)
		return false;
	foreach (row, entry->values_lists)
	{
		List *constants = NIL;

		foreach (cell, (List *) lfirst(row))
		{
			Node *value = eval_const_expressions(NULL, copyObject(lfirst(cell)));

			if (!IsA(value, Const))
				return false;
			constants = lappend(constants, value);
		}
		join->rows = lappend(join->rows, constants);
	}
	return true;
}

/* ---- how it is joined ---- */

/* What was absorbed stands in a FROM of its own. */
static bool
is_entry(const Node *node, int number)
{
	while (IsA(node, FromExpr) && list_length(((const FromExpr *) node)->fromlist) == 1 &&
		   ((const FromExpr *) node)->quals == NULL)
		node = linitial(((const FromExpr *) node)->fromlist);
	return IsA(node, RangeTblRef) && ((const RangeTblRef *) node)->rtindex == number;
}

static bool
reads_entry(Node *node, int number)
{
	return bms_is_member(number, pull_varnos(NULL, node));
}

/* Takes the list out of FROM, and the conditions that name it. */
static bool
take_from(FromExpr *from, ValuesJoin *join)
{
	List *others = NIL, *kept = NIL;
	ListCell *cell;

	foreach (cell, from->fromlist)
		if (!is_entry(lfirst(cell), join->number))
			others = lappend(others, lfirst(cell));
	if (others == NIL || list_length(others) == list_length(from->fromlist))
		return false;
	from->fromlist = others;
	foreach (cell, make_ands_implicit((Expr *) from->quals))
	{
		List **to = reads_entry(lfirst(cell), join->number) ? &join->conditions : &kept;

		*to = lappend(*to, lfirst(cell));
	}
	from->quals = kept == NIL ? NULL : (Node *) make_ands_explicit(kept);
	return true;
}

/* What is joined with the list; NULL: the list is not joined here, or in another way. */
static Node *
other_side(const JoinExpr *join, ValuesJoin *of)
{
	bool left = is_entry(join->larg, of->number), right = is_entry(join->rarg, of->number);
	bool list_stays =
		(left && join->jointype == JOIN_LEFT) || (right && join->jointype == JOIN_RIGHT);

	if (!left && !right)
		return NULL;
	of->outer = (right && join->jointype == JOIN_LEFT) || (left && join->jointype == JOIN_RIGHT);
	if (join->jointype != JOIN_INNER && !of->outer && !(list_stays && of->opens))
		return NULL;
	return left ? join->rarg : join->larg;
}

/* Whether what is computed is NULL where a row of the list meets none. */
static bool
is_of_rows(Node *node, int number)
{
	return !contain_nonstrict_functions(node) && !reads_entry(node, number) &&
		   pull_varnos(NULL, node) != NULL;
}

static bool
is_of_list(Node *node, int number)
{
	return bms_equal(pull_varnos(NULL, node), bms_make_singleton(number));
}

/* What an expression is where all variables are NULL. */
static Node *
without_values(Node *node, void *context)
{
	const Var *variable = (const Var *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && variable->varlevelsup == 0)
		return (Node *) makeNullConst(variable->vartype, variable->vartypmod, variable->varcollid);
	return expression_tree_mutator(node, without_values, context);
}

/* Whether an aggregate is the same without a row of which all columns are NULL. */
static bool
leaves_out_missing(const Aggref *aggregate, int number)
{
	Node *argument;
	const Const *value;

	if (aggregate->aggstar || aggregate->aggorder != NIL || aggregate->args == NIL)
		return false;
	argument = (Node *) linitial_node(TargetEntry, aggregate->args)->expr;
	if (reads_entry(argument, number) || contain_volatile_functions(argument) ||
		pull_varnos(NULL, argument) == NULL)
		return false;
	value = (const Const *) eval_const_expressions(NULL, without_values(argument, NULL));
	return IsA(value, Const) &&
		   (value->constisnull ||
			(strcmp(get_func_name(aggregate->aggfnoid), "sum") == 0 &&
			 strcmp(dp_value_out(value->constvalue, value->consttype), "0") == 0));
}

/* Whether some aggregate counts a row that is the list's alone. context: number of its entry */
static bool
counts_list(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) || IsA(node, GroupingFunc))
		return true;
	return IsA(node, Aggref) ? !leaves_out_missing((Aggref *) node, *(int *) context)
							 : expression_tree_walker(node, counts_list, context);
}

/* Whether the groups of a query are of the list, and its aggregates and conditions of rows. */
static bool
groups_by_list(Query *query, int number)
{
	ListCell *cell;

	if (!query->hasAggs || query->groupClause == NIL || query->groupingSets != NIL ||
		query->hasSubLinks || counts_list((Node *) query->targetList, &number) ||
		counts_list(query->havingQual, &number))
		return false;
	foreach (cell, query->groupClause)
		if (!is_of_list(get_sortgroupclause_expr(lfirst(cell), query->targetList), number))
			return false;
	foreach (cell, make_ands_implicit((Expr *) query->jointree->quals))
		if (!is_of_rows(lfirst(cell), number) && !is_of_list(lfirst(cell), number))
			return false;
	return true;
}

/* The tree without the list. Conditions of what meets none are put in its place later. */
static Node *
without(Node *node, ValuesJoin *of, FromExpr **place)
{
	ListCell *cell;

	if (IsA(node, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) node;
		Node *other = other_side(join, of);

		if (other != NULL)
		{
			of->conditions = make_ands_implicit((Expr *) join->quals);
			*place = makeFromExpr(list_make1(other), NULL);
			return of->outer ? other : (Node *) *place;
		}
		join->larg = without(join->larg, of, place);
		join->rarg = without(join->rarg, of, place);
	}
	else if (IsA(node, FromExpr) && take_from((FromExpr *) node, of))
		*place = (FromExpr *) node;
	else if (IsA(node, FromExpr))
		foreach (cell, ((FromExpr *) node)->fromlist)
			lfirst(cell) = without(lfirst(cell), of, place);
	return node;
}

/* ---- whether a row meets one row of it at most ---- */

typedef struct Row
{
	int number;
	const List *constants;
} Row;

static Node *
with_row(Node *node, void *context)
{
	const Row *row = context;
	const Var *column = (const Var *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && column->varno == row->number && column->varlevelsup == 0 &&
		column->varattno > 0)
		return copyObject(list_nth(row->constants, column->varattno - 1));
	return expression_tree_mutator(node, with_row, context);
}

/* What an expression of the list is in one of its rows; NULL: no constant, or NULL. */
static const Const *
value_in(const ValuesJoin *join, Node *of, int row)
{
	Row at = {join->number, list_nth(join->rows, row)};
	const Const *value =
		(const Const *) eval_const_expressions(NULL, with_row(copyObject(of), &at));

	return IsA(value, Const) && !value->constisnull ? value : NULL;
}

/* The same in each row. */
static const Const **
values_of(const ValuesJoin *join, Node *of)
{
	const Const **value = palloc(sizeof(Const *) * list_length(join->rows));

	for (int i = 0; i < list_length(join->rows); i++)
		value[i] = value_in(join, of, i);
	return value;
}

/* Whether an expression of the list has another value in each row. */
static bool
are_different(const ValuesJoin *join, Node *of, Oid collation)
{
	TypeCacheEntry *type = lookup_type_cache(exprType(of), TYPECACHE_EQ_OPR_FINFO);
	const Const **value = values_of(join, of);

	if (!OidIsValid(type->eq_opr_finfo.fn_oid))
		return false;
	for (int i = 0; i < list_length(join->rows); i++)
	{
		if (value[i] == NULL)
			return false;
		for (int k = 0; k < i; k++)
			if (DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, collation, value[i]->constvalue,
											   value[k]->constvalue)))
				return false;
	}
	return true;
}

/* An end of ranges of the list: v >= column, and the like. */
typedef struct RangeEnd
{
	Node *of; /* an expression of the list; NULL: there is none */
	Node *value;
	bool closed;
} RangeEnd;

/* Takes a comparison by < and the like as an end of one of both kinds. */
static void
take_end(const OpExpr *comparison, int number, RangeEnd *low, RangeEnd *high)
{
	const char *sign = IsA(comparison, OpExpr) && comparison->opno < FirstUnpinnedObjectId
						   ? get_opname(comparison->opno)
						   : "";

	if ((sign[0] != '<' && sign[0] != '>') || (sign[1] != '\0' && strcmp(sign + 1, "=") != 0))
		return;
	for (int i = 0; i < 2; i++)
	{
		Node *of = list_nth(comparison->args, i), *value = list_nth(comparison->args, 1 - i);
		RangeEnd *end = (sign[0] == '<') == (i == 0) ? low : high;

		if (is_of_list(of, number) && end->of == NULL && !reads_entry(value, number))
			*end = (RangeEnd){of, value, sign[1] == '='};
	}
}

/* Whether a range ends before another one begins. */
static bool
ends_before(const RangeEnd *low, const RangeEnd *high, const Const *end, const Const *begin)
{
	TypeCacheEntry *type = lookup_type_cache(exprType(high->of), TYPECACHE_CMP_PROC_FINFO);
	int order;

	if (end == NULL || begin == NULL || !OidIsValid(type->cmp_proc_finfo.fn_oid))
		return false;
	order = DatumGetInt32(
		FunctionCall2Coll(&type->cmp_proc_finfo, InvalidOid, end->constvalue, begin->constvalue));
	return order < 0 || (order == 0 && !(low->closed && high->closed));
}

static bool
lies_in_one_range(const ValuesJoin *join)
{
	RangeEnd low = {.of = NULL}, high = {.of = NULL};
	const Const **begin, **end;
	ListCell *cell;

	foreach (cell, join->conditions)
		take_end(lfirst(cell), join->number, &low, &high);
	if (low.of == NULL || high.of == NULL || !equal(low.value, high.value) ||
		exprType(low.of) != exprType(high.of) || OidIsValid(exprCollation(low.of)))
		return false;
	begin = values_of(join, low.of);
	end = values_of(join, high.of);
	for (int i = 0; i < list_length(join->rows); i++)
		for (int k = 0; k < i; k++)
			if (!ends_before(&low, &high, end[i], begin[k]) &&
				!ends_before(&low, &high, end[k], begin[i]))
				return false;
	return true;
}

/* With more, a question would have too many expressions. */
#define COMPARISONS_MAX 500

static bool
meets_one(const ValuesJoin *join)
{
	ListCell *cell;

	if (list_length(join->rows) * list_length(join->conditions) > COMPARISONS_MAX)
		return false;
	if (lies_in_one_range(join))
		return true;
	foreach (cell, join->conditions)
	{
		const OpExpr *equal = lfirst(cell);

		if (!dp_is_equality((const Node *) equal))
			continue;
		for (int i = 0; i < 2; i++)
		{
			Node *of = list_nth(equal->args, i);

			if (is_of_list(of, join->number) &&
				!reads_entry(list_nth(equal->args, 1 - i), join->number) &&
				are_different(join, of, equal->inputcollid))
				return true;
		}
	}
	return false;
}

/* ---- what it becomes ---- */

/* Whether a row meets this one. */
static Expr *
meets(const ValuesJoin *join, const List *constants)
{
	Row row = {join->number, constants};

	return make_ands_explicit(
		(List *) expression_tree_mutator((Node *) join->conditions, with_row, &row));
}

static Expr *
column_as_case(const ValuesJoin *join, int column)
{
	CaseExpr *choice = makeNode(CaseExpr);
	const Const *first = list_nth(linitial(join->rows), column);
	ListCell *cell;

	choice->casetype = first->consttype;
	choice->casecollid = first->constcollid;
	choice->location = -1;
	foreach (cell, join->rows)
	{
		CaseWhen *when = makeNode(CaseWhen);

		when->expr = meets(join, lfirst(cell));
		when->result = copyObject(list_nth(lfirst(cell), column));
		when->location = -1;
		choice->args = lappend(choice->args, when);
	}
	choice->defresult =
		(Expr *) makeNullConst(first->consttype, first->consttypmod, first->constcollid);
	return (Expr *) choice;
}

static void
replace_list(Query *query, const ValuesJoin *join, FromExpr *place)
{
	RangeTblEntry *entry = rt_fetch(join->number, query->rtable), *named = copyObject(entry);
	List *targets = NIL, *any = NIL;
	ListCell *cell;

	for (int i = 0; i < list_length(linitial(join->rows)); i++)
		targets = lappend(targets, makeTargetEntry(column_as_case(join, i), (AttrNumber) (i + 1),
												   pstrdup("value"), false));
	foreach (cell, join->rows)
		any = lappend(any, meets(join, lfirst(cell)));
	if (!join->outer)
		place->quals = (Node *) make_ands_explicit(
			lappend(make_ands_implicit((Expr *) place->quals),
					list_length(any) == 1 ? linitial(any) : makeBoolExpr(OR_EXPR, any, -1)));
	entry->rtekind = RTE_RESULT;
	entry->values_lists = entry->functions = NIL;
	entry->inFromCl = false;
	*query = *(Query *) DP_REPLACE_VARS((Node *) query, join->number, named, targets,
										&query->hasSubLinks);
}

void
dp_values_joins_as_case(Query *query)
{
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		ValuesJoin join = {.number = lfirst_int(cell)};
		FromExpr *place = NULL, *tree;
		bool days;
		Query *of = query;

		if (!read_rows(rt_fetch(join.number, query->rtable), &join))
			continue;
		days = join.days;
		if (days)
			of = query_tree_mutator(query, as_days, &join, QTW_IGNORE_JOINALIASES);
		join.opens = groups_by_list(of, join.number);
		tree = (FromExpr *) without(copyObject((Node *) of->jointree), &join, &place);
		if (days != join.days || place == NULL || !meets_one(&join))
			continue;
		*query = *of;
		query->jointree = tree;
		replace_list(query, &join, place);
	}
}
