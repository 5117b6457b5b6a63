/*
 * view_facts.c -- whether each row of a view depends on the rows of one privacy unit.
 *
 * Noise is calibrated to a unit that comes, goes or changes with its own rows. In a view like
 *
 *	SELECT ward, count(*) OVER (PARTITION BY ward) >= 100 FROM people
 *
 * one person changes the rows of everybody in the ward. So a view is accepted only if this cannot
 * be, by its definition alone:
 *
 *   - its expressions are immutable and see one row (no aggregate, window function, sub-select on
 *     what is not public, LIMIT, ...);
 *   - of the relations that it joins one alone is not public; or all that are not public are joined
 *     along the unit: from the unit column a chain of equalities leads to a column of each, or a
 *     foreign key leads to a row of the unit.
 *
 * Where one relation alone is not public, the unit column may also be an expression of its columns:
 * a row of the view is made of one of its rows, and the value of the expression tells whose that
 * is. A function that returns sets would give a row to several units, so none may stand in it. For
 * the same reason the relation must stand in FROM itself: a column of a sub-query or view could be
 * one of many values a row, or public.
 *
 * Along the chain, a row in which the unit column holds u is made of rows whose own unit columns
 * hold u, or which refer to such a row. An equality of an outer join leads into the side that it
 * fills with NULL, never out of it, since rows of the other side stay where it does not hold. What
 * is missing from a side filled with NULL is a row of u, too. Rows that are read in two places, as
 * those of a partition and of its parent are, must be those of the same unit in both.
 *
 * An SQL function that is declared immutable, and reads a table all the same, is not noticed.
 */
#include "pg/budget/view_facts.h"

#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/prs2lock.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/server/catalog.h"
#include "pg/server/equality.h"
#include "pg/server/foreign_key.h"

/* A column of a relation in FROM, by its number in the query's range table. */
typedef struct ViewPlace
{
	int entry; /* 0: none */
	AttrNumber column;
} ViewPlace;

/* A column that tells the rows of a relation apart. */
typedef struct ViewKey
{
	Oid relation; /* InvalidOid: none */
	AttrNumber column;
} ViewKey;

typedef struct ViewWalk
{
	List *public_relations;
	List *bases; /* the tables below the view */
} ViewWalk;

/* One query: of a view, or a sub-select in FROM. */
typedef struct ViewLevel
{
	ViewWalk *walk;
	Oid view; /* whose definition has it */
	Query *query;
	Bitmapset *secret;   /* entries of relations that are not public */
	Bitmapset *nullable; /* entries that an outer join fills with NULL */
	List *equalities;    /* of columns that must all hold */
	ViewPlace *tie;      /* of each entry: how the unit reaches it */
	ViewKey *parent;     /* of each entry: the key to whose row it refers */
	bool alone;          /* no join along the unit is above it */
} ViewLevel;

/* ---- what no query of a view may have ---- */

static DP_NORETURN void
refuse(Oid view, const char *construct)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("view %s has %s", dp_relation_label(view), construct),
		 errdetail("A row of the view must depend on the rows of one privacy unit, by filters, "
				   "immutable expressions, and joins along the unit or with public relations."),
		 errhint("Name relations without anybody's data in public_relations, or state how many "
				 "rows of the view one unit can change: dp_protect(..., sensitivity => ...).")));
}

static const char *
set_operation_name(const Query *query)
{
	switch (((SetOperationStmt *) query->setOperations)->op)
	{
		case SETOP_INTERSECT:
			return "INTERSECT";
		case SETOP_EXCEPT:
			return "EXCEPT";
		default:
			return "UNION";
	}
}

/* ERROR where a query that reads what is not public has an aggregate, LIMIT or the like. */
static void
check_constructs(Oid view, const Query *query)
{
	if (query->hasWindowFuncs)
		refuse(view, "a window function");
	if (query->hasAggs)
		refuse(view, "an aggregate");
	if (query->groupClause != NIL || query->groupingSets != NIL)
		refuse(view, "GROUP BY");
	if (query->havingQual != NULL)
		refuse(view, "HAVING");
	if (query->distinctClause != NIL)
		refuse(view, "DISTINCT");
	if (query->limitCount != NULL)
		refuse(view, "LIMIT");
	if (query->limitOffset != NULL)
		refuse(view, "OFFSET");
	if (query->setOperations != NULL)
		refuse(view, set_operation_name(query));
	if (query->cteList != NIL)
		refuse(view, "WITH");
}

/* Whether a query reads a relation that is not public. A walker. Before 16 the query of a view has entries for the view itself, which nothing reads. */
static bool
reads_secret(Node *node, ViewLevel *level)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (RangeTblEntry *) node;

		return entry->rtekind == RTE_RELATION && entry->relid != level->view &&
			   !list_member_oid(level->walk->public_relations, entry->relid);
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_secret, level, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_secret, level);
}

static bool
refuse_mutable(Oid function, void *level)
{
	if (func_volatile(function) != PROVOLATILE_IMMUTABLE)
		refuse(((ViewLevel *) level)->view,
			   psprintf("function %s, which is not immutable", get_func_name(function)));
	return false;
}

/* ERROR where an expression is not immutable, or sees more than the row. A walker: false. */
static bool
check_expression(Node *node, ViewLevel *level)
{
	if (node == NULL)
		return false;
	(void) check_functions_in_node(node, refuse_mutable, level);
	if (IsA(node, SQLValueFunction))
		refuse(level->view, "the time, the user or the like, which is not immutable");
	if (IsA(node, Var) && ((Var *) node)->varattno < 0 &&
		((Var *) node)->varattno != TableOidAttributeNumber)
		refuse(level->view, "a system column");
	if (IsA(node, SubLink) && reads_secret(((SubLink *) node)->subselect, level))
		refuse(level->view, "a sub-select on a relation that is not public");
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, check_expression, level, 0);
	return expression_tree_walker(node, check_expression, level);
}

/*
 * How the unit reaches the relations that a view joins.
 *
 * From the unit column a chain of equalities leads to columns that hold the unit, and to columns
 * that refer to the key of a relation whose rows are those of the unit. Each link compares by the
 * equality of the columns on both of its ends, so along the chain one equality tells units apart.
 */

/* a = b holds. into: entries that it may lead into, where it is of an outer join; NULL: any. */
typedef struct Equality
{
	ViewPlace a;
	ViewPlace b;
	Bitmapset *into;
} Equality;

/* A table below the view, and the column that tells whose its rows are. */
typedef struct Base
{
	Oid relation;
	List *rows_of; /* relations whose rows are read: itself, and its children unless ONLY it is */
	AttrNumber column; /* 0: none, or an expression */
	ViewKey parent;    /* that the column refers to; none: it holds the unit */
} Base;

static RangeTblEntry *
view_entry(const ViewLevel *level, int entry)
{
	return list_nth_node(RangeTblEntry, level->query->rtable, entry - 1);
}

static DpComparable
values_of(const Node *expression)
{
	return (DpComparable){exprType(expression), exprCollation(expression)};
}

/* Not so that of citext to text. */
static bool
relabel_keeps_equality(const RelabelType *relabel)
{
	return dp_one_equality(values_of((const Node *) relabel->arg),
						   values_of((const Node *) relabel));
}

/* The column of a relation that an expression is, seen through joins; else none. */
static ViewPlace
view_place(const ViewLevel *level, Node *node)
{
	for (;;)
	{
		const Var *var = (Var *) node;

		if (node != NULL && IsA(node, RelabelType) && relabel_keeps_equality((RelabelType *) node))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (node == NULL || !IsA(node, Var) || var->varlevelsup > 0 || var->varattno <= 0)
			return (ViewPlace){0, 0};
		else if (view_entry(level, var->varno)->rtekind != RTE_JOIN)
			return (ViewPlace){var->varno, var->varattno};
		else
			node = list_nth(view_entry(level, var->varno)->joinaliasvars, var->varattno - 1);
	}
}

/* Whether it is the equality by which both columns tell units apart. */
static bool
tells_units(const OpExpr *equality)
{
	DpComparable values;

	if (list_length(equality->args) != 2)
		return false;
	values = values_of(linitial(equality->args));
	return dp_one_equality(values, values_of(lsecond(equality->args))) &&
		   dp_operator_is_equality_of(equality->opno, equality->inputcollid, values);
}

/*
 * Keeps the equalities of columns that must all hold. into: entries that they may lead into, where
 * the condition is of an outer join; NULL: any.
 */
static void
view_equalities(ViewLevel *level, Node *condition, Bitmapset *into)
{
	ListCell *cell;

	if (condition == NULL)
		return;
	if (IsA(condition, List))
		foreach (cell, (List *) condition)
			view_equalities(level, lfirst(cell), into);
	else if (is_andclause(condition))
		foreach (cell, ((BoolExpr *) condition)->args)
			view_equalities(level, lfirst(cell), into);
	else if (IsA(condition, OpExpr) && tells_units((OpExpr *) condition))
	{
		Equality *equality = palloc(sizeof(Equality));

		equality->a = view_place(level, linitial(((OpExpr *) condition)->args));
		equality->b = view_place(level, lsecond(((OpExpr *) condition)->args));
		equality->into = into;
		if (equality->a.entry != 0 && equality->b.entry != 0)
			level->equalities = lappend(level->equalities, equality);
	}
}

/*
 * The relations whose rows an entry reads. No lock keeps others from being attached to them: the view
 * is judged again under the ledger lock, and once more after its rows were read.
 */
static List *
rows_read(const RangeTblEntry *entry)
{
	return entry->inh ? find_all_inheritors(entry->relid, NoLock, NULL)
					  : list_make1_oid(entry->relid);
}

/* A key is unique over partitions, but not over children of a plain table. */
static bool
key_is_unique(const RangeTblEntry *entry)
{
	return !entry->inh || get_rel_relkind(entry->relid) == RELKIND_PARTITIONED_TABLE ||
		   list_length(rows_read(entry)) == 1;
}

static bool
refers_to(Oid child, AttrNumber column, Oid parent, AttrNumber key)
{
	ListCell *cell;

	foreach (cell, dp_foreign_keys(child))
	{
		const DpForeignKey *reference = lfirst(cell);

		if (reference->columns == 1 && reference->parent == parent && !reference->period &&
			reference->obstacle == NULL && get_attnum(child, reference->column[0]) == column &&
			get_attnum(parent, reference->key[0]) == key)
			return true;
	}
	return false;
}

/* Whether a column is known to hold the unit. */
static bool
holds_unit(const List *units, ViewPlace place)
{
	ListCell *cell;

	foreach (cell, units)
		if (((ViewPlace *) lfirst(cell))->entry == place.entry &&
			((ViewPlace *) lfirst(cell))->column == place.column)
			return true;
	return false;
}

static bool
entry_refers(const ViewLevel *level, ViewPlace from, ViewPlace to)
{
	const RangeTblEntry *child = view_entry(level, from.entry);
	const RangeTblEntry *parent = view_entry(level, to.entry);

	return child->rtekind == RTE_RELATION && parent->rtekind == RTE_RELATION &&
		   !dp_is_view(child->relid) && !dp_is_view(parent->relid) && key_is_unique(parent) &&
		   refers_to(child->relid, from.column, parent->relid, to.column);
}

/* Follows an equality from one side to the other; whether that reached anything new. */
static bool
follow(ViewLevel *level, List **units, const Bitmapset *into, ViewPlace from, ViewPlace to)
{
	bool is_unit = holds_unit(*units, from);

	if (holds_unit(*units, to) || !bms_is_member(to.entry, level->secret) ||
		(into != NULL && !bms_is_member(to.entry, into)))
		return false;
	if (is_unit)
	{
		ViewPlace *unit = palloc(sizeof(ViewPlace));

		*unit = to;
		*units = lappend(*units, unit);
	}
	else if (level->tie[from.entry].entry == 0 || level->tie[to.entry].entry != 0 ||
			 !entry_refers(level, to, from))
		return false;
	if (level->tie[to.entry].entry == 0)
	{
		level->tie[to.entry] = to;
		if (!is_unit)
			level->parent[to.entry] = (ViewKey){view_entry(level, from.entry)->relid, from.column};
	}
	return true;
}

/* Fills tie and parent of all entries that equalities lead to from the column of the unit. */
static void
view_follow_unit(ViewLevel *level, ViewPlace unit)
{
	List *units = list_make1(&unit);
	bool moved = true;
	ListCell *cell;

	level->tie[unit.entry] = unit;
	while (moved)
	{
		moved = false;
		foreach (cell, level->equalities)
		{
			const Equality *equality = lfirst(cell);

			moved |= follow(level, &units, equality->into, equality->a, equality->b);
			moved |= follow(level, &units, equality->into, equality->b, equality->a);
		}
	}
}

static bool
rows_overlap(const Base *a, const Base *b)
{
	ListCell *cell;

	foreach (cell, a->rows_of)
		if (list_member_oid(b->rows_of, lfirst_oid(cell)))
			return true;
	return false;
}

static bool
name_is(Oid relation, AttrNumber column, Oid other, AttrNumber other_column)
{
	return strcmp(get_attname(relation, column, false), get_attname(other, other_column, false)) ==
		   0;
}

/*
 * Whether the same rows are those of the same unit by both ties. A column can refer to several keys
 * of a relation: then its rows by one key are not those by another. Parents and children have
 * their columns in another order, but under the same names.
 */
static bool
ties_agree(const Base *a, const Base *b)
{
	return a->column != 0 && b->column != 0 && a->parent.relation == b->parent.relation &&
		   a->parent.column == b->parent.column &&
		   name_is(a->relation, a->column, b->relation, b->column);
}

/* Rows that are read in two places must be those of a unit in both. */
static void
view_base_add(ViewLevel *level, int entry)
{
	Base *base = palloc(sizeof(Base));
	ListCell *cell;

	*base = (Base){view_entry(level, entry)->relid, rows_read(view_entry(level, entry)),
				   level->tie[entry].column, level->parent[entry]};
	foreach (cell, level->walk->bases)
	{
		const Base *other = lfirst(cell);

		if (rows_overlap(base, other) && !ties_agree(base, other))
			refuse(level->view,
				   psprintf("rows of relation \"%s\" twice, with different columns for "
							"the unit",
							dp_relation_words(base->relation)));
	}
	level->walk->bases = lappend(level->walk->bases, base);
}

static void check_query(const ViewLevel *above, Oid view, Query *query, AttrNumber unit);

static Query *
view_query(Oid view)
{
	Relation relation = relation_open(view, AccessShareLock);
	Query *query = NULL;

	for (int i = 0; relation->rd_rules != NULL && i < relation->rd_rules->numLocks; i++)
		if (relation->rd_rules->rules[i]->event == CMD_SELECT)
			query = copyObject(linitial_node(Query, relation->rd_rules->rules[i]->actions));
	relation_close(relation, AccessShareLock);
	if (query == NULL)
		elog(ERROR, "dpsyn: view %u has no query", view);
	return query;
}

/* Adds the relations that a query names, whatever it names them for. */
static bool
collect_relations(Node *node, List **relations)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		if (OidIsValid(entry->relid))
			*relations = list_append_unique_oid(*relations, entry->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, collect_relations, relations,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, collect_relations, relations);
}

List *
dp_view_reads(Oid view)
{
	List *relations = NIL;

	(void) collect_relations((Node *) view_query(view), &relations);
	/* before PostgreSQL 16 a view names itself as OLD and NEW */
	return list_delete_oid(relations, view);
}

/* The query behind an entry, and the view that has it; NULL: it is a table. */
static Query *
query_behind(const ViewLevel *level, int number, Oid *view)
{
	const RangeTblEntry *entry = view_entry(level, number);

	*view = entry->rtekind == RTE_RELATION ? entry->relid : level->view;
	if (entry->rtekind == RTE_SUBQUERY)
		return entry->subquery;
	return dp_is_view(entry->relid) ? view_query(entry->relid) : NULL;
}

/* Functions and VALUES in FROM are expressions over the row so far. */
static bool
entry_is_secret(ViewLevel *level, int number)
{
	const RangeTblEntry *entry = view_entry(level, number);
	ViewLevel below = *level;
	Query *query;

	if (entry->rtekind != RTE_RELATION && entry->rtekind != RTE_SUBQUERY)
		return false;
	if (entry->tablesample != NULL)
		refuse(level->view, "TABLESAMPLE");
	if (entry->rtekind == RTE_RELATION &&
		list_member_oid(level->walk->public_relations, entry->relid))
		return false;
	query = query_behind(level, number, &below.view);
	if (query == NULL)
		return true;
	if (below.view != level->view)
		(void) check_expression((Node *) query, &below);
	return reads_secret((Node *) query, &below);
}

/* Returns the entries below a node of FROM. */
static Bitmapset *
from_collect(ViewLevel *level, Node *node, bool nullable)
{
	Bitmapset *left = NULL, *right = NULL, *into = NULL;
	ListCell *cell;
	JoinExpr *join;

	if (IsA(node, RangeTblRef))
	{
		int entry = ((RangeTblRef *) node)->rtindex;

		if (entry_is_secret(level, entry))
			level->secret = bms_add_member(level->secret, entry);
		if (nullable)
			level->nullable = bms_add_member(level->nullable, entry);
		return bms_make_singleton(entry);
	}
	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
			left = bms_join(left, from_collect(level, lfirst(cell), nullable));
		view_equalities(level, ((FromExpr *) node)->quals, NULL);
		return left;
	}
	join = castNode(JoinExpr, node);
	if (join->jointype == JOIN_FULL)
		refuse(level->view, "FULL JOIN");
	left = from_collect(level, join->larg, nullable || join->jointype == JOIN_RIGHT);
	right = from_collect(level, join->rarg, nullable || join->jointype == JOIN_LEFT);
	if (join->jointype != JOIN_INNER)
		into = bms_copy(join->jointype == JOIN_LEFT ? right : left);
	view_equalities(level, join->quals, into);
	return bms_join(left, right);
}

static void
check_entry(ViewLevel *level, int entry)
{
	Oid view;
	Query *query = query_behind(level, entry, &view);

	if (query == NULL)
		view_base_add(level, entry);
	else
		check_query(level, view, query, level->tie[entry].column);
}

/* An expression of the columns of one row. */
typedef struct RowExpression
{
	const ViewLevel *level;
	int entry; /* of that row */
} RowExpression;

static bool
sees_more_than_a_row(Node *node, RowExpression *row)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
		return true;
	if (IsA(node, Var))
		return view_place(row->level, node).entry != row->entry;
	return expression_tree_walker(node, sees_more_than_a_row, row);
}

/* Whether the unit is a value that is computed from each row of an entry, one value a row. */
static bool
unit_is_computed(const ViewLevel *level, Node *unit, int entry)
{
	RowExpression row = {level, entry};
	const RangeTblEntry *from = rt_fetch(entry, level->query->rtable);

	/* a column of a sub-query or view may itself come from a public relation, or from several
	 * relations */
	if (from->rtekind != RTE_RELATION || dp_is_view(from->relid))
		return false;
	return level->alone && !expression_returns_set(unit) && !sees_more_than_a_row(unit, &row);
}

/* unit_expression: that of the column that must hold the unit; NULL: none must. */
static void
check_joins(ViewLevel *level, Node *unit_expression)
{
	ViewPlace unit = view_place(level, unit_expression);
	int first = bms_next_member(level->secret, -1);
	int entry = -1;

	if (bms_membership(level->secret) == BMS_SINGLETON)
	{
		if (bms_is_member(first, level->nullable))
			refuse(level->view, "an outer join that keeps public rows without a match");
		if (unit.entry == first)
			level->tie[first] = unit;
		else if (unit_expression != NULL && !unit_is_computed(level, unit_expression, first))
			refuse(level->view, "a unit_column that is not from the relation whose rows it tells "
								"apart, one value a row");
		check_entry(level, first);
		return;
	}
	level->alone = false;
	if (unit.entry == 0 || !bms_is_member(unit.entry, level->secret) ||
		bms_is_member(unit.entry, level->nullable))
		refuse(level->view,
			   "a join of relations that are not public, without a unit_column from one of them");
	view_follow_unit(level, unit);
	while ((entry = bms_next_member(level->secret, entry)) >= 0)
	{
		if (level->tie[entry].entry == 0)
			refuse(level->view, "a join that is not along the unit");
		check_entry(level, entry);
	}
}

/* unit: the column of the query that must hold the unit; 0: none. */
static void
check_query(const ViewLevel *above, Oid view, Query *query, AttrNumber unit)
{
	ViewLevel level = {.walk = above->walk, .view = view, .query = query, .alone = above->alone};
	int entries = list_length(query->rtable) + 1;
	Node *expression = NULL;

	check_stack_depth();
	level.tie = palloc0(sizeof(ViewPlace) * entries);
	level.parent = palloc0(sizeof(ViewKey) * entries);
	(void) from_collect(&level, (Node *) query->jointree, false);
	if (bms_is_empty(level.secret) && !reads_secret((Node *) query, &level))
		return; /* nobody's rows */
	check_constructs(view, query);
	if (unit > 0)
		expression = (Node *) list_nth_node(TargetEntry, query->targetList, unit - 1)->expr;
	if (!bms_is_empty(level.secret))
		check_joins(&level, expression);
}

void
dp_check_view(Oid view, const char *unit_column, List *public_relations)
{
	ViewWalk walk = {public_relations, NIL};
	ViewLevel level = {.walk = &walk, .view = view, .query = view_query(view), .alone = true};

	(void) check_expression((Node *) level.query, &level);
	check_query(&level, view, level.query, unit_column ? get_attnum(view, unit_column) : 0);
}
