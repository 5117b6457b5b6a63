/*
 * taken_over.c -- expressions of a relation, taken over into a table that is made like it.
 */
#include "pg/synthetic/taken_over.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/server/untrusted_code.h"

void
dp_raise_not_taken(void)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("a relation or a type was changed while a table was made like it"),
					errhint("Try again.")));
}

/* ---- columns ---- */

DpTakenColumns
dp_taken_columns(Relation source, Relation target)
{
	TupleDesc from = RelationGetDescr(source), to = RelationGetDescr(target);
	DpTakenColumns taken = {.n = from->natts};

	taken.column = palloc0(sizeof(DpTakenColumn) * Max(from->natts, 1));
	for (int i = 0; i < from->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(from, i);
		AttrNumber number = form->attisdropped
								? InvalidAttrNumber
								: get_attnum(RelationGetRelid(target), NameStr(form->attname));

		if (number > 0)
			taken.column[i] = (DpTakenColumn){
				.number = number,
				.type = TupleDescAttr(to, number - 1)->atttypid,
				.typmod = TupleDescAttr(to, number - 1)->atttypmod,
				.collation = TupleDescAttr(to, number - 1)->attcollation,
			};
	}
	return taken;
}

/* ---- expressions ---- */

typedef struct Taking
{
	const DpTakenColumns *columns;
	AttrNumber value;
} Taking;

static bool
is_of_column(const DpTakenColumns *columns, Oid type)
{
	for (int i = 0; i < columns->n; i++)
		if (columns->column[i].type == type)
			return true;
	return false;
}

/* The type in the new table: the base type of a domain, unless a column of the original has the
 * domain. */
static Oid
type_taken(const DpTakenColumns *columns, Oid type)
{
	return is_of_column(columns, type) ? type : getBaseType(type);
}

/* Values of a domain are values of the type below. Nothing else may take the place of a type. */
static Node *
column_taken(const Taking *taking, AttrNumber number, Oid type)
{
	const DpTakenColumn *column;

	if (number <= 0 || number > taking->columns->n)
		dp_raise_not_taken();
	column = &taking->columns->column[number - 1];
	if (column->number == 0 || getBaseType(column->type) != getBaseType(type))
		dp_raise_not_taken();
	return (Node *) makeVar(1, column->number, column->type, column->typmod, column->collation, 0);
}

/* The value itself, if it has the type by now that it was to be taken for. */
static Node *
without_relabel(RelabelType *relabel)
{
	Node *value = (Node *) relabel->arg;
	bool same = exprType(value) == relabel->resulttype &&
				exprCollation(value) == relabel->resultcollid &&
				(relabel->resulttypmod < 0 || exprTypmod(value) == relabel->resulttypmod);

	return same ? value : (Node *) relabel;
}

static Node *
take(Node *node, void *context)
{
	const Taking *taking = context;
	const DpTakenColumns *columns = taking->columns;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return column_taken(taking, ((Var *) node)->varattno, ((Var *) node)->vartype);
	if (IsA(node, CoerceToDomainValue))
		return column_taken(taking, taking->value, ((CoerceToDomainValue *) node)->typeId);
	node = expression_tree_mutator(node, take, context);
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			((FuncExpr *) node)->funcresulttype =
				type_taken(columns, ((FuncExpr *) node)->funcresulttype);
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr: /* all three are one struct */
			((OpExpr *) node)->opresulttype = type_taken(columns, ((OpExpr *) node)->opresulttype);
			break;
		case T_RelabelType:
			((RelabelType *) node)->resulttype =
				type_taken(columns, ((RelabelType *) node)->resulttype);
			return without_relabel((RelabelType *) node);
		case T_CaseExpr:
			((CaseExpr *) node)->casetype = type_taken(columns, ((CaseExpr *) node)->casetype);
			break;
		case T_CaseTestExpr:
			((CaseTestExpr *) node)->typeId = type_taken(columns, ((CaseTestExpr *) node)->typeId);
			break;
		case T_CoalesceExpr:
			((CoalesceExpr *) node)->coalescetype =
				type_taken(columns, ((CoalesceExpr *) node)->coalescetype);
			break;
		case T_MinMaxExpr:
			((MinMaxExpr *) node)->minmaxtype =
				type_taken(columns, ((MinMaxExpr *) node)->minmaxtype);
			break;
		default:
			break;
	}
	return node;
}

Node *
dp_taken_expression(Node *expression, const DpTakenColumns *columns, AttrNumber value)
{
	Taking taking = {columns, value};

	if (dp_stored_expression_obstacle(expression) != NULL)
		dp_raise_not_taken();
	return take(expression, &taking);
}
