/*
 * untrusted_code.h -- the judge of whether a type or an expression can run what somebody wrote.
 *
 * Whatever is read, printed, compared or evaluated in the session of another role, or in the
 * release worker, is asked about here first. No other code decides that.
 *
 * Only superusers can make functions in C or in "internal", base types and operator classes. So
 * these are trusted. A CHECK of a domain type, a cast, a function in any other language, and
 * everything that holds a domain or composite type somewhere inside, can be anybody's, and its
 * owner can change it at any time.
 */
#ifndef DPSYN_UNTRUSTED_CODE_H
#define DPSYN_UNTRUSTED_CODE_H

#include "pg/server/compat.h"

#include "nodes/nodes.h"

/*
 * Whether reading, printing or comparing a value of the type can run somebody's code: it is a
 * domain, a composite type or a range type of a user's, or an array of such. What is read for a
 * column of a domain type is read as the type below (getBaseType).
 */
extern bool dp_type_runs_code(Oid type);
/* ERROR if reading values of a column's type could run code, unless the current user has the rights
 * of the row type's owner. InvalidOid: the caller chose the types. */
extern void dp_check_type_readable(const char *column, Oid type, Oid owner);
/*
 * Why an expression must not be evaluated here, as half a sentence; NULL: it may be. It may if each
 * of its functions is PostgreSQL's own (dp_own_function in expression_work.h), internal, and immutable
 * or one that computes with times or money or prints these, and each of its types is built in and
 * runs no code, or is an enum, citext, an array of these or a domain over these. CURRENT_DATE and the
 * like may be evaluated too.
 */
extern char *dp_expression_obstacle(Node *expression);
/*
 * The same of what becomes an expression of a table of the current user's, and of dp_runs_code in
 * SQL. There functions in C and "internal" are fine that a superuser or the current user owns, and
 * some functions of PostgreSQL that are not immutable.
 */
extern char *dp_stored_expression_obstacle(Node *expression);

#endif
