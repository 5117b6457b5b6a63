/*
 * unit_subselect.c -- sub-selects that tell something of the person of a row, as joins with what is
 * computed of each person.
 *
 *     id IN (SELECT patient FROM visits GROUP BY patient HAVING count(*) > 3)
 *     (SELECT sum(price) FROM visits v WHERE v.patient = p.id) > 100
 *     EXISTS (SELECT FROM orders b WHERE b.person = a.person AND b.at > '2024-06-01'), of orders a
 *
 * become LEFT JOIN (SELECT patient, count(*) > 3, count(*) FROM visits GROUP BY patient) of the person,
 * and a condition or a number of its columns (question_plan.h).
 */
#include "pg/sql/unit_subselect.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#include "pg/budget/dataset.h"
#include "pg/budget/parent.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/compat_query.h"
#include "pg/sql/absorb.h"
#include "pg/sql/translate.h"

typedef struct Around
{
	DpPrivacy *privacy;
	Query *query;
	bool always; /* the condition at hand must hold: NULL is as good as false */
} Around;

/* ---- which person ---- */

bool
dp_is_equality(const Node *node)
{
	return IsA(node, OpExpr) && list_length(((const OpExpr *) node)->args) == 2 &&
		   op_mergejoinable(((const OpExpr *) node)->opno,
							exprType(linitial(((const OpExpr *) node)->args)));
}

/* A variable that stands so many queries further out; NULL: it is none. */
static Var *
variable_of(Node *node, Index level)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varlevelsup == level && ((Var *) node)->varattno > 0
			   ? (Var *) node
			   : NULL;
}

/* Whether a condition says that a column of a sub-select is one of the query around it. */
static bool
says_person(Node *condition, DpUnitSubselect *of)
{
	OpExpr *equal = (OpExpr *) condition;

	if (!dp_is_equality(condition))
		return false;
	for (int i = 0; i < 2; i++)
	{
		Var *key = variable_of(list_nth(equal->args, i), 0);
		Var *person = variable_of(list_nth(equal->args, 1 - i), 1);

		if (key == NULL || person == NULL)
			continue;
		of->key = key;
		of->person = copyObject(person);
		of->person->varlevelsup = 0;
		of->equal = equal;
		return true;
	}
	return false;
}

/* Takes the condition out of WHERE that joins the sub-select to the query around it. */
static bool
take_correlation(DpUnitSubselect *of)
{
	FromExpr *from = of->query->jointree;
	List *conditions = make_ands_implicit((Expr *) from->quals);
	ListCell *cell;

	foreach (cell, conditions)
		if (says_person(lfirst(cell), of))
		{
			conditions = list_delete_cell(conditions, cell);
			from->quals = conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions);
			return true;
		}
	return false;
}

/* x IN (SELECT y ...) */
static bool
take_test(const SubLink *sublink, DpUnitSubselect *of)
{
	const OpExpr *test = (const OpExpr *) sublink->testexpr;

	if (test == NULL || !dp_is_equality((const Node *) test) ||
		list_length(of->query->targetList) != 1)
		return false;
	of->person = copyObject(variable_of(linitial(test->args), 0));
	of->key = variable_of((Node *) linitial_node(TargetEntry, of->query->targetList)->expr, 0);
	of->equal = (OpExpr *) test;
	return of->person != NULL && of->key != NULL;
}

/* ---- which sub-selects ---- */

bool
dp_entry_is_protected(const RangeTblEntry *entry, DpDataset *dataset)
{
	return entry->rtekind == RTE_RELATION && dp_dataset_find(entry->relid, false, dataset) &&
		   dataset->active;
}

/* Whether a sub-select is of a descendant or an ancestor of a relation in FROM, and of that row's: then it
 * stays a condition. */
static bool
is_condition(const Query *query, const SubLink *sublink)
{
	Oid relation = dp_subselect_relation((const Query *) sublink->subselect);
	Bitmapset *around = pull_varnos_of_level(NULL, sublink->subselect, 1);
	DpDataset of, other;
	ListCell *cell;

	if (!OidIsValid(relation) || !dp_dataset_find(relation, false, &of))
		return false;
	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		const RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);

		if (dp_entry_is_protected(entry, &other) &&
			((of.parent == entry->relid && (sublink->subLinkType != EXISTS_SUBLINK ||
											bms_is_member(lfirst_int(cell), around))) ||
			 list_member_oid(dp_dataset_parents(&other), relation)))
			return true;
	}
	return false;
}

static bool
reads_private(DpPrivacy *privacy, Query *query)
{
	return OidIsValid(dp_find_private(privacy, query));
}

/* Nothing but rows, or aggregates of all of them. */
static bool
is_plain(const Query *query)
{
	return query->commandType == CMD_SELECT && query->setOperations == NULL &&
		   query->limitCount == NULL && query->limitOffset == NULL &&
		   query->distinctClause == NIL && !query->hasWindowFuncs && !query->hasTargetSRFs &&
		   query->rowMarks == NIL && query->groupingSets == NIL && query->cteList == NIL;
}

/* Whether a column can be NULL: a comparison with it then is not false. */
static bool
may_be_null(const Query *query, const Var *column)
{
	const RangeTblEntry *entry = rt_fetch(column->varno, query->rtable);

	return entry->rtekind != RTE_RELATION || !dp_column_not_null(entry->relid, column->varattno) ||
		   dp_can_be_missing((Node *) query->jointree, (int) column->varno);
}

/* ---- what it becomes ---- */

static Aggref *
count_of_rows(void)
{
	Aggref *count = makeNode(Aggref);

	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->aggtranstype = INT8OID;
	count->aggstar = true;
	count->aggkind = AGGKIND_NORMAL;
	count->aggsplit = AGGSPLIT_SIMPLE;
	count->aggno = count->aggtransno = count->location = -1;
	return count;
}

static SortGroupClause *
group_by(TargetEntry *entry)
{
	SortGroupClause *clause = makeNode(SortGroupClause);

	entry->ressortgroupref = clause->tleSortGroupRef = 1;
	get_sort_group_operators(exprType((Node *) entry->expr), false, true, false, &clause->sortop,
							 &clause->eqop, NULL, &clause->hashable);
	return clause;
}

bool
dp_unit_subselect_group(DpPrivacy *privacy, DpUnitSubselect *of, const List *values)
{
	Query *query = of->query;
	TargetEntry *key = makeTargetEntry((Expr *) of->key, 1, pstrdup("person"), false);
	ListCell *cell;

	query->targetList = list_make1(key);
	foreach (cell, values)
		query->targetList =
			lappend(query->targetList,
					makeTargetEntry(lfirst(cell), (AttrNumber) (list_length(query->targetList) + 1),
									pstrdup("value"), false));
	query->targetList = lappend(query->targetList,
								makeTargetEntry((Expr *) count_of_rows(),
												(AttrNumber) (list_length(query->targetList) + 1),
												pstrdup("rows"), false));
	query->groupClause = list_make1(group_by(key));
	query->havingQual = NULL;
	query->sortClause = NIL;
	query->hasAggs = true;
	query->canSetTag = true;
	return dp_groups_by_unit(privacy, query);
}

int
dp_unit_subselect_join(Query *query, const DpUnitSubselect *of)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *reference = makeNode(RangeTblRef);
	JoinExpr *join = makeNode(JoinExpr);
	OpExpr *on = copyObject(of->equal);
	const TargetEntry *key = linitial(of->query->targetList);
	Oid left, right;
	ListCell *cell;

	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = of->query;
	entry->eref = makeAlias("of a person", NIL);
	foreach (cell, of->query->targetList)
		entry->eref->colnames = lappend(
			entry->eref->colnames, makeString(pstrdup(lfirst_node(TargetEntry, cell)->resname)));
	entry->inFromCl = true;
	query->rtable = lappend(query->rtable, entry);
	reference->rtindex = list_length(query->rtable);
	on->args = list_make2(copyObject(of->person),
						  makeVarFromTargetEntry(reference->rtindex, (TargetEntry *) key));
	op_input_types(on->opno, &left, &right);
	if (left != right && exprType(linitial(on->args)) == right)
		on->args = list_make2(lsecond(on->args), linitial(on->args));
	join->jointype = JOIN_LEFT;
	join->larg = (Node *) makeFromExpr(query->jointree->fromlist, NULL);
	join->rarg = (Node *) reference;
	join->quals = (Node *) on;
	query->jointree->fromlist = list_make1(join);
	return reference->rtindex;
}

/* A column of it, from 0: the key, the values, the number of rows. */
static Node *
subselect_column(const DpUnitSubselect *of, int number, int column)
{
	return (Node *) makeVarFromTargetEntry(number, list_nth(of->query->targetList, column));
}

/* Whether the person has rows. */
static Node *
rows_known(const DpUnitSubselect *of, int number, NullTestType test)
{
	NullTest *known = makeNode(NullTest);

	known->arg = (Expr *) subselect_column(of, number, list_length(of->query->targetList) - 1);
	known->nulltesttype = test;
	known->location = -1;
	return (Node *) known;
}

/* An aggregate of no rows. */
static Node *
of_no_rows(Node *node, void *context)
{
	const Aggref *aggregate = (const Aggref *) node;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Aggref))
		return expression_tree_mutator(node, of_no_rows, context);
	if (aggregate->aggfnoid == F_COUNT_ || aggregate->aggfnoid == F_COUNT_ANY)
		return (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false,
								  FLOAT8PASSBYVAL);
	return (Node *) makeNullConst(aggregate->aggtype, -1, aggregate->aggcollid);
}

Node *
dp_unit_subselect_value(const DpUnitSubselect *of, int number, int column, Node *expression)
{
	return dp_unit_subselect_value_or(of, number, column, of_no_rows(copyObject(expression), NULL));
}

Node *
dp_unit_subselect_value_or(const DpUnitSubselect *of, int number, int column, Node *none)
{
	CaseExpr *choice;
	CaseWhen *when;

	if (IsA(none, Const) && ((Const *) none)->constisnull)
		return subselect_column(of, number, column);
	choice = makeNode(CaseExpr);
	when = makeNode(CaseWhen);
	when->expr = (Expr *) rows_known(of, number, IS_NULL);
	when->result = (Expr *) none;
	when->location = choice->location = -1;
	choice->casetype = exprType(none);
	choice->casecollid = exprCollation(none);
	choice->args = list_make1(when);
	choice->defresult = (Expr *) subselect_column(of, number, column);
	return (Node *) choice;
}

/* ---- sub-selects of expressions ---- */

/* Whether there are rows of the person, or whether HAVING holds of them. */
static Node *
condition_of(Around *around, DpUnitSubselect *of)
{
	Node *having = of->query->havingQual;
	BooleanTest *test;
	int number;

	if ((of->query->hasAggs || having != NULL) && of->query->groupClause == NIL)
		return NULL; /* it has one row, whoever has none */
	if (!around->always &&
		(may_be_null(of->query, of->key) || may_be_null(around->query, of->person)))
		return NULL;
	if (!dp_unit_subselect_group(around->privacy, of, having == NULL ? NIL : list_make1(having)))
		return NULL;
	number = dp_unit_subselect_join(around->query, of);
	if (having == NULL)
		return rows_known(of, number, IS_NOT_NULL);
	test = makeNode(BooleanTest);
	test->arg = (Expr *) subselect_column(of, number, 1);
	test->booltesttype = IS_TRUE;
	test->location = -1;
	return (Node *) test;
}

/* (SELECT count(*) FROM visits v WHERE v.patient = p.id) */
static Node *
number_of(Around *around, DpUnitSubselect *of)
{
	Node *expression = (Node *) linitial_node(TargetEntry, of->query->targetList)->expr;

	if (!of->query->hasAggs || of->query->groupClause != NIL || of->query->havingQual != NULL ||
		!dp_unit_subselect_group(around->privacy, of, list_make1(expression)))
		return NULL;
	return dp_unit_subselect_value(of, dp_unit_subselect_join(around->query, of), 1, expression);
}

static bool
groups_by_key(const DpUnitSubselect *of)
{
	return of->query->groupClause == NIL ||
		   (list_length(of->query->groupClause) == 1 &&
			equal(get_sortgroupclause_expr(linitial(of->query->groupClause), of->query->targetList),
				  of->key));
}

static bool
is_row_condition(const Query *query, const SubLink *sublink)
{
	const Query *subselect = (const Query *) sublink->subselect;

	return subselect->groupClause == NIL && !subselect->hasAggs && is_condition(query, sublink);
}

/* What a sub-select becomes; NULL: it stays. */
static Node *
joined(Around *around, const SubLink *sublink)
{
	DpUnitSubselect of = {.query = copyObject((Query *) sublink->subselect)};
	bool is_found;

	if (!is_plain(of.query) || !reads_private(around->privacy, of.query))
		return NULL;
	if (sublink->subLinkType != EXPR_SUBLINK && is_row_condition(around->query, sublink))
		return NULL;
	is_found =
		sublink->subLinkType == ANY_SUBLINK ? take_test(sublink, &of) : take_correlation(&of);
	if (!is_found || !groups_by_key(&of) || dp_refers_outside((Node *) of.query))
		return NULL;
	switch (sublink->subLinkType)
	{
		case ANY_SUBLINK:
		case EXISTS_SUBLINK:
			return condition_of(around, &of);
		case EXPR_SUBLINK:
			return number_of(around, &of);
		default:
			return NULL;
	}
}

static Node *
join_sublinks(Node *node, void *context)
{
	Around *around = context;
	Around within = *around;
	Node *column;

	if (node == NULL || IsA(node, Query))
		return node;
	if (IsA(node, SubLink))
	{
		column = joined(around, (SubLink *) node);
		if (column != NULL)
			return column;
	}
	within.always &= is_andclause(node) || IsA(node, List) || IsA(node, FromExpr);
	if (IsA(node, SubLink))
		return node;
	return expression_tree_mutator(node, join_sublinks, &within);
}

/* ---- LATERAL ---- */

static bool
is_true(const Node *condition)
{
	const Const *constant = (const Const *) condition;

	return condition == NULL ||
		   (IsA(condition, Const) && !constant->constisnull && DatumGetBool(constant->constvalue));
}

/* The tree without an entry that gives each row one row, whose conditions are those of WHERE then. */
static Node *
without_entry(Node *node, int number, bool *found)
{
	JoinExpr *join = (JoinExpr *) node;
	List *rest = NIL;
	ListCell *cell;

	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
		{
			if (IsA(lfirst(cell), RangeTblRef) && ((RangeTblRef *) lfirst(cell))->rtindex == number)
				*found = true;
			else
				rest = lappend(rest, without_entry(lfirst(cell), number, found));
		}
		((FromExpr *) node)->fromlist = rest;
		return node;
	}
	if (!IsA(node, JoinExpr))
		return node;
	if (IsA(join->rarg, RangeTblRef) && ((RangeTblRef *) join->rarg)->rtindex == number &&
		(join->jointype == JOIN_INNER || (join->jointype == JOIN_LEFT && is_true(join->quals))))
	{
		*found = true;
		return is_true(join->quals) ? join->larg
									: (Node *) makeFromExpr(list_make1(join->larg), join->quals);
	}
	join->larg = without_entry(join->larg, number, found);
	return node;
}

/* FROM patients p, LATERAL (SELECT count(*) FROM visits v WHERE v.patient = p.id) l */
static void
join_lateral(DpPrivacy *privacy, Query *query, int number)
{
	RangeTblEntry *entry = rt_fetch(number, query->rtable);
	RangeTblEntry *named = copyObject(entry);
	DpUnitSubselect of = {.query = copyObject(entry->subquery)};
	List *expressions = NIL, *targets = NIL;
	bool found = false;
	FromExpr *jointree;
	int joined_as;
	ListCell *cell;

	if (!of.query->hasAggs || of.query->groupClause != NIL || of.query->havingQual != NULL ||
		!is_plain(of.query) || !reads_private(privacy, of.query) || !take_correlation(&of) ||
		dp_refers_outside((Node *) of.query))
		return;
	foreach (cell, of.query->targetList)
		expressions = lappend(expressions, lfirst_node(TargetEntry, cell)->expr);
	jointree = (FromExpr *) without_entry(copyObject((Node *) query->jointree), number, &found);
	if (!found || jointree->fromlist == NIL || !dp_unit_subselect_group(privacy, &of, expressions))
		return;
	query->jointree = jointree;
	joined_as = dp_unit_subselect_join(query, &of);
	foreach (cell, expressions)
	{
		int i = foreach_current_index(cell);

		targets = lappend(targets, makeTargetEntry((Expr *) dp_unit_subselect_value(
													   &of, joined_as, i + 1, lfirst(cell)),
												   (AttrNumber) (i + 1), pstrdup("value"), false));
	}
	entry->rtekind = RTE_RESULT;
	entry->subquery = NULL;
	entry->lateral = entry->inFromCl = false;
	*query =
		*(Query *) DP_REPLACE_VARS((Node *) query, number, named, targets, &query->hasSubLinks);
}

/* ---- all of them ---- */

void
dp_join_unit_subselects(DpPrivacy *privacy, Query *query)
{
	Around conditions = {privacy, query, true}, others = {privacy, query, false};
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		const RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);

		if (entry->rtekind == RTE_SUBQUERY && entry->lateral)
			join_lateral(privacy, query, lfirst_int(cell));
	}
	if (!query->hasSubLinks)
		return;
	query->jointree->quals = join_sublinks(query->jointree->quals, &conditions);
	query->targetList = (List *) join_sublinks((Node *) query->targetList, &others);
	query->havingQual = join_sublinks(query->havingQual, &others);
}

/* ---- sub-queries that aggregate the rows of each unit first ---- */

static bool
is_in_primary_key(Oid oid, AttrNumber column)
{
	Relation relation = table_open(oid, NoLock); /* its analysis has locked it */
	Bitmapset *key = RelationGetIndexAttrBitmap(relation, INDEX_ATTR_BITMAP_PRIMARY_KEY);
	bool found = bms_is_member(column - FirstLowInvalidHeapAttributeNumber, key);

	table_close(relation, NoLock);
	return found;
}

bool
dp_says_whose(DpPrivacy *privacy, const Query *query, const Var *column, bool *below)
{
	const RangeTblEntry *entry = rt_fetch(column->varno, query->rtable);
	DpDataset dataset;
	char *name;

	*below = false;
	if (column->varattno <= 0 || !dp_entry_is_private(privacy, query, entry) ||
		!dp_dataset_find(entry->relid, false, &dataset))
		return false;
	name = get_attname(entry->relid, column->varattno, true);
	if (name != NULL && dataset.unit_column != NULL && strcmp(name, dataset.unit_column) == 0)
		return true;
	*below = OidIsValid(dataset.parent);
	return entry->relkind == RELKIND_RELATION && is_in_primary_key(entry->relid, column->varattno);
}

/* Whether rows of a relation that stands in FROM belong to rows of this one. */
static bool
has_rows_below(DpPrivacy *privacy, const Query *query, Oid relation)
{
	DpDataset dataset;
	ListCell *cell;

	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		const RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);

		if (dp_entry_is_private(privacy, query, entry) &&
			dp_dataset_find(entry->relid, false, &dataset) && dataset.parent == relation)
			return true;
	}
	return false;
}

typedef struct UnitCounts
{
	DpPrivacy *privacy;
	const Query *query;
} UnitCounts;

static bool
is_count_of_units(Node *node, void *context)
{
	const UnitCounts *of = context;
	const Aggref *aggregate = (const Aggref *) node;
	const CaseExpr *only;
	Node *unit;
	bool below;

	if (node == NULL || IsA(node, Query))
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, is_count_of_units, context);
	if (aggregate->aggfnoid != F_COUNT_ANY || aggregate->aggdistinct == NIL)
		return false;
	unit = (Node *) linitial_node(TargetEntry, aggregate->args)->expr;
	only = (const CaseExpr *) unit;
	if (IsA(unit, CaseExpr) && list_length(only->args) == 1)
		unit = (Node *) linitial_node(CaseWhen, only->args)->result;
	return IsA(unit, Var) && ((Var *) unit)->varlevelsup == 0 &&
		   dp_says_whose(of->privacy, of->query, (Var *) unit, &below) &&
		   (!below || has_rows_below(of->privacy, of->query,
									 rt_fetch(((Var *) unit)->varno, of->query->rtable)->relid));
}

bool
dp_counts_units(DpPrivacy *privacy, const Query *query)
{
	UnitCounts of = {privacy, query};

	return is_count_of_units((Node *) query->targetList, &of) ||
		   is_count_of_units(query->havingQual, &of);
}

/*
 * Whether a query groups private rows by what says whose they are: a unit column, a foreign key to a
 * parent, or a primary key. Its rows are no answer: each is of one unit, and a query around it can
 * aggregate them. Variables of joins are flattened.
 */
bool
dp_groups_by_unit(DpPrivacy *privacy, const Query *query)
{
	ListCell *cell;

	foreach (cell, query->groupClause)
	{
		Node *group = get_sortgroupclause_expr(lfirst(cell), query->targetList);
		bool below;

		if (IsA(group, Var) && ((Var *) group)->varlevelsup == 0 &&
			dp_says_whose(privacy, query, (Var *) group, &below))
			return true;
	}
	return false;
}
