/*
 * undefined.c -- what has no value for some noisy number is NULL, and no error after it was paid for.
 *
 * A noisy count can be 0 or negative where the true one is not, or larger than a type holds, and groups
 * come back that nobody is in. Which number comes is known after the debit alone. So where PostgreSQL's
 * own functions compute with answers, a / b becomes a call of dp_or_null with the function of / and with
 * a and b, which is NULL where the function fails for them. A text that is read as another type becomes
 * a call with the input function of that type. What checks a domain is refused before anything is asked.
 */
#include "pg/sql/undefined.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/server/catalog.h"
#include "pg/server/compat.h"
#include "pg/server/subtransaction.h"
#include "pg/sql/absorb.h"
#include "pg/sql/answer_call.h"
#include "pg/sql/refuse.h"

PG_FUNCTION_INFO_V1(dp_or_null);

/* ---- which functions ---- */

/* Whether it is one of PostgreSQL's own that depends on its arguments alone, takes exactly these types,
 * and may fail. What compares does not; what matches a text with a pattern does. */
static bool
may_be_guarded(Oid function, const Oid *types, int n)
{
	HeapTuple tuple;
	Form_pg_proc form;
	bool may_be;

	if (function >= FirstUnpinnedObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	may_be = form->prolang == INTERNALlanguageId && !form->proretset &&
			 form->provolatile != PROVOLATILE_VOLATILE && form->prokind == PROKIND_FUNCTION &&
			 form->pronargs == n && n > 0 && get_typtype(form->prorettype) != TYPTYPE_PSEUDO &&
			 (form->prorettype != BOOLOID || (types[0] == TEXTOID && !form->proleakproof));
	for (int i = 0; i < n && may_be; i++)
		may_be = form->proargtypes.values[i] == types[i] &&
				 get_typtype(form->proargtypes.values[i]) != TYPTYPE_PSEUDO;
	ReleaseSysCache(tuple);
	return may_be;
}

/* What an input function takes beside a text: which type is read, and its modifier. */
#define INPUT_ARGUMENTS 3

/* Whether it reads a type of PostgreSQL's own, and these are a value, which is printed first, and the
 * rest that an input function takes. */
static bool
may_be_read(Oid function, const Oid *types, int n)
{
	HeapTuple tuple;
	Form_pg_proc form;
	bool may_be;

	if (function >= FirstUnpinnedObjectId || n != INPUT_ARGUMENTS || types[1] != OIDOID ||
		types[2] != INT4OID)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_proc) GETSTRUCT(tuple);
	may_be = form->prolang == INTERNALlanguageId && form->proisstrict &&
			 form->provolatile != PROVOLATILE_VOLATILE && form->pronargs > 0 &&
			 form->proargtypes.values[0] == CSTRINGOID &&
			 get_typtype(form->prorettype) == TYPTYPE_BASE;
	ReleaseSysCache(tuple);
	return may_be;
}

/* ---- calling them ---- */

typedef struct Guarded
{
	FmgrInfo function;
	FunctionCallInfo call;
	bool reads;       /* the first argument is printed for it */
	FmgrInfo printed; /* reads: by this */
	Datum value;
} Guarded;

static void
call_it(void *of)
{
	Guarded *guarded = of;

	if (guarded->reads)
		guarded->call->args[0].value =
			CStringGetDatum(OutputFunctionCall(&guarded->printed, guarded->call->args[0].value));
	guarded->value = FunctionCallInvoke(guarded->call);
}

/* What it is called with, for functions that ask for their types. */
static Node *
called_with(FunctionCallInfo fcinfo, Oid function)
{
	const FuncExpr *call = (const FuncExpr *) fcinfo->flinfo->fn_expr;

	return (Node *) makeFuncExpr(function, get_func_rettype(function),
								 list_copy_tail(call->args, 1), InvalidOid, fcinfo->fncollation,
								 COERCE_EXPLICIT_CALL);
}

static Guarded *
guarded_prepare(FunctionCallInfo fcinfo)
{
	int n = PG_NARGS() - 1;
	Oid types[FUNC_MAX_ARGS], function = PG_NARGS() > 0 ? PG_GETARG_OID(0) : InvalidOid;
	Guarded *guarded = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Guarded));
	MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	bool varlena;

	for (int i = 0; i < n; i++)
		types[i] = get_fn_expr_argtype(fcinfo->flinfo, i + 1);
	guarded->reads = may_be_read(function, types, n);
	if (get_fn_expr_argtype(fcinfo->flinfo, 0) != REGPROCEDUREOID ||
		!IsA(fcinfo->flinfo->fn_expr, FuncExpr) ||
		(!guarded->reads && !may_be_guarded(function, types, n)) ||
		DP_FUNCTION_ACLCHECK(function, GetUserId()) != ACLCHECK_OK)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("dp_or_null stands in private queries alone")));
	fmgr_info_cxt(function, &guarded->function, fcinfo->flinfo->fn_mcxt);
	fmgr_info_set_expr(called_with(fcinfo, function), &guarded->function);
	if (guarded->reads)
	{
		Oid printed;

		getTypeOutputInfo(types[0], &printed, &varlena);
		fmgr_info_cxt(printed, &guarded->printed, fcinfo->flinfo->fn_mcxt);
	}
	guarded->call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, SizeForFunctionCallInfo(n));
	InitFunctionCallInfoData(*guarded->call, &guarded->function, n, fcinfo->fncollation, NULL,
							 NULL);
	MemoryContextSwitchTo(caller);
	return guarded;
}

static bool
has_null(const FunctionCallInfo call)
{
	for (int i = 0; i < call->nargs; i++)
		if (call->args[i].isnull)
			return true;
	return false;
}

/* dp_or_null(function, arguments...) */
Datum
dp_or_null(PG_FUNCTION_ARGS)
{
	Guarded *guarded;

	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = guarded_prepare(fcinfo);
	guarded = fcinfo->flinfo->fn_extra;
	guarded->call->isnull = false;
	memcpy(guarded->call->args, &fcinfo->args[1], sizeof(NullableDatum) * (PG_NARGS() - 1));
	if ((guarded->function.fn_strict && has_null(guarded->call)) ||
		!dp_run_in_subtransaction_if(call_it, guarded, dp_error_is_of_values) ||
		guarded->call->isnull)
		PG_RETURN_NULL();
	return guarded->value;
}

/* ---- where they are called ---- */

static bool
is_constant(const List *arguments)
{
	ListCell *cell;

	foreach (cell, arguments)
		if (!IsA(lfirst(cell), Const))
			return false;
	return true;
}

static Const *
constant_of(Oid type, Datum value)
{
	return makeConst(type, -1, InvalidOid, sizeof(int32), value, false, true);
}

/* dp_or_null(function, arguments...) in place of a node that has that value. */
static Node *
or_null(const Node *node, Oid function, List *arguments, Oid collation)
{
	Oid type = exprType(node);
	Const *name = constant_of(REGPROCEDUREOID, ObjectIdGetDatum(function));
	FuncExpr *call = makeFuncExpr(dp_function_inside("dp_or_null", ANYOID), type,
								  list_concat(list_make1(name), arguments), exprCollation(node),
								  collation, COERCE_EXPLICIT_CALL);

	return exprTypmod(node) < 0
			   ? (Node *) call
			   : (Node *) makeRelabelType((Expr *) call, type, exprTypmod(node),
										  exprCollation(node), COERCE_IMPLICIT_CAST);
}

/* The call in place of a node that calls a function; the same node: it is not to be guarded. */
static Node *
guarded(Node *node, Oid function, List *arguments, Oid collation)
{
	Oid types[FUNC_MAX_ARGS];
	int n = 0;
	ListCell *cell;

	if (is_constant(arguments) || list_length(arguments) >= FUNC_MAX_ARGS ||
		(exprType(node) == BOOLOID && IsA(llast(arguments), Const)))
		return node;
	foreach (cell, arguments)
		types[n++] = exprType(lfirst(cell));
	return may_be_guarded(function, types, n) ? or_null(node, function, arguments, collation)
											  : node;
}

/* x::text::int. Any text is a text. */
static Node *
guarded_reading(const CoerceViaIO *node)
{
	const Oid types[INPUT_ARGUMENTS] = {exprType((Node *) node->arg), OIDOID, INT4OID};
	Oid function, parameter;

	getTypeInputInfo(node->resulttype, &function, &parameter);
	if (IsA(node->arg, Const) || TypeCategory(node->resulttype) == TYPCATEGORY_STRING ||
		!may_be_read(function, types, INPUT_ARGUMENTS))
		return (Node *) node;
	return or_null((const Node *) node, function,
				   list_make3(node->arg, constant_of(OIDOID, ObjectIdGetDatum(parameter)),
							  constant_of(INT4OID, Int32GetDatum(-1))),
				   InvalidOid);
}

/* A value that a domain does not have is an error of whoever made the domain. A row that is stored has
 * to be of the type of its table. */
static void
check_domain(const CoerceToDomain *node, bool is_stored)
{
	if (is_stored || IsA(node->arg, Const) || !DomainHasConstraints(node->resulttype))
		return;
	dp_refuse_clause((DpClausePlace){NULL, -1},
					 psprintf("a cast of an answer to domain %s", format_type_be(node->resulttype)),
					 "Cast it to the type below the domain.");
}

static Oid
called_function(Node *node)
{
	if (IsA(node, OpExpr))
	{
		set_opfuncid((OpExpr *) node);
		return ((OpExpr *) node)->opfuncid;
	}
	return IsA(node, FuncExpr) && !((FuncExpr *) node)->funcretset ? ((FuncExpr *) node)->funcid
																   : InvalidOid;
}

/* log(x) of numeric is written in SQL, as log(10, x), and so is an integer + a date: what they stand for
 * is guarded in their place. */
static Node *
without_sql_function(Node *node)
{
	Oid function = called_function(node);
	HeapTuple tuple;
	bool is_sql;

	if (!OidIsValid(function) || function >= FirstUnpinnedObjectId)
		return node;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	is_sql = HeapTupleIsValid(tuple) && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId;
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return is_sql ? eval_const_expressions(NULL, node) : node;
}

static Node *guard(Node *node, void *context);

/* What looks up an index is left as it is. */
static Node *
guard_query(Query *query)
{
	OnConflictExpr *conflict = query->onConflict;
	bool is_stored;

	if (!dp_reads_answer((Node *) query) && !dp_refers_outside((Node *) query) &&
		!dp_reads_outer_cte((Node *) query))
		return copyObject((Node *) query);
	is_stored = query->commandType != CMD_SELECT;
	query = query_tree_mutator(query, guard, &is_stored, 0);
	if (conflict != NULL)
		query->onConflict->arbiterElems = conflict->arbiterElems;
	return (Node *) query;
}

static Node *
guard(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return guard_query((Query *) node);
	node = expression_tree_mutator(without_sql_function(node), guard, context);
	if (IsA(node, OpExpr))
		return guarded(node, called_function(node), ((OpExpr *) node)->args,
					   ((OpExpr *) node)->inputcollid);
	if (IsA(node, CoerceViaIO))
		return guarded_reading((const CoerceViaIO *) node);
	if (IsA(node, CoerceToDomain))
		check_domain((const CoerceToDomain *) node, *(const bool *) context);
	if (IsA(node, FuncExpr) && !((FuncExpr *) node)->funcvariadic)
		return guarded(node, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
					   ((FuncExpr *) node)->inputcollid);
	return node;
}

/* There is no row before the first one. */
static void
guard_count(Node **count)
{
	MinMaxExpr *greatest;

	if (*count == NULL || IsA(*count, Const) || exprType(*count) != INT8OID)
		return;
	greatest = makeNode(MinMaxExpr);
	greatest->minmaxtype = INT8OID;
	greatest->op = IS_GREATEST;
	greatest->args = list_make2(*count, makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
												  Int64GetDatum(0), false, FLOAT8PASSBYVAL));
	greatest->location = -1;
	*count = (Node *) greatest;
}

static bool
guard_counts(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, guard_counts, context);
	if (dp_reads_answer(((Query *) node)->limitCount))
		guard_count(&((Query *) node)->limitCount);
	if (dp_reads_answer(((Query *) node)->limitOffset))
		guard_count(&((Query *) node)->limitOffset);
	return query_tree_walker((Query *) node, guard_counts, context, 0);
}

void
dp_undefined_as_null(Query *query)
{
	*query = *(Query *) guard_query(query);
	(void) guard_counts((Node *) query, NULL);
}
