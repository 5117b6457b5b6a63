/*
 * expression_words.h -- an expression over the columns of a row, as words that mean the same in
 * every session: "net + tax".
 *
 * Every name in them but those of columns is one of pg_catalog, whatever search_path says. Such
 * words are kept with a release, and read again for a row type that has columns of these names.
 */
#ifndef DPSYN_EXPRESSION_WORDS_H
#define DPSYN_EXPRESSION_WORDS_H

#include "pg/server/compat.h"

#include "access/tupdesc.h"
#include "nodes/nodes.h"

/* The words of an expression over Vars of a relation; NULL: it cannot be written so. */
extern char *dp_expression_words(Node *expression, Oid relation);
/*
 * The expression of such words, over Vars of a row, with a type of the expression's own. ERROR
 * where the words are no expression, name what pg_catalog or the row does not have, or where
 * evaluating them could run somebody's code (untrusted_code.h).
 */
extern Node *dp_expression_of_words(const char *words, TupleDesc row);
/* The same; NULL in place of an error that is due to the words or to the row. */
extern Node *dp_expression_try_words(const char *words, TupleDesc row);
/* The expression as one of another type, as an assignment to a column converts it; NULL: it cannot
 * be converted. type: no domain. typmod -1: values keep their precision. */
extern Node *dp_expression_convert(Node *expression, Oid type, int32 typmod);

#endif
