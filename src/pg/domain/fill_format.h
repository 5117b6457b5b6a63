/*
 * fill_format.h -- patterns for texts of which a CHECK says what they look like.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_FILL_FORMAT_H
#define DPSYN_FILL_FORMAT_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"

/*
 * Patterns that might pass the CHECKs of a column, of char *: one from each comparison of it with a
 * regular expression (~, ~*) or LIKE, in which unique asks for the number of the row. They are
 * guesses: whoever takes one tries it on the CHECK. unread: what of an expression is not read; NULL:
 * all is.
 */
extern List *dp_fill_formats(Relation relation, DpChecks *checks, int index, bool unique,
							 const char **unread);

#endif
