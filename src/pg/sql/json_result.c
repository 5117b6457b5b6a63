/*
 * json_result.c -- rows of a private query as jsonb, with the interval of each noisy number.
 */
#include "pg/sql/json_result.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "pg/server/catalog.h"
#include "pg/server/compat_query.h"
#include "pg/server/numbers.h"
#include "pg/sql/expression_interval.h"

#define PARTS 3

static const char *const functions[PARTS] = {"dp_std_error", "dp_low", "dp_high"};

static const char *const keys[PARTS + 1] = {"estimate", "std_error", "low", "high"};

/* ---- columns with intervals ---- */

static Expr *
part_of(Node *aggregate, int part)
{
	Oid function = dp_function_of_users(functions[part], ANYELEMENTOID);

	return (Expr *) makeFuncExpr(function, FLOAT8OID, list_make1(copyObject(aggregate)), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Adds a column in front of those that are there for sorting alone, and gives its number. */
static AttrNumber
add_column(Query *query, Expr *expression)
{
	AttrNumber number = (AttrNumber) (list_length(query->targetList) + 1);

	query->targetList =
		lappend(query->targetList, makeTargetEntry(expression, number, pstrdup("part"), false));
	return number;
}

static Node *
without_casts(Node *node)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

static bool add_parts(Query *query, int column, AttrNumber *parts);

/* The same parts of a column of a sub-query, handed through. */
static bool
hand_through(Query *query, const Var *variable, AttrNumber *parts)
{
	RangeTblEntry *entry = rt_fetch(variable->varno, query->rtable);
	AttrNumber inner[PARTS];

	if (entry->rtekind != RTE_SUBQUERY || variable->varattno <= 0 ||
		!add_parts(entry->subquery, variable->varattno, inner))
		return false;
	for (int i = 0; i < PARTS; i++)
	{
		entry->eref->colnames = lappend(entry->eref->colnames, makeString(pstrdup("part")));
		parts[i] = add_column(
			query, (Expr *) makeVar(variable->varno, inner[i], FLOAT8OID, -1, InvalidOid, 0));
	}
	return true;
}

/* Whether an expression is an aggregate, or a number that is computed from aggregates. */
static bool
has_interval(Node *expression)
{
	if (IsA(expression, Aggref) && ((Aggref *) expression)->agglevelsup == 0)
		return true;
	return contain_aggs_of_level(expression, 0) && dp_is_number(exprType(expression)) &&
		   !checkExprHasSubLink(expression) && !contain_windowfuncs(expression) &&
		   !contain_volatile_functions(expression);
}

/* Adds columns for the interval of a column; false: it has none. */
static bool
add_parts(Query *query, int column, AttrNumber *parts)
{
	Node *expression;

	if (query->setOperations != NULL || query->distinctClause != NIL || query->hasTargetSRFs ||
		column > list_length(query->targetList))
		return false;
	expression = (Node *) list_nth_node(TargetEntry, query->targetList, column - 1)->expr;
	expression = DP_FLATTEN_JOINS(query, without_casts(expression));
	if (IsA(expression, Var) && ((Var *) expression)->varlevelsup == 0 && !query->hasAggs &&
		query->groupClause == NIL)
		return hand_through(query, (Var *) expression, parts);
	if (!has_interval(expression))
		return false;
	for (int i = 0; i < PARTS; i++)
		parts[i] = add_column(query, part_of(expression, i));
	return true;
}

/* ---- jsonb ---- */

static Expr *
key(const char *words)
{
	return (Expr *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(words),
							  false, false);
}

static Expr *
object(List *arguments)
{
	return (Expr *) makeFuncExpr(arguments == NIL ? F_JSONB_BUILD_OBJECT_
												  : F_JSONB_BUILD_OBJECT_ANY,
								 JSONBOID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

static Expr *
number_object(Expr *estimate, const AttrNumber *parts)
{
	List *arguments = list_make2(key(keys[0]), estimate);

	for (int i = 0; i < PARTS; i++)
		arguments = lappend(lappend(arguments, key(keys[i + 1])),
							makeVar(1, parts[i], FLOAT8OID, -1, InvalidOid, 0));
	return object(arguments);
}

/* The row of the query, which is entry 1 of the one around it. */
static Expr *
row_object(Query *query)
{
	int columns = list_length(query->targetList);
	List *arguments = NIL;

	for (int i = 0; i < columns; i++)
	{
		const TargetEntry *target = list_nth_node(TargetEntry, query->targetList, i);
		AttrNumber parts[PARTS];
		Expr *value;

		if (target->resjunk)
			continue;
		value = (Expr *) makeVarFromTargetEntry(1, (TargetEntry *) target);
		if (add_parts(query, i + 1, parts))
			value = number_object(value, parts);
		arguments = lappend(lappend(arguments, key(target->resname)), value);
	}
	return object(arguments);
}

Query *
dp_result_as_json(Query *query)
{
	Query *around = makeNode(Query);
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *reference = makeNode(RangeTblRef);
	Expr *row = row_object(query);
	ListCell *cell;

	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = query;
	entry->eref = makeAlias("query", NIL);
	entry->inFromCl = true;
	foreach (cell, query->targetList)
		entry->eref->colnames = lappend(
			entry->eref->colnames, makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname
														  ? lfirst_node(TargetEntry, cell)->resname
														  : "?column?")));
	reference->rtindex = 1;
	around->commandType = CMD_SELECT;
	around->canSetTag = true;
	around->rtable = list_make1(entry);
	around->jointree = makeFromExpr(list_make1(reference), NULL);
	around->targetList = list_make1(makeTargetEntry(row, 1, pstrdup("row"), false));
	return around;
}
