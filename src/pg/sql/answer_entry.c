/*
 * answer_entry.c -- an entry of a range table that stands for the noisy answer of a question.
 */
#include "pg/sql/answer_entry.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"

#include "pg/sql/answer_call.h"

static RangeTblFunction *
rows_call(const DpCarried *carried)
{
	RangeTblFunction *function = makeNode(RangeTblFunction);
	List *externals;
	List *nodes = dp_carry(carried, &externals);
	Const *pointer =
		makeConst(INTERNALOID, -1, InvalidOid, sizeof(Datum), PointerGetDatum(nodes), false, true);
	ListCell *cell;

	function->funcexpr =
		(Node *) makeFuncExpr(dp_answer_function(), RECORDOID, lcons(pointer, externals),
							  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	((FuncExpr *) function->funcexpr)->funcretset = true;
	foreach (cell, carried->columns)
	{
		const DpAnswerColumn *column = lfirst(cell);

		function->funccolcount++;
		function->funccolnames = lappend(function->funccolnames, makeString(pstrdup(column->name)));
		function->funccoltypes = lappend_oid(function->funccoltypes, column->type);
		function->funccoltypmods = lappend_int(function->funccoltypmods, column->typmod);
		function->funccolcollations = lappend_oid(function->funccolcollations, column->collation);
	}
	return function;
}

RangeTblEntry *
dp_answer_entry(const DpCarried *carried)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = rows_call(carried);

	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->eref = makeAlias("answer", copyObject(function->funccolnames));
	entry->inFromCl = true;
	return entry;
}
