/*
 * fill_format.h -- patterns for texts of which a CHECK says what they look like.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_FILL_FORMAT_H
#define DPSYN_FILL_FORMAT_H

#include "postgres.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"
#include "pg/server/compat.h"

/*
 * The form of the texts that match a regular expression.
 *
 * Runs in any process; it sees the schema and no data.
 */

#define DP_FORMAT_ATOMS_MAX 200
#define DP_FORMAT_TIMES_MAX 255 /* the limit of PostgreSQL's quantifiers */

/* A set of ASCII characters. */
typedef struct DpCharacterSet
{
	bool has[128];
	int n;
} DpCharacterSet;

/* A place in a text. */
typedef struct DpFormatAtom
{
	DpCharacterSet set; /* one of these; if empty: the literal */
	char literal[5];    /* a multi-byte character */
	int least;          /* least number of repetitions */
	int most;           /* largest number of repetitions; -1: unbounded */
} DpFormatAtom;

/* One form of the texts that match an expression as a whole. */
typedef struct DpFormat
{
	int atoms;
	DpFormatAtom atom[DP_FORMAT_ATOMS_MAX];
	const char *unread; /* unsupported part of the expression; NULL: none */
} DpFormat;

/* Parses an expression in PostgreSQL's syntax (an ARE). False: it has an unsupported part. */
extern bool dp_format_of_regex(const char *expression, DpFormat *format);

/*
 * Patterns that may pass the CHECKs of a column, as a list of char *: one from each comparison of
 * the column with a regular expression (~, ~*) or by LIKE. unique: they must contain the row
 * number. They are candidates: the caller tries them on the CHECK. unread: receives the unsupported
 * part of an expression, or NULL.
 */
extern List *dp_fill_formats(Relation relation, DpChecks *checks, int index, bool unique,
							 const char **unread);

#endif
