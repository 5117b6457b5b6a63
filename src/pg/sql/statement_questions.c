/*
 * statement_questions.c -- the questions of one running statement.
 *
 * They are planned when the executor starts, and each is asked when its first row is needed. Their
 * total cost is compared with the budgets before the first one is asked, so that a statement does
 * not fail at its second question after paying for the first. It can still fail if others spend in
 * between.
 */
#include "pg/sql/question_plan.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/release/request.h"

typedef struct Asked
{
	const DpQuestionPlan *plan;
	const DpAskFor *ask;
} Asked;

/* A running statement. There are several if one calls functions that run statements. */
typedef struct Statement
{
	struct Statement *next;
	EState *estate;
	MemoryContext memory;
	bool is_checked;
	List *questions; /* Asked * */
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
dp_statement_will_ask(EState *estate, const DpQuestionPlan *plan, const DpAskFor *ask)
{
	Statement *statement = statement_of(estate);
	MemoryContext caller;
	Asked *asked;

	if (statement == NULL)
		statement = statement_begin(estate);
	caller = MemoryContextSwitchTo(statement->memory);
	asked = palloc(sizeof(Asked));
	*asked = (Asked){plan, ask};
	statement->questions = lappend(statement->questions, asked);
	MemoryContextSwitchTo(caller);
}

/* Whether an earlier question is the same, so that its answer is used. */
static bool
is_asked_before(const Statement *statement, int number)
{
	const Asked *asked = list_nth(statement->questions, number);

	for (int i = 0; i < number; i++)
	{
		const Asked *other = list_nth(statement->questions, i);

		if (dp_question_relation(other->plan) == dp_question_relation(asked->plan) &&
			strcmp(dp_question_normal_form(other->plan), dp_question_normal_form(asked->plan)) == 0)
			return true;
	}
	return false;
}

/* A single question needs no check: its release compares the cost with the budget. */
void
dp_statement_check_budgets(EState *estate)
{
	Statement *statement = statement_of(estate);
	DpPrepared **prepared;
	int n = 0;

	if (statement == NULL || statement->is_checked)
		return;
	statement->is_checked = true;
	if (list_length(statement->questions) < 2)
		return;
	prepared = palloc(sizeof(DpPrepared *) * list_length(statement->questions));
	for (int i = 0; i < list_length(statement->questions); i++)
	{
		const Asked *asked = list_nth(statement->questions, i);
		DpReleaseRequest request;

		if (is_asked_before(statement, i) || !dp_question_spends(asked->plan, asked->ask))
			continue;
		request = dp_question_request(asked->plan, asked->ask);
		prepared[n++] = dp_prepare_request(&request);
	}
	if (n > 1)
		dp_forest_check_budgets(prepared, n);
}
