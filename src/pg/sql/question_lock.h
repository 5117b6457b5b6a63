/*
 * question_lock.h -- one session at a time asks a question: the others wait, and read its answer.
 */
#ifndef DPSYN_QUESTION_LOCK_H
#define DPSYN_QUESTION_LOCK_H

#include "pg/server/compat.h"

#include "pg/sql/question.h"

/* Waits for whoever asks the same now. It is given back by dp_question_unlock, or by an error. */
extern void dp_question_lock(const DpQuestionPlan *plan);
extern void dp_question_unlock(const DpQuestionPlan *plan);

#endif
