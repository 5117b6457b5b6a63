/*
 * arguments.h -- reading the arguments of SQL functions, and putting the rows of those that return
 * sets. Runs in any process.
 */
#ifndef DPSYN_ARGUMENTS_H
#define DPSYN_ARGUMENTS_H

#include "pg/server/compat.h"

#include "fmgr.h"
#include "nodes/pg_list.h"

/* ERROR if the argument is NULL. argument counts from 0; name: as the SQL function calls it. */
extern void dp_check_not_null(FunctionCallInfo fcinfo, int argument, const char *name);
/* The ERROR itself. */
extern DP_NORETURN void dp_refuse_null(const char *name);
/* The same for an array that is declared. '{}' removes what was declared; NULL, which array_agg gives
 * of no rows, does not. */
extern void dp_check_declared_array(FunctionCallInfo fcinfo, int argument, const char *name);
/* ERROR if any argument is NULL: for a function that acts or spends, of which a strict one would do
 * nothing and say nothing. */
extern void dp_check_no_null(FunctionCallInfo fcinfo);
/* The same of the first n arguments. */
extern void dp_check_first_no_null(FunctionCallInfo fcinfo, int n);
/* ERROR unless it is between 0 and 1. */
extern void dp_check_confidence(double confidence);
/* Given contribution bounds: rows, and the amount that a unit adds to a sum. 0 for NULL: they are
 * found. */
extern int dp_max_rows_argument(FunctionCallInfo fcinfo, int argument);
extern double dp_max_sum_argument(FunctionCallInfo fcinfo, int argument);
/* "confidence" of a query's intervals, from 0.01 to 0.999. */
extern double dp_confidence_argument(FunctionCallInfo fcinfo, int argument);
/* "seed"; a fresh one, which nobody knows, for NULL. */
extern uint64 dp_seed_argument(FunctionCallInfo fcinfo, int argument);
/* "options", a jsonb and not NULL, as a request has them. */
extern char *dp_options_argument(FunctionCallInfo fcinfo, int argument);
/*
 * Elements of an array, of any number of dimensions. nulls: which of them are NULL; without it
 * (NULL) there must be none. n: how many elements there are.
 */
extern Datum *dp_elements(Datum array, bool **nulls, int *n);
/* A text[] of one dimension without NULL. */
extern Datum dp_text_array(Datum *texts, int n);
/* ERROR: a target is of this type, and of no row type. */
extern DP_NORETURN void dp_refuse_target(Oid type);
/*
 * OIDs of the relations that a regclass, a regclass[], or a text names that is written as either.
 * PostgreSQL cannot tell from the call whether 'visits' is a relation or a list of them, so that a
 * literal comes as a text. It is read as the types read it, in the caller's search_path. Schemas are
 * named for all their tables.
 */
extern List *dp_relations_argument(FunctionCallInfo fcinfo, int argument);
/*
 * OIDs of the schemas that a text names, one or several in braces; NIL: something else is named. A
 * name that a relation has is the relation's, but where schemas alone can be meant.
 */
extern List *dp_schemas_argument(FunctionCallInfo fcinfo, int argument, bool alone);
/* An array of oid, or of a type like it. */
extern Datum dp_oid_array(const List *oids, Oid type);
/* A row of a function that called InitMaterializedSRF. */
extern void dp_put_row(FunctionCallInfo fcinfo, const Datum *values, const bool *nulls);

#endif
