/*
 * unit_rows.c -- SELECT avg(n) FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) v
 *
 * What the sub-query computes of a person is a function of that person's rows, so that the question
 * around it has one row a person, or one for each of the groups beside the person.
 */
#include "pg/sql/question_plan.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "pg/budget/parent.h"

static DP_NORETURN void
refuse(const DpTranslation *translation, const Node *node, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s cannot be answered in a sub-query that aggregates by person", what),
			 hint != NULL ? errhint("%s", hint) : 0, dp_translation_position(translation, node)));
}

const Query *
dp_unit_query(const DpQuestion *question)
{
	Node *from = (Node *) question->jointree;
	const RangeTblEntry *entry;

	while (IsA(from, FromExpr) && list_length(((FromExpr *) from)->fromlist) == 1)
		from = linitial(((FromExpr *) from)->fromlist);
	if (!IsA(from, RangeTblRef))
		return NULL;
	entry = rt_fetch((Index) ((RangeTblRef *) from)->rtindex, question->rtable);
	return entry->rtekind == RTE_SUBQUERY ? entry->subquery : NULL;
}

bool
dp_tells_unit(const DpAsked *asked, const DpDataset *dataset, const DpRowExpression *column)
{
	int depth = list_length(dp_dataset_parents(dataset));
	uint32 rows;

	if (depth > 0)
		return dp_asked_names_row(asked, dataset, column, &rows) == depth;
	return dataset->unit_column != NULL && column->kind == DP_X_COLUMN && column->relation == 0 &&
		   ((DpAskedRelation *) linitial(asked->relations))->units == NULL &&
		   strcmp(column->name, dataset->unit_column) == 0;
}

/* Whether a column is the key of the unit by which rows of another relation of the tree tell theirs. */
static bool
tells_unit_of(const DpAsked *asked, const DpDataset *dataset, const DpRowExpression *column,
			  Oid relation)
{
	const DpForeignKey *own, *other;
	DpDataset of;
	int steps;

	dp_dataset_get(relation, false, &of);
	own = dp_dataset_unit_reference(dataset, &steps);
	other = dp_dataset_unit_reference(&of, &steps);
	if (dp_dataset_root(dataset) != dp_dataset_root(&of))
		return false;
	if (own == NULL && other != NULL) /* rows are units themselves */
		return column->kind == DP_X_COLUMN && column->relation == 0 &&
			   dataset->unit_column == NULL && other->columns == 1 &&
			   strcmp(column->name, other->key[0]) == 0;
	return dp_tells_unit(asked, dataset, column) &&
		   (own == NULL || (other != NULL && strcmp(own->key[0], other->key[0]) == 0));
}

/* ---- the sub-query ---- */

static void
check_query(const DpTranslation *translation, const Query *query)
{
	if (query->hasWindowFuncs || query->hasTargetSRFs || query->setOperations != NULL ||
		query->groupingSets != NIL || query->distinctClause != NIL || query->limitCount != NULL ||
		query->limitOffset != NULL)
		refuse(translation, NULL, "DISTINCT, LIMIT, a window or a set operation",
			   "Group by the person, and aggregate.");
}

static void
group_add(DpUnitRows *units, DpRowExpression *group, Node *node)
{
	DpAsked *asked = units->inner.asked;

	group = dp_x_normal(dp_folded_group(asked, group));
	asked->groups = lappend(asked->groups, group);
	units->groups = lappend(units->groups, node);
}

static void
groups_plan(DpUnitRows *units, const DpDataset *dataset)
{
	DpTranslation *inner = &units->inner;
	bool of_one_unit = false;
	uint32 rows;
	ListCell *cell;

	inner->clause = "GROUP BY";
	foreach (cell, units->query->groupClause)
	{
		Node *node = get_sortgroupclause_expr(lfirst(cell), units->query->targetList);
		DpRowExpression *group = dp_x_normal(dp_translate(inner, node));

		if (dp_tells_unit(inner->asked, dataset, group))
			units->keys = lappend(units->keys, node);
		else
		{
			/* rows that belong to one order are of one person */
			of_one_unit |= dp_asked_names_row(inner->asked, dataset, group, &rows) > 0 ||
						   dp_asked_is_row_key(inner->asked, group);
			group_add(units, group, node);
		}
	}
	if (units->keys == NIL && !of_one_unit)
		refuse(inner, NULL, "GROUP BY without the person",
			   "Group by the key of the person, or the foreign key that leads to it.");
	if (inner->asked->all_units && units->groups != NIL)
		refuse(inner, linitial(units->groups), "GROUP BY of an outer join",
			   "Group by the person alone.");
}

/* ---- what it gives ---- */

static bool
kind_of(const Aggref *node, DpUnitAggregateKind *kind)
{
	static const struct
	{
		const char *name;
		DpUnitAggregateKind kind;
	} kinds[] = {{"count", DP_UNIT_COUNT}, {"sum", DP_UNIT_SUM},     {"avg", DP_UNIT_AVG},
				 {"min", DP_UNIT_MIN},     {"max", DP_UNIT_MAX},     {"bool_or", DP_UNIT_ANY},
				 {"every", DP_UNIT_ALL},   {"bool_and", DP_UNIT_ALL}};
	const char *name = node->aggfnoid < FirstNormalObjectId ? get_func_name(node->aggfnoid) : NULL;

	for (size_t i = 0; name != NULL && i < lengthof(kinds); i++)
		if (strcmp(name, kinds[i].name) == 0)
		{
			*kind = node->aggstar ? DP_UNIT_ROWS : kinds[i].kind;
			return true;
		}
	return false;
}

static DpRowExpression *
aggregate_argument(DpUnitRows *units, const Aggref *node)
{
	DpTranslation *inner = &units->inner;
	DpRowExpression *argument = NULL, *condition;

	inner->clause = "an aggregate";
	if (!node->aggstar)
		argument =
			dp_x_normal(dp_translate(inner, (Node *) linitial_node(TargetEntry, node->args)->expr));
	if (node->aggfilter == NULL)
		return argument;
	condition = dp_x_normal(dp_translate(inner, (Node *) node->aggfilter));
	if (argument == NULL)
		argument = dp_x_value(INT4OID, "1");
	return dp_x_of(DP_X_CASE, list_make3(condition, argument, dp_x_value(argument->type, NULL)));
}

/* The column that has an aggregate, which is added if there is none yet. */
static DpRowExpression *
column_of_aggregate(DpUnitRows *units, DpUnitAggregate *aggregate)
{
	DpAsked *asked = units->inner.asked;
	ListCell *cell;

	foreach (cell, asked->aggregates)
	{
		const DpUnitAggregate *known = lfirst(cell);

		if (known->kind == aggregate->kind && (known->of == NULL) == (aggregate->of == NULL) &&
			(known->of == NULL || strcmp(dp_x_text(known->of), dp_x_text(aggregate->of)) == 0))
			return dp_x_column(units->number, psprintf("n%d", foreach_current_index(cell)),
							   dp_unit_aggregate_type(known));
	}
	asked->aggregates = lappend(asked->aggregates, aggregate);
	return dp_x_column(units->number, psprintf("n%d", list_length(asked->aggregates) - 1),
					   dp_unit_aggregate_type(aggregate));
}

static DpRowExpression *
aggregate_column(DpTranslation *translation, const Aggref *node)
{
	DpUnitRows *units = translation->units;
	DpUnitAggregate *aggregate = palloc0(sizeof(DpUnitAggregate));

	if (node->aggdistinct != NIL || node->agglevelsup != 0 || list_length(node->args) > 1 ||
		!kind_of(node, &aggregate->kind))
		refuse(translation, (const Node *) node, "this aggregate",
			   "count, sum, avg, min, max, bool_or and bool_and are.");
	aggregate->of = aggregate_argument(units, node);
	if (aggregate->kind == DP_UNIT_ROWS && aggregate->of != NULL)
		aggregate->kind = DP_UNIT_COUNT;
	return column_of_aggregate(units, aggregate);
}

static DpRowExpression *
group_column(const DpUnitRows *units, int number)
{
	const DpRowExpression *group = list_nth(units->inner.asked->groups, number);

	return dp_x_column(units->number, psprintf("g%d", number), group->type);
}

/* An aggregate or a group within the sub-query. False: the node is neither. */
static bool
unit_part(DpTranslation *translation, const Node *node, DpRowExpression **part)
{
	DpUnitRows *units = translation->units;
	ListCell *cell;

	if (IsA(node, Aggref))
	{
		*part = aggregate_column(translation, (const Aggref *) node);
		return true;
	}
	foreach (cell, units->groups)
		if (equal(lfirst(cell), node))
		{
			*part = group_column(units, foreach_current_index(cell));
			return true;
		}
	foreach (cell, units->keys)
		if (equal(lfirst(cell), node))
		{
			/* it is never NULL, and nothing else of it may be known */
			*part = dp_x_value(BOOLOID, "t");
			return true;
		}
	if (!IsA(node, Var))
		return false;
	/* a key among the groups determines it */
	if (units->entry > 0 || units->inner.asked->all_units)
		refuse(translation, node, "a column that is neither grouped nor aggregated", NULL);
	units->inner.clause = "GROUP BY";
	group_add(units, dp_x_normal(dp_translate(&units->inner, node)), unconstify(Node *, node));
	*part = group_column(units, list_length(units->groups) - 1);
	return true;
}

/* Whether it is the person itself, of which nothing but its presence can be asked. */
static bool
is_key(const DpUnitRows *units, const Node *node)
{
	ListCell *cell;

	foreach (cell, units->keys)
		if (equal(lfirst(cell), node))
			return true;
	return false;
}

/* A column of the sub-query. */
static DpRowExpression *
unit_output(DpTranslation *translation, AttrNumber number)
{
	const DpUnitRows *units = translation->units;
	TargetEntry *entry = get_tle_by_resno(units->query->targetList, number);
	DpRowExpression *output;

	if (entry == NULL)
		elog(ERROR, "dpsyn: a sub-query has no such column");
	if (is_key(units, (Node *) entry->expr) && strcmp(translation->clause, "an aggregate") != 0 &&
		strcmp(translation->clause, "count(DISTINCT)") != 0)
		refuse(translation, (Node *) entry->expr, "the key of the person outside of count", NULL);
	translation->of_units = true;
	output = dp_translate(translation, (Node *) entry->expr);
	translation->of_units = false;
	return output;
}

/* ---- the plan ---- */

static DpUnitRows *
units_read(const Query *query, DpTranslation *translation, DpDataset *dataset, DpRelation **counted)
{
	DpUnitRows *units = palloc0(sizeof(DpUnitRows));
	DpQuestion question = {
		.rtable = query->rtable, .jointree = query->jointree, .text = translation->text};

	units->query = query;
	units->inner = (DpTranslation){.asked = palloc0(sizeof(DpAsked)),
								   .rtable = query->rtable,
								   .text = translation->text,
								   .clause = "FROM"};
	units->inner.asked->within = true;
	check_query(translation, query);
	dp_from_clause(&question, &units->inner, dataset, counted);
	if (!dp_dataset_has_units(dataset))
		refuse(translation, NULL, "a relation of which each row is a person",
			   "Ask about its rows.");
	groups_plan(units, dataset);
	units->inner.asked->unit_rows = dp_asked_unit_rows(units->inner.asked, dataset);
	translation->unit_output = unit_output;
	translation->unit_part = unit_part;
	return units;
}

static DpRowExpression *
having_of(DpTranslation *translation, void *of)
{
	DpUnitRows *units = of;
	void *around = translation->units;
	DpRowExpression *having;

	if (units->query->havingQual == NULL)
		return NULL;
	translation->units = units;
	translation->of_units = true;
	translation->clause = "HAVING";
	having = dp_x_normal(dp_translate(translation, units->query->havingQual));
	translation->of_units = false;
	translation->units = around;
	return having;
}

void
dp_unit_rows_plan(const Query *query, DpTranslation *translation, DpDataset *dataset,
				  DpRelation **counted)
{
	DpUnitRows *units = units_read(query, translation, dataset, counted);
	DpAskedRelation *of = palloc0(sizeof(DpAskedRelation));

	*of = (DpAskedRelation){.relation = dataset->relation, .units = units->inner.asked};
	translation->asked->relations = list_make1(of);
	translation->units = units;
	translation->asked->where = having_of(translation, units);
}

/* ---- beside relations ---- */

static void *
joined_read(DpTranslation *translation, const Query *query, int entry)
{
	DpRelation *counted;
	DpDataset dataset;
	DpUnitRows *units = units_read(query, translation, &dataset, &counted);

	if (units->groups != NIL || units->inner.asked->all_units)
		refuse(translation, NULL, "GROUP BY of more than the person, joined to rows,",
			   "Group by the person alone.");
	units->entry = entry;
	units->relation = dataset.relation;
	translation->joined = lappend(translation->joined, units);
	return units;
}

/* The sub-query that a variable belongs to; NULL: it belongs to a relation. */
static DpUnitRows *
joined_of(const DpTranslation *translation, const Var *var)
{
	ListCell *cell;

	foreach (cell, translation->joined)
		if (((const DpUnitRows *) lfirst(cell))->entry == (int) var->varno)
			return lfirst(cell);
	return NULL;
}

/* Whether a column of the sub-query is the person. */
static bool
is_key_column(const DpUnitRows *units, AttrNumber number)
{
	const TargetEntry *entry = get_tle_by_resno(units->query->targetList, number);

	return entry != NULL && is_key(units, (const Node *) entry->expr);
}

/* What a condition says to be the person of a row and of a row of units; NULL: it is another one. */
static const DpRowExpression *
person_of(DpTranslation *translation, const DpUnitRows *units, const DpDataset *dataset,
		  const Node *node)
{
	const OpExpr *op = (const OpExpr *) node;
	const DpFunction *function = IsA(node, OpExpr) ? dp_function_of(op->opfuncid) : NULL;

	if (function == NULL || function->operator== NULL || strcmp(function->operator, "=") != 0)
		return NULL;
	for (int i = 0; i < 2; i++)
	{
		const Var *key = dp_plain_var(list_nth(op->args, i));
		const Var *other = dp_plain_var(list_nth(op->args, 1 - i));
		const DpRowExpression *person;

		if (key == NULL || joined_of(translation, key) != units ||
			!is_key_column(units, key->varattno) || other == NULL ||
			!list_member_int(translation->entries, (int) other->varno))
			continue;
		person = dp_translate(translation, (const Node *) other);
		if (tells_unit_of(translation->asked, dataset, person, units->relation))
			return person;
	}
	return NULL;
}

static bool
joined_add(DpTranslation *translation, void *of, const DpDataset *dataset, List **conditions,
		   bool outer)
{
	DpUnitRows *units = of;
	List *rest = NIL;
	ListCell *cell;

	foreach (cell, *conditions)
	{
		const DpRowExpression *person = person_of(translation, units, dataset, lfirst(cell));

		if (person == NULL)
			rest = lappend(rest, lfirst(cell));
		else
			units->person = person;
	}
	if (units->person == NULL || (outer && rest != NIL))
		return false;
	if (outer && units->query->havingQual != NULL)
		refuse(translation, NULL, "HAVING of an outer join", "Say it in CASE, or use JOIN.");
	*conditions = rest;
	units->outer = outer;
	units->number = (uint32) list_length(translation->asked->relations);
	translation->asked->relations =
		lappend(translation->asked->relations,
				dp_asked_units_create(dataset, units->relation, units->inner.asked, outer));
	return true;
}

/* Where an outer join finds no row, a column is NULL, whatever the expression would be without rows. */
static DpRowExpression *
if_joined(DpUnitRows *units, DpRowExpression *output)
{
	DpUnitAggregate *rows = palloc0(sizeof(DpUnitAggregate));
	DpRowExpression *none;

	if (!units->outer || (output->kind == DP_X_COLUMN && output->relation == units->number))
		return output;
	rows->kind = DP_UNIT_ROWS;
	none = dp_x_of(DP_X_NULL, list_make1(column_of_aggregate(units, rows)));
	return dp_x_of(DP_X_CASE, list_make3(none, dp_x_value(output->type, NULL), output));
}

/* A column of the row that a row is joined to: NULL where it has none. */
static DpRowExpression *
joined_column(DpTranslation *translation, const Var *var)
{
	DpUnitRows *units = joined_of(translation, var);
	void *around = translation->units;
	DpRowExpression *output;

	if (units == NULL)
		return NULL;
	if (is_key_column(units, var->varattno))
	{
		if (units->person == NULL || units->person->type != getBaseType(var->vartype))
			refuse(translation, (const Node *) var, "the key of the person, as another type,",
				   "Name the column that it is joined by.");
		return if_joined(units, unconstify(DpRowExpression *, units->person));
	}
	translation->units = units;
	output = unit_output(translation, var->varattno);
	translation->units = around;
	return if_joined(units, output);
}

const DpUnitJoins dp_unit_joins = {joined_read, joined_add, having_of, joined_column};
