/*
 * question_plan.c -- planning a question: from PostgreSQL's trees to what a release is asked for.
 */
#include "pg/sql/question_plan.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "core/domain/query.h"
#include "pg/server/catalog.h"

#define NANO 1e9

/* ---- measures ---- */

static DpMeasureKind
kind_of(const DpQuestionMeasure *measure)
{
	switch (measure->kind)
	{
		case DP_ASK_COUNT_ROWS:
			return DP_COUNT_ROWS;
		case DP_ASK_COUNT:
			return measure->distinct ? DP_COUNT_DISTINCT : DP_COUNT;
		case DP_ASK_SUM:
			return DP_SUM;
		case DP_ASK_AVG:
			return DP_AVG;
		case DP_ASK_VAR_SAMP:
		case DP_ASK_VAR_POP:
			return DP_VAR;
		case DP_ASK_STDDEV_SAMP:
		case DP_ASK_STDDEV_POP:
			return DP_STDDEV;
		default:
			return DP_QUANTILE;
	}
}

/* What FILTER leaves out is NULL, which no aggregate counts. */
static DpRowExpression *
filtered(DpTranslation *translation, const Expr *filter, DpRowExpression *argument)
{
	DpRowExpression *condition;

	if (filter == NULL)
		return argument;
	translation->clause = "FILTER";
	condition = dp_x_normal(dp_translate(translation, (const Node *) filter));
	if (argument == NULL)
		argument = dp_x_value(INT4OID, "1");
	return dp_x_of(DP_X_CASE, list_make3(condition, argument, dp_x_value(argument->type, NULL)));
}

/* Distinct times are counted as groups of them are made. */
static DpRowExpression *
translated_argument(DpTranslation *translation, const DpQuestionMeasure *measure)
{
	const Node *argument = (const Node *) measure->argument;
	const char *zone;

	return measure->distinct ? dp_translate_group(translation, argument, &zone)
							 : dp_translate(translation, argument);
}

/* Less the middle of its range, so that a product has the least noise. */
static DpRowExpression *
centred(DpTranslation *translation, DpRowExpression *value)
{
	DpExtent extent = dp_extent_of(translation->asked, value);
	double middle = extent.low / 2 + extent.high / 2;

	if (!extent.ordered || fabs(middle) < (extent.high - extent.low) / 1e6) /* as good as 0 */
		return value;
	return dp_x_call(dp_function_of(F_FLOAT8MI),
					 list_make2(value, dp_x_value(FLOAT8OID, psprintf("%.6g", middle))));
}

/* The argument of a pair, where the other one is known, or their product. */
static DpRowExpression *
of_pair(DpTranslation *translation, const DpQuestionMeasure *measure)
{
	DpRowExpression *one =
		centred(translation, dp_translate(translation, (const Node *) measure->argument));
	DpRowExpression *other =
		centred(translation, dp_translate(translation, (const Node *) measure->other));

	if (measure->pair != DP_PAIR_PRODUCT && !dp_extent_of(translation->asked, other).nullable)
		return dp_x_normal(one);
	if (measure->pair == DP_PAIR_PRODUCT)
		return dp_x_normal(dp_x_call(dp_function_of(F_FLOAT8MUL), list_make2(one, other)));
	return dp_x_normal(dp_x_of(DP_X_CASE, list_make3(dp_x_of(DP_X_NULL, list_make1(other)),
													 dp_x_value(FLOAT8OID, NULL), one)));
}

/* percentile_cont takes integers as double precision, where they are the same numbers. */
static DpRowExpression *
without_cast(DpRowExpression *argument)
{
	DpRowExpression *within =
		argument->kind == DP_X_CALL && argument->function->rule == DP_RULE_SAME
			? linitial(argument->arguments)
			: NULL;

	return within != NULL && argument->type == FLOAT8OID &&
				   (within->type == INT2OID || within->type == INT4OID)
			   ? within
			   : argument;
}

/* Whether all its values differ where they are not NULL: a key of rows, or of those that pass a filter. */
static bool
is_key(DpTranslation *translation, const DpRowExpression *of)
{
	while (of->kind == DP_X_CASE && list_length(of->arguments) == 3 &&
		   dp_x_is_constant(lthird(of->arguments)) &&
		   ((const DpRowExpression *) lthird(of->arguments))->text == NULL)
		of = lsecond(of->arguments);
	return dp_asked_is_row_key(translation->asked, of);
}

/* A column by itself cannot be NULL, and neither can what is computed of such: all rows are counted. */
static DpAskedMeasure *
measure_of(DpTranslation *translation, const DpQuestionMeasure *measure)
{
	DpAskedMeasure *asked = palloc0(sizeof(DpAskedMeasure));
	const DpUnitRows *units = translation->units;
	DpRowExpression *argument = NULL;

	asked->kind = kind_of(measure);
	translation->clause = "an aggregate";
	if (measure->pair != DP_PAIR_NONE)
		argument = of_pair(translation, measure);
	else if (measure->argument != NULL)
		argument = dp_x_normal(translated_argument(translation, measure));
	asked->of = filtered(translation, measure->filter, argument);
	if (asked->kind == DP_COUNT_DISTINCT &&
		((units != NULL && units->groups == NIL && dp_x_is_constant(asked->of)) || /* of persons */
		 is_key(translation, asked->of)))
		asked->kind = DP_COUNT;
	if (asked->kind == DP_COUNT && !dp_extent_of(translation->asked, asked->of).nullable)
		*asked = (DpAskedMeasure){.kind = DP_COUNT_ROWS};
	else if (asked->kind == DP_COUNT_ROWS && asked->of != NULL)
		asked->kind = DP_COUNT;
	if (asked->kind == DP_QUANTILE)
	{
		asked->of = without_cast(asked->of);
		if (!(measure->fraction >= 0 && measure->fraction <= 1))
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("a percentile must be between 0 and 1")));
		asked->quantile_nano = (int64) (measure->fraction * NANO + 0.5);
	}
	return asked;
}

/* ---- the plan ---- */

static void
groups_plan(const DpQuestion *question, DpTranslation *translation, DpQuestionPlan *plan)
{
	ListCell *cell;

	translation->clause = "GROUP BY";
	foreach (cell, question->groups)
	{
		const char *zone;
		DpRowExpression *group = dp_translate_group(translation, lfirst(cell), &zone);

		translation->asked->groups = lappend(translation->asked->groups, dp_x_normal(group));
		plan->groups = lappend_oid(plan->groups, exprType(lfirst(cell)));
		plan->zones = lappend(plan->zones, unconstify(char *, zone));
	}
}

/* CASE WHEN c THEN x END; NULL: it is something else. */
static const CaseWhen *
only_case(const Node *node)
{
	const CaseExpr *choice = (const CaseExpr *) node;

	return IsA(node, CaseExpr) && choice->arg == NULL && list_length(choice->args) == 1 &&
				   (choice->defresult == NULL ||
					(IsA(choice->defresult, Const) && ((Const *) choice->defresult)->constisnull))
			   ? linitial_node(CaseWhen, choice->args)
			   : NULL;
}

/* What is counted: units, or the rows of an ancestor that rows belong to, as orders of lines. */
typedef struct Counted
{
	bool units;
	const DpRowExpression *key; /* of such rows; NULL: units */
} Counted;

/* Whether it is count(DISTINCT key), or count(DISTINCT CASE WHEN c THEN key END), of units, or of rows that
 * rows of the question belong to. */
static bool
counts_distinct(DpTranslation *translation, const DpDataset *dataset,
				const DpQuestionMeasure *measure, Counted *counted)
{
	const Node *key = (const Node *) measure->argument;
	DpRowExpression *column;
	uint32 rows;

	if (measure->kind != DP_ASK_COUNT || !measure->distinct)
		return false;
	if (only_case(key) != NULL)
		key = (const Node *) only_case(key)->result;
	translation->clause = "count(DISTINCT)";
	column = dp_translate(translation, key);
	counted->units = dp_tells_unit(translation->asked, dataset, column);
	counted->key = counted->units ? NULL : column;
	return counted->units || dp_asked_names_row(translation->asked, dataset, column, &rows) > 0;
}

/* Whether a measure counts the same. */
static bool
counts(DpTranslation *translation, const DpDataset *dataset, const DpQuestionMeasure *measure,
	   const Counted *counted)
{
	Counted other;

	return counts_distinct(translation, dataset, measure, &other) &&
		   (counted->units
				? other.units
				: other.key != NULL && strcmp(dp_x_text(other.key), dp_x_text(counted->key)) == 0);
}

/* Which rows count there; NULL: all. */
static DpRowExpression *
units_filter(DpTranslation *translation, const DpQuestionMeasure *measure)
{
	const CaseWhen *only = only_case((const Node *) measure->argument);
	List *conditions = NIL;

	translation->clause = "FILTER";
	if (measure->filter != NULL)
		conditions = lappend(conditions, dp_translate(translation, (const Node *) measure->filter));
	if (only != NULL)
		conditions = lappend(conditions, dp_translate(translation, (const Node *) only->expr));
	if (conditions == NIL)
		return NULL;
	return dp_x_normal(list_length(conditions) == 1 ? linitial(conditions)
													: dp_x_of(DP_X_AND, conditions));
}

/* Whether a unit has a row that passes a filter. */
static DpUnitAggregate *
any_row(DpRowExpression *filter)
{
	DpUnitAggregate *any = palloc0(sizeof(DpUnitAggregate));

	any->kind = DP_UNIT_ANY;
	any->of = filter;
	return any;
}

/* What all rows of a unit give to a measure, so that a sum over units is the measure. */
static DpUnitAggregate *
share_of_unit(DpTranslation *translation, const DpQuestionMeasure *measure)
{
	DpUnitAggregate *share = palloc0(sizeof(DpUnitAggregate));
	DpRowExpression *argument = NULL;

	translation->clause = "an aggregate";
	if (measure->argument != NULL)
		argument = dp_x_normal(dp_translate(translation, (const Node *) measure->argument));
	if ((measure->distinct && !is_key(translation, argument)) ||
		(measure->kind != DP_ASK_COUNT_ROWS && measure->kind != DP_ASK_COUNT &&
		 measure->kind != DP_ASK_SUM))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("beside people, only rows and sums can be asked for by one question"),
				 errdetail("What a person's rows give is added up by person first."),
				 errhint("Ask for others in a statement, or a sub-query, of its own.")));
	share->of = filtered(translation, measure->filter, argument);
	share->kind = measure->kind == DP_ASK_SUM ? DP_UNIT_SUM
				  : share->of == NULL         ? DP_UNIT_ROWS
											  : DP_UNIT_COUNT;
	return share;
}

/* A measure of rows of which each is a person in a group. */
static DpAskedMeasure *
measure_of_people(DpTranslation *translation, const DpDataset *dataset, const Counted *counted,
				  DpAsked *rows, const DpQuestionMeasure *asked)
{
	DpAskedMeasure *measure = palloc0(sizeof(DpAskedMeasure));
	bool people = counts(translation, dataset, asked, counted);
	DpRowExpression *filter = people ? units_filter(translation, asked) : NULL;
	DpUnitAggregate *share;

	if (people && filter == NULL)
		return measure;
	share = people ? any_row(filter) : share_of_unit(translation, asked);
	rows->aggregates = lappend(rows->aggregates, share);
	measure->of = dp_x_column(0, psprintf("n%d", list_length(rows->aggregates) - 1),
							  dp_unit_aggregate_type(share));
	measure->kind = people ? DP_COUNT : DP_SUM;
	if (people)
		measure->of = dp_x_of(DP_X_CASE, list_make3(measure->of, dp_x_value(INT4OID, "1"),
													dp_x_value(INT4OID, NULL)));
	return measure;
}

/* People are counted beside their rows, or some of them: there is a row a person in each group, with what
 * the rows of that person give there. If their orders are counted, there is one for each of these. */
static void
people_and_rows_plan(const DpQuestion *question, DpTranslation *translation,
					 const DpDataset *dataset, const Counted *counted)
{
	DpAsked *rows = translation->asked, *people = palloc0(sizeof(DpAsked));
	DpAskedRelation *of = palloc0(sizeof(DpAskedRelation));
	ListCell *cell;

	if (translation->joined != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("beside people, rows of a sub-query that aggregates by person cannot "
						"be asked for by one question"),
				 errhint("Ask for the number of people in a statement, or a sub-query, of "
						 "its own.")));
	rows->within = true;
	*of = (DpAskedRelation){.relation = dataset->relation, .units = rows};
	people->relations = list_make1(of);
	foreach (cell, rows->groups)
		people->groups =
			lappend(people->groups, dp_x_column(0, psprintf("g%d", foreach_current_index(cell)),
												((const DpRowExpression *) lfirst(cell))->type));
	foreach (cell, question->measures)
		people->measures = lappend(
			people->measures, measure_of_people(translation, dataset, counted, rows, lfirst(cell)));
	if (counted->key != NULL)
		rows->groups = lappend(rows->groups, unconstify(DpRowExpression *, counted->key));
	rows->unit_rows = dp_asked_unit_rows(rows, dataset);
	translation->asked = people;
}

/* Of people one row counts in each group. */
static bool
units_plan(const DpQuestion *question, DpTranslation *translation, const DpDataset *dataset)
{
	Counted counted = {.units = false}, other;
	int all = 0;
	ListCell *cell;

	foreach (cell, question->measures)
		if (!counted.units && counts_distinct(translation, dataset, lfirst(cell), &other) &&
			(other.units || counted.key == NULL))
			counted = other;
	if (!counted.units && counted.key == NULL)
		return false;
	foreach (cell, question->measures)
		all += counts(translation, dataset, lfirst(cell), &counted) &&
			   units_filter(translation, lfirst(cell)) == NULL;
	if (counted.key != NULL || all < list_length(question->measures))
	{
		people_and_rows_plan(question, translation, dataset, &counted);
		return true;
	}
	translation->asked->once = true;
	foreach (cell, question->measures)
		translation->asked->measures =
			lappend(translation->asked->measures, palloc0(sizeof(DpAskedMeasure)));
	return true;
}

static void
measures_plan(const DpQuestion *question, DpTranslation *translation, const DpDataset *dataset)
{
	ListCell *cell;

	if (list_length(question->measures) > DP_MEASURES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a query has at most %d measures", DP_MEASURES_MAX)));
	if (units_plan(question, translation, dataset))
		return;
	foreach (cell, question->measures)
		translation->asked->measures =
			lappend(translation->asked->measures, measure_of(translation, lfirst(cell)));
}

/* FROM and WHERE. */
static void
from_plan(const DpQuestion *question, DpTranslation *translation, DpQuestionPlan *plan)
{
	const Query *by_unit = dp_unit_query(question);
	DpRowExpression *where, *having;

	if (by_unit == NULL)
	{
		dp_from_clause(question, translation, &plan->dataset, &plan->relation);
		return;
	}
	dp_unit_rows_plan(by_unit, translation, &plan->dataset, &plan->relation);
	where = dp_where_clause(question->jointree, translation);
	having = translation->asked->where;
	translation->asked->where = where == NULL ? having
								: having == NULL
									? where
									: dp_x_normal(dp_x_of(DP_X_AND, list_make2(where, having)));
}

DpQuestionPlan *
dp_question_plan(const DpQuestion *question)
{
	DpQuestionPlan *plan = palloc0(sizeof(DpQuestionPlan));
	DpTranslation translation = {.rtable = question->rtable,
								 .text = question->text,
								 .clause = "FROM",
								 .unit_joins = &dp_unit_joins};

	translation.asked = palloc0(sizeof(DpAsked));
	plan->measures = question->measures;
	from_plan(question, &translation, plan);
	groups_plan(question, &translation, plan);
	measures_plan(question, &translation, &plan->dataset);
	plan->asked = translation.asked;
	plan->normal = dp_asked_write(plan->asked);
	dp_asked_restrict(plan->relation, plan->asked);
	dp_asked_check_rows(plan->asked, &plan->dataset);
	return plan;
}

Oid
dp_question_relation(const DpQuestionPlan *plan)
{
	return plan->dataset.relation;
}

const char *
dp_question_normal_form(const DpQuestionPlan *plan)
{
	return plan->normal;
}

/* ---- the release ---- */

DpReleaseRequest
dp_question_request(const DpQuestionPlan *plan, const DpAskFor *ask)
{
	StringInfoData options;

	initStringInfo(&options);
	appendStringInfo(&options, "{\"" DP_QUESTION_OPTION "\": %s", plan->normal);
	if (ask->max_rows_per_unit > 0)
		appendStringInfo(&options, ", \"" DP_OPTION_MAX_ROWS "\": %d", ask->max_rows_per_unit);
	if (ask->max_sum_per_unit > 0)
		appendStringInfo(
			&options, ", \"" DP_OPTION_MAX_SUM "\": %s",
			DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(ask->max_sum_per_unit))));
	appendStringInfoChar(&options, '}');
	return (DpReleaseRequest){.relation = plan->dataset.relation,
							  .user = GetUserId(),
							  .method = pstrdup(DP_QUERY_METHOD),
							  .options = options.data,
							  .row_type = "",
							  .epsilon_nano = ask->epsilon_nano,
							  .delta_atto = ask->delta_atto,
							  .sets = 1,
							  .rows = -1};
}
