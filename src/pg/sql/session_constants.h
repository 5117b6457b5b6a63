/*
 * session_constants.h -- what in a question is constant while its statement runs, and depends on the
 * session: the time, its time zone, its settings.
 *
 * A question is answered by a process that has none of these. So they become constants here.
 */
#ifndef DPSYN_SESSION_CONSTANTS_H
#define DPSYN_SESSION_CONSTANTS_H

#include "pg/server/compat.h"

#include "nodes/nodes.h"

/*
 * The tree with constants for expressions without columns that call stable functions, as
 * now() - interval '7 days', and with a comparison of values of one type where a timestamp or a date
 * is compared with a constant that has a time zone, or the other way round. The tree is changed.
 */
extern Node *dp_fix_session_constants(Node *tree);

/* Whether COLLATE stands in an expression. */
extern bool dp_has_collation(Node *expression);

#endif
