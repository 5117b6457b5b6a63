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

#include "pg/server/untrusted_code.h"

bool
dp_is_subject(Node *node, const DpSubject *subject)
{
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
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

#define DEFAULT_BYTES_MAX 4000

Node *
dp_default_read(const char *words)
{
	DpWork work = {DEFAULT_BYTES_MAX};

	return dp_expression_read(words, &work);
}

Const *
dp_constant_default(Relation relation, AttrNumber number)
{
	const TupleConstr *constr = RelationGetDescr(relation)->constr;

	for (int i = 0; constr != NULL && i < constr->num_defval; i++)
		if (constr->defval[i].adnum == number)
		{
			Node *value = dp_default_read(constr->defval[i].adbin);

			return value == NULL ? NULL : dp_constant_of(without_length(value));
		}
	return NULL;
}

/* ---- constraints ---- */

#define BYTES_A_NODE 16 /* of the words; a visit looks at each node */

/* Looks at those of the table or of the column's types. */
static bool
visit_checks(DpChecks *checks, bool of_type, const DpSubject *subject, DpCheckVisit visit,
			 void *context)
{
	ListCell *cell;

	foreach (cell, checks->all)
	{
		const DpCheck *check = lfirst(cell);

		if (check->of_type != of_type || !check->holds || check->written == NULL ||
			!bms_is_member(subject->number, check->columns))
			continue;
		if (!dp_work_spend(&checks->work, check->bytes / BYTES_A_NODE))
			checks->unseen = bms_add_member(checks->unseen, subject->number);
		else if (visit(check->written, subject, context))
			return true;
	}
	return false;
}

bool
dp_checks_visit(DpChecks *checks, const DpSubject *subject, DpCheckVisit visit, void *context)
{
	return (checks->enforced && visit_checks(checks, false, subject, visit, context)) ||
		   visit_checks(checks, true, subject, visit, context);
}
