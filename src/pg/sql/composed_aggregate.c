/*
 * composed_aggregate.c -- aggregates that are computed of others: lists of percentiles, correlations,
 * regressions, and means beside people.
 *
 * Those of pairs (y, x) follow from means and variances of x, y and x y, where both are known, of which
 * each is taken about the middle of its range (question_plan.c): the covariance is the mean of x y less
 * the product of the means. As measures, regr_sxy is the mean of x y, regr_avgx and regr_avgy the means,
 * and regr_sxx and regr_syy the variances.
 */
#include "pg/sql/composed_aggregate.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "pg/server/arguments.h"

/* ---- parts ---- */

static Expr *
call_of(Oid function, Expr *left, Expr *right)
{
	return (Expr *) makeFuncExpr(function, FLOAT8OID, list_make2(left, right), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

static Expr *
number(double value)
{
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value),
							  false, FLOAT8PASSBYVAL);
}

/* These return NULL for NULL; GREATEST and LEAST would ignore it. */
static Expr *
no_less(Expr *value, double bound)
{
	return call_of(F_FLOAT8LARGER, value, number(bound));
}

static Expr *
no_more(Expr *value, double bound)
{
	return call_of(F_FLOAT8SMALLER, value, number(bound));
}

static Expr *
root(Expr *of)
{
	return (Expr *) makeFuncExpr(F_SQRT_FLOAT8, FLOAT8OID, list_make1(no_less(of, 0)), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The same pairs by another aggregate of theirs. */
static Expr *
by(const Aggref *pairs, Oid function)
{
	Aggref *other = copyObject((Aggref *) pairs);

	other->aggfnoid = function;
	other->aggtype = FLOAT8OID;
	return (Expr *) other;
}

static Expr *
argument(const Aggref *pairs, int place)
{
	return copyObject(list_nth_node(TargetEntry, pairs->args, place)->expr);
}

static Expr *
is_known(Expr *value)
{
	NullTest *test = makeNode(NullTest);

	test->arg = value;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return (Expr *) test;
}

/* Where FILTER holds, and the given argument is known. */
static Expr *
filter_with(const Aggref *pairs, List *known)
{
	if (pairs->aggfilter != NULL)
		known = lcons(copyObject(pairs->aggfilter), known);
	return list_length(known) == 1 ? linitial(known) : makeBoolExpr(AND_EXPR, known, -1);
}

static Expr *
pairs_known(const Aggref *pairs)
{
	Aggref *count = copyObject((Aggref *) pairs);

	count->aggfnoid = F_COUNT_;
	count->aggtype = count->aggtranstype = INT8OID;
	count->args = count->aggargtypes = count->aggdistinct = count->aggorder = NIL;
	count->aggstar = true;
	count->aggfilter =
		filter_with(pairs, list_make2(is_known(argument(pairs, 0)), is_known(argument(pairs, 1))));
	return (Expr *) count;
}

static Expr *
count_of(const Aggref *pairs)
{
	return (Expr *) makeFuncExpr(F_FLOAT8_INT8, FLOAT8OID, list_make1(pairs_known(pairs)),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The mean of one of both, where the other is known. */
static Expr *
mean(const Aggref *pairs, int place)
{
	Aggref *avg = copyObject((Aggref *) pairs);

	avg->aggfnoid = F_AVG_FLOAT8;
	avg->aggtype = FLOAT8OID;
	avg->args = list_make1(makeTargetEntry(argument(pairs, place), 1, NULL, false));
	avg->aggargtypes = list_make1_oid(FLOAT8OID);
	avg->aggfilter = filter_with(pairs, list_make1(is_known(argument(pairs, 1 - place))));
	return (Expr *) avg;
}

/* ---- of pairs ---- */

static Expr *
covariance(const Aggref *pairs)
{
	return call_of(F_FLOAT8MI, by(pairs, F_REGR_SXY),
				   call_of(F_FLOAT8MUL, by(pairs, F_REGR_AVGX), by(pairs, F_REGR_AVGY)));
}

static Expr *
slope(const Aggref *pairs)
{
	return call_of(F_FLOAT8DIV, covariance(pairs), by(pairs, F_REGR_SXX));
}

static Expr *
correlation(const Aggref *pairs, bool within)
{
	Expr *quotient =
		call_of(F_FLOAT8DIV, covariance(pairs),
				root(call_of(F_FLOAT8MUL, by(pairs, F_REGR_SXX), by(pairs, F_REGR_SYY))));

	return within ? no_more(no_less(quotient, -1), 1) : quotient;
}

static Expr *
explained(const Aggref *pairs, bool within)
{
	Expr *quotient =
		call_of(F_FLOAT8DIV, call_of(F_FLOAT8MUL, covariance(pairs), covariance(pairs)),
				call_of(F_FLOAT8MUL, by(pairs, F_REGR_SXX), by(pairs, F_REGR_SYY)));

	return within ? no_more(no_less(quotient, 0), 1) : quotient;
}

static Expr *
of_pairs(const Aggref *pairs, bool within)
{
	switch (pairs->aggfnoid)
	{
		case F_CORR:
			return correlation(pairs, within);
		case F_COVAR_POP:
			return covariance(pairs);
		case F_COVAR_SAMP:
			return call_of(F_FLOAT8DIV, call_of(F_FLOAT8MUL, covariance(pairs), count_of(pairs)),
						   call_of(F_FLOAT8MI, count_of(pairs), number(1)));
		case F_REGR_COUNT:
			return pairs_known(pairs);
		case F_REGR_AVGX:
			return mean(pairs, 1);
		case F_REGR_AVGY:
			return mean(pairs, 0);
		case F_REGR_SXX:
		case F_REGR_SYY:
			return call_of(F_FLOAT8MUL, by(pairs, pairs->aggfnoid), count_of(pairs));
		case F_REGR_SXY:
			return call_of(F_FLOAT8MUL, covariance(pairs), count_of(pairs));
		case F_REGR_SLOPE:
			return slope(pairs);
		case F_REGR_INTERCEPT:
			return call_of(F_FLOAT8MI, mean(pairs, 0),
						   call_of(F_FLOAT8MUL, slope(pairs), mean(pairs, 1)));
		case F_REGR_R2:
			return explained(pairs, within);
		default:
			return NULL;
	}
}

/* ---- lists of percentiles ---- */

/* The elements of a list as it stands, of type double precision; NIL: it is none. */
static List *
fractions_of(Node *list)
{
	List *fractions = NIL;
	Datum *value = NULL;
	bool *isnull = NULL;
	int n = 0;
	ListCell *cell;

	if (IsA(list, ArrayCoerceExpr))
		list = (Node *) ((ArrayCoerceExpr *) list)->arg;
	if (IsA(list, ArrayExpr) && !((ArrayExpr *) list)->multidims)
		foreach (cell, ((ArrayExpr *) list)->elements)
			fractions =
				lappend(fractions,
						coerce_to_target_type(NULL, lfirst(cell), exprType(lfirst(cell)), FLOAT8OID,
											  -1, COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1));
	else if (IsA(list, Const) && !((Const *) list)->constisnull &&
			 ((Const *) list)->consttype == FLOAT8ARRAYOID)
		value = dp_elements(((Const *) list)->constvalue, &isnull, &n);
	for (int i = 0; i < n; i++)
		fractions = lappend(fractions, isnull[i] ? (Expr *) makeNullConst(FLOAT8OID, -1, InvalidOid)
												 : number(DatumGetFloat8(value[i])));
	return fractions;
}

/* percentile_cont(ARRAY[0.25, 0.5]) WITHIN GROUP (ORDER BY x) */
static Node *
percentiles(const Aggref *list)
{
	List *fractions = fractions_of(linitial(list->aggdirectargs));
	Oid function = list->aggfnoid == F_PERCENTILE_CONT__FLOAT8_FLOAT8
					   ? F_PERCENTILE_CONT_FLOAT8_FLOAT8
				   : list->aggfnoid == F_PERCENTILE_CONT__FLOAT8_INTERVAL
					   ? F_PERCENTILE_CONT_FLOAT8_INTERVAL
					   : F_PERCENTILE_DISC_FLOAT8_ANYELEMENT;
	ArrayExpr *array = makeNode(ArrayExpr);
	ListCell *cell;

	if (fractions == NIL)
		return NULL;
	array->array_typeid = list->aggtype;
	array->array_collid = list->aggcollid;
	array->element_typeid = get_element_type(list->aggtype);
	array->location = -1;
	foreach (cell, fractions)
	{
		Aggref *one = copyObject((Aggref *) list);

		one->aggfnoid = function;
		one->aggtype = array->element_typeid;
		one->aggdirectargs = list_make1(lfirst(cell));
		array->elements = lappend(array->elements, one);
	}
	return (Node *) array;
}

/* ---- means ---- */

static Oid
sum_function(Oid mean)
{
	switch (mean)
	{
		case F_AVG_INT2:
			return F_SUM_INT2;
		case F_AVG_INT4:
			return F_SUM_INT4;
		case F_AVG_INT8:
			return F_SUM_INT8;
		case F_AVG_NUMERIC:
			return F_SUM_NUMERIC;
		case F_AVG_FLOAT4:
			return F_SUM_FLOAT4;
		case F_AVG_FLOAT8:
			return F_SUM_FLOAT8;
		default:
			return InvalidOid;
	}
}

static Node *
as_type(Node *value, Oid type)
{
	return coerce_to_target_type(NULL, value, exprType(value), type, -1, COERCION_EXPLICIT,
								 COERCE_IMPLICIT_CAST, -1);
}

static Node *
mean_as_quotient(Node *node, void *context)
{
	const Aggref *mean = (const Aggref *) node;
	Aggref *sum, *count;

	if (node == NULL || IsA(node, Query))
		return node;
	if (!IsA(node, Aggref))
		return expression_tree_mutator(node, mean_as_quotient, context);
	if (mean->agglevelsup > 0 || mean->aggdistinct != NIL ||
		!OidIsValid(sum_function(mean->aggfnoid)))
		return node;
	sum = copyObject((Aggref *) mean);
	sum->aggfnoid = sum_function(mean->aggfnoid);
	sum->aggtype = sum->aggtranstype = get_func_rettype(sum->aggfnoid);
	count = copyObject((Aggref *) mean);
	count->aggfnoid = F_COUNT_ANY;
	count->aggtype = count->aggtranstype = INT8OID;
	return (Node *) makeFuncExpr(
		mean->aggtype == NUMERICOID ? F_NUMERIC_DIV : F_FLOAT8DIV, mean->aggtype,
		list_make2(as_type((Node *) sum, mean->aggtype), as_type((Node *) count, mean->aggtype)),
		InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

void
dp_means_as_quotients(Query *query)
{
	query->targetList = (List *) mean_as_quotient((Node *) query->targetList, NULL);
	query->havingQual = mean_as_quotient(query->havingQual, NULL);
}

Node *
dp_composed_aggregate(const Aggref *aggregate, bool within)
{
	switch (aggregate->aggfnoid)
	{
		case F_PERCENTILE_CONT__FLOAT8_FLOAT8:
		case F_PERCENTILE_CONT__FLOAT8_INTERVAL:
		case F_PERCENTILE_DISC__FLOAT8_ANYELEMENT:
			return percentiles(aggregate);
		default:
			return aggregate->aggdistinct == NIL ? (Node *) of_pairs(aggregate, within) : NULL;
	}
}
