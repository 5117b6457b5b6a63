/*
 * expression.h -- expressions of a table, evaluated on made-up rows.
 *
 * An expression that was true of every row of the table may fail on a row that was drawn: a division
 * by zero, a sum beyond its type. PostgreSQL would not take such a row, so it is no reason to fail
 * but one to draw another row.
 */
#ifndef DPSYN_EXPRESSION_H
#define DPSYN_EXPRESSION_H

#include "pg/server/compat.h"

#include "access/tupdesc.h"
#include "nodes/execnodes.h"

typedef struct DpEvaluator DpEvaluator;

extern DpEvaluator *dp_evaluator_create(TupleDesc row);
/* The row that is evaluated on from now on. Its values must live as long. */
extern void dp_evaluator_show(DpEvaluator *evaluator, const Datum *values, const bool *nulls);
/* Frees what evaluating took, but for values. */
extern void dp_evaluator_reset(DpEvaluator *evaluator);
/*
 * The value of an expression in which own_code.h found no obstacle; false: it fails. Only such a one
 * may fail here, since no transaction is rolled back: it changes nothing, and what it holds of
 * the catalog is released. A cancel, and a lack of resources, are errors still.
 */
extern bool dp_expression_value(DpEvaluator *evaluator, ExprState *state, Datum *value,
								bool *isnull);

#endif
