/*
 * question_plan.h -- the plan of a question, only for the files of this folder that plan, answer
 * and explain it. Runs in the caller's backend.
 */
#ifndef DPSYN_QUESTION_PLAN_H
#define DPSYN_QUESTION_PLAN_H

#include "pg/server/compat.h"

#include "pg/question/asked.h"
#include "pg/release/request.h"
#include "pg/sql/question.h"

struct DpQuestionPlan
{
	DpDataset dataset;    /* of the counted relation */
	DpRelation *relation; /* with what is asked for as its attributes */
	DpAsked *asked;       /* as a release is asked for it */
	List *groups;         /* of Oid: the types of the question's groups */
	List *zoned;          /* of int: groups that are timestamps without time zone here */
	List *measures;       /* DpQuestionMeasure *, of the question */
	char *normal;
};

/* Whether an answer of that time is older than allowed. */
extern bool dp_asked_is_old(TimestampTz asked, const DpAskFor *ask);
/* The release that answers it. */
extern DpReleaseRequest dp_question_request(const DpQuestionPlan *plan, const DpAskFor *ask);

#endif
