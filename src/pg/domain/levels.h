/*
 * levels.h -- combinations of levels as texts: what zeros.c and prior.c share.
 */
#ifndef DPSYN_LEVELS_H
#define DPSYN_LEVELS_H

#include "dpsyn.h"

#include "utils/array.h"

typedef struct DpLevel
{
	const char *text;
	uint32 code;
} DpLevel;

/* The named levels of an attribute, by text. All 0: not made yet. */
typedef struct DpLevels
{
	uint32 n;
	DpLevel *level;
} DpLevels;

/* The code of a stored text (NULL: of the level for the rest); -1: there is no such level. */
extern int64 dp_level_find(const DpAttribute *attribute, DpLevels *levels, const char *text);
/* Elements of a name[] or text[]. */
extern Datum *dp_array_elements(Datum array, Oid type, bool **nulls, int *n);

/* What a custodian says something about: columns of a relation, and combinations of their levels. */
typedef struct DpLevelSet
{
	Oid relation;
	DpDataset dataset;
	DpRelation *domain;
	int width;
	const char **name; /* [width] in byte order, as they are stored */
	int *given;        /* [width] where each stood in the argument */
	uint32 *attribute; /* [width] */
	DpLevels *levels;  /* [width] */
} DpLevelSet;

/* Argument 1, columns: distinct names, of which there need not be columns. */
extern void dp_level_columns(FunctionCallInfo fcinfo, DpLevelSet *asked);
/* ERROR unless each is a column with a public domain in asked->domain. */
extern void dp_level_attributes(DpLevelSet *asked);
/* Argument 2: all levels as they are stored, combination by combination, columns in stored order; NULL if there are
 * none. Input functions of the columns' types run: call it as the owner. */
extern ArrayType *dp_level_combinations(FunctionCallInfo fcinfo, DpLevelSet *asked, int *tuples);
/* The columns as a name[]. */
extern Datum dp_level_names(const DpLevelSet *asked);
/* The attribute that declared zeros or priors (what) name, or -1. strict: ERROR where there is none any more; but a
 * domain that the caller gives for one release has other levels, and what was declared has no say then. */
extern int dp_level_attribute(const DpRelation *relation, const char *what, const char *column,
							  bool strict);
/* ERROR: what a custodian declared names a column or a level (exists) that there is no more. what: "zeros". */
extern DP_NORETURN void dp_level_outdated(Oid relation, const char *what, const char *column,
										  bool exists);

#endif
