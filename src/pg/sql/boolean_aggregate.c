/*
 * boolean_aggregate.c -- bool_or, bool_and and every, by the number of rows that decide them.
 *
 * One row decides them, which noise must hide. So they say what a noisy count can say: bool_or is true
 * where the rows that make it true are clear of the noise.
 */
#include "pg/sql/boolean_aggregate.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"

Aggref *
dp_deciding_rows(const Aggref *aggregate, bool *is_and)
{
	Aggref *rows;
	Expr *decides;

	if (aggregate->aggfnoid != F_BOOL_OR && aggregate->aggfnoid != F_BOOL_AND &&
		aggregate->aggfnoid != F_EVERY)
		return NULL;
	*is_and = aggregate->aggfnoid != F_BOOL_OR;
	decides = copyObject(linitial_node(TargetEntry, aggregate->args)->expr);
	if (*is_and)
		decides = makeBoolExpr(NOT_EXPR, list_make1(decides), -1);
	if (aggregate->aggfilter != NULL)
		decides = makeBoolExpr(AND_EXPR, list_make2(copyObject(aggregate->aggfilter), decides), -1);
	rows = copyObject((Aggref *) aggregate);
	rows->aggfnoid = F_COUNT_;
	rows->aggtype = rows->aggtranstype = INT8OID;
	rows->args = rows->aggargtypes = rows->aggdistinct = rows->aggorder = NIL;
	rows->aggstar = true;
	rows->aggfilter = decides;
	return rows;
}

Node *
dp_decided(Node *low, bool is_and)
{
	Const *none = makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0), false,
							FLOAT8PASSBYVAL);
	Expr *is_there = (Expr *) makeFuncExpr(F_FLOAT8GT, BOOLOID, list_make2(low, none), InvalidOid,
										   InvalidOid, COERCE_EXPLICIT_CALL);

	return (Node *) (is_and ? makeBoolExpr(NOT_EXPR, list_make1(is_there), -1) : is_there);
}
