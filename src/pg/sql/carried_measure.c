/*
 * carried_measure.c -- which measure of a question an aggregate of SQL is.
 */
#include "pg/sql/carried_measure.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/server/compat_query.h"
#include "pg/server/numbers.h"
#include "pg/sql/refuse.h"

typedef struct AggregateName
{
	const char *name;
	DpQuestionKind kind;
} AggregateName;

static const AggregateName names[] = {
	{"count", DP_ASK_COUNT},
	{"sum", DP_ASK_SUM},
	{"avg", DP_ASK_AVG},
	{"var_samp", DP_ASK_VAR_SAMP},
	{"variance", DP_ASK_VAR_SAMP},
	{"var_pop", DP_ASK_VAR_POP},
	{"stddev_samp", DP_ASK_STDDEV_SAMP},
	{"stddev", DP_ASK_STDDEV_SAMP},
	{"stddev_pop", DP_ASK_STDDEV_POP},
	{"percentile_cont", DP_ASK_PERCENTILE_CONT},
	{"percentile_disc", DP_ASK_PERCENTILE_DISC},
	{"median", DP_ASK_PERCENTILE_CONT},
};

static DpClausePlace
place_of(const Aggref *aggregate, const char *text)
{
	return (DpClausePlace){text, aggregate->location};
}

static const char *
hint_for(const char *name)
{
	if (strcmp(name, "min") == 0)
		return "percentile_cont(0.01) WITHIN GROUP (ORDER BY ...) is a low value that many "
			   "have.";
	if (strcmp(name, "max") == 0)
		return "percentile_cont(0.99) WITHIN GROUP (ORDER BY ...) is a high value that many "
			   "have.";
	return "What is answered: count, sum, avg, variance, stddev, percentile_cont, "
		   "percentile_disc, median.";
}

/* PostgreSQL's own. It has no median, so that is anybody's, whose code does not run. */
static bool
has_known_meaning(const Aggref *aggregate, const char *name)
{
	if (aggregate->aggvariadic)
		return false;
	return aggregate->aggfnoid < FirstUnpinnedObjectId ||
		   (strcmp(name, "median") == 0 && aggregate->aggkind == AGGKIND_NORMAL &&
			list_length(aggregate->args) == 1);
}

static DpQuestionKind
kind_of(const Aggref *aggregate, const char *text)
{
	const char *name = get_func_name(aggregate->aggfnoid);

	if (name == NULL)
		elog(ERROR, "cache lookup failed for function %u", aggregate->aggfnoid);
	if (has_known_meaning(aggregate, name))
		for (size_t i = 0; i < lengthof(names); i++)
			if (strcmp(names[i].name, name) == 0)
				return aggregate->aggstar ? DP_ASK_COUNT_ROWS : names[i].kind;
	dp_refuse_clause(place_of(aggregate, text), psprintf("aggregate %s", name), hint_for(name));
}

static Expr *
half(void)
{
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(0.5), false,
							  FLOAT8PASSBYVAL);
}

/* The value of percentile_cont(0.9) WITHIN GROUP (ORDER BY x DESC). */
static void
read_percentile(const Aggref *aggregate, const char *text, DpCarriedMeasure *measure)
{
	const SortGroupClause *order = linitial_node(SortGroupClause, aggregate->aggorder);

	measure->fraction = linitial(aggregate->aggdirectargs);
	if (exprType((Node *) measure->fraction) != FLOAT8OID)
		dp_refuse_clause(place_of(aggregate, text), "a list of percentiles",
						 "Ask for each in a column of its own.");
	measure->descending = dp_orders_descending(order->sortop);
}

DpCarriedMeasure *
dp_carried_measure(const Aggref *aggregate, const char *text)
{
	DpCarriedMeasure *measure = palloc0(sizeof(DpCarriedMeasure));

	measure->kind = kind_of(aggregate, text);
	measure->location = aggregate->location;
	measure->filter = aggregate->aggfilter;
	measure->distinct = aggregate->aggdistinct != NIL;
	if (measure->kind != DP_ASK_COUNT_ROWS)
		measure->argument = linitial_node(TargetEntry, aggregate->args)->expr;
	if (measure->distinct && measure->kind != DP_ASK_COUNT)
		dp_refuse_clause(place_of(aggregate, text), "DISTINCT in an aggregate other than count",
						 "GROUP BY the column, and aggregate its values.");
	if (AGGKIND_IS_ORDERED_SET(aggregate->aggkind))
		read_percentile(aggregate, text, measure);
	else if (measure->kind == DP_ASK_PERCENTILE_CONT)
		measure->fraction = half();
	if (!dp_number_has_type(aggregate->aggtype))
		dp_refuse_clause(place_of(aggregate, text),
						 psprintf("an aggregate of type %s", format_type_be(aggregate->aggtype)),
						 "Ask for numbers, dates, times or intervals.");
	return measure;
}
