/*
 * public_answer.h -- columns of public tables in a question about a stored release: "part.brand".
 *
 * Post-processing: runs in the caller's backend, on what was released and on public facts.
 */
#ifndef DPSYN_PUBLIC_ANSWER_H
#define DPSYN_PUBLIC_ANSWER_H

#include "pg/server/compat.h"

#include "pg/sample/release_query.h"

typedef struct DpPublicAnswer DpPublicAnswer;

/*
 * Takes the names out of by, and the members out of filter, that mean columns of public tables to
 * which columns of the release refer; n and filter become what is left. relation: of whose rows the
 * release is. NULL: there are none.
 */
extern DpPublicAnswer *dp_public_answer(const DpStored *stored, Oid relation, char **name, int *n,
										Jsonb **filter);
/* Answers the query for each combination of the columns' values, and returns all that is found. The
 * condition of the request says what the other columns must be. */
extern void dp_public_answer_return(DpPublicAnswer *public, DpReleaseQuery *request,
									ReturnSetInfo *result);

#endif
