/*
 * carried.h -- a question within a plan of PostgreSQL, as nodes that it can copy.
 *
 * A plan may be kept and run again, with other parameters. So what is asked stands in it as trees,
 * in which numbered Params stand for what is known when it runs: the statement's own parameters,
 * and uncorrelated sub-selects.
 */
#ifndef DPSYN_CARRIED_H
#define DPSYN_CARRIED_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"

#include "pg/sql/question.h"

/* What a column of the answer holds. */
typedef enum DpAnswerPart
{
	DP_PART_GROUP,
	DP_PART_ESTIMATE,
	DP_PART_STD_ERROR,
	DP_PART_LOW,
	DP_PART_HIGH,
	DP_PART_GROUPING /* of GROUPING SETS alone: which groups a row is of */
} DpAnswerPart;

typedef struct DpAnswerColumn
{
	DpAnswerPart part;
	int number;         /* of the group, the measure or the expression; from 0 */
	bool of_expression; /* the interval of an expression of the columns */
	Oid type;
	int32 typmod;
	Oid collation;
	const char *name; /* for EXPLAIN; NULL in a plan */
} DpAnswerColumn;

/* A measure as it stands in a statement. */
typedef struct DpCarriedMeasure
{
	DpQuestionKind kind;
	DpQuestionPair pair;
	Expr *argument;
	Expr *other;
	Expr *filter;
	Expr *fraction;  /* of a percentile, of type double precision; NULL: it is none */
	bool descending; /* the fraction counts from the largest value */
	bool distinct;
	int location;
} DpCarriedMeasure;

typedef struct DpCarried
{
	List *rtable;
	FromExpr *jointree;
	List *groups;      /* Expr * */
	List *measures;    /* DpCarriedMeasure * */
	List *columns;     /* DpAnswerColumn * */
	List *expressions; /* Expr * over the columns (Vars of entry 1), whose intervals are columns */
	DpAskFor ask;
} DpCarried;

/* The other way round. values: Const *, that take the place of the externals. */
extern DpCarried *dp_carried(const List *nodes, const List *values);
/* How many groups are columns of the answer. */
extern int dp_carried_groups(const List *nodes);
/* Whether a column (from 1) of the answer is its only group. */
extern bool dp_carried_is_only_group(const List *nodes, int column);
/* As it is asked. ERROR for a percentile that is none. text: of the statement. */
extern DpQuestion *dp_carried_question(const DpCarried *carried, const char *text);

/* The entry of a range table that stands for its answer (answer_call.h); its columns have names for
 * EXPLAIN, which need not differ. */
extern RangeTblEntry *dp_answer_entry(const DpCarried *carried);

#endif
