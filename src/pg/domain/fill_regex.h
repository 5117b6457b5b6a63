/*
 * fill_regex.h -- what a text looks like that a regular expression matches.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_FILL_REGEX_H
#define DPSYN_FILL_REGEX_H

#include "pg/server/compat.h"

#define DP_FORMAT_ATOMS_MAX 200
#define DP_FORMAT_TIMES_MAX 255 /* as PostgreSQL counts */

/* Characters of ASCII. */
typedef struct DpCharacterSet
{
	bool has[128];
	int n;
} DpCharacterSet;

/* A place in a text. */
typedef struct DpFormatAtom
{
	DpCharacterSet set; /* one of these; of none: */
	char literal[5];    /* this character, which has several bytes */
	int least;          /* so many times at least, */
	int most;           /* and at most; -1: any number of times */
} DpFormatAtom;

/* One way in which an expression matches, for a whole text. */
typedef struct DpFormat
{
	int atoms;
	DpFormatAtom atom[DP_FORMAT_ATOMS_MAX];
	const char *unread; /* what of the expression is not read; NULL: all is */
} DpFormat;

/* Reads an expression as PostgreSQL does (an ARE). false: something is not read. */
extern bool dp_format_of_regex(const char *expression, DpFormat *format);

#endif
