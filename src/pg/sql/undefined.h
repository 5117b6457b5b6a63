/*
 * undefined.h -- what has no value for some noisy number is NULL, and no error after it was paid for.
 */
#ifndef DPSYN_UNDEFINED_H
#define DPSYN_UNDEFINED_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

/* Makes undefined values NULL, in all of the statement that is computed from answers. Does not change
 * expressions within a question. */
extern void dp_undefined_as_null(Query *query);

#endif
