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
#include "catalog/pg_aggregate.h"
#include "catalog/pg_language.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/server/catalog.h"
#include "pg/server/compat.h"
#include "pg/server/subtransaction.h"
#include "pg/server/values.h"
#include "pg/sql/absorb.h"
#include "pg/sql/answer_call.h"
#include "pg/sql/carried.h"
#include "pg/sql/refuse.h"
#include "pg/sql/translate.h"

PG_FUNCTION_INFO_V1(dp_or_null);

/* ---- which functions ---- */

/* Whether the argument is one of VARIADIC "any". */
static bool
is_any(Form_pg_proc form, int argument)
{
	return form->provariadic == ANYOID && argument >= form->pronargs - 1;
}

/* Whether a function takes exactly these types: those that are declared, those that polymorphic ones
 * stand for, and any at all behind VARIADIC "any". *result: the type of its value. */
static bool
takes(Form_pg_proc form, const Oid *types, int n, Oid *result)
{
	bool is_polymorphic = false;
	Oid declared[FUNC_MAX_ARGS];

	if (n == 0 || n < form->pronargs || (n > form->pronargs && form->provariadic != ANYOID))
		return false;
	for (int i = 0; i < n; i++)
	{
		declared[i] = is_any(form, i) ? ANYOID : form->proargtypes.values[i];
		is_polymorphic |= IsPolymorphicType(declared[i]);
	}
	*result = form->prorettype;
	if (is_polymorphic) /* those that are converted to a common type are that type then */
		*result = enforce_generic_type_consistency(types, declared, n, *result, false);
	for (int i = 0; i < n; i++)
		if (!is_any(form, i) && !IsPolymorphicType(declared[i]) &&
			(declared[i] != types[i] || get_typtype(types[i]) == TYPTYPE_PSEUDO))
			return false;
	return get_typtype(*result) != TYPTYPE_PSEUDO;
}

/* Whether it is one of PostgreSQL's own that depends on its arguments alone, and takes these types. */
static bool
may_be_guarded(Oid function, const Oid *types, int n, Oid *result)
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
			 takes(form, types, n, result);
	ReleaseSysCache(tuple);
	return may_be;
}

/* What an input function takes beside a text: which type is read, and its modifier. */
#define INPUT_ARGUMENTS 3

/* Whether an input function reads arrays or ranges of PostgreSQL's own: what it reads is the argument
 * that says so. */
static bool
reads_parts(Oid result, const Node *parameter)
{
	return (result == ANYARRAYOID || result == ANYRANGEOID || result == ANYMULTIRANGEOID) &&
		   IsA(parameter, Const) && !((const Const *) parameter)->constisnull &&
		   DatumGetObjectId(((const Const *) parameter)->constvalue) < FirstUnpinnedObjectId;
}

/* Whether it reads a type of PostgreSQL's own, and these are a value, which is printed first, and the
 * rest that an input function takes. */
static bool
may_be_read(Oid function, const Oid *types, int n, const Node *parameter)
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
			 form->proargtypes.values[0] == CSTRINGOID && form->pronargs <= INPUT_ARGUMENTS &&
			 (get_typtype(form->prorettype) == TYPTYPE_BASE || form->prorettype == ANYENUMOID ||
			  reads_parts(form->prorettype, parameter));
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
called_with(FunctionCallInfo fcinfo, Oid function, Oid result)
{
	const FuncExpr *call = (const FuncExpr *) fcinfo->flinfo->fn_expr;
	FuncExpr *inner = makeFuncExpr(function, result, list_copy_tail(call->args, 1), InvalidOid,
								   fcinfo->fncollation, COERCE_EXPLICIT_CALL);

	inner->funcvariadic = call->funcvariadic;
	return (Node *) inner;
}

static Guarded *
guarded_prepare(FunctionCallInfo fcinfo)
{
	int n = PG_NARGS() - 1;
	Oid types[FUNC_MAX_ARGS], function = PG_NARGS() > 0 ? PG_GETARG_OID(0) : InvalidOid;
	Oid result = InvalidOid;
	const FuncExpr *call = (const FuncExpr *) fcinfo->flinfo->fn_expr;
	Guarded *guarded = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Guarded));
	MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	bool varlena;

	for (int i = 0; i < n; i++)
		types[i] = get_fn_expr_argtype(fcinfo->flinfo, i + 1);
	if (get_fn_expr_argtype(fcinfo->flinfo, 0) != REGPROCEDUREOID || call == NULL ||
		!IsA(call, FuncExpr))
		function = InvalidOid;
	guarded->reads = OidIsValid(function) && n == INPUT_ARGUMENTS &&
					 may_be_read(function, types, n, lthird(call->args));
	if (guarded->reads)
		result = get_func_rettype(function);
	if (!OidIsValid(function) ||
		(!guarded->reads && !may_be_guarded(function, types, n, &result)) ||
		DP_FUNCTION_ACLCHECK(function, GetUserId()) != ACLCHECK_OK)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("dp_or_null stands in private queries alone")));
	fmgr_info_cxt(function, &guarded->function, fcinfo->flinfo->fn_mcxt);
	fmgr_info_set_expr(called_with(fcinfo, function, result), &guarded->function);
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
	if (guarded->function.fn_strict && has_null(guarded->call))
		PG_RETURN_NULL();
	if (!dp_run_in_subtransaction(call_it, guarded))
	{
		/* what it keeps from call to call may be half made: json_populate_record crashes with it */
		guarded->function.fn_extra = guarded->printed.fn_extra = NULL;
		PG_RETURN_NULL();
	}
	if (guarded->call->isnull)
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

static Const *
constant_of_int8(int64 value)
{
	return makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
					 FLOAT8PASSBYVAL);
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

	call->funcvariadic = IsA(node, FuncExpr) && ((const FuncExpr *) node)->funcvariadic;
	return exprTypmod(node) < 0
			   ? (Node *) call
			   : (Node *) makeRelabelType((Expr *) call, type, exprTypmod(node),
										  exprCollation(node), COERCE_IMPLICIT_CAST);
}

/* Whether a pattern is a constant one that fails for no text: an index may serve such a match. One that
 * is no regular expression is an error here, before anything is paid for. */
static bool
matches_any_text(Oid function, Node *pattern, Oid collation)
{
	const Const *constant = (const Const *) pattern;
	Const *empty;
	char *text;

	if (!IsA(pattern, Const) || constant->consttype != TEXTOID)
		return false;
	if (constant->constisnull)
		return true;
	text = dp_value_out(constant->constvalue, TEXTOID);
	if (text[0] != '\0' && text[strlen(text) - 1] == '\\')
		return false;
	empty = makeConst(TEXTOID, -1, collation, -1, CStringGetTextDatum(""), false, false);
	(void) evaluate_expr((Expr *) makeFuncExpr(function, BOOLOID, list_make2(empty, pattern),
											   InvalidOid, collation, COERCE_EXPLICIT_CALL),
						 BOOLOID, -1, InvalidOid);
	return true;
}

/* Whether an operator may fail for values: those that match a text with a pattern, and all that do more
 * than say yes or no. What compares does not. */
static bool
operator_may_fail(Oid function, Oid left, const OpExpr *node)
{
	return exprType((Node *) node) != BOOLOID ||
		   (left == TEXTOID && !get_func_leakproof(function) &&
			!matches_any_text(function, llast(node->args), node->inputcollid));
}

/* The call in place of a node that calls a function; the same node: it is not to be guarded. */
static Node *
guarded(Node *node, Oid function, List *arguments, Oid collation)
{
	Oid types[FUNC_MAX_ARGS], result;
	int n = 0;
	ListCell *cell;

	if (arguments == NIL || list_length(arguments) >= FUNC_MAX_ARGS)
		return node;
	if (is_constant(arguments) && func_volatile(function) == PROVOLATILE_IMMUTABLE)
		return node; /* the planner computes it, before anything is paid for */
	foreach (cell, arguments)
		types[n++] = exprType(lfirst(cell));
	if (!may_be_guarded(function, types, n, &result) ||
		(IsA(node, OpExpr) && !operator_may_fail(function, types[0], (const OpExpr *) node)))
		return node;
	return or_null(node, function, arguments, collation);
}

/* x::text::int. Any text is a text. */
static Node *
guarded_reading(const CoerceViaIO *node)
{
	const Oid types[INPUT_ARGUMENTS] = {exprType((Node *) node->arg), OIDOID, INT4OID};
	Oid function, parameter;
	Const *read;

	getTypeInputInfo(node->resulttype, &function, &parameter);
	read = constant_of(OIDOID, ObjectIdGetDatum(parameter));
	if (TypeCategory(node->resulttype) == TYPCATEGORY_STRING ||
		(IsA(node->arg, Const) && func_volatile(function) == PROVOLATILE_IMMUTABLE) ||
		!may_be_read(function, types, INPUT_ARGUMENTS, (const Node *) read))
		return (Node *) node;
	return or_null((const Node *) node, function,
				   list_make3(node->arg, read, constant_of(INT4OID, Int32GetDatum(-1))),
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

/* The arguments in order, with those that are left out. */
static List *
all_arguments(const FuncExpr *call)
{
	HeapTuple tuple;
	List *arguments;

	if (call->funcid >= FirstUnpinnedObjectId)
		return call->args;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(call->funcid));
	if (!HeapTupleIsValid(tuple))
		return call->args;
	arguments = expand_function_arguments(call->args, false, call->funcresulttype, tuple);
	ReleaseSysCache(tuple);
	return arguments;
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

/* x ~ ANY (ARRAY[a, b]) as x ~ a OR x ~ b, each of which is guarded; the same node: it is not to be. */
static Node *
without_array(ScalarArrayOpExpr *any)
{
	Oid types[] = {TEXTOID, TEXTOID}, result;
	Node *array = eval_const_expressions(NULL, lsecond(any->args));
	List *each = NIL;
	ListCell *cell;

	set_sa_opfuncid(any);
	if (exprType(linitial(any->args)) != TEXTOID || get_func_leakproof(any->opfuncid) ||
		!may_be_guarded(any->opfuncid, types, 2, &result) ||
		!(IsA(array, Const) || (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)))
		return (Node *) any;
	foreach (cell, dp_array_elements(NULL, array))
	{
		OpExpr *one = (OpExpr *) make_opclause(any->opno, BOOLOID, false, linitial(any->args),
											   lfirst(cell), InvalidOid, any->inputcollid);

		one->opfuncid = any->opfuncid;
		each = lappend(each, one);
	}
	return each == NIL ? (Node *) any
					   : (Node *) makeBoolExpr(any->useOr ? OR_EXPR : AND_EXPR, each, -1);
}

/* ---- what fails by the number of rows, or by a place ---- */

bool
dp_may_depend_on_answer(Node *query)
{
	return dp_reads_answer(query) || dp_refers_outside(query) || dp_reads_outer_cte(query);
}

/* Whether a query that reads an answer gives one row at most. */
static bool
gives_one_row(const Query *query)
{
	List *externals;
	ListCell *cell;

	if (query->setOperations != NULL || query->hasTargetSRFs || query->groupingSets != NIL)
		return false;
	if (query->hasAggs && query->groupClause == NIL)
		return true;
	foreach (cell, dp_entries_in_from((Node *) query->jointree))
	{
		RangeTblEntry *entry = rt_fetch(lfirst_int(cell), query->rtable);
		const List *answer = dp_answer_of_entry(entry, &externals);

		if (answer != NIL ? dp_carried_groups(answer) > 0
						  : entry->rtekind != RTE_SUBQUERY || !gives_one_row(entry->subquery))
			return false;
	}
	return true;
}

static Aggref *
aggregate_of(Oid function, Oid type, Var *argument)
{
	Aggref *aggregate = makeNode(Aggref);

	aggregate->aggfnoid = function;
	aggregate->aggtype = type;
	aggregate->aggcollid = argument == NULL ? InvalidOid : argument->varcollid;
	aggregate->inputcollid = aggregate->aggcollid;
	aggregate->aggstar = argument == NULL;
	if (argument != NULL)
	{
		aggregate->args = list_make1(makeTargetEntry((Expr *) argument, 1, NULL, false));
		aggregate->aggargtypes = list_make1_oid(argument->vartype);
	}
	aggregate->aggkind = AGGKIND_NORMAL;
	aggregate->aggsplit = AGGSPLIT_SIMPLE;
	aggregate->aggno = aggregate->aggtransno = aggregate->location = -1;
	return aggregate;
}

/* The value of a sub-select is NULL where it has several rows:
 * SELECT (array_agg(x))[1] FROM (SELECT ...) q (x) HAVING count(*) < 2 */
static void
no_value_of_several_rows(SubLink *sublink)
{
	Query *query = makeNode(Query), *rows = (Query *) sublink->subselect;
	TargetEntry *value = linitial(rows->targetList);
	Oid array = get_array_type(exprType((Node *) value->expr));
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *reference = makeNode(RangeTblRef);
	SubscriptingRef *first = makeNode(SubscriptingRef);
	Var *column = makeVarFromTargetEntry(1, value);

	if (!OidIsValid(array) || type_is_array(column->vartype))
		return;
	IncrementVarSublevelsUp((Node *) rows, 1, 1);
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = rows;
	entry->eref = makeAlias("rows", list_make1(makeString(pstrdup("value"))));
	entry->inFromCl = true;
	reference->rtindex = 1;
	first->refcontainertype = array;
	first->refelemtype = first->refrestype = column->vartype;
	first->reftypmod = column->vartypmod;
	first->refcollid = column->varcollid;
	first->refupperindexpr = list_make1(constant_of(INT4OID, Int32GetDatum(1)));
	first->refexpr = (Expr *) aggregate_of(F_ARRAY_AGG_ANYNONARRAY, array, column);
	query->commandType = CMD_SELECT;
	query->canSetTag = query->hasAggs = true;
	query->rtable = list_make1(entry);
	query->jointree = makeFromExpr(list_make1(reference), NULL);
	query->targetList = list_make1(makeTargetEntry((Expr *) first, 1, pstrdup("value"), false));
	query->havingQual = (Node *) make_opclause(
		Int8LessOperator, BOOLOID, false, (Expr *) aggregate_of(F_COUNT_, INT8OID, NULL),
		(Expr *) constant_of_int8(2), InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) query->havingQual);
	sublink->subselect = (Node *) query;
}

/* A number, or 0 where it is less. */
static Node *
no_less_than_none(Node *count, Oid larger, Const *none)
{
	return (Node *) makeFuncExpr(larger, none->consttype, list_make2(count, none), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* json_object_agg(key, value) fails for a key that is NULL, which is left out. */
static Expr *
with_key(Oid function, Node *key, Expr *filter)
{
	NullTest *known;

	if (function != F_JSON_OBJECT_AGG && function != F_JSONB_OBJECT_AGG)
		return filter;
	known = makeNode(NullTest);
	known->arg = (Expr *) copyObject(key);
	known->nulltesttype = IS_NOT_NULL;
	known->location = -1;
	return (Expr *) make_and_qual((Node *) filter, (Node *) known);
}

/* ntile(n) and nth_value(x, n) are NULL where n is, and fail where it is less than 1. */
static Node *
guarded_window(WindowFunc *window)
{
	ListCell *place = window->winfnoid == F_NTILE       ? list_head(window->args)
					  : window->winfnoid == F_NTH_VALUE ? list_tail(window->args)
														: NULL;
	NullIfExpr *positive;

	if (window->args != NIL)
		window->aggfilter = with_key(window->winfnoid, linitial(window->args), window->aggfilter);
	if (place == NULL)
		return (Node *) window;
	positive = makeNode(NullIfExpr);
	positive->opno = Int4EqualOperator;
	positive->opresulttype = INT4OID;
	positive->args = list_make2(
		no_less_than_none(lfirst(place), F_INT4LARGER, constant_of(INT4OID, Int32GetDatum(0))),
		constant_of(INT4OID, Int32GetDatum(0)));
	positive->location = -1;
	set_opfuncid((OpExpr *) positive);
	lfirst(place) = positive;
	return (Node *) window;
}

static void
guard_sublink(SubLink *sublink)
{
	if (!dp_may_depend_on_answer(sublink->subselect) || gives_one_row((Query *) sublink->subselect))
		return;
	if (sublink->subLinkType == ROWCOMPARE_SUBLINK)
		dp_refuse_clause((DpClausePlace){NULL, -1}, "a row beside a sub-select of several rows",
						 "Write IN, or a sub-select for each column.");
	if (sublink->subLinkType == EXPR_SUBLINK)
		no_value_of_several_rows(sublink);
}

/* A text that is no XML is an error. */
static void
check_xml(const XmlExpr *node)
{
	if (node->op == IS_XMLPARSE && !IsA(linitial(node->args), Const))
		dp_refuse_clause((DpClausePlace){NULL, -1}, "XMLPARSE of an answer", "Write XMLELEMENT.");
}

/* A percentile fails for a fraction that is none. */
static Node *
guarded_aggregate(Aggref *aggregate)
{
	if (aggregate->aggkind == AGGKIND_ORDERED_SET &&
		(contain_var_clause((Node *) aggregate->aggdirectargs) ||
		 checkExprHasSubLink((Node *) aggregate->aggdirectargs)))
		dp_refuse_clause((DpClausePlace){NULL, -1}, "a percentile that depends on an answer",
						 "Write its fraction as a number.");
	if (aggregate->args != NIL)
		aggregate->aggfilter = with_key(aggregate->aggfnoid,
										(Node *) linitial_node(TargetEntry, aggregate->args)->expr,
										aggregate->aggfilter);
	return (Node *) aggregate;
}

typedef struct Guarding
{
	bool is_stored;      /* what the query at hand gives */
	const List *queries; /* Query *, from that outwards */
} Guarding;

static Node *guard(Node *node, void *context);

/* FROM f(x) takes the type of its rows from what f is declared to give: (SELECT dp_or_null(...)). */
static void
guard_functions_in_from(Query *query)
{
	Oid or_null = dp_function_inside("dp_or_null", ANYOID);
	ListCell *cell, *of;

	foreach (cell, query->rtable)
		foreach (of, lfirst_node(RangeTblEntry, cell)->functions)
		{
			RangeTblFunction *function = lfirst_node(RangeTblFunction, of);
			SubLink *sublink;
			Query *value;

			if (!IsA(function->funcexpr, FuncExpr) ||
				((FuncExpr *) function->funcexpr)->funcid != or_null)
				continue;
			value = makeNode(Query);
			value->commandType = CMD_SELECT;
			value->jointree = makeFromExpr(NIL, NULL);
			IncrementVarSublevelsUp(function->funcexpr, 1, 0);
			value->targetList = list_make1(
				makeTargetEntry((Expr *) function->funcexpr, 1, pstrdup("value"), false));
			value->hasSubLinks = checkExprHasSubLink(function->funcexpr);
			sublink = makeNode(SubLink);
			sublink->subLinkType = EXPR_SUBLINK;
			sublink->subselect = (Node *) value;
			sublink->location = -1;
			function->funcexpr = (Node *) sublink;
			query->hasSubLinks = true;
		}
}

/* What looks up an index is left as it is. */
static Node *
guard_query(Query *query, const List *around)
{
	Guarding within = {query->commandType != CMD_SELECT, lcons(query, list_copy(around))};
	OnConflictExpr *conflict = query->onConflict;

	if (!dp_may_depend_on_answer((Node *) query))
		return copyObject((Node *) query);
	query = query_tree_mutator(query, guard, &within, 0);
	guard_functions_in_from(query);
	if (conflict != NULL)
	{
		query->onConflict->arbiterElems = conflict->arbiterElems;
		query->onConflict->arbiterWhere = conflict->arbiterWhere;
	}
	return (Node *) query;
}

static Node *
guard(Node *node, void *context)
{
	const Guarding *guarding = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return guard_query((Query *) node, guarding->queries);
	if (IsA(node, ScalarArrayOpExpr))
		node = without_array((ScalarArrayOpExpr *) node);
	node = expression_tree_mutator(without_sql_function(node), guard, context);
	dp_check_row_function(node, guarding->queries);
	if (IsA(node, SubLink))
		guard_sublink((SubLink *) node);
	if (IsA(node, XmlExpr))
		check_xml((const XmlExpr *) node);
	if (IsA(node, WindowFunc))
		return guarded_window((WindowFunc *) node);
	if (IsA(node, Aggref))
		return guarded_aggregate((Aggref *) node);
	if (IsA(node, OpExpr))
		return guarded(node, called_function(node), ((OpExpr *) node)->args,
					   ((OpExpr *) node)->inputcollid);
	if (IsA(node, CoerceViaIO))
		return guarded_reading((const CoerceViaIO *) node);
	if (IsA(node, CoerceToDomain))
		check_domain((const CoerceToDomain *) node, guarding->is_stored);
	if (IsA(node, FuncExpr) && !((FuncExpr *) node)->funcretset)
		return guarded(node, ((FuncExpr *) node)->funcid, all_arguments((FuncExpr *) node),
					   ((FuncExpr *) node)->inputcollid);
	return node;
}

/* There is no row before the first one. LIMIT NULL is no limit, and a frame has to have one. */
static void
guard_count(Node **count, bool is_frame)
{
	CoalesceExpr *known;

	if (*count == NULL || exprType(*count) != INT8OID ||
		IsA(eval_const_expressions(NULL, copyObject(*count)), Const))
		return;
	*count = no_less_than_none(*count, F_INT8LARGER, constant_of_int8(0));
	if (!is_frame)
		return;
	known = makeNode(CoalesceExpr);
	known->coalescetype = INT8OID;
	known->args = list_make2(*count, constant_of_int8(0));
	known->location = -1;
	*count = (Node *) known;
}

/* A frame of RANGE checks its offsets row by row. */
static void
check_range(Node *offset)
{
	const Const *constant = (const Const *) eval_const_expressions(NULL, copyObject(offset));
	const char *text;

	if (dp_reads_answer(offset))
		dp_refuse_clause((DpClausePlace){NULL, -1}, "a frame of RANGE that depends on an answer",
						 "Use ROWS or GROUPS.");
	if (!IsA(constant, Const) || constant->constisnull)
		return;
	text = dp_value_out(constant->constvalue, constant->consttype);
	if (strchr(text, '-') != NULL || strcmp(text, "NaN") == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PRECEDING_OR_FOLLOWING_SIZE),
						errmsg("invalid preceding or following size in window function"),
						errdetail("Nothing was spent.")));
}

static void
guard_frame(WindowClause *window)
{
	Node **offsets[] = {&window->startOffset, &window->endOffset};

	for (int i = 0; i < 2; i++)
		if (*offsets[i] != NULL && window->frameOptions & FRAMEOPTION_RANGE)
			check_range(*offsets[i]);
		else
			guard_count(offsets[i], true);
}

static bool
guard_counts(Node *node, void *context)
{
	Query *query = (Query *) node;
	ListCell *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, guard_counts, context);
	guard_count(&query->limitCount, false);
	guard_count(&query->limitOffset, false);
	foreach (cell, query->windowClause)
		guard_frame(lfirst(cell));
	return query_tree_walker(query, guard_counts, context, 0);
}

void
dp_undefined_as_null(Query *query)
{
	*query = *(Query *) guard_query(query, NIL);
	(void) guard_counts((Node *) query, NULL);
}
