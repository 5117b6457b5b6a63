/*
 * interval_function.h -- dp_low, dp_high and dp_std_error, which stand for columns of an answer.
 */
#ifndef DPSYN_INTERVAL_FUNCTION_H
#define DPSYN_INTERVAL_FUNCTION_H

#include "pg/server/compat.h"

#include "pg/sql/carried.h"

/* Whether the function is one of them, and which part of a measure it is. */
extern bool dp_interval_function(Oid function, DpAnswerPart *part);

#endif
