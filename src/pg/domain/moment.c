/*
 * moment.c -- what CHECKs say with now(), CURRENT_DATE and their like.
 *
 * What time of day it is there depends on the session's time zone. So a moment is an interval that
 * has it for all of them, and a bound is taken from the end that keeps every value within.
 */
#include "pg/domain/moment.h"

#include "access/nbtree.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
#include "utils/timestamp.h"

#include "pg/server/compat.h"

/* Local time is so much before UTC, or after it, at most. */
#define ZONE_BEFORE (12 * USECS_PER_HOUR)
#define ZONE_AFTER (14 * USECS_PER_HOUR)

static TimestampTz given = 0; /* by a release; 0: this process has its own time */

TimestampTz
dp_moment_set(TimestampTz now)
{
	TimestampTz before = given;

	given = now;
	return before;
}

TimestampTz
dp_moment_now(void)
{
	return given != 0 ? given : GetCurrentTransactionStartTimestamp();
}

/* ---- types ---- */

static Timestamp
floor_day(Timestamp at)
{
	Timestamp rest = at % USECS_PER_DAY;

	return at - rest - (rest < 0 ? USECS_PER_DAY : 0);
}

/* Makes it one of another type, as a cast does. */
static void
moment_cast(DpMoment *moment, Oid type)
{
	if (moment->type == TIMESTAMPTZOID && type != TIMESTAMPTZOID)
	{
		moment->low -= ZONE_BEFORE;
		moment->high += ZONE_AFTER;
	}
	if (moment->type != TIMESTAMPTZOID && type == TIMESTAMPTZOID)
	{
		moment->low -= ZONE_AFTER;
		moment->high += ZONE_BEFORE;
	}
	if (type == DATEOID)
	{
		moment->low = floor_day(moment->low);
		moment->high = floor_day(moment->high);
	}
	moment->type = type;
}

static bool
is_moment_type(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

/* ---- nodes ---- */

static bool
is_now(Oid function)
{
	return function == F_NOW || function == F_TRANSACTION_TIMESTAMP ||
		   function == F_STATEMENT_TIMESTAMP || function == F_CLOCK_TIMESTAMP;
}

/* Whether a function casts one of the types to another. */
static bool
is_cast(const FuncExpr *call)
{
	switch (call->funcid)
	{
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
		case F_TIMESTAMP_DATE:
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMPTZ_TIMESTAMP:
			return list_length(call->args) == 1;
		default:
			return false;
	}
}

/* CURRENT_DATE and others that are words of their own. */
static bool
moment_of_word(const SQLValueFunction *word, DpMoment *moment)
{
	TimestampTz now = dp_moment_now();

	*moment = (DpMoment){TIMESTAMPTZOID, now, now};
	switch (word->op)
	{
		case SVFOP_CURRENT_DATE:
			moment_cast(moment, DATEOID);
			return true;
		case SVFOP_CURRENT_TIMESTAMP:
		case SVFOP_CURRENT_TIMESTAMP_N:
			break;
		case SVFOP_LOCALTIMESTAMP:
		case SVFOP_LOCALTIMESTAMP_N:
			moment_cast(moment, TIMESTAMPOID);
			break;
		default:
			return false;
	}
	if (word->typmod >= 0) /* it is rounded, to a second at most */
	{
		moment->low -= USECS_PER_SEC;
		moment->high += USECS_PER_SEC;
	}
	return true;
}

static Timestamp
plus(Timestamp at, const Interval *span)
{
	return DatumGetTimestamp(
		DirectFunctionCall2(timestamp_pl_interval, TimestampGetDatum(at), IntervalPGetDatum(span)));
}

/* Adds an interval, or days to a date, as an operator does. */
static bool
moment_add(DpMoment *moment, const Const *constant, bool minus, Oid result)
{
	Interval span = {0};

	if (constant->consttype == INTERVALOID)
	{
		span = *DatumGetIntervalP(constant->constvalue);
		if (DP_INTERVAL_NOT_FINITE(&span))
			return false;
		if (moment->type == DATEOID) /* date + interval is a timestamp */
			moment->type = TIMESTAMPOID;
	}
	else if (constant->consttype == INT4OID && moment->type == DATEOID)
		span.day = DatumGetInt32(constant->constvalue);
	else
		return false;
	if (minus)
		span = *DatumGetIntervalP(DirectFunctionCall1(interval_um, IntervalPGetDatum(&span)));
	moment->low = plus(moment->low, &span);
	moment->high = plus(moment->high, &span);
	if (moment->type == TIMESTAMPTZOID && (span.day != 0 || span.month != 0))
	{
		/* a day on which clocks change is an hour longer, or shorter, and the ends of months differ */
		moment->low -= USECS_PER_HOUR + (span.month != 0 ? USECS_PER_DAY : 0);
		moment->high += USECS_PER_HOUR + (span.month != 0 ? USECS_PER_DAY : 0);
	}
	return moment->type == result;
}

/* A constant that is not NULL; NULL: the node is something else. */
static const Const *
known_constant(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull ? (const Const *) node : NULL;
}

static bool moment_of(Node *node, DpMoment *moment);

static bool
moment_of_operation(const OpExpr *operation, DpMoment *moment)
{
	char *name = get_opname(operation->opno);
	bool minus = name != NULL && strcmp(name, "-") == 0;
	Node *left, *right;
	const Const *constant;

	if (operation->opno >= FirstNormalObjectId || name == NULL ||
		(!minus && strcmp(name, "+") != 0) || list_length(operation->args) != 2 ||
		!is_moment_type(operation->opresulttype))
		return false;
	left = linitial(operation->args);
	right = lsecond(operation->args);
	if (!minus && known_constant(left) != NULL)
	{
		Node *swap = left;

		left = right;
		right = swap;
	}
	constant = known_constant(right);
	return constant != NULL && moment_of(left, moment) &&
		   moment_add(moment, constant, minus, operation->opresulttype);
}

/* Reads now(), CURRENT_DATE and the like, more or less constant intervals, and casts of them; false:
 * the node is something else. */
static bool
moment_of(Node *node, DpMoment *moment)
{
	check_stack_depth();
	if (IsA(node, SQLValueFunction))
		return moment_of_word((SQLValueFunction *) node, moment);
	if (IsA(node, OpExpr))
		return moment_of_operation((OpExpr *) node, moment);
	if (!IsA(node, FuncExpr))
		return false;
	if (is_now(((FuncExpr *) node)->funcid))
	{
		*moment = (DpMoment){TIMESTAMPTZOID, dp_moment_now(), dp_moment_now()};
		return true;
	}
	if (!is_cast((FuncExpr *) node) || !moment_of(linitial(((FuncExpr *) node)->args), moment))
		return false;
	moment_cast(moment, ((FuncExpr *) node)->funcresulttype);
	return true;
}

/* ---- bounds ---- */

/* The largest value of a type that is at or before the moment in any time zone. */
static Timestamp
at_most(const DpMoment *moment, Oid type)
{
	if (type != TIMESTAMPTZOID && moment->type == TIMESTAMPTZOID)
		return moment->low - ZONE_BEFORE;
	if (type == TIMESTAMPTZOID && moment->type != TIMESTAMPTZOID)
		return moment->low - ZONE_AFTER;
	return moment->low;
}

/* The smallest one at or after it. */
static Timestamp
at_least(const DpMoment *moment, Oid type)
{
	if (type != TIMESTAMPTZOID && moment->type == TIMESTAMPTZOID)
		return moment->high + ZONE_AFTER;
	if (type == TIMESTAMPTZOID && moment->type != TIMESTAMPTZOID)
		return moment->high + ZONE_BEFORE;
	return moment->high;
}

static Node *
constant_of(Timestamp at, Oid type)
{
	bool date = type == DATEOID;

	return (Node *) makeConst(type, -1, InvalidOid, date ? sizeof(DateADT) : sizeof(Timestamp),
							  date ? DateADTGetDatum((DateADT) (at / USECS_PER_DAY))
								   : TimestampGetDatum(at),
							  false, true);
}

/* ---- CHECKs ---- */

/* The type of a column that is a date or timestamp; InvalidOid: the node is none. */
static Oid
column_type(Node *node)
{
	Node *column = node;

	while (IsA(column, RelabelType))
		column = (Node *) ((RelabelType *) column)->arg;
	if (!IsA(column, Var) || ((Var *) column)->varattno <= 0 ||
		!is_moment_type(getBaseType(exprType(node))))
		return InvalidOid;
	return getBaseType(exprType(node));
}

/* As which of <, <=, >=, > an operator of PostgreSQL's compares; 0: as none. */
static int
strategy_of(Oid operator)
{
	char *name = operator<FirstNormalObjectId ? get_opname(operator) : NULL;

	if (name == NULL)
		return 0;
	return strcmp(name, "<") == 0    ? BTLessStrategyNumber
		   : strcmp(name, "<=") == 0 ? BTLessEqualStrategyNumber
		   : strcmp(name, ">=") == 0 ? BTGreaterEqualStrategyNumber
		   : strcmp(name, ">") == 0  ? BTGreaterStrategyNumber
									 : 0;
}

static Node *
compare_with(Node *column, Oid type, int strategy, const DpMoment *moment)
{
	bool less = strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber;
	Timestamp at = less ? at_most(moment, type) : at_least(moment, type);
	Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	OpExpr *comparison;

	if (type == DATEOID && at != floor_day(at)) /* a day is before the moment, or behind it */
	{
		strategy = less ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber;
		at = floor_day(at) + (less ? 0 : USECS_PER_DAY);
	}
	comparison = (OpExpr *) make_opclause(get_opfamily_member(family, type, type, (int16) strategy),
										  BOOLOID, false, (Expr *) column,
										  (Expr *) constant_of(at, type), InvalidOid, InvalidOid);
	set_opfuncid(comparison);
	return (Node *) comparison;
}

static Node *
comparison_fixed(OpExpr *comparison, bool *any)
{
	Node *column, *other;
	int strategy = strategy_of(comparison->opno);
	DpMoment moment;

	if (strategy == 0 || list_length(comparison->args) != 2)
		return (Node *) comparison;
	column = linitial(comparison->args);
	other = lsecond(comparison->args);
	if (!OidIsValid(column_type(column)))
	{
		column = other;
		other = linitial(comparison->args);
		strategy = BTMaxStrategyNumber + 1 - strategy; /* seen from the other side */
	}
	if (!OidIsValid(column_type(column)) || !moment_of(other, &moment))
		return (Node *) comparison;
	*any = true;
	return compare_with(column, column_type(column), strategy, &moment);
}

/* Only where a part that is true makes the whole true: what is narrower there keeps the CHECK. */
Node *
dp_moments_fixed(Node *check, bool *any)
{
	List *parts = NIL;
	bool found = false;
	ListCell *cell;

	check_stack_depth();
	if (IsA(check, OpExpr))
		return comparison_fixed((OpExpr *) check, any);
	if (!IsA(check, BoolExpr) || ((BoolExpr *) check)->boolop == NOT_EXPR)
		return check;
	foreach (cell, ((BoolExpr *) check)->args)
		parts = lappend(parts, dp_moments_fixed(lfirst(cell), &found));
	if (!found)
		return check;
	*any = true;
	return (Node *) makeBoolExpr(((BoolExpr *) check)->boolop, parts, -1);
}
