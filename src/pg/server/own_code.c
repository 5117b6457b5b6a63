/*
 * own_code.c -- whether a type or an expression can run what somebody wrote.
 */
#include "pg/server/own_code.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "pg/server/values.h"

/* ---- types ---- */

bool
dp_type_runs_code(Oid type)
{
	Oid element = get_element_type(type);

	if (OidIsValid(element))
		return dp_type_runs_code(element);
	switch (get_typtype(type))
	{
		case TYPTYPE_BASE:
		case TYPTYPE_ENUM:
			return false;
		case TYPTYPE_RANGE:
		case TYPTYPE_MULTIRANGE:
			return type >= FirstUnpinnedObjectId;
		default:
			return type != UNKNOWNOID && type != CSTRINGOID;
	}
}

void
dp_check_readable(const char *column, Oid type, Oid owner)
{
	if (!OidIsValid(owner) || has_privs_of_role(GetUserId(), owner) ||
		!dp_type_runs_code(getBaseType(type)))
		return;
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("column \"%s\" cannot be drawn as %s", column, format_type_be(type)),
					errdetail("Reading that type can run code of others. It is read only for the "
							  "owner of the row type."),
					errhint("Draw into a row type of your own in which the column is a text.")));
}

/* A type that PostgreSQL brings, or an enum, or an array of these. */
static bool
is_built_in(Oid type)
{
	Oid element = get_element_type(type);

	if (OidIsValid(element))
		return is_built_in(element);
	return type < FirstUnpinnedObjectId || get_typtype(type) == TYPTYPE_ENUM;
}

/* Whether values of the type can be handled in an expression. Those of a domain are there already,
 * and its CHECKs do not run. */
static bool
is_plain_type(Oid type)
{
	type = getBaseType(type);
	return !dp_type_runs_code(type) && !dp_type_names_objects(type) && is_built_in(type);
}

/* ---- functions ---- */

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

/* ---- expressions ---- */

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
		case T_CoerceToDomainValue:
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
	/* reading a text as a domain runs the CHECKs of the domain */
	if ((IsA(node, CoerceViaIO) || IsA(node, ArrayCoerceExpr)) && dp_type_runs_code(exprType(node)))
	{
		*obstacle = psprintf("it converts to the type %s", format_type_be(exprType(node)));
		return true;
	}
	return check_functions_in_node(node, is_foreign_function, context) ||
		   expression_tree_walker(node, find_obstacle, context);
}

char *
dp_expression_obstacle(Node *expression)
{
	char *obstacle = NULL;

	(void) find_obstacle(expression, &obstacle);
	return obstacle;
}
