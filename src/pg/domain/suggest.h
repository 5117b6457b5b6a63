/*
 * suggest.h -- the call of dp_define_column that a column without a public domain is in need of.
 */
#ifndef DPSYN_SUGGEST_H
#define DPSYN_SUGGEST_H

#include "pg/domain/relation.h"

/* A statement, written from the schema alone: unlike dp_suggest_columns, it reads no row. NULL:
 * there is nothing to declare, as of a key. */
extern char *dp_suggest_call(Oid relation, const DpUnmodelled *column);

#endif
