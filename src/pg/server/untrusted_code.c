/*
 * untrusted_code.c -- whether a type or an expression can run untrusted code.
 */
#include "pg/server/untrusted_code.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/server/rights.h"
#include "pg/server/expression_work.h"
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
dp_check_type_readable(const char *column, Oid type, Oid owner)
{
	if (!OidIsValid(owner) || dp_may_become(GetUserId(), owner) ||
		!dp_type_runs_code(getBaseType(type)))
		return;
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("column \"%s\" cannot be drawn as %s", column, format_type_be(type)),
					errdetail("Reading that type can run code of others. It is read only for the "
							  "owner of the row type."),
					errhint("Draw into a row type of your own in which the column is a text.")));
}

/* What is asked of an expression. */
typedef struct Judge
{
	bool stored;    /* it is to be an expression of a table of the current user's */
	char *obstacle; /* half a sentence */
} Judge;

/* ---- functions ---- */

/* Functions of PostgreSQL that are not immutable, and do nothing but tell. */
static bool
only_tells(Oid function)
{
	static const char *const names[] = {
		"now",
		"transaction_timestamp",
		"statement_timestamp",
		"clock_timestamp",
		"timeofday",
		"random",
		"gen_random_uuid",
		"uuidv4",
		"uuidv7",
	};
	const char *name = get_func_name(function);

	for (size_t i = 0; name != NULL && i < lengthof(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Whether the meaning of a type's values depends on settings of the session. */
static bool
is_of_session(Oid type)
{
	switch (type)
	{
		case CASHOID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

static bool
is_scalar(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return true;
		default:
			return is_of_session(type);
	}
}

/* From numbers, texts and times to one of these. So it calls no cast, and reads no type. */
static bool
is_of_scalars(const FormData_pg_proc *form)
{
	for (int i = 0; i < form->pronargs; i++)
		if (!is_scalar(form->proargtypes.values[i]))
			return false;
	return is_scalar(form->prorettype);
}

/* Computes with times or money, and gives such, a number or whether something is so, or prints one:
 * what settings of the session decide, as where a row is inserted. */
static bool
computes_by_session(const FormData_pg_proc *form)
{
	bool any = form->pronargs > 0 && form->prorettype == CASHOID;

	if (form->prorettype == CSTRINGOID && form->pronargs == 1)
		return is_of_session(form->proargtypes.values[0]);
	if (!is_of_scalars(form) || form->prorettype == TEXTOID)
		return false;
	for (int i = 0; i < form->pronargs; i++)
		any |= is_of_session(form->proargtypes.values[i]);
	return any;
}

/* Whose owner cannot make it another one for the current user. CREATE OR REPLACE keeps the OID. */
static bool
is_of_trusted_owner(const FormData_pg_proc *form)
{
	return form->proowner == GetUserId() || superuser_arg(form->proowner);
}

/* An extension declares functions of PostgreSQL's for a type of its own, too: citext's ~ is one. */
static bool
is_of_superusers_language(const FormData_pg_proc *form)
{
	return form->prolang == ClanguageId || form->prolang == INTERNALlanguageId;
}

static bool
is_internal_and_immutable(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc form = HeapTupleIsValid(tuple) ? (Form_pg_proc) GETSTRUCT(tuple) : NULL;
	bool result = form != NULL && form->prolang == INTERNALlanguageId &&
				  form->provolatile == PROVOLATILE_IMMUTABLE;

	if (form != NULL)
		ReleaseSysCache(tuple);
	return result;
}

/*
 * Immutable functions take no text for SQL. Stable ones do (table_to_xml), and call casts of users
 * (to_json), so only those of times and money may be, such as comparisons of timestamps with a time
 * zone, and in a stored expression those of any plain scalars. Volatile ones can do anything.
 */
static bool
is_trusted_function(const Judge *judge, Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool own = function < FirstUnpinnedObjectId;
	Form_pg_proc form;
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	result = !form->proretset && form->prokind == PROKIND_FUNCTION;
	if (form->provolatile == PROVOLATILE_IMMUTABLE)
		result = result &&
				 (is_internal_and_immutable(dp_own_function(function)) ||
				  (judge->stored && is_of_superusers_language(form) && is_of_trusted_owner(form)));
	else
		result = result && own && form->prolang == INTERNALlanguageId &&
				 ((judge->stored && only_tells(function)) ||
				  (form->provolatile == PROVOLATILE_STABLE &&
				   (judge->stored ? is_of_scalars(form) : computes_by_session(form))));
	ReleaseSysCache(tuple);
	return result;
}

/* A function that a type may lack. */
static bool
is_missing_or_trusted(const Judge *judge, Oid function)
{
	return !OidIsValid(function) || is_trusted_function(judge, function);
}

/* Comparing arrays of a type, and least and greatest, call what its operator classes name, whoever
 * owns that. */
static bool
has_trusted_comparisons(const Judge *judge, Oid type)
{
	const TypeCacheEntry *entry =
		lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_GT_OPR |
									TYPECACHE_CMP_PROC | TYPECACHE_HASH_PROC);

	return is_missing_or_trusted(judge, get_opcode(entry->eq_opr)) &&
		   is_missing_or_trusted(judge, get_opcode(entry->lt_opr)) &&
		   is_missing_or_trusted(judge, get_opcode(entry->gt_opr)) &&
		   is_missing_or_trusted(judge, entry->cmp_proc) &&
		   is_missing_or_trusted(judge, entry->hash_proc);
}

/*
 * A type that PostgreSQL brings, or an enum, or one that trusted functions compare and, unless it is
 * to be stored, PostgreSQL's own read and print, such as citext, or an array of these.
 */
static bool
is_trusted_type(const Judge *judge, Oid type)
{
	Oid element = get_element_type(type), input, output, parameter;
	bool is_varlena;

	if (OidIsValid(element))
		return is_trusted_type(judge, element);
	if (type < FirstUnpinnedObjectId || get_typtype(type) == TYPTYPE_ENUM)
		return true;
	if (get_typtype(type) != TYPTYPE_BASE || !has_trusted_comparisons(judge, type))
		return false;
	if (judge->stored)
		return true;
	getTypeInputInfo(type, &input, &parameter);
	getTypeOutputInfo(type, &output, &is_varlena);
	return is_trusted_function(judge, input) && is_trusted_function(judge, output);
}

/* Whether an expression may use values of the type. The values of a domain exist already, so its
 * CHECKs do not run. */
static bool
is_plain_type(const Judge *judge, Oid type)
{
	type = getBaseType(type);
	return !dp_type_runs_code(type) && is_trusted_type(judge, type) &&
		   (judge->stored || !dp_type_names_objects(type));
}

static bool
is_own_in_sql(Oid function)
{
	HeapTuple tuple = function < FirstUnpinnedObjectId
						  ? SearchSysCache1(PROCOID, ObjectIdGetDatum(function))
						  : NULL;
	bool result =
		HeapTupleIsValid(tuple) && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/*
 * What a call of one of PostgreSQL's own functions in SQL comes to, over columns in place of its
 * arguments: round(numeric), date_part of a date, a text beside a number. Their words were parsed
 * when PostgreSQL was built, or name the schema of all they use (textanycat), so no search_path gives
 * them a meaning. NULL: it is no such call.
 */
static Node *
own_words(Node *node)
{
	FuncExpr *call = makeNode(FuncExpr);
	AttrNumber number = 0;
	ListCell *cell;
	Node *words;

	if (IsA(node, FuncExpr))
		*call = *(FuncExpr *) node;
	else if (IsA(node, OpExpr))
	{
		const OpExpr *operation = (OpExpr *) node;

		*call = *makeFuncExpr(get_opcode(operation->opno), operation->opresulttype, operation->args,
							  operation->opcollid, operation->inputcollid, COERCE_EXPLICIT_CALL);
	}
	if (!is_own_in_sql(call->funcid))
		return NULL;
	call->args = list_copy(call->args);
	foreach (cell, call->args)
		lfirst(cell) = makeVar(1, ++number, exprType(lfirst(cell)), exprTypmod(lfirst(cell)),
							   exprCollation(lfirst(cell)), 0);
	words = eval_const_expressions(NULL, (Node *) call);
	return IsA(words, FuncExpr) && ((FuncExpr *) words)->funcid == call->funcid ? NULL : words;
}

static bool
is_foreign_function(Oid function, void *context)
{
	Judge *judge = context;

	if (is_trusted_function(judge, function))
		return false;
	judge->obstacle = psprintf("it calls the function %s", format_procedure(function));
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
is_plain_node(const Judge *judge, Node *node)
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
		case T_SubscriptingRef:
		case T_RowCompareExpr:
			return judge->stored;
		case T_SQLValueFunction:
			return judge->stored || is_clock((SQLValueFunction *) node);
		case T_Var:
			return ((Var *) node)->varattno > 0 && ((Var *) node)->varlevelsup == 0;
		default:
			return false;
	}
}

static bool
find_obstacle(Node *node, void *context)
{
	Judge *judge = context;
	Node *words;

	if (node == NULL)
		return false;
	check_stack_depth();
	words = own_words(node);
	if (words != NULL)
		return find_obstacle(words, context) ||
			   expression_tree_walker(node, find_obstacle, context);
	if (!is_plain_node(judge, node))
	{
		judge->obstacle = pstrdup("it is of a kind that is not evaluated");
		return true;
	}
	if (!IsA(node, List) && !IsA(node, CaseWhen) && !is_plain_type(judge, exprType(node)))
	{
		judge->obstacle = psprintf("it uses the type %s", format_type_be(exprType(node)));
		return true;
	}
	/* reading a text as a domain runs the CHECKs of the domain */
	if ((IsA(node, CoerceViaIO) || IsA(node, ArrayCoerceExpr)) && dp_type_runs_code(exprType(node)))
	{
		judge->obstacle = psprintf("it converts to the type %s", format_type_be(exprType(node)));
		return true;
	}
	/* those that read and print types are superusers'; the types have been looked at */
	if (!(judge->stored && IsA(node, CoerceViaIO)) &&
		check_functions_in_node(node, is_foreign_function, context))
		return true;
	return expression_tree_walker(node, find_obstacle, context);
}

char *
dp_expression_obstacle(Node *expression)
{
	Judge judge = {.stored = false};

	(void) find_obstacle(expression, &judge);
	return judge.obstacle;
}

char *
dp_stored_expression_obstacle(Node *expression)
{
	Judge judge = {.stored = true};

	(void) find_obstacle(expression, &judge);
	return judge.obstacle;
}

/* ---- SQL ---- */

PG_FUNCTION_INFO_V1(dp_runs_code);

/* Nobody but PostgreSQL makes a pg_node_tree, so its words can be trusted. */
Datum
dp_runs_code(PG_FUNCTION_ARGS)
{
	DpWork work = {DP_RELATION_WORK_MAX};
	Node *expression = dp_expression_read(text_to_cstring(PG_GETARG_TEXT_PP(0)), &work);

	/* what takes long for each row is as little wanted in a table of one's own */
	PG_RETURN_BOOL(expression == NULL || dp_stored_expression_obstacle(expression) != NULL ||
				   dp_expression_is_long(expression));
}

PG_FUNCTION_INFO_V1(dp_is_code);

Datum
dp_is_code(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dp_type_runs_code(PG_GETARG_OID(0)));
}
