/*
 * expression.h -- expressions of a table, evaluated on made-up rows.
 *
 * An expression that was true of every row of the table may fail on a row that was drawn: a
 * division by zero, a sum beyond its type. PostgreSQL would not take such a row, so it is no reason
 * to fail but one to draw another row. Such an error is caught in a subtransaction, as any is
 * (pg/server/subtransaction.h). A subtransaction takes as long as some rows, so many expressions
 * share one as long as none fails (dp_evaluate_together), and those that cannot fail need none.
 */
#ifndef DPSYN_EXPRESSION_H
#define DPSYN_EXPRESSION_H

#include "pg/server/compat.h"

#include "access/tupdesc.h"
#include "nodes/execnodes.h"

typedef struct DpEvaluator DpEvaluator;
typedef struct DpExpression DpExpression;

extern DpEvaluator *dp_evaluator_create(TupleDesc row);
/* Adds a planned expression, in which untrusted_code.h found no obstacle. */
extern DpExpression *dp_evaluator_add(DpEvaluator *evaluator, Node *planned);
/* Whether one of its expressions can fail. */
extern bool dp_evaluator_can_fail(const DpEvaluator *evaluator);
/* The row that is evaluated on from now on. Its values must live as long. */
extern void dp_evaluator_show(DpEvaluator *evaluator, const Datum *values, const bool *nulls);
/* Frees what evaluating took, but for values. */
extern void dp_evaluator_reset(DpEvaluator *evaluator);
/*
 * The value of an expression; false: it fails. A cancel, and a lack of resources, are errors still.
 */
extern bool dp_expression_value(DpEvaluator *evaluator, DpExpression *expression, Datum *value,
								bool *isnull);
/*
 * Calls what evaluates many expressions, all in one subtransaction; false: one of them failed, and
 * the call ended there. Then the caller undoes what the call did, and makes it once more without
 * this. Within such a call dp_expression_value never returns false.
 */
extern bool dp_evaluate_together(DpEvaluator *evaluator, void (*call)(void *), void *argument);
/* The same for a call whose results nobody may ask for: false also where anything else of it failed
 * that would fail again. */
extern bool dp_evaluate_ahead(DpEvaluator *evaluator, void (*call)(void *), void *argument);
/* Whether that is so at the time. */
extern bool dp_evaluates_together(const DpEvaluator *evaluator);

#endif
