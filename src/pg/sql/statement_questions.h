/*
 * statement_questions.h -- the questions of one running statement, which its budgets must cover
 * together before the first of them is paid.
 */
#ifndef DPSYN_STATEMENT_QUESTIONS_H
#define DPSYN_STATEMENT_QUESTIONS_H

#include "pg/server/compat.h"

#include "nodes/execnodes.h"

#include "pg/sql/question.h"

/* Adds a question that the statement may ask, as long as it runs. */
extern void dp_statement_will_ask(EState *estate, const DpQuestionPlan *plan, const DpAskFor *ask);
/* ERROR unless the budgets cover all questions of the statement that have no stored answer. Checks
 * before the first question is asked; later calls do nothing. */
extern void dp_statement_check_budgets(EState *estate);

#endif
