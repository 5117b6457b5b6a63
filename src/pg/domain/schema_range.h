/*
 * schema_range.h -- the range that the schema itself gives a column, and what the schema says about
 * columns that are not to be modelled by one.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_SCHEMA_RANGE_H
#define DPSYN_SCHEMA_RANGE_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "core/domain/grid.h"
#include "pg/domain/checks.h"

/* A range that nobody declared. */
typedef struct DpSchemaRange
{
	DpGrid grid;
	const char *source; /* "check", "type" or "assumed" */
	char *resolution;   /* in words */
} DpSchemaRange;

/*
 * The range of a column by its CHECKs and its type, or the one assumed for types without limits;
 * false if it has none, and then *why tells in a word or two: "primary key", "unique", "sequence",
 * "generated", "no range", "no domain".
 */
extern bool dp_schema_range(Relation relation, DpChecks *checks, Form_pg_attribute attribute,
							DpSchemaRange *range, const char **why);
/* Takes what the column's CHECKs forbid off the ends of a grid that somebody declared. False: there
 * is nothing to take off. */
extern bool dp_schema_narrow(DpChecks *checks, Form_pg_attribute attribute, DpGrid *grid);
/* "primary key", "unique", "sequence" or "generated", if the values of a column identify rows or
 * are computed by the table, so that a model learns nothing from them; else NULL. */
extern const char *dp_schema_given(Relation relation, AttrNumber number);

/* Whether CHECKs bound a column from both sides. */
extern bool dp_schema_is_bounded(DpChecks *checks, Form_pg_attribute attribute);

#endif
