/*
 * universe.h -- public domains too large to list, read from JSON.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_UNIVERSE_H
#define DPSYN_UNIVERSE_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "core/domain/universe.h"

/* The domain of a column of this type. ERROR if the JSON is no domain, or holds values that are not
 * of the type. column: for messages. */
extern const DpUniverse *dp_universe_from_json(Jsonb *json, const char *column, Oid type,
											   int32 typmod, DpArena *arena);
/* The same text for all values that a base type calls equal, as far as dpsyn knows the type: it
 * drops trailing zeros and blanks, and the sign of zero. output: the type's output function. */
extern char *dp_text_canonical(FmgrInfo *output, Oid type, Datum value);

#endif
