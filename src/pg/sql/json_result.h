/*
 * json_result.h -- rows of a private query as jsonb, with the interval of each noisy number.
 */
#ifndef DPSYN_JSON_RESULT_H
#define DPSYN_JSON_RESULT_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

/*
 * A query that gives each row of this one as jsonb. A column that is an aggregate, here or in the
 * sub-query that it comes from, becomes {"estimate", "std_error", "low", "high"}; any other one is
 * the value that it has. Before the query is rewritten.
 */
extern Query *dp_result_as_json(Query *query);

#endif
