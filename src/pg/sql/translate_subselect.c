/*
 * translate_subselect.c -- sub-selects of conditions, as conditions of a question: of public tables by
 * the values that come out, and of rows that belong to a row as EXISTS of those.
 */
#include "pg/budget/public_relation.h"
#include "pg/server/compat.h"
#include "pg/sql/translate.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/budget/parent.h"
#include "pg/domain/schema_keys.h"
#include "pg/server/catalog.h"
#include "pg/sql/absorb.h"

/* x IN (SELECT ...), by the values that come out. */
static DpRowExpression *
in_subselect(DpTranslation *translation, const SubLink *node, List *values)
{
	const OpExpr *test = (const OpExpr *) node->testexpr;
	bool folds = false;
	const DpFunction *function = test != NULL && IsA(test, OpExpr)
									 ? dp_function_of(dp_function_meant(test->opfuncid, &folds))
									 : NULL;
	List *parts;
	DpRowExpression *left;
	ListCell *cell;

	if (function == NULL || function->operator== NULL || strcmp(function->operator, "=") != 0)
		dp_translation_refuse(translation, (const Node *) node, "a comparison with a sub-select",
							  "Write IN.");
	if (values == NIL)
		return dp_x_value(BOOLOID, "f");
	left = dp_translate(translation, linitial(test->args));
	left = folds ? dp_folded(left) : left;
	parts = list_make1(left);
	foreach (cell, values)
	{
		DpRowExpression *value = dp_translate_constant(translation, lfirst(cell));

		if (value->type == VARCHAROID && left->type == TEXTOID)
			value = dp_x_value(TEXTOID, value->text);
		value = folds ? dp_folded(value) : value;
		if (value->type != left->type)
			dp_translation_refuse(translation, (const Node *) node,
								  "IN with a sub-select of another type", "Cast what it selects.");
		parts = lappend(parts, value);
	}
	return dp_x_of(DP_X_IN, parts);
}

/* ---- EXISTS of rows that belong to rows of the question ---- */

Oid
dp_subselect_relation(const Query *query)
{
	const RangeTblEntry *entry;

	if (dp_more_than_rows(query) != NULL || query->cteList != NIL ||
		list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return InvalidOid;
	entry = rt_fetch((Index) linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex,
					 query->rtable);
	return entry->rtekind == RTE_RELATION && entry->inh && entry->tablesample == NULL ? entry->relid
																					  : InvalidOid;
}

/* The relation to whose rows rows of another one belong. False: it is not in the question. */
static bool
find_above(const DpTranslation *translation, const DpDataset *below, uint32 *number)
{
	ListCell *cell;

	foreach (cell, translation->asked->relations)
	{
		const DpAskedRelation *of = lfirst(cell);

		*number = (uint32) foreach_current_index(cell);
		if (!of->is_public && !of->is_below && of->units == NULL && of->relation == below->parent)
			return true;
	}
	return false;
}

static bool
is_column(const DpRowExpression *side, uint32 relation, const char *name)
{
	return side->kind == DP_X_COLUMN && side->relation == relation && strcmp(side->name, name) == 0;
}

/* Which column of the key a condition compares with that of its parent; -1: it is another one. */
static int
place_in_key(const DpRowExpression *condition, const DpForeignKey *key, uint32 below, uint32 above)
{
	if (condition->kind != DP_X_CALL || condition->function->operator== NULL ||
											strcmp(condition->function->operator, "=") != 0)
		return -1;
	for (int i = 0; i < 2 * key->columns; i++)
	{
		const DpRowExpression *side = list_nth(condition->arguments, i % 2);
		const DpRowExpression *other = list_nth(condition->arguments, 1 - i % 2);

		if (is_column(side, below, key->column[i / 2]) && is_column(other, above, key->key[i / 2]))
			return i / 2;
	}
	return -1;
}

/* What is said of the rows below but for the foreign key. ERROR unless all columns of that are
 * compared. */
static List *
conditions_below(DpTranslation *translation, const SubLink *node, const DpForeignKey *key,
				 uint32 above)
{
	uint32 below = translation->below;
	Bitmapset *found = NULL;
	List *parts = NIL;
	ListCell *cell;

	foreach (cell, dp_conjuncts(((const Query *) node->subselect)->jointree->quals, NIL))
	{
		DpRowExpression *condition = dp_translate(translation, lfirst(cell));
		int place = place_in_key(condition, key, below, above);

		if (place < 0)
			parts = lappend(parts, condition);
		else
			found = bms_add_member(found, place);
	}
	if (bms_num_members(found) < key->columns)
		dp_translation_refuse(translation, (const Node *) node,
							  "EXISTS of rows to which the foreign key does not lead",
							  "Compare all columns of the key.");
	return parts;
}

/* EXISTS (SELECT FROM visits WHERE visits.patient = patients.id AND ...); NULL: it is another one. */
static DpRowExpression *
exists_below(DpTranslation *translation, const SubLink *node)
{
	Oid relation = dp_subselect_relation((const Query *) node->subselect);
	uint32 above, below = (uint32) list_length(translation->asked->relations);
	DpDataset dataset;
	List *parts;

	if (translation->below > 0 || translation->of_units || !OidIsValid(relation) ||
		!dp_dataset_find(relation, false, &dataset) || !dataset.active ||
		!OidIsValid(dataset.parent) || !find_above(translation, &dataset, &above))
		return NULL;
	translation->asked->relations = lappend(
		translation->asked->relations, dp_asked_below_create(translation->asked, relation, above));
	translation->entries = lappend_int(translation->entries, 0);
	translation->below = below;
	parts = conditions_below(translation, node, dp_dataset_reference(&dataset), above);
	translation->below = 0;
	if (parts == NIL)
		return dp_x_exists(below, dp_x_value(BOOLOID, "t"));
	return dp_x_exists(below, list_length(parts) == 1 ? linitial(parts) : dp_x_of(DP_X_AND, parts));
}

/* Puts what a sub-select selects in the places where it is compared. Places within a sub-select on the
 * left belong to that one. */
static Node *
put_selected(Node *node, void *selected)
{
	if (node == NULL || IsA(node, SubLink))
		return node;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_SUBLINK)
		return copyObject(
			(Node *) list_nth_node(TargetEntry, selected, ((Param *) node)->paramid - 1)->expr);
	return expression_tree_mutator(node, put_selected, selected);
}

/* Whether rows of an entry of the question may be missing, in an outer join. */
static bool
may_be_missing(const DpTranslation *translation, Index entry)
{
	ListCell *cell;

	foreach (cell, translation->entries)
		if (lfirst_int(cell) == (int) entry)
			return translation->asked->all_units ||
				   ((const DpAskedRelation *) list_nth(translation->asked->relations,
													   foreach_current_index(cell)))
					   ->outer;
	return true;
}

/* Whether one of the expressions of the sub-select that IN compares may be NULL. */
static bool
may_be_null(const DpTranslation *translation, const Query *query, const Node *part)
{
	const Var *var = (const Var *) strip_implicit_coercions(unconstify(Node *, part));
	const RangeTblEntry *entry;

	if (IsA(var, Const))
		return ((const Const *) var)->constisnull;
	if (!IsA(var, Var) || var->varattno <= 0 || var->varlevelsup > 1 ||
		(var->varlevelsup == 1 && may_be_missing(translation, (Index) var->varno)))
		return true;
	entry =
		rt_fetch((Index) var->varno, var->varlevelsup == 0 ? query->rtable : translation->rtable);
	return entry->rtekind != RTE_RELATION || !dp_column_not_null(entry->relid, var->varattno);
}

static bool
may_compare_null(const DpTranslation *translation, const Query *query, const List *tests)
{
	ListCell *test, *part;

	foreach (test, tests)
	{
		if (!IsA(lfirst(test), OpExpr))
			return true;
		foreach (part, ((const OpExpr *) lfirst(test))->args)
			if (may_be_null(translation, query, lfirst(part)))
				return true;
	}
	return false;
}

/* What IN compares, as a condition within the sub-select. */
static Node *
compared(const SubLink *node)
{
	Node *test = copyObject(node->testexpr);

	IncrementVarSublevelsUp(test, 1, 0);
	return put_selected(test, ((const Query *) node->subselect)->targetList);
}

Query *
dp_subselect_as_exists(const SubLink *node)
{
	Query *query = copyObject((Query *) node->subselect);

	if (node->subLinkType == ANY_SUBLINK)
		query->jointree->quals = make_and_qual(query->jointree->quals, compared(node));
	return query;
}

/* x IN (SELECT y FROM visits ...), as EXISTS. Where x or y is NULL the two differ. */
static DpRowExpression *
in_below(DpTranslation *translation, const SubLink *node)
{
	const Query *query = (const Query *) node->subselect;
	SubLink *exists = copyObject(unconstify(SubLink *, node));
	DpDataset dataset;

	if (translation->below > 0 || translation->units != NULL ||
		!dp_dataset_find(dp_subselect_relation(query), false, &dataset) || !dataset.active)
		return NULL;
	if (may_compare_null(translation, query, dp_conjuncts(compared(node), NIL)))
		dp_translation_refuse(translation, (const Node *) node,
							  "IN with what can be NULL, or is no column,", "Write EXISTS.");
	exists->subLinkType = EXISTS_SUBLINK;
	exists->testexpr = NULL;
	exists->subselect = (Node *) dp_subselect_as_exists(node);
	return exists_below(translation, exists);
}

/*
 * Sub-selects of a question that read public tables alone. Runs in the caller's backend, with the
 * caller's rights.
 */

#define SUBSELECT_ROWS_MAX 10000

/* ---- what it reads ---- */

typedef struct Look
{
	int depth; /* of the query at hand */
	bool reads_other;
} Look;

static bool
look_at(Node *node, void *context)
{
	Look *look = context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *entry = (const RangeTblEntry *) node;

		if (entry->rtekind == RTE_RELATION && !dp_relation_is_public(entry->relid))
			look->reads_other = true;
		return false;
	}
	if (IsA(node, Var) && (int) ((Var *) node)->varlevelsup > look->depth)
		look->reads_other = true;
	if (IsA(node, Param) && ((Param *) node)->paramkind != PARAM_SUBLINK)
		look->reads_other = true;
	if (IsA(node, Query))
	{
		look->depth++;
		(void) query_tree_walker((Query *) node, look_at, context, QTW_EXAMINE_RTES_BEFORE);
		look->depth--;
		return false;
	}
	return expression_tree_walker(node, look_at, context);
}

/* Whether it reads nothing but tables that are declared public, and depends on no row. */
static bool
subselect_is_public(const Query *query)
{
	Look look = {.depth = -1};

	(void) look_at((Node *) unconstify(Query *, query), &look);
	return !look.reads_other && query->commandType == CMD_SELECT &&
		   !contain_volatile_functions((Node *) unconstify(Query *, query));
}

/* ---- running it ---- */

typedef struct ValueReceiver
{
	DestReceiver receiver; /* must be first */
	MemoryContext context;
	Oid type;
	List *values;
} ValueReceiver;

static void
start(DestReceiver *self, int operation, TupleDesc row)
{
	/* EXISTS may select nothing */
	((ValueReceiver *) self)->type = row->natts == 0 ? BOOLOID : TupleDescAttr(row, 0)->atttypid;
}

static void
end(DestReceiver *self)
{
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	ValueReceiver *receiver = (ValueReceiver *) self;
	MemoryContext caller = MemoryContextSwitchTo(receiver->context);
	int16 length;
	bool by_value, isnull = true;
	Datum value =
		slot->tts_tupleDescriptor->natts == 0 ? (Datum) 0 : slot_getattr(slot, 1, &isnull);

	if (list_length(receiver->values) >= SUBSELECT_ROWS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a sub-select of a private query has too many rows"),
				 errdetail("The limit is %d.", SUBSELECT_ROWS_MAX), errhint("Join the table.")));
	get_typlenbyval(receiver->type, &length, &by_value);
	if (!isnull && length == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM(value));
	receiver->values = lappend(
		receiver->values,
		makeConst(receiver->type, -1, get_typcollation(receiver->type), length,
				  isnull ? (Datum) 0 : datumCopy(value, by_value, length), isnull, by_value));
	MemoryContextSwitchTo(caller);
	return true;
}

/* The values of its first column, as Const *. ERROR: there are too many. */
static List *
subselect_values(const Query *query)
{
	ValueReceiver receiver = {.receiver = {.receiveSlot = receive,
										   .rStartup = start,
										   .rShutdown = end,
										   .rDestroy = end,
										   .mydest = DestTuplestore},
							  .context = CurrentMemoryContext};

	PushActiveSnapshot(GetTransactionSnapshot());
	dp_run_planned(DP_PLAN_QUERY(copyObject(unconstify(Query *, query)), "", 0, NULL), "", NULL,
				   &receiver.receiver);
	PopActiveSnapshot();
	return receiver.values;
}

DpRowExpression *
dp_translate_subselect(DpTranslation *translation, const SubLink *node)
{
	const Query *query = (const Query *) node->subselect;
	DpRowExpression *below = node->subLinkType == EXISTS_SUBLINK ? exists_below(translation, node)
							 : node->subLinkType == ANY_SUBLINK  ? in_below(translation, node)
																 : NULL;
	List *values;

	if (below != NULL)
		return below;
	if (!IsA(query, Query) || !subselect_is_public(query))
		dp_translation_refuse(
			translation, (const Node *) node,
			"a sub-select that reads more than public tables, or a row of the query around it",
			"Join the tables, or aggregate by person first.");
	values = subselect_values(query);
	switch (node->subLinkType)
	{
		case ANY_SUBLINK:
			return in_subselect(translation, node, values);
		case EXISTS_SUBLINK:
			return dp_x_value(BOOLOID, values == NIL ? "f" : "t");
		case EXPR_SUBLINK:
			if (list_length(values) > 1)
				ereport(ERROR,
						(errcode(ERRCODE_CARDINALITY_VIOLATION),
						 errmsg("more than one row returned by a subquery used as an expression")));
			return values == NIL ? dp_x_value(getBaseType(exprType((const Node *) node)), NULL)
								 : dp_translate_constant(translation, linitial(values));
		default:
			dp_translation_refuse(translation, (const Node *) node, "a sub-select of this kind",
								  "Write IN.");
	}
}
