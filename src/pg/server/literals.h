/*
 * literals.h -- names and values in calls that are ready to be run.
 *
 * Such a call is a line of a script, which somebody with more rights may run without reading it
 * twice. So whatever stands in it is a literal in quotes, or a comment, and neither holds a line
 * break: a name with one would end the comment, and begin a statement of its own.
 */
#ifndef DPSYN_LITERALS_H
#define DPSYN_LITERALS_H

#include "pg/server/compat.h"

/*
 * 'it''s', or E'a\u000Ab' where the words hold a control character or one that changes the
 * direction of writing. It means the same whatever standard_conforming_strings is.
 */
extern char *dp_literal(const char *words);

#endif
