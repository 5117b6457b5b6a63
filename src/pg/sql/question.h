/*
 * question.h -- a question in SQL: aggregates of groups of the rows that a join and a WHERE leave,
 * as PostgreSQL's parser has analysed them. What becomes of the aggregates afterwards (HAVING, ORDER
 * BY, arithmetic, windows) is not part of a question: it is computed from its answer.
 *
 *     DpQuestion         what is asked; trees of PostgreSQL, over Vars of one rtable
 *     DpQuestionPlan     how it is answered: the counted relation, and a domain for each group and
 *                        argument. It is found in the schema, in dpsyn's catalog and in public tables
 *     DpQuestionAnswer   noisy numbers for each group
 *
 * Runs in the caller's backend, which reads no protected rows: only the release worker does, and it
 * takes the question in words of its own (asked.h), which it checks again.
 */
#ifndef DPSYN_QUESTION_H
#define DPSYN_QUESTION_H

#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "utils/timestamp.h"

typedef enum DpQuestionKind
{
	DP_ASK_COUNT_ROWS, /* count(*) */
	DP_ASK_COUNT,      /* count(x); with distinct, count(DISTINCT x) */
	DP_ASK_SUM,
	DP_ASK_AVG,
	DP_ASK_VAR_SAMP, /* variance(x) too */
	DP_ASK_VAR_POP,
	DP_ASK_STDDEV_SAMP, /* stddev(x) too */
	DP_ASK_STDDEV_POP,
	DP_ASK_PERCENTILE_CONT,
	DP_ASK_PERCENTILE_DISC
} DpQuestionKind;

/* What is measured of an argument and another one, where both are known; each about the middle of its
 * range. */
typedef enum DpQuestionPair
{
	DP_PAIR_NONE,
	DP_PAIR_ARGUMENT,
	DP_PAIR_PRODUCT
} DpQuestionPair;

typedef struct DpQuestionMeasure
{
	DpQuestionKind kind;
	DpQuestionPair pair;
	Expr *argument;  /* NULL: count(*) */
	Expr *other;     /* of a pair */
	Expr *filter;    /* FILTER (WHERE ...); NULL: none */
	double fraction; /* of a percentile, 0 to 1 */
	bool distinct;   /* of DP_ASK_COUNT alone */
	int location;    /* in the text, as of nodes; -1: unknown */
} DpQuestionMeasure;

/*
 * Neither rtable nor jointree holds anything but relations, joins of them, and sub-queries that
 * aggregate by unit first. Params are replaced by constants. Vars of joins may stay (they are looked
 * through).
 */
typedef struct DpQuestion
{
	List *rtable;       /* RangeTblEntry * */
	FromExpr *jointree; /* FROM and WHERE; sub-selects of WHERE (IN, EXISTS) stay in quals */
	List *groups;       /* Expr *; NIL: one group of all rows */
	List *measures;     /* DpQuestionMeasure * */
	const char *text;   /* of the statement, for positions in errors; NULL: unknown */
} DpQuestion;

typedef struct DpQuestionPlan DpQuestionPlan;

/* What is asked for beside the question. */
typedef struct DpAskFor
{
	int64 epsilon_nano;
	int64 delta_atto;
	double confidence;       /* of the intervals, as 0.95 */
	const Interval *refresh; /* older answers are asked for anew; NULL: any age serves */
	/* given contribution bounds; 0: they are found with a part of the budget */
	int max_rows_per_unit;
	double max_sum_per_unit;
	bool draws;         /* intervals of expressions are asked for, which simulate noise */
	bool has_no_effect; /* the statement has no effect beside its rows */
	TimestampTz began;  /* the statement: what was answered since is not too old for it */
} DpAskFor;

/* A number that was computed from noisy ones. Numbers are as they are, dates and times in seconds
 * since 1970, times of a day and intervals in seconds. */
typedef struct DpQuestionValue
{
	bool known; /* false: nothing can be said, as of the mean of a group that may be empty */
	double estimate;
	double std_error; /* NAN: unknown */
	double low, high;
} DpQuestionValue;

typedef struct DpQuestionGroup
{
	Datum *value;             /* [groups], of the type of the group's expression */
	bool *isnull;             /* [groups] */
	DpQuestionValue *measure; /* [measures] */
	uint64 cell;              /* its number for the answerer */
} DpQuestionGroup;

typedef struct DpQuestionAnswer
{
	int64 release;     /* where it is stored */
	bool was_stored;   /* it was read, and nothing was spent */
	TimestampTz asked; /* when it was asked for */
	const char *basis; /* in words, what it rests on */
	List *groups;      /* DpQuestionGroup *, in the order of the groups' domains */
	/* what the numbers were read with (core/estimate/query_answer.h); NULL: not with one alone */
	struct DpAnswerer *answerer;
	uint32 *measure_number; /* [measures] its number for the answerer */
} DpQuestionAnswer;

/*
 * Finds the counted relation, checks every expression, and finds the domains of groups and arguments.
 * ERROR for what cannot be answered: it names the clause and a way. Reads no protected rows.
 */
extern DpQuestionPlan *dp_question_plan(const DpQuestion *question);
/* The relation whose rows are counted; its dataset pays. */
extern Oid dp_question_relation(const DpQuestionPlan *plan);
/* The question in its normal form, by which an answer is found again: the same for questions that
 * differ in aliases, order of conjuncts and spelling alone. */
extern const char *dp_question_normal_form(const DpQuestionPlan *plan);
/*
 * Answers it as GetUserId(): from the store where it was asked before, and this role may read that;
 * else by a release, which spends, once the statement that runs has been checked (question_plan.h).
 */
extern DpQuestionAnswer *dp_question_answer(DpQuestionPlan *plan, const DpAskFor *ask,
											EState *estate);
/* Whether its answer spends: it measures something, and no usable answer is stored. */
extern bool dp_question_spends(const DpQuestionPlan *plan, const DpAskFor *ask);
/* What it would be if each of its numbers was this one, or NULL for NAN, in some of the groups that
 * public values allow. Reads and spends nothing. */
extern DpQuestionAnswer *dp_question_substitute(const DpQuestionPlan *plan, double number);
/* The basis of the stored answer that would be read, with the time of its question, in words; NULL:
 * there is no such answer. */
extern const char *dp_question_stored_basis(const DpQuestionPlan *plan, const DpAskFor *ask,
											TimestampTz *asked);
/* Lines in words (char *): the plan, what it costs, how wide the intervals will be, what is left.
 * Spends nothing. */
extern List *dp_question_explain(DpQuestionPlan *plan, const DpAskFor *ask);

#endif
