/*
 * carried_measure.c -- which measure of a question an aggregate of SQL is.
 */
#include "pg/sql/rewrite.h"

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
	DpQuestionPair pair; /* of regr_...(y, x), as parts of others */
	bool turned;         /* the argument is x */
} AggregateName;

static const AggregateName names[] = {
	{"count", DP_ASK_COUNT, DP_PAIR_NONE, false},
	{"sum", DP_ASK_SUM, DP_PAIR_NONE, false},
	{"avg", DP_ASK_AVG, DP_PAIR_NONE, false},
	{"var_samp", DP_ASK_VAR_SAMP, DP_PAIR_NONE, false},
	{"variance", DP_ASK_VAR_SAMP, DP_PAIR_NONE, false},
	{"var_pop", DP_ASK_VAR_POP, DP_PAIR_NONE, false},
	{"stddev_samp", DP_ASK_STDDEV_SAMP, DP_PAIR_NONE, false},
	{"stddev", DP_ASK_STDDEV_SAMP, DP_PAIR_NONE, false},
	{"stddev_pop", DP_ASK_STDDEV_POP, DP_PAIR_NONE, false},
	{"percentile_cont", DP_ASK_PERCENTILE_CONT, DP_PAIR_NONE, false},
	{"percentile_disc", DP_ASK_PERCENTILE_DISC, DP_PAIR_NONE, false},
	{"median", DP_ASK_PERCENTILE_CONT, DP_PAIR_NONE, false},
	{"regr_sxy", DP_ASK_AVG, DP_PAIR_PRODUCT, false},
	{"regr_avgx", DP_ASK_AVG, DP_PAIR_ARGUMENT, true},
	{"regr_avgy", DP_ASK_AVG, DP_PAIR_ARGUMENT, false},
	{"regr_sxx", DP_ASK_VAR_POP, DP_PAIR_ARGUMENT, true},
	{"regr_syy", DP_ASK_VAR_POP, DP_PAIR_ARGUMENT, false},
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
	if (strcmp(name, "mode") == 0)
		return "SELECT x, count(*) ... GROUP BY x ORDER BY count(*) DESC LIMIT 1 gives the most "
			   "frequent value.";
	return "What is answered: count, sum, avg, variance, stddev, percentile_cont, "
		   "percentile_disc, median, corr, covar_pop, covar_samp, regr_slope and the like.";
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

static const AggregateName *
name_of(const Aggref *aggregate, const char *text)
{
	const char *name = get_func_name(aggregate->aggfnoid);

	if (name == NULL)
		elog(ERROR, "cache lookup failed for function %u", aggregate->aggfnoid);
	if (has_known_meaning(aggregate, name))
		for (size_t i = 0; i < lengthof(names); i++)
			if (strcmp(names[i].name, name) == 0)
				return &names[i];
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
	const AggregateName *name = name_of(aggregate, text);

	measure->kind = aggregate->aggstar ? DP_ASK_COUNT_ROWS : name->kind;
	measure->pair = name->pair;
	measure->location = aggregate->location;
	measure->filter = aggregate->aggfilter;
	measure->distinct = aggregate->aggdistinct != NIL;
	if (measure->kind != DP_ASK_COUNT_ROWS)
		measure->argument = list_nth_node(TargetEntry, aggregate->args, name->turned ? 1 : 0)->expr;
	if (measure->pair != DP_PAIR_NONE)
		measure->other = list_nth_node(TargetEntry, aggregate->args, name->turned ? 0 : 1)->expr;
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
