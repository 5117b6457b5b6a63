/*
 * schema_checks.c -- the CHECK constraints that a column's values are known to pass, and the
 * constants in them.
 *
 * A CHECK counts only if PostgreSQL enforces it for every row. So constraints that are NOT VALID,
 * NOT ENFORCED or NO INHERIT do not count, nor do those of foreign tables.
 */
#include "pg/domain/schema_checks.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/server/own_code.h"

bool
dp_is_subject(Node *node, const DpSubject *subject)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (subject->number == 0)
		return IsA(node, CoerceToDomainValue);
	return IsA(node, Var) && ((Var *) node)->varattno == subject->number &&
		   ((Var *) node)->varlevelsup == 0;
}

/* ---- constants ---- */

static bool
is_users_function(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

/* Whether it is a cast of PostgreSQL's own that does not pad: 'a'::char(10000000) is ten million
 * bytes. */
static bool
is_plain_cast(const FuncExpr *call)
{
	return (call->funcformat == COERCE_EXPLICIT_CAST || call->funcformat == COERCE_IMPLICIT_CAST) &&
		   call->funcresulttype != BPCHAROID && call->funcresulttype != BITOID;
}

/* Whether it is a sign, or arithmetic whose result is an integer: 9.9 ^ 99999 would take long. */
static bool
is_plain_arithmetic(const OpExpr *operation)
{
	return list_length(operation->args) == 1 || operation->opresulttype == INT2OID ||
		   operation->opresulttype == INT4OID || operation->opresulttype == INT8OID;
}

/*
 * Whether there is more in an expression than constants, plain arithmetic, plain casts, and arrays
 * of these. To learn a fact nothing is run that a user wrote or that could take long.
 */
static bool
computes(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			if (!is_plain_cast((FuncExpr *) node))
				return true;
			break;
		case T_OpExpr:
			if (!is_plain_arithmetic((OpExpr *) node))
				return true;
			break;
		case T_List:
		case T_Const:
		case T_ArrayExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseTestExpr: /* stands for an element, in a cast of arrays */
			break;
		default:
			return true;
	}
	return (!IsA(node, List) && dp_type_runs_code(getBaseType(exprType(node)))) ||
		   check_functions_in_node(node, is_users_function, NULL) ||
		   expression_tree_walker(node, computes, context);
}

Const *
dp_constant_of(Node *node)
{
	if (computes(node, NULL))
		return NULL;
	node = eval_const_expressions(NULL, node);
	if (!IsA(node, Const) || ((Const *) node)->constisnull)
		return NULL;
	return (Const *) node;
}

/* What a length is imposed on: the 'EUR' of a char(3). */
static Node *
without_length(Node *node)
{
	FuncExpr *call = (FuncExpr *) node;

	return IsA(node, FuncExpr) && call->funcid < FirstUnpinnedObjectId &&
				   call->funcformat == COERCE_IMPLICIT_CAST && list_length(call->args) > 1 &&
				   exprType(linitial(call->args)) == call->funcresulttype
			   ? linitial(call->args)
			   : node;
}

Const *
dp_constant_default(Relation relation, AttrNumber number)
{
	const TupleConstr *constr = RelationGetDescr(relation)->constr;

	for (int i = 0; constr != NULL && i < constr->num_defval; i++)
		if (constr->defval[i].adnum == number)
			return dp_constant_of(without_length(stringToNode(constr->defval[i].adbin)));
	return NULL;
}

/* ---- constraints ---- */

Oid
dp_domain_base(Oid domain)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(domain));
	Oid base;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", domain);
	base = ((Form_pg_type) GETSTRUCT(tuple))->typbasetype;
	ReleaseSysCache(tuple);
	return base;
}

/* PostgreSQL does not enforce the constraints of a foreign table, which a partition may be. */
bool
dp_constraints_are_enforced(Relation relation)
{
	ListCell *cell;

	if (relation->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		return false;
	if (!relation->rd_rel->relhassubclass)
		return true;
	foreach (cell, find_all_inheritors(RelationGetRelid(relation), NoLock, NULL))
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			return false;
	return true;
}

/* A relation of many columns has as many CHECKs, and to parse all of them for each column would take
 * the square of that. */
bool
dp_check_mentions(const ConstrCheck *check, AttrNumber number)
{
	char variable[32];

	snprintf(variable, sizeof(variable), ":varattno %d ", number);
	return strstr(check->ccbin, variable) != NULL;
}

static bool
visit_table_checks(Relation relation, const DpSubject *subject, DpCheckVisit visit, void *context)
{
	TupleConstr *constraints = RelationGetDescr(relation)->constr;

	if (constraints == NULL || !dp_constraints_are_enforced(relation))
		return false;
	for (int i = 0; i < constraints->num_check; i++)
	{
		ConstrCheck *check = &constraints->check[i];

		if (check->ccvalid && !check->ccnoinherit && DP_CHECK_IS_ENFORCED(check) &&
			dp_check_mentions(check, subject->number) &&
			visit(stringToNode(check->ccbin), subject, context))
			return true;
	}
	return false;
}

/* The CHECKs of one domain, without those of the domain that it may be over. */
static bool
visit_checks_of_domain(Relation catalog, Oid domain, const DpSubject *value, DpCheckVisit visit,
					   void *context)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	bool ended = false;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(domain));
	scan = systable_beginscan(catalog, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (!ended && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint constraint = (Form_pg_constraint) GETSTRUCT(tuple);
		bool isnull;
		Datum words;

		if (constraint->contype != CONSTRAINT_CHECK || !constraint->convalidated)
			continue;
		words = heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(catalog), &isnull);
		ended = !isnull && visit(stringToNode(TextDatumGetCString(words)), value, context);
	}
	systable_endscan(scan);
	return ended;
}

bool
dp_checks_visit(Relation relation, const DpSubject *subject, DpCheckVisit visit, void *context)
{
	DpSubject value = *subject;
	Relation catalog;
	bool ended = false;

	if (visit_table_checks(relation, subject, visit, context))
		return true;
	value.number = 0;
	catalog = table_open(ConstraintRelationId, AccessShareLock);
	for (Oid type = subject->type; !ended && get_typtype(type) == TYPTYPE_DOMAIN;
		 type = dp_domain_base(type))
		ended = visit_checks_of_domain(catalog, type, &value, visit, context);
	table_close(catalog, AccessShareLock);
	return ended;
}
