/*
 * question_plan.h -- what is planned of a question, for the files here that plan, answer and
 * explain it alone. Runs in the caller's backend.
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

/* Whether what was asked for then is older than a role wants. refresh NULL: as its session says. */
extern bool dp_asked_is_old(TimestampTz asked, const DpAskFor *ask);
/* The release that answers it. */
extern DpReleaseRequest dp_question_request(const DpQuestionPlan *plan, const DpAskFor *ask);

#endif
