/*
 * labels.h -- relations, roles and columns by name, for statements and messages. Runs in
 * any process.
 */
#ifndef DPSYN_LABELS_H
#define DPSYN_LABELS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "storage/lock.h"
#include "utils/relcache.h"

#include "pg/server/compat.h"

/* Whether a name is in a list of char *. */
extern bool dp_is_listed(const List *names, const char *name);

/* Opens a relation by a number that somebody handed over; ERROR (42P01) if it is not there. */
extern Relation dp_relation_open(Oid relation, LOCKMODE mode);
/* The name, quoted and with its schema; "with OID 123" if the relation is gone. */
extern char *dp_relation_label(Oid relation);
/* The same as it is, for messages that put it in quotes: relation \"%s\". */
extern char *dp_relation_words(Oid relation);
/* The name as it is; "role with OID 123" if the role is gone. */
extern char *dp_role_label(Oid role);
/* ERROR: the relation has no such column. detail: a sentence, or NULL. */
extern DP_NORETURN void dp_no_such_column(const char *column, Oid relation, const char *detail);

/*
 * Names and values in calls that are ready to be run.
 *
 * Such a call is a line of a script, which somebody with more rights may run without reading it
 * twice. So whatever stands in it is a literal in quotes, or a comment, and neither holds a line
 * break: a name with one would end the comment, and begin a statement of its own.
 */

/*
 * 'it''s', or E'a\u000Ab' where the words hold a control character or one that changes the
 * direction of writing. It means the same whatever standard_conforming_strings is.
 */
extern char *dp_literal(const char *words);

#endif
