/*
 * levels.h -- levels by their texts, and what a custodian declares about combinations of them:
 * what zeros.c and prior.c share.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_LEVELS_H
#define DPSYN_LEVELS_H

#include "pg/server/compat.h"

#include "utils/array.h"

#include "pg/budget/dataset.h"
#include "pg/domain/relation.h"

/* ---- levels by their texts ---- */

typedef struct DpLevel
{
	const char *text;
	uint32 code;
} DpLevel;

/* The named levels of an attribute, sorted by text. All 0: not made yet. */
typedef struct DpLevels
{
	uint32 n;
	DpLevel *level;
} DpLevels;

/* The text of a level that has a name: a category, "[lower,upper)", "[lower,upper]" for the last
 * bin. */
extern const char *dp_level_text(const DpAttribute *attribute, uint32 code);
/* The code of a text; NULL is the level "other". -1: there is no such level.
 * Makes levels at the first call. */
extern int64 dp_level_find(const DpAttribute *attribute, DpLevels *levels, const char *text);

/* The first of the texts that means the same value as the one that a user wrote: by the equality of
 * the type under the collation; InvalidOid: that of bytes. -1: none does, or the type cannot be read
 * here, or equal values have equal texts. */
extern int64 dp_text_meant(const char *const *texts, uint64 n, Oid type, Oid collation,
						   const char *text);
/* The code of a text that a user wrote: by its text, or, of categories, as dp_text_meant has it. */
extern int64 dp_level_meant(const DpAttribute *attribute, Oid type, Oid collation, DpLevels *levels,
							const char *text);

/* The bytes of the longest label of an attribute, or of the categories that it groups. */
extern size_t dp_longest_label(const DpAttribute *attribute);

/* Reads a range as cells show it, "[18,30)", into its ends; NULL: there is none. False: the text is
 * no range, and the ends are as they were. */
extern bool dp_range_text_read(const char *text, const char **low, const char **high, bool *closed);

/* ---- what a custodian declares ---- */

/* Columns of a relation about which something is declared, in the byte order of their names, in
 * which they are stored. */
typedef struct DpLevelSet
{
	Oid relation;
	DpDataset dataset;
	int width;
	const char **name; /* [width] */
	int *given;        /* [width] where each stood in the argument */
	/* filled by dp_level_domain */
	DpRelation *domain;
	uint32 *attribute; /* [width] */
	DpLevels *levels;  /* [width] */
} DpLevelSet;

/*
 * Reads the arguments relation (0) and columns (1); no columns, for all there are, where nothing is
 * declared but removed. Distinct names are enough, there need not be such columns. ERROR unless the
 * caller is the custodian and the relation is protected, and for NULL. action: "declare its zeros".
 */
extern void dp_level_set(FunctionCallInfo fcinfo, const char *action, DpLevelSet *set);
/* The names of the columns as a name[]. */
extern Datum dp_level_names(const DpLevelSet *set);
/* Whether the argument combinations (2) holds any. */
extern bool dp_level_any_given(FunctionCallInfo fcinfo);
/* Looks the columns up in the relation's domain. ERROR unless each has levels there. */
extern void dp_level_domain(DpLevelSet *set);
/*
 * The argument combinations (2) as a text[] of one dimension, as it is stored: combination by
 * combination, columns in stored order. tuples: how many combinations. Input functions of the
 * columns' types run, with no more rights than the relation's owner has.
 */
extern ArrayType *dp_level_combinations(FunctionCallInfo fcinfo, DpLevelSet *set, int *tuples);

/* ---- what was declared, for a release ---- */

/*
 * Zeros or priors that are read. Where they no longer fit the relation, strict makes that an ERROR.
 * But a column whose domain the caller gives for one release has other levels: what was declared
 * about it does not apply, and is no error.
 */
typedef struct DpDeclared
{
	const DpRelation *relation;
	const char *what; /* "zeros" or "priors" */
	bool strict;
} DpDeclared;

/* The attribute of a column that they name; -1 if it has no levels any more. */
extern int dp_declared_attribute(const DpDeclared *declared, const char *column);
/* The code of a stored text, as dp_level_find has it; -1 if there is no such level any more. */
extern int64 dp_declared_code(const DpDeclared *declared, uint32 attribute, DpLevels *levels,
							  const char *text);

#endif
