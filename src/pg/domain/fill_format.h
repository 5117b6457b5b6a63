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
 * Patterns that may pass the CHECKs of a column, as a list of char *: one from each comparison of
 * the column with a regular expression (~, ~*) or by LIKE. unique: they must contain the row
 * number. They are candidates: the caller tries them on the CHECK. unread: receives the unsupported
 * part of an expression, or NULL.
 */
extern List *dp_fill_formats(Relation relation, DpChecks *checks, int index, bool unique,
							 const char **unread);

#endif
