/*
 * fill_pattern.h -- what patterns of a relation's columns say of a row.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_FILL_PATTERN_H
#define DPSYN_FILL_PATTERN_H

#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "utils/relcache.h"

#include "core/domain/pattern.h"

extern DpPattern *dp_fill_pattern(const char *words);
/* A pattern of which each row has this text. */
extern char *dp_fill_constant(const char *words);
/* Columns of the relation that a pattern names, by index, as often as it does; -1: there is none. */
extern int *dp_fill_columns(Relation relation, const DpPattern *pattern);
/* Whether a pattern takes anything from other columns. */
extern bool dp_fill_takes_from_columns(Relation relation, const char *words);
/* The text of the first row, in which columns hold nothing. */
extern char *dp_fill_first_text(Relation relation, const char *words);

/* Adds a value to a list, which begins with the first one; its end is left to the caller. always: in
 * quotes. */
extern void dp_fill_append(StringInfo list, const char *value, bool always);

#endif
