/*
 * view_units.c -- how the unit reaches the relations that a view joins.
 *
 * From the unit column a chain of equalities leads to columns that hold the unit, and to columns
 * that refer to the key of a relation whose rows are those of the unit. Each link compares by the
 * equality of the columns on both of its ends, so along the chain one equality tells units apart.
 */
#include "pg/budget/view_level.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "pg/server/catalog.h"
#include "pg/server/equality.h"
#include "pg/server/foreign_key.h"

/* a = b holds. into: entries that it may lead into, where it is of an outer join; NULL: any. */
typedef struct Equality
{
	DpViewPlace a;
	DpViewPlace b;
	Bitmapset *into;
} Equality;

/* A table below the view, and the column that tells whose its rows are. */
typedef struct Base
{
	Oid relation;
	List *rows_of; /* relations whose rows are read: itself, and its children unless ONLY it is */
	AttrNumber column; /* 0: none, or an expression */
	DpViewKey parent;  /* that the column refers to; none: it holds the unit */
} Base;

RangeTblEntry *
dp_view_entry(const DpViewLevel *level, int entry)
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

DpViewPlace
dp_view_place(const DpViewLevel *level, Node *node)
{
	for (;;)
	{
		const Var *var = (Var *) node;

		if (node != NULL && IsA(node, RelabelType) && relabel_keeps_equality((RelabelType *) node))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (node == NULL || !IsA(node, Var) || var->varlevelsup > 0 || var->varattno <= 0)
			return (DpViewPlace){0, 0};
		else if (dp_view_entry(level, var->varno)->rtekind != RTE_JOIN)
			return (DpViewPlace){var->varno, var->varattno};
		else
			node = list_nth(dp_view_entry(level, var->varno)->joinaliasvars, var->varattno - 1);
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

void
dp_view_equalities(DpViewLevel *level, Node *condition, Bitmapset *into)
{
	ListCell *cell;

	if (condition == NULL)
		return;
	if (IsA(condition, List))
		foreach (cell, (List *) condition)
			dp_view_equalities(level, lfirst(cell), into);
	else if (is_andclause(condition))
		foreach (cell, ((BoolExpr *) condition)->args)
			dp_view_equalities(level, lfirst(cell), into);
	else if (IsA(condition, OpExpr) && tells_units((OpExpr *) condition))
	{
		Equality *equality = palloc(sizeof(Equality));

		equality->a = dp_view_place(level, linitial(((OpExpr *) condition)->args));
		equality->b = dp_view_place(level, lsecond(((OpExpr *) condition)->args));
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
holds_unit(const List *units, DpViewPlace place)
{
	ListCell *cell;

	foreach (cell, units)
		if (((DpViewPlace *) lfirst(cell))->entry == place.entry &&
			((DpViewPlace *) lfirst(cell))->column == place.column)
			return true;
	return false;
}

static bool
entry_refers(const DpViewLevel *level, DpViewPlace from, DpViewPlace to)
{
	const RangeTblEntry *child = dp_view_entry(level, from.entry);
	const RangeTblEntry *parent = dp_view_entry(level, to.entry);

	return child->rtekind == RTE_RELATION && parent->rtekind == RTE_RELATION &&
		   !dp_is_view(child->relid) && !dp_is_view(parent->relid) && key_is_unique(parent) &&
		   refers_to(child->relid, from.column, parent->relid, to.column);
}

/* Follows an equality from one side to the other; whether that reached anything new. */
static bool
follow(DpViewLevel *level, List **units, const Bitmapset *into, DpViewPlace from, DpViewPlace to)
{
	bool is_unit = holds_unit(*units, from);

	if (holds_unit(*units, to) || !bms_is_member(to.entry, level->secret) ||
		(into != NULL && !bms_is_member(to.entry, into)))
		return false;
	if (is_unit)
	{
		DpViewPlace *unit = palloc(sizeof(DpViewPlace));

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
			level->parent[to.entry] =
				(DpViewKey){dp_view_entry(level, from.entry)->relid, from.column};
	}
	return true;
}

void
dp_view_follow_unit(DpViewLevel *level, DpViewPlace unit)
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
void
dp_view_base_add(DpViewLevel *level, int entry)
{
	Base *base = palloc(sizeof(Base));
	ListCell *cell;

	*base = (Base){dp_view_entry(level, entry)->relid, rows_read(dp_view_entry(level, entry)),
				   level->tie[entry].column, level->parent[entry]};
	foreach (cell, level->walk->bases)
	{
		const Base *other = lfirst(cell);

		if (rows_overlap(base, other) && !ties_agree(base, other))
			dp_view_refuse(level->view,
						   psprintf("rows of relation \"%s\" twice, with different columns for "
									"the unit",
									dp_relation_label(base->relation)));
	}
	level->walk->bases = lappend(level->walk->bases, base);
}
