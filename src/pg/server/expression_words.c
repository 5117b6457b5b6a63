/*
 * expression_words.c -- expressions over the columns of a row, as words: see expression_words.h.
 *
 * Words are read with search_path set to pg_catalog, and a name with another schema is refused
 * before it is looked up: reading a constant of a user's type can run the user's code.
 */
#include "pg/server/expression_words.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_node.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "pg/server/expression_work.h"
#include "pg/server/subtransaction.h"
#include "pg/server/untrusted_code.h"
#include "pg/server/values.h"

/* Longer ones are of nobody who means well. */
#define WORDS_MAX 10000

/* ---- reading ---- */

static DP_NORETURN void
raise_words(const char *words, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" is no expression that can be computed for a row", words),
			 errdetail("%s", detail),
			 errhint("Write an expression over columns of the row with immutable functions of "
					 "PostgreSQL's own, for instance 'net + tax'.")));
}

/* Whether a name is of pg_catalog, if it says so at all. */
static bool
is_own_name(const List *names)
{
	return list_length(names) == 1 ||
		   (list_length(names) == 2 && strcmp(strVal(linitial(names)), "pg_catalog") == 0);
}

static bool
has_foreign_name(Node *node, void *context)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, SubLink) || IsA(node, ParamRef))
		return true;
	if (IsA(node, A_Expr) && ((A_Expr *) node)->name != NIL &&
		!is_own_name(((A_Expr *) node)->name))
		return true;
	if (IsA(node, FuncCall) && !is_own_name(((FuncCall *) node)->funcname))
		return true;
	if (IsA(node, CollateClause) && !is_own_name(((CollateClause *) node)->collname))
		return true;
	if (IsA(node, TypeName) &&
		(((TypeName *) node)->pct_type || !is_own_name(((TypeName *) node)->names)))
		return true;
	return raw_expression_tree_walker(node, has_foreign_name, context);
}

/* The expression that "SELECT words" selects, and nothing else; NULL: it is none. */
static Node *
raw_expression(const char *words)
{
	List *parsed = raw_parser(psprintf("SELECT %s", words), RAW_PARSE_DEFAULT);
	const SelectStmt *select;
	SelectStmt bare;
	ResTarget *target;

	if (list_length(parsed) != 1 || !IsA(linitial_node(RawStmt, parsed)->stmt, SelectStmt))
		return NULL;
	select = (SelectStmt *) linitial_node(RawStmt, parsed)->stmt;
	if (list_length(select->targetList) != 1)
		return NULL;
	target = linitial_node(ResTarget, select->targetList);
	bare = *select;
	bare.targetList = NIL;
	/* a FROM, a WHERE, a second SELECT and whatever else there may be */
	if (target->name != NULL || target->indirection != NIL || !equal(&bare, makeNode(SelectStmt)))
		return NULL;
	return target->val;
}

static Node *
column_of_name(ParseState *state, ColumnRef *reference)
{
	TupleDesc row = state->p_ref_hook_state;

	if (list_length(reference->fields) != 1 || !IsA(linitial(reference->fields), String))
		return NULL;
	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute form = TupleDescAttr(row, i);

		if (!form->attisdropped &&
			strcmp(NameStr(form->attname), strVal(linitial(reference->fields))) == 0)
			return (Node *) makeVar(1, form->attnum, form->atttypid, form->atttypmod,
									form->attcollation, 0);
	}
	return NULL;
}

typedef struct Reading
{
	const char *words;
	TupleDesc row;
	Node *expression;
} Reading;

static void
read_words(void *argument)
{
	Reading *reading = argument;
	ParseState *state = make_parsestate(NULL);
	Node *raw = strlen(reading->words) > WORDS_MAX ? NULL : raw_expression(reading->words);
	const char *obstacle;

	if (raw == NULL || has_foreign_name(raw, NULL))
		raise_words(reading->words, raw == NULL ? "It must be one expression."
												: "It may name columns of the row, and what "
												  "pg_catalog has.");
	state->p_pre_columnref_hook = column_of_name;
	state->p_ref_hook_state = reading->row;
	reading->expression = transformExpr(state, raw, EXPR_KIND_GENERATED_COLUMN);
	assign_expr_collations(state, reading->expression);
	obstacle = dp_expression_obstacle(reading->expression);
	if (obstacle == NULL && dp_expression_work(reading->expression, 0) > DP_EXPRESSION_WORK_MAX)
		obstacle = "evaluating it can take long";
	if (obstacle != NULL)
		raise_words(reading->words, psprintf("It cannot be evaluated here: %s.", obstacle));
}

Node *
dp_expression_of_words(const char *words, TupleDesc row)
{
	Reading reading = {words, row, NULL};
	int level = dp_words_begin();

	read_words(&reading);
	dp_values_end(level);
	return reading.expression;
}

Node *
dp_expression_try_words(const char *words, TupleDesc row)
{
	Reading reading = {words, row, NULL};
	int level = dp_words_begin();
	bool read = dp_run_in_subtransaction(read_words, &reading);

	dp_values_end(level);
	return read ? reading.expression : NULL;
}

/* ---- writing ---- */

char *
dp_expression_words(Node *expression, Oid relation)
{
	int level = dp_words_begin();
	char *words = deparse_expression(
		expression, deparse_context_for(get_rel_name(relation), relation), false, false);

	dp_values_end(level);
	return strlen(words) > WORDS_MAX ? NULL : words;
}

/* ---- types ---- */

Node *
dp_expression_convert(Node *expression, Oid type, int32 typmod)
{
	return coerce_to_target_type(NULL, expression, exprType(expression), type, typmod,
								 COERCION_ASSIGNMENT, COERCE_EXPLICIT_CAST, -1);
}
