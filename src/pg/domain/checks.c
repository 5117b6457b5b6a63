/*
 * checks.c -- the CHECKs of a relation that may be evaluated, and why others may not.
 *
 * A CHECK was written by the owner of a table or of a type, and is evaluated in the session of
 * whoever draws rows. So that neither runs code of the other, an expression is evaluated only if
 * each of its functions is one of PostgreSQL itself, immutable and written in C, and each of its
 * types is one of PostgreSQL itself, an enum, an array of these, or a domain over one. (To compare
 * values of an array, a row or a range, PostgreSQL calls functions of their element type, and to read
 * an array of a domain it runs the CHECKs of the domain.) CURRENT_DATE and the like are evaluated
 * too.
 */
#include "pg/domain/checks.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/domain/schema_checks.h"
#include "pg/server/values.h"

/* ---- what may be evaluated ---- */

static bool
is_plain_type(Oid type)
{
	Oid element;

	type = getBaseType(type);
	element = get_element_type(type);
	if (OidIsValid(element)) /* reading an array of a domain runs the CHECKs of the domain */
		return get_typtype(element) != TYPTYPE_DOMAIN && is_plain_type(element);
	return get_typtype(type) == TYPTYPE_ENUM ||
		   (type < FirstUnpinnedObjectId && get_typtype(type) != TYPTYPE_COMPOSITE &&
			!dp_type_names_objects(type));
}

static bool
is_own_function(Oid function)
{
	HeapTuple tuple;
	Form_pg_proc form;
	bool result;

	if (function >= FirstUnpinnedObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	result = form->prolang == INTERNALlanguageId && form->provolatile == PROVOLATILE_IMMUTABLE &&
			 !form->proretset && form->prokind == PROKIND_FUNCTION;
	ReleaseSysCache(tuple);
	return result;
}

static bool
is_foreign_function(Oid function, void *context)
{
	char **obstacle = context;

	if (is_own_function(function))
		return false;
	*obstacle = psprintf("it calls the function %s", format_procedure(function));
	return true;
}

static bool
is_clock(const SQLValueFunction *call)
{
	return call->op <= SVFOP_LOCALTIMESTAMP_N;
}

/* The kinds of nodes whose evaluation calls nothing but the functions that they name. */
static bool
is_plain_node(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Const:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_ArrayExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CollateExpr:
		case T_List:
			return true;
		case T_SQLValueFunction:
			return is_clock((SQLValueFunction *) node);
		case T_Var:
			return ((Var *) node)->varattno > 0 && ((Var *) node)->varlevelsup == 0;
		default:
			return false;
	}
}

/* The operator of a node; InvalidOid: it has none. */
static Oid
operator_of(Node *node)
{
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return ((OpExpr *) node)->opno;
		case T_ScalarArrayOpExpr:
			return ((ScalarArrayOpExpr *) node)->opno;
		default:
			return InvalidOid;
	}
}

/* Whether evaluating the expression could run code of users; then *obstacle says what. */
static bool
find_obstacle(Node *node, void *context)
{
	char **obstacle = context;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (!is_plain_node(node))
	{
		*obstacle = pstrdup("it is of a kind that is not evaluated");
		return true;
	}
	if (!IsA(node, List) && !IsA(node, CaseWhen) && !is_plain_type(exprType(node)))
	{
		*obstacle = psprintf("it uses the type %s", format_type_be(exprType(node)));
		return true;
	}
	if (OidIsValid(operator_of(node)) && operator_of(node) >= FirstUnpinnedObjectId)
	{
		*obstacle = psprintf("it uses the operator %s", format_operator(operator_of(node)));
		return true;
	}
	/* reading a text as a domain runs the CHECKs of the domain */
	if ((IsA(node, CoerceViaIO) || IsA(node, ArrayCoerceExpr)) &&
		getBaseType(exprType(node)) != exprType(node))
	{
		*obstacle = psprintf("it converts to the domain %s", format_type_be(exprType(node)));
		return true;
	}
	return check_functions_in_node(node, is_foreign_function, context) ||
		   expression_tree_walker(node, find_obstacle, context);
}

/* ---- expressions ---- */

static Bitmapset *
columns_of(Node *expression)
{
	Bitmapset *found = NULL;
	Bitmapset *columns = NULL;
	int number = -1;

	pull_varattnos(expression, 1, &found);
	while ((number = bms_next_member(found, number)) >= 0)
	{
		int column = number + FirstLowInvalidHeapAttributeNumber;

		if (column > 0)
			columns = bms_add_member(columns, column);
	}
	return columns;
}

static void
plan_expression(void *argument)
{
	Node **expression = argument;

	*expression = (Node *) expression_planner((Expr *) *expression);
}

static DpCheck *
check_create(const char *name, Node *expression)
{
	DpCheck *check = palloc0(sizeof(DpCheck));

	check->name = pstrdup(name);
	check->columns = columns_of(expression);
	if (find_obstacle(expression, &check->obstacle))
		return check;
	/* constants are computed here, once: 1 / 0 is an error */
	if (dp_attempt(plan_expression, &expression))
		check->expression = expression;
	else
		check->obstacle = pstrdup("it has no value");
	return check;
}

/* ---- domain types ---- */

static Node *
put_column(Node *node, void *context)
{
	const Var *column = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, CoerceToDomainValue))
	{
		CoerceToDomainValue *value = (CoerceToDomainValue *) node;

		return (Node *) makeRelabelType((Expr *) copyObject(unconstify(Var *, column)),
										value->typeId, value->typeMod, value->collation,
										COERCE_IMPLICIT_CAST);
	}
	return expression_tree_mutator(node, put_column, context);
}

/* Appends the CHECKs of the column's type, if it is a domain, and of the domains below it. */
static void
domain_checks(Form_pg_attribute form, List **checks)
{
	Var *column = makeVar(1, form->attnum, form->atttypid, form->atttypmod, form->attcollation, 0);
	Oid type = form->atttypid;

	while (get_typtype(type) == TYPTYPE_DOMAIN)
	{
		Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple tuple;

		ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(type));
		scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		{
			Form_pg_constraint constraint = (Form_pg_constraint) GETSTRUCT(tuple);
			bool isnull;
			Datum words =
				heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);

			if (constraint->contype == CONSTRAINT_CHECK && !isnull)
				*checks = lappend(
					*checks,
					check_create(NameStr(constraint->conname),
								 put_column(stringToNode(TextDatumGetCString(words)), column)));
		}
		systable_endscan(scan);
		table_close(catalog, AccessShareLock);
		type = dp_domain_base(type);
	}
}

/* ---- all of a relation ---- */

List *
dp_checks_read(Relation relation)
{
	TupleDesc desc = RelationGetDescr(relation);
	char kind = relation->rd_rel->relkind;
	List *checks = NIL;

	/* PostgreSQL does not make the CHECKs of a foreign table */
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return NIL;
	for (int i = 0; desc->constr != NULL && i < desc->constr->num_check; i++)
		if (DP_CHECK_IS_ENFORCED(&desc->constr->check[i]))
			checks = lappend(checks, check_create(desc->constr->check[i].ccname,
												  stringToNode(desc->constr->check[i].ccbin)));
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			domain_checks(TupleDescAttr(desc, i), &checks);
	return checks;
}

List *
dp_generated_read(Relation relation)
{
	TupleDesc desc = RelationGetDescr(relation);
	List *generated = NIL;

	for (int i = 0; desc->constr != NULL && i < desc->constr->num_defval; i++)
	{
		const AttrDefault *value = &desc->constr->defval[i];
		Form_pg_attribute form = TupleDescAttr(desc, value->adnum - 1);
		DpCheck *check;

		if (form->attisdropped || form->attgenerated == '\0')
			continue;
		check = check_create(NameStr(form->attname), stringToNode(value->adbin));
		check->column = value->adnum;
		/* the value would have to be brought to the domain, whose CHECKs would run */
		if (check->expression != NULL && exprType(check->expression) != form->atttypid &&
			getBaseType(form->atttypid) != exprType(check->expression))
		{
			check->expression = NULL;
			check->obstacle = pstrdup("it is of another type than its column");
		}
		generated = lappend(generated, check);
	}
	return generated;
}
