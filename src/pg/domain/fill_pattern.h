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
/* A pattern that gives this text in each row. */
extern char *dp_fill_constant(const char *words);
/* Indexes of the columns that a pattern names, in its order and with repetitions; -1: no such
 * column. */
extern int *dp_fill_columns(Relation relation, const DpPattern *pattern);
/* Whether a pattern uses values of other columns. */
extern bool dp_fill_takes_from_columns(Relation relation, const char *words);
/* The text of the first row, with other columns empty. */
extern char *dp_fill_first_text(Relation relation, const char *words);

/* Appends a value to a list, with the brace before the first one. The caller appends the closing
 * brace. always: quotes the value in any case. */
extern void dp_fill_append(StringInfo list, const char *value, bool always);

#endif
