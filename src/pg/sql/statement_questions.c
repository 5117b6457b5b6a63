/*
 * statement_questions.c -- the questions of one running statement.
 *
 * They are planned when the executor starts, and each is asked when its first row is needed. Their
 * total cost is compared with the budgets before the first one is asked, so that a statement does
 * not fail at its second question after paying for the first. It can still fail if others spend in
 * between. Then the statement is run once with substitutes of its answers: public tables, functions
 * and constants that fail there would fail after the debit.
 */
#include "pg/sql/question_plan.h"

#include <math.h>

#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/memutils.h"

#include "pg/release/request.h"
#include "pg/server/catalog.h"
#include "pg/server/subtransaction.h"
#include "pg/sql/carried.h"

/* A running statement. There are several if one calls functions that run statements. */
typedef struct Statement
{
	struct Statement *next;
	EState *estate;
	MemoryContext memory;
	bool is_checked;
	bool in_preflight; /* now, with this number in all answers */
	double number;
	List *questions; /* DpStatementQuestion * */
	MemoryContextCallback end;
} Statement;

static Statement *running = NULL;

static void
statement_end(void *argument)
{
	Statement **at = &running;

	while (*at != NULL && *at != argument)
		at = &(*at)->next;
	if (*at != NULL)
		*at = (*at)->next;
}

static Statement *
statement_of(EState *estate)
{
	Statement *statement = running;

	while (statement != NULL && statement->estate != estate)
		statement = statement->next;
	return statement;
}

static Statement *
statement_begin(EState *estate)
{
	Statement *statement = MemoryContextAllocZero(estate->es_query_cxt, sizeof(Statement));

	statement->estate = estate;
	statement->memory = estate->es_query_cxt;
	statement->end.func = statement_end;
	statement->end.arg = statement;
	MemoryContextRegisterResetCallback(estate->es_query_cxt, &statement->end);
	statement->next = running;
	return running = statement;
}

void
dp_statement_will_ask(EState *estate, DpStatementQuestion question)
{
	Statement *statement = statement_of(estate);
	MemoryContext caller;
	DpStatementQuestion *asked;

	if (statement == NULL)
		statement = statement_begin(estate);
	caller = MemoryContextSwitchTo(statement->memory);
	asked = palloc(sizeof(DpStatementQuestion));
	*asked = question;
	statement->questions = lappend(statement->questions, asked);
	MemoryContextSwitchTo(caller);
}

/* Whether an earlier question is the same, so that its answer is used. */
static bool
is_asked_before(const Statement *statement, int number)
{
	const DpStatementQuestion *asked = list_nth(statement->questions, number);

	for (int i = 0; i < number; i++)
	{
		const DpStatementQuestion *other = list_nth(statement->questions, i);

		if (dp_question_relation(other->plan) == dp_question_relation(asked->plan) &&
			strcmp(dp_question_normal_form(other->plan), dp_question_normal_form(asked->plan)) == 0)
			return true;
	}
	return false;
}

/* A single question needs no check: its release compares the cost with the budget. */
static void
check_budgets(const Statement *statement)
{
	DpPrepared **prepared = palloc(sizeof(DpPrepared *) * list_length(statement->questions));
	int n = 0;

	if (list_length(statement->questions) < 2)
		return;
	for (int i = 0; i < list_length(statement->questions); i++)
	{
		const DpStatementQuestion *asked = list_nth(statement->questions, i);
		const DpAskFor *ask = &asked->carried->ask;
		DpReleaseRequest request;

		if (is_asked_before(statement, i) || !dp_question_spends(asked->plan, ask))
			continue;
		request = dp_question_request(asked->plan, ask);
		prepared[n++] = dp_prepare_request(&request);
	}
	if (n > 1)
		dp_forest_check_budgets(prepared, n);
}

/* ---- a preflight ---- */

#define PREFLIGHT_ROWS_MAX 10000

typedef struct RowCounter
{
	DestReceiver receiver; /* must be first */
	int rows;
} RowCounter;

static void
start(DestReceiver *self, int operation, TupleDesc row)
{
}

static void
end(DestReceiver *self)
{
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	return ++((RowCounter *) self)->rows < PREFLIGHT_ROWS_MAX;
}

static void
tell_preflight(void *unused)
{
	errcontext("preflight of the statement, before anything is spent");
}

static void
run_once(void *of)
{
	ErrorContextCallback context = {error_context_stack, tell_preflight, NULL};
	const EState *estate = ((const Statement *) of)->estate;
	RowCounter counter = {.receiver = {.receiveSlot = receive,
									   .rStartup = start,
									   .rShutdown = end,
									   .rDestroy = end,
									   .mydest = DestNone}};

	error_context_stack = &context;
	dp_run_planned(estate->es_plannedstmt, estate->es_sourceText, estate->es_param_list_info,
				   &counter.receiver);
	error_context_stack = context.previous;
}

static void
substitute(Statement *statement, double number)
{
	ListCell *cell;

	statement->number = number;
	foreach (cell, statement->questions)
	{
		DpStatementQuestion *question = lfirst(cell);

		question->substitute = dp_question_substitute(question->plan, number);
	}
}

/* ERROR if it fails without numbers, and with some number too: what fails for NULL alone may work. The
 * statement of a cursor outlives that error, and what comes after it is no preflight. */
static void
preflight(Statement *statement)
{
	MemoryContext caller = MemoryContextSwitchTo(statement->memory);

	statement->in_preflight = true;
	PG_TRY();
	{
		substitute(statement, NAN);
		if (!dp_run_and_undo(run_once, statement))
		{
			substitute(statement, 1);
			dp_run_and_undo_or_fail(run_once, statement);
		}
	}
	PG_FINALLY();
	{
		statement->in_preflight = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
}

const DpStatementQuestion *
dp_statement_preflight(const EState *estate, const Plan *scan)
{
	ListCell *cell;

	for (const Statement *statement = running; statement != NULL; statement = statement->next)
		if (statement->in_preflight && statement->estate->es_plannedstmt == estate->es_plannedstmt)
			foreach (cell, statement->questions)
				if (((const DpStatementQuestion *) lfirst(cell))->scan == scan)
					return lfirst(cell);
	return NULL;
}

bool
dp_in_preflight(double *number)
{
	const Statement *statement = running;

	while (statement != NULL && !statement->in_preflight)
		statement = statement->next;
	if (statement != NULL)
		*number = statement->number;
	return statement != NULL;
}

void
dp_statement_check(EState *estate)
{
	Statement *statement = statement_of(estate);

	if (statement == NULL || statement->is_checked)
		return;
	statement->is_checked = true;
	check_budgets(statement);
	if (((const DpStatementQuestion *) linitial(statement->questions))->carried->ask.has_no_effect)
		preflight(statement);
}
