/*
 * outer_join_by_unit.c -- persons LEFT JOIN their rows, as persons with what is computed of their rows.
 *
 *     SELECT p.sex, count(v.id), count(DISTINCT p.id) FROM patients p LEFT JOIN visits v ON v.patient = p.id
 *      GROUP BY p.sex
 *
 * joins a person without rows, too, whom no row of visits counts. It is sum(n) and count(*) of the
 * persons, LEFT JOIN (SELECT patient, count(id) AS n FROM visits GROUP BY patient). Where the person is a
 * group, what is computed of the rows is a column of the person.
 */
#include "pg/sql/outer_join_by_unit.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "pg/budget/dataset.h"
#include "pg/server/compat_query.h"
#include "pg/sql/absorb.h"
#include "pg/sql/unit_subselect.h"

typedef struct OuterJoin
{
	DpPrivacy *privacy;
	Query *query;
	Index persons, rows; /* entries */
	List *where;         /* of the persons */
	DpUnitSubselect of;
	List *values;  /* Aggref *, of the rows */
	int number;    /* of the entry that has the values */
	bool by_unit;  /* the person is a group */
	bool needs_it; /* as it stands it cannot be answered */
} OuterJoin;

/* ---- FROM and WHERE ---- */

/* Whether a tree is of columns of one entry alone. */
static bool
reads_only(Node *node, Index entry)
{
	return !checkExprHasSubLink(node) && !contain_aggs_of_level(node, 0) &&
		   dp_reads_only(node, (int) entry);
}

/* v.patient = p.id */
static bool
take_equality(OuterJoin *join, Node *condition)
{
	if (!dp_is_equality(condition) || join->of.equal != NULL)
		return false;
	for (int i = 0; i < 2; i++)
	{
		Var *key = list_nth(((OpExpr *) condition)->args, i);
		Var *person = list_nth(((OpExpr *) condition)->args, 1 - i);

		if (!IsA(key, Var) || !IsA(person, Var) || key->varno != (int) join->rows ||
			person->varno != (int) join->persons)
			continue;
		join->of.equal = (OpExpr *) condition;
		join->of.key = copyObject(key);
		join->of.person = person;
		return true;
	}
	return false;
}

/* The conditions of ON; those of the rows stay. */
static bool
take_on(OuterJoin *join, Node *quals, List **of_rows)
{
	ListCell *cell;

	foreach (cell, make_ands_implicit((Expr *) quals))
	{
		if (take_equality(join, lfirst(cell)))
			continue;
		if (!reads_only(lfirst(cell), join->rows))
			return false;
		*of_rows = lappend(*of_rows, lfirst(cell));
	}
	return join->of.equal != NULL;
}

static bool
take_where(OuterJoin *join)
{
	ListCell *cell;

	foreach (cell, make_ands_implicit((Expr *) join->query->jointree->quals))
	{
		if (!reads_only(lfirst(cell), join->persons))
			return false;
		join->where = lappend(join->where, lfirst(cell));
	}
	return true;
}

static JoinExpr *
only_join(const Query *query)
{
	Node *from = (Node *) query->jointree;

	while (IsA(from, FromExpr) && list_length(((FromExpr *) from)->fromlist) == 1 &&
		   (from == (Node *) query->jointree || ((FromExpr *) from)->quals == NULL))
		from = linitial(((FromExpr *) from)->fromlist);
	return IsA(from, JoinExpr) && ((JoinExpr *) from)->jointype == JOIN_LEFT &&
				   IsA(((JoinExpr *) from)->larg, RangeTblRef) &&
				   IsA(((JoinExpr *) from)->rarg, RangeTblRef)
			   ? (JoinExpr *) from
			   : NULL;
}

/* ---- groups and aggregates ---- */

static bool
look_at_groups(OuterJoin *join)
{
	ListCell *cell;

	foreach (cell, join->query->groupClause)
	{
		Node *group = get_sortgroupclause_expr(lfirst(cell), join->query->targetList);

		if (!reads_only(group, join->persons))
			return false;
		join->by_unit |= equal(group, join->of.person);
	}
	join->needs_it |= join->by_unit && (list_length(join->query->groupClause) > 1 ||
										join->query->constraintDeps != NIL);
	return true;
}

static bool
counts_persons(const OuterJoin *join, const Aggref *aggregate)
{
	return aggregate->aggfnoid == F_COUNT_ANY && aggregate->aggdistinct != NIL &&
		   aggregate->aggfilter == NULL &&
		   equal(linitial_node(TargetEntry, aggregate->args)->expr, join->of.person);
}

/* The columns of a person without rows. */
static Node *
without_row(Node *node, void *context)
{
	const Index *rows = context;
	const Var *column = (const Var *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && column->varno == (int) *rows && column->varlevelsup == 0)
		return (Node *) makeNullConst(column->vartype, column->vartypmod, column->varcollid);
	return expression_tree_mutator(node, without_row, context);
}

static bool
is_not_built_in(Oid function, void *context)
{
	return function >= FirstUnpinnedObjectId;
}

/* Functions of others are not called. */
static bool
calls_others(Node *node, void *context)
{
	return node != NULL && (check_functions_in_node(node, is_not_built_in, context) ||
							expression_tree_walker(node, calls_others, context));
}

static const Const *
value_without_row(OuterJoin *join, const Expr *expression)
{
	Node *value = without_row((Node *) copyObject(unconstify(Expr *, expression)), &join->rows);

	if (calls_others(value, NULL))
		return NULL;
	value = eval_const_expressions(NULL, value);
	return IsA(value, Const) ? (const Const *) value : NULL;
}

/* Whether an aggregate leaves out a person without rows, as count(coalesce(v.price, 1)) does not. */
static bool
needs_row(OuterJoin *join, const Aggref *aggregate)
{
	const Const *value = value_without_row(join, linitial_node(TargetEntry, aggregate->args)->expr);

	if (value != NULL && value->constisnull)
		return true;
	value = aggregate->aggfilter == NULL ? NULL : value_without_row(join, aggregate->aggfilter);
	return value != NULL && (value->constisnull || !DatumGetBool(value->constvalue));
}

static bool
look_at_aggregates(OuterJoin *join)
{
	List *found = NIL;
	ListCell *cell;

	found = pull_var_clause((Node *) join->query->targetList, PVC_INCLUDE_AGGREGATES |
																  PVC_RECURSE_WINDOWFUNCS |
																  PVC_INCLUDE_PLACEHOLDERS);
	found = list_concat(found, pull_var_clause(join->query->havingQual,
											   PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_PLACEHOLDERS));
	foreach (cell, found)
	{
		const Aggref *aggregate = lfirst(cell);
		bool rows = aggregate->aggfnoid == F_COUNT_;

		if (!IsA(aggregate, Aggref))
			continue;
		if (!join->by_unit && counts_persons(join, aggregate))
		{
			join->needs_it = true;
			continue;
		}
		if (aggregate->aggdistinct != NIL || aggregate->aggorder != NIL ||
			(rows ? aggregate->aggfilter != NULL
				  : list_length(aggregate->args) != 1 ||
						!reads_only((Node *) aggregate->args, join->rows) ||
						!needs_row(join, aggregate)) ||
			(aggregate->aggfilter != NULL &&
			 !reads_only((Node *) aggregate->aggfilter, join->rows)))
			return false;
		join->needs_it |= rows && !join->by_unit;
		join->values = list_append_unique(join->values, unconstify(Aggref *, aggregate));
	}
	return true;
}

/* ---- what takes their place ---- */

static Const *
one_row(void)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(1), false,
					 FLOAT8PASSBYVAL);
}

/* The value of an aggregate for one person: count(*) counts a person without rows as one. */
static Node *
value_of(const OuterJoin *join, const Aggref *aggregate)
{
	int column = 1;
	ListCell *cell;

	foreach (cell, join->values)
	{
		if (equal(lfirst(cell), aggregate))
			break;
		column++;
	}
	return aggregate->aggfnoid == F_COUNT_
			   ? dp_unit_subselect_value_or(&join->of, join->number, column, (Node *) one_row())
			   : dp_unit_subselect_value(&join->of, join->number, column,
										 (Node *) unconstify(Aggref *, aggregate));
}

/* sum(value), of the type that the aggregate has. NULL: they cannot be added up. */
static Node *
sum_of(const OuterJoin *join, const Aggref *aggregate)
{
	Oid function = aggregate->aggtype == INT8OID      ? F_SUM_INT8
				   : aggregate->aggtype == NUMERICOID ? F_SUM_NUMERIC
				   : aggregate->aggtype == FLOAT8OID  ? F_SUM_FLOAT8
													  : InvalidOid;
	Aggref *sum = copyObject(unconstify(Aggref *, aggregate));

	sum->aggfnoid = function;
	sum->aggtype = aggregate->aggtype == INT8OID ? NUMERICOID : aggregate->aggtype;
	sum->aggstar = false;
	sum->aggfilter = NULL;
	sum->aggargtypes = list_make1_oid(aggregate->aggtype);
	sum->args = list_make1(makeTargetEntry((Expr *) value_of(join, aggregate), 1, NULL, false));
	return aggregate->aggtype == INT8OID
			   ? (Node *) makeFuncExpr(F_INT8_NUMERIC, INT8OID, list_make1(sum), InvalidOid,
									   InvalidOid, COERCE_EXPLICIT_CALL)
			   : (Node *) sum;
}

static bool
adds_up(const Aggref *aggregate)
{
	return aggregate->aggfnoid == F_COUNT_ || aggregate->aggfnoid == F_COUNT_ANY ||
		   (strcmp(get_func_name(aggregate->aggfnoid), "sum") == 0 &&
			(aggregate->aggtype == INT8OID || aggregate->aggtype == NUMERICOID ||
			 aggregate->aggtype == FLOAT8OID));
}

static Node *
count_of_persons(const Aggref *aggregate)
{
	Aggref *count = copyObject(unconstify(Aggref *, aggregate));

	count->aggfnoid = F_COUNT_;
	count->args = count->aggargtypes = count->aggdistinct = NIL;
	count->aggstar = true;
	return (Node *) count;
}

static Node *
put_values(Node *node, void *context)
{
	OuterJoin *join = context;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Aggref))
		return expression_tree_mutator(node, put_values, context);
	if (join->by_unit)
		return value_of(join, (Aggref *) node);
	return counts_persons(join, (Aggref *) node) ? count_of_persons((Aggref *) node)
												 : sum_of(join, (Aggref *) node);
}

/* ---- all of it ---- */

static bool
look_at(OuterJoin *join)
{
	const JoinExpr *outer = only_join(join->query);
	DpDataset persons, rows;
	List *of_rows = NIL;
	ListCell *cell;

	if (outer == NULL || join->query->groupingSets != NIL || join->query->hasWindowFuncs ||
		join->query->distinctClause != NIL)
		return false;
	join->persons = (Index) ((RangeTblRef *) outer->larg)->rtindex;
	join->rows = (Index) ((RangeTblRef *) outer->rarg)->rtindex;
	if (!dp_entry_is_protected(rt_fetch(join->persons, join->query->rtable), &persons) ||
		OidIsValid(persons.parent) ||
		!dp_entry_is_protected(rt_fetch(join->rows, join->query->rtable), &rows) ||
		rows.parent != persons.relation || !take_on(join, outer->quals, &of_rows) ||
		!take_where(join) || !look_at_groups(join) || !look_at_aggregates(join))
		return false;
	if (!join->by_unit)
		foreach (cell, join->values)
			if (!adds_up(lfirst(cell)))
				return false;
	join->of.query = dp_query_of_entry(join->query, (int) join->rows, of_rows);
	return join->needs_it;
}

/* A copy of the query whose variables refer to its entries and not to its outer join. NULL: it has
 * no outer join, or several. */
static Query *
query_without_join(const Query *query)
{
	const JoinExpr *outer = only_join(query);
	Query *copy;

	if (!query->hasAggs || outer == NULL)
		return NULL;
	copy = copyObject(unconstify(Query *, query));
	copy->targetList = (List *) DP_FORGET_OUTER_JOIN((Node *) copy->targetList, outer->rtindex);
	copy->havingQual = DP_FORGET_OUTER_JOIN(copy->havingQual, outer->rtindex);
	copy->jointree->quals = DP_FORGET_OUTER_JOIN(copy->jointree->quals, outer->rtindex);
	return copy;
}

static bool
replace_join(DpPrivacy *privacy, Query *query)
{
	OuterJoin join = {.privacy = privacy, .query = query};
	RangeTblRef *persons = makeNode(RangeTblRef);
	List *values;

	if (!look_at(&join))
		return false;
	values = copyObject(join.values);
	ChangeVarNodes((Node *) values, (int) join.rows, 1, 0);
	join.of.key->varno = 1;
	if (!dp_unit_subselect_group(privacy, &join.of, values))
		return false;
	persons->rtindex = (int) join.persons;
	query->jointree = makeFromExpr(list_make1(persons), NULL);
	join.number = dp_unit_subselect_join(query, &join.of);
	query->targetList = (List *) put_values((Node *) query->targetList, &join);
	query->havingQual = put_values(query->havingQual, &join);
	if (join.by_unit)
	{
		if (query->havingQual != NULL)
			join.where = lappend(join.where, query->havingQual);
		query->havingQual = NULL;
		query->groupClause = query->constraintDeps = NIL;
		query->hasAggs = false;
	}
	query->jointree->quals = join.where == NIL ? NULL : (Node *) make_ands_explicit(join.where);
	return true;
}

void
dp_outer_join_by_unit(DpPrivacy *privacy, Query *query)
{
	Query *taken = query_without_join(query);

	if (taken != NULL && replace_join(privacy, taken))
		*query = *taken;
}
