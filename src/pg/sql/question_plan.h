/*
 * question_plan.h -- the plan of a question, only for the files of this folder that plan, answer
 * and explain it. Runs in the caller's backend.
 */
#ifndef DPSYN_QUESTION_PLAN_H
#define DPSYN_QUESTION_PLAN_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "pg/budget/dataset.h"
#include "pg/question/asked.h"
#include "pg/release/request.h"
#include "pg/server/compat.h"
#include "pg/sql/question.h"
#include "pg/sql/translate.h"

struct DpQuestionPlan
{
	DpDataset dataset;    /* of the counted relation */
	DpRelation *relation; /* with what is asked for as its attributes */
	DpAsked *asked;       /* as a release is asked for it */
	List *groups;         /* of Oid: the types of the question's groups */
	List *zones; /* char *, of groups: the time zone of which these times become instants; NULL */
	List *measures; /* DpQuestionMeasure *, of the question */
	char *normal;
};

/* Whether an answer of that time is older than allowed. */
extern bool dp_asked_is_old(TimestampTz asked, const DpAskFor *ask);
/* The release that answers it. */
extern DpReleaseRequest dp_question_request(const DpQuestionPlan *plan, const DpAskFor *ask);

/*
 * The questions of one running statement, which its budgets must cover together before the first
 * of them is paid.
 */

typedef struct DpStatementQuestion
{
	const Plan *scan; /* the node of the statement's plan that asks it */
	const DpQuestionPlan *plan;
	struct DpCarried *carried;
	DpQuestionAnswer *substitute; /* in a preflight */
} DpStatementQuestion;

/* Adds a question that the statement may ask, as long as it runs. */
extern void dp_statement_will_ask(EState *estate, DpStatementQuestion question);
/*
 * ERROR for what can be known before the first question of a statement spends; later calls do
 * nothing. The budgets have to cover all questions of the statement that have no stored answer.
 * Then comes a preflight, where the statement has no effect beside its rows: it is run with
 * substitutes of its answers, so that what fails whatever the answers are costs nothing.
 */
extern void dp_statement_check(EState *estate);
/* The question of this node, if it runs in a preflight; NULL: it does not. */
extern const DpStatementQuestion *dp_statement_preflight(const EState *estate, const Plan *scan);
/* Whether some statement has a preflight now: what its functions ask is answered by this number. */
extern bool dp_in_preflight(double *number);

/*
 * Sub-queries in FROM that aggregate the rows of each person first, as rows of a question. Runs in
 * the caller's backend.
 */

typedef struct DpUnitRows
{
	const Query *query;
	DpTranslation inner; /* of what stands within the sub-query */
	List *groups;        /* Node *, one for each of inner.asked->groups */
	List *keys;          /* Node *: groups that tell the unit */
	uint32 number;       /* of the relation that they are in the question */
	/* of those that are joined: the entry of the range table, the relation whose rows they sum up,
	 * what a row that they are joined to has as their key, and whether it may have none of them */
	int entry;
	Oid relation;
	const DpRowExpression *person;
	bool outer;
} DpUnitRows;

/* The sub-query that FROM is, and nothing else; NULL: it is not one. */
extern const Query *dp_unit_query(const DpQuestion *question);
/* Fills the translation of a question over it: relation 0 are rows of units. ERROR for what they
 * cannot be. */
extern void dp_unit_rows_plan(const Query *query, DpTranslation *translation, DpDataset *dataset,
							  DpRelation **counted);
/* Those that stand beside relations. */
extern const DpUnitJoins dp_unit_joins;
/* Whether a column tells one unit from another. */
extern bool dp_tells_unit(const DpAsked *asked, const DpDataset *dataset,
						  const DpRowExpression *column);

/*
 * The relations of a question: which of them is counted, and what the others give to its rows.
 * Runs in the caller's backend.
 */

/* Fills dataset with that of the counted relation, the translation with all relations, and what they
 * are joined on and filtered by. ERROR for a join that no question can have. */
extern void dp_from_clause(const DpQuestion *question, DpTranslation *translation,
						   DpDataset *dataset, DpRelation **counted);

/* A column of this query, as another type or not; NULL: it is something else. */
extern const Var *dp_plain_var(const Node *node);

/* What the FROM of one entry filters by; NULL: nothing. */
extern DpRowExpression *dp_where_clause(const FromExpr *jointree, DpTranslation *translation);

#endif
