/*
 * from_clause.c -- the relations of a question, from FROM and WHERE.
 *
 * The counted relation is the protected one to which all other protected ones are ancestors. They are
 * joined by its foreign keys, column by column, so that a row of it stays one row. Public tables give a
 * row further columns; one that is joined by a key gives it one row at most.
 */
#include "pg/sql/question_plan.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/bitmapset.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "pg/budget/parent.h"
#include "pg/budget/payer.h"
#include "pg/budget/public_relation.h"
#include "pg/server/catalog.h"
#include "pg/sql/absorb.h"

/* A relation that stands in FROM. */
typedef struct FromItem
{
	int entry; /* its number in the range table */
	Oid relation;
	bool is_public;
	bool outer;
	List *on;     /* of an outer join: Node * */
	int ancestor; /* of the counted relation; 0: it is the counted one, or public */
	void *units;  /* of a sub-query that aggregates by person; NULL: it is a relation */
} FromItem;

typedef struct FromClause
{
	const DpQuestion *question;
	DpTranslation *translation;
	List *items;     /* FromItem *: relations */
	List *units;     /* FromItem *: sub-queries that aggregate by person */
	List *conjuncts; /* Node *: of WHERE and of inner joins, as far as they are not dealt with */
} FromClause;

static DP_NORETURN void
refuse(const FromClause *from, const Node *node, const char *message, const char *detail,
	   const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s", message),
			 detail != NULL ? errdetail("%s", detail) : 0, hint != NULL ? errhint("%s", hint) : 0,
			 dp_translation_position(from->translation, node)));
}

/* ---- what stands there ---- */

static FromItem *
item_add(FromClause *from, const RangeTblRef *reference)
{
	RangeTblEntry *entry = rt_fetch((Index) reference->rtindex, from->translation->rtable);
	FromItem *item = palloc0(sizeof(FromItem));
	DpDataset dataset;

	item->entry = reference->rtindex;
	if (entry->rtekind == RTE_SUBQUERY && from->translation->unit_joins != NULL)
	{
		item->units =
			from->translation->unit_joins->read(from->translation, entry->subquery, item->entry);
		from->units = lappend(from->units, item);
		return item;
	}
	if (entry->rtekind != RTE_RELATION)
		refuse(from, NULL, "a sub-query or a function cannot be joined privately", NULL,
			   "Relations, and sub-queries without groups, are joined.");
	item->relation = entry->relid;
	item->is_public = !dp_dataset_find(entry->relid, false, &dataset) || !dataset.active;
	if (item->is_public && !dp_relation_is_declared_public(entry->relid))
		refuse(from, NULL,
			   psprintf("relation \"%s\" is neither protected nor public",
						dp_relation_words(entry->relid)),
			   "What it holds could be of the same people.",
			   "Its custodian can call dp_declare_public.");
	if (item->is_public)
		dp_check_public(entry->relid);
	from->items = lappend(from->items, item);
	return item;
}

static void look_at(FromClause *from, Node *node);

/* A LEFT JOIN keeps rows of the counted relation that no row of a public table meets. */
static void
look_at_outer(FromClause *from, const JoinExpr *join, Node *kept, Node *other)
{
	FromItem *item;

	look_at(from, kept);
	if (!IsA(other, RangeTblRef))
		refuse(from, NULL, "an outer join of this kind cannot be answered privately", NULL,
			   "Join public tables one after another.");
	item = item_add(from, (RangeTblRef *) other);
	item->outer = true;
	item->on = dp_conjuncts(join->quals, NIL);
}

static void
look_at(FromClause *from, Node *node)
{
	JoinExpr *join = (JoinExpr *) node;
	ListCell *cell;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
		item_add(from, (RangeTblRef *) node);
	else if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			look_at(from, lfirst(cell));
		from->conjuncts = dp_conjuncts(((FromExpr *) node)->quals, from->conjuncts);
	}
	else if (!IsA(node, JoinExpr))
		refuse(from, NULL, "FROM holds what cannot be answered privately", NULL, NULL);
	else if (join->jointype == JOIN_INNER)
	{
		look_at(from, join->larg);
		look_at(from, join->rarg);
		from->conjuncts = dp_conjuncts(join->quals, from->conjuncts);
	}
	else if (join->jointype == JOIN_LEFT)
		look_at_outer(from, join, join->larg, join->rarg);
	else if (join->jointype == JOIN_RIGHT)
		look_at_outer(from, join, join->rarg, join->larg);
	else
		refuse(from, NULL, "a FULL JOIN cannot be answered privately", NULL, "Use LEFT JOIN.");
}

/* ---- sub-selects over what a row belongs to ---- */

static bool
is_joined(const FromClause *from, Oid relation)
{
	ListCell *cell;

	foreach (cell, from->items)
		if (((FromItem *) lfirst(cell))->relation == relation)
			return true;
	return false;
}

/* Whether rows of a relation in FROM belong to rows of this one. */
static bool
is_above(const FromClause *from, Oid relation)
{
	ListCell *cell;

	foreach (cell, from->items)
	{
		const FromItem *item = lfirst(cell);
		DpDataset dataset;

		if (!item->is_public && dp_dataset_find(item->relation, false, &dataset) &&
			list_member_oid(dp_dataset_parents(&dataset), relation))
			return true;
	}
	return false;
}

static bool
selects_above(const FromClause *from, const Node *node)
{
	const SubLink *link = (const SubLink *) node;
	Oid relation;

	if (!IsA(node, SubLink) ||
		(link->subLinkType != ANY_SUBLINK && link->subLinkType != EXISTS_SUBLINK) ||
		!IsA(link->subselect, Query))
		return false;
	relation = dp_subselect_relation((const Query *) link->subselect);
	return OidIsValid(relation) && !is_joined(from, relation) && is_above(from, relation);
}

/* WHERE EXISTS and IN over ancestors: there is at most one such row, so they are joins. They may be
 * nested. */
static void
join_subselects(FromClause *from)
{
	List *left = from->conjuncts, *kept = NIL;

	while (left != NIL)
	{
		Node *conjunct = linitial(left);
		Query *query;

		left = list_delete_first(left);
		if (!selects_above(from, conjunct))
		{
			kept = lappend(kept, conjunct);
			continue;
		}
		query = dp_subselect_as_exists((SubLink *) conjunct);
		OffsetVarNodes((Node *) query, list_length(from->translation->rtable), 0);
		IncrementVarSublevelsUp((Node *) query, -1, 1);
		from->translation->rtable = list_concat_copy(from->translation->rtable, query->rtable);
		from->conjuncts = NIL;
		look_at(from, (Node *) query->jointree);
		left = list_concat(left, from->conjuncts);
	}
	from->conjuncts = kept;
}

/* ---- which is counted ---- */

static bool
covers_all(const FromClause *from, const FromItem *lowest, List *above)
{
	ListCell *cell;

	foreach (cell, from->items)
	{
		const FromItem *item = lfirst(cell);

		if (!item->is_public && item != lowest && !list_member_oid(above, item->relation))
			return false;
	}
	return true;
}

static FromItem *
counted_item(const FromClause *from, DpDataset *dataset)
{
	ListCell *cell;
	bool any = false;

	foreach (cell, from->items)
	{
		FromItem *item = lfirst(cell);

		if (item->is_public)
			continue;
		any = true;
		dp_dataset_get(item->relation, false, dataset);
		if (covers_all(from, item, dp_dataset_parents(dataset)))
			return item;
	}
	if (!any && from->units != NIL)
		refuse(from, NULL, "sub-queries that aggregate by person are joined without its relation",
			   NULL, "Join them to the relation of the persons, by its key.");
	if (!any)
		refuse(from, NULL, "the query reads no protected relation", NULL, NULL);
	refuse(from, NULL, "the protected relations of the query are not one below the other",
		   "Rows of one person would meet each other in a number that nothing bounds.",
		   "Aggregate each of them by person first, in a sub-query, or ask about one of them.");
}

/* The entries of relations that an expression reads; of joins PostgreSQL may name them, too. */
static Bitmapset *
entries_read(const FromClause *from, Node *node)
{
	Bitmapset *relations = NULL;
	ListCell *cell;

	foreach (cell, from->items)
		relations = bms_add_member(relations, ((FromItem *) lfirst(cell))->entry);
	return bms_int_members(pull_varnos(NULL, node), relations);
}

/* ---- how ancestors are joined ---- */

static FromItem *
item_of_ancestor(const FromClause *from, const FromItem *counted, int steps)
{
	ListCell *cell;

	foreach (cell, from->items)
	{
		FromItem *item = lfirst(cell);

		if (!item->is_public && item->ancestor == steps && (steps > 0 || item == counted))
			return item;
	}
	return NULL;
}

const Var *
dp_plain_var(const Node *node)
{
	while (IsA(node, RelabelType))
		node = (const Node *) ((const RelabelType *) node)->arg;
	return IsA(node, Var) && ((const Var *) node)->varlevelsup == 0 ? (const Var *) node : NULL;
}

static bool
is_column(const Var *var, const FromItem *item, const char *column)
{
	return var != NULL && (int) var->varno == item->entry && var->varattno > 0 &&
		   strcmp(get_attname(item->relation, var->varattno, false), column) == 0;
}

/* Whether a condition says that two columns are equal. */
static bool
equates(const Node *node, const FromItem *a, const char *column_of_a, const FromItem *b,
		const char *column_of_b)
{
	const OpExpr *op = (const OpExpr *) node;
	const DpFunction *function;
	const Var *left, *right;

	if (!IsA(node, OpExpr) || list_length(op->args) != 2)
		return false;
	function = dp_function_of(op->opfuncid);
	if (function == NULL || function->operator== NULL || strcmp(function->operator, "=") != 0)
		return false;
	left = dp_plain_var(linitial(op->args));
	right = dp_plain_var(lsecond(op->args));
	return (is_column(left, a, column_of_a) && is_column(right, b, column_of_b)) ||
		   (is_column(right, a, column_of_a) && is_column(left, b, column_of_b));
}

/* Takes the conditions out that join a row to the one that it belongs to. False: one is missing. */
static bool
take_reference(FromClause *from, const DpForeignKey *key, const FromItem *below,
			   const FromItem *above)
{
	for (int i = 0; i < key->columns; i++)
	{
		List *rest = NIL;
		ListCell *cell;

		foreach (cell, from->conjuncts)
			if (!equates(lfirst(cell), below, key->column[i], above, key->key[i]))
				rest = lappend(rest, lfirst(cell));
		if (list_length(rest) == list_length(from->conjuncts))
			return false;
		from->conjuncts = rest;
	}
	return true;
}

/* An outer join from a row to its ancestor, by the foreign key, gives the same rows as an inner
 * join: rows without an ancestor belong to no unit and are not counted. */
static void
open_outer(FromClause *from, FromItem *item)
{
	from->conjuncts = list_concat(from->conjuncts, item->on);
	item->outer = false;
	item->on = NIL;
}

static bool
reads_counted(const FromClause *from, const FromItem *counted, Node *node)
{
	return bms_is_member(counted->entry, entries_read(from, node));
}

/* Whether an expression is NULL for a person without rows. */
static bool
is_null_without_rows(const FromClause *from, const FromItem *counted, Node *node)
{
	return node != NULL && reads_counted(from, counted, node) && !contain_nonstrict_functions(node);
}

/* Whether people without rows change no measure, as in count(visit.id): then an inner join leaves
 * the same. */
static bool
measures_rows_alone(const FromClause *from, const FromItem *counted)
{
	ListCell *cell;

	foreach (cell, from->question->measures)
	{
		const DpQuestionMeasure *measure = lfirst(cell);

		if (!is_null_without_rows(from, counted, (Node *) measure->argument) &&
			!is_null_without_rows(from, counted, (Node *) measure->filter))
			return false;
	}
	return from->question->measures != NIL;
}

/* People of whom ON does not hold are in their groups without rows. */
static void
check_on(const FromClause *from, const FromItem *counted)
{
	ListCell *cell;

	foreach (cell, counted->on)
		if (!reads_counted(from, counted, lfirst(cell)))
			refuse(from, lfirst(cell), "ON of the person alone cannot be answered privately", NULL,
				   "Say it in WHERE.");
}

/* If rows are aggregated by person, a person without rows has a row, too: conditions on the rows go
 * into ON, and conditions on the person into WHERE. */
static void
open_all_units(FromClause *from, FromItem *counted, const DpDataset *dataset)
{
	ListCell *cell;

	if (!from->translation->asked->within || list_length(dp_dataset_parents(dataset)) != 1 ||
		list_length(from->items) != 2)
		refuse(
			from, NULL, "an outer join to rows of a person cannot be answered privately",
			"A person without rows is no row of theirs.",
			"Count and add columns of the rows, as in count(visit.id), or aggregate by person in a "
			"sub-query: SELECT patient.id, count(visit.id) FROM patient LEFT JOIN visit ON ... "
			"GROUP "
			"BY patient.id.");
	foreach (cell, from->conjuncts)
		if (reads_counted(from, counted, lfirst(cell)))
			refuse(from, lfirst(cell),
				   "WHERE of rows of an outer join cannot be answered privately", NULL,
				   "Say it in ON.");
	check_on(from, counted);
	from->conjuncts = list_concat(from->conjuncts, counted->on);
	counted->outer = false;
	from->translation->asked->all_units = true;
}

static void
join_ancestors(FromClause *from, FromItem *counted, const DpDataset *dataset)
{
	List *above = dp_dataset_parents(dataset);
	DpDataset at = *dataset;
	ListCell *cell;

	foreach (cell, from->items)
	{
		FromItem *item = lfirst(cell);

		if (item->is_public || item == counted)
			continue;
		while (item->ancestor < list_length(above) &&
			   list_nth_oid(above, item->ancestor++) != item->relation)
			;
	}
	if (counted->outer && !from->translation->asked->within && measures_rows_alone(from, counted))
	{
		if (from->question->groups != NIL)
			check_on(from, counted);
		open_outer(from, counted);
	}
	else if (counted->outer)
		open_all_units(from, counted, dataset);
	for (int steps = 1; steps <= list_length(above); steps++)
	{
		FromItem *item = item_of_ancestor(from, counted, steps);
		FromItem *below = item_of_ancestor(from, counted, steps - 1);
		const DpForeignKey *key = dp_dataset_reference(&at);

		dp_dataset_get(at.parent, false, &at);
		if (item == NULL)
			continue;
		if (item->outer && list_length(item->on) > key->columns)
			refuse(from, llast(item->on),
				   "ON of an outer join to what a row belongs to has more than the foreign key",
				   NULL, "Say it in WHERE, if only such rows are to be counted.");
		open_outer(from, item);
		if (below == NULL || !take_reference(from, key, below, item))
			refuse(from, NULL,
				   psprintf("relation \"%s\" is not joined by the foreign key that leads to it",
							dp_relation_words(item->relation)),
				   "Other rows than those of the same person could meet.",
				   psprintf("Join it by %s.%s = %s.%s%s.",
							get_rel_name(list_nth_oid(above, steps - 1)), key->key[0],
							steps > 1 ? get_rel_name(list_nth_oid(above, steps - 2))
									  : get_rel_name(counted->relation),
							key->column[0], below == NULL ? ", and the relations in between" : ""));
	}
}

static void
check_once(const FromClause *from)
{
	List *seen = NIL;
	ListCell *cell;

	foreach (cell, from->items)
	{
		const FromItem *item = lfirst(cell);

		if (!item->is_public && list_member_oid(seen, item->relation))
			refuse(from, NULL,
				   psprintf("protected relation \"%s\" is joined to itself",
							dp_relation_words(item->relation)),
				   "A row would meet others in a number that nothing bounds.",
				   "Say it of the person: WHERE patient IN (SELECT patient FROM visits WHERE ...), "
				   "or aggregate by person first, in a sub-query.");
		seen = lappend_oid(seen, item->relation);
	}
}

/* ---- in which order ---- */

static void
relation_add(FromClause *from, const FromItem *item, const DpRelation *counted)
{
	DpTranslation *translation = from->translation;
	DpAskedRelation *of;

	if (list_length(translation->entries) >= DP_ASKED_RELATIONS_MAX)
		refuse(from, NULL, "too many relations are joined",
			   psprintf("The limit is %d.", DP_ASKED_RELATIONS_MAX), NULL);
	of = dp_asked_relation_create(item->relation, item->ancestor, item->is_public, item->outer,
								  counted);
	of->is_checked = item->is_public; /* checked when FROM was read */
	translation->asked->relations = lappend(translation->asked->relations, of);
	translation->entries = lappend_int(translation->entries, item->entry);
}

/* Adds the sub-queries that have a row for each row's person, each behind the relations that it is
 * joined to. */
static void
join_units(FromClause *from, const DpDataset *dataset)
{
	DpTranslation *translation = from->translation;
	List *left = from->units;

	translation->clause = "a join";
	while (left != NIL)
	{
		List *later = NIL;
		ListCell *cell;

		foreach (cell, left)
		{
			FromItem *item = lfirst(cell);

			if (translation->unit_joins->add(translation, item->units, dataset,
											 item->outer ? &item->on : &from->conjuncts,
											 item->outer))
				translation->entries = lappend_int(translation->entries, item->entry);
			else
				later = lappend(later, item);
		}
		if (list_length(later) == list_length(left))
			refuse(from, NULL, "a sub-query is not joined by the person that it groups by",
				   "Rows of other people could meet.",
				   "Join it by the key of the person, and by nothing else in an outer join.");
		left = later;
	}
}

static Bitmapset *
entries_known(const DpTranslation *translation)
{
	Bitmapset *known = NULL;
	ListCell *cell;

	foreach (cell, translation->entries)
		known = bms_add_member(known, lfirst_int(cell));
	return known;
}

static DpRowExpression *
conjunction(DpTranslation *translation, const List *nodes)
{
	List *parts = NIL;
	ListCell *cell;

	foreach (cell, nodes)
		parts = lappend(parts, dp_translate(translation, lfirst(cell)));
	if (parts == NIL)
		return NULL;
	return dp_x_normal(list_length(parts) == 1 ? linitial(parts) : dp_x_of(DP_X_AND, parts));
}

/* WHERE, and the HAVING of such sub-queries. */
static DpRowExpression *
all_conditions(FromClause *from)
{
	DpTranslation *translation = from->translation;
	DpRowExpression *where;
	ListCell *cell;

	translation->clause = "WHERE";
	where = conjunction(translation, from->conjuncts);
	if (where != NULL && dp_x_is_constant(where) && where->text != NULL && where->text[0] == 't')
		where = NULL;
	foreach (cell, from->units)
	{
		DpRowExpression *having =
			translation->unit_joins->having(translation, ((FromItem *) lfirst(cell))->units);

		if (having != NULL)
			where =
				where == NULL ? having : dp_x_normal(dp_x_of(DP_X_AND, list_make2(where, having)));
	}
	return where;
}

/* The conditions about a table and those before it, which are not dealt with yet. */
static List *
conditions_now(FromClause *from, int entry, bool take)
{
	Bitmapset *known = bms_add_member(entries_known(from->translation), entry);
	List *now = NIL, *rest = NIL;
	ListCell *cell;

	foreach (cell, from->conjuncts)
	{
		Bitmapset *read = entries_read(from, lfirst(cell));

		if (bms_is_member(entry, read) && bms_is_subset(read, known) && bms_num_members(read) > 1 &&
			!contain_subplans(lfirst(cell)))
			now = lappend(now, lfirst(cell));
		else
			rest = lappend(rest, lfirst(cell));
	}
	if (take)
		from->conjuncts = rest;
	return now;
}

/* Adds a public table with its join condition. */
static void
public_add(FromClause *from, const FromItem *item, const List *conditions)
{
	DpTranslation *translation = from->translation;
	DpAskedRelation *of;

	translation->clause = "a join";
	relation_add(from, item, NULL);
	of = llast(translation->asked->relations);
	of->on = conjunction(translation, conditions);
	if (of != llast(translation->asked->relations)) /* one of EXISTS has come after it */
		refuse(from, NULL,
			   "rows of a person in ON of an outer join with a public table cannot be answered "
			   "privately",
			   NULL, "Say it in WHERE, or in CASE.");
}

/* Whether a table, as the next one, gives a row one row at most. */
static bool
is_met_once(FromClause *from, const FromItem *item)
{
	DpTranslation trial = *from->translation;
	DpAsked asked = *trial.asked;
	FromClause of = *from;
	List *conditions = item->outer ? item->on : conditions_now(from, item->entry, false);
	Oid why;

	asked.relations = list_copy(asked.relations);
	trial.asked = &asked;
	trial.entries = list_copy(trial.entries);
	of.translation = &trial;
	public_add(&of, item, conditions);
	return dp_asked_keeps_rows(&asked, &why) || why != item->relation;
}

/* The next public table: one that gives a row one row at most, of these the one of the lowest OID, so
 * that the order in which they are written does not matter. */
static FromItem *
next_public(FromClause *from, const List *left)
{
	FromItem *best = NULL;
	bool best_once = false;
	ListCell *cell;

	foreach (cell, left)
	{
		FromItem *item = lfirst(cell);
		Bitmapset *known = bms_add_member(entries_known(from->translation), item->entry);
		bool once;

		if (!bms_is_subset(entries_read(from, (Node *) item->on), known))
			continue; /* it comes after another one */
		once = is_met_once(from, item);
		if (best == NULL || (once && !best_once) ||
			(once == best_once && item->relation < best->relation))
		{
			best = item;
			best_once = once;
		}
	}
	return best;
}

static void
join_public(FromClause *from)
{
	List *left = NIL;
	ListCell *cell;

	foreach (cell, from->items)
		if (((FromItem *) lfirst(cell))->is_public)
			left = lappend(left, lfirst(cell));
	while (left != NIL)
	{
		FromItem *item = next_public(from, left);

		if (item == NULL)
			refuse(from, NULL, "outer joins refer to each other in a circle", NULL, NULL);
		left = list_delete_ptr(left, item);
		public_add(from, item, item->outer ? item->on : conditions_now(from, item->entry, true));
	}
}

void
dp_from_clause(const DpQuestion *question, DpTranslation *translation, DpDataset *dataset,
			   DpRelation **counted)
{
	FromClause from = {.question = question, .translation = translation};
	FromItem *lowest;
	List *above;

	look_at(&from, (Node *) question->jointree);
	join_subselects(&from);
	check_once(&from);
	lowest = counted_item(&from, dataset);
	if (!dp_may_draw(dataset, GetUserId())) /* who may read answers may see them without a budget */
		dp_check_may_ask(dataset, GetUserId());
	*counted = dp_relation_columns(dataset->relation, dataset->id, true);
	join_ancestors(&from, lowest, dataset);
	relation_add(&from, lowest, *counted);
	above = dp_dataset_parents(dataset);
	for (int steps = 1; steps <= list_length(above); steps++)
	{
		FromItem *item = item_of_ancestor(&from, lowest, steps);

		if (item != NULL)
			relation_add(&from, item, NULL);
	}
	join_units(&from, dataset);
	join_public(&from);
	translation->asked->where = all_conditions(&from);
}

DpRowExpression *
dp_where_clause(const FromExpr *jointree, DpTranslation *translation)
{
	List *conjuncts = NIL;
	const Node *from = (const Node *) jointree;

	for (; IsA(from, FromExpr); from = linitial(((const FromExpr *) from)->fromlist))
		conjuncts = dp_conjuncts(((const FromExpr *) from)->quals, conjuncts);
	translation->clause = "WHERE";
	return conjunction(translation, conjuncts);
}
