/*
 * expression_interval.h -- the interval of an expression of several noisy numbers, as of
 * 100 * sum(a) / sum(b).
 *
 * The noise of what was released is drawn once more, together for all numbers of a group, and the
 * expression is computed of each draw. It is post-processing: it sees released numbers alone.
 */
#ifndef DPSYN_EXPRESSION_INTERVAL_H
#define DPSYN_EXPRESSION_INTERVAL_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "pg/server/compat.h"
#include "pg/sql/carried.h"

typedef struct DpExpressionInterval DpExpressionInterval;

/* An expression over the columns of an answer, whose rows are in scanned. It lives as long as the
 * statement. */
extern DpExpressionInterval *dp_expression_interval(const Expr *expression, const List *columns,
													PlanState *ps, TupleTableSlot *scanned);
/*
 * Its interval in one group, whose columns stand in scanned. known: false where the noise of some
 * number cannot be drawn, or the expression has no value for what was drawn, such as a quotient
 * whose divisor is 0. An end that nothing bounds is NAN.
 */
extern DpQuestionValue dp_expression_interval_value(DpExpressionInterval *interval,
													const DpQuestionAnswer *answer,
													const DpQuestionGroup *group,
													double confidence);

/* dp_low, dp_high and dp_std_error, which stand for columns of an answer. */

/* Whether the function is one of them, and which part of a measure it is. */
extern bool dp_interval_function(Oid function, DpAnswerPart *part);

#endif
