/*
 * fill.h -- what the columns hold that are not modelled.
 *
 * Runs in any process; it sees the schema and what the custodian declared, and no data.
 */
#ifndef DPSYN_FILL_H
#define DPSYN_FILL_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"
#include "pg/domain/relation_facts.h"
#include "pg/domain/schema_keys.h"

/*
 * Decides what each column holds that is not modelled, and what takes the place of NULL in modelled
 * columns that must not be NULL. keys: [columns] which are to differ in each row, or among the rows
 * of one parent, as dp_schema_keys tells. Fills what DpRelation says of fills, keys and CHECKs.
 */
extern void dp_fill_plan(Relation relation, DpChecks *checks, const DpKeyKind *keys,
						 DpRelation *result);
/* ERROR if a column has to hold a value and none is known, or a CHECK refuses what would be there.
 */
extern void dp_fill_check(const DpRelation *relation);
/* How many rows can be filled; UINT64_MAX: any number. */
extern uint64 dp_fill_rows_max(const DpRelation *relation);
/* ERROR if a column cannot have so many values. */
extern void dp_fill_check_rows(const DpRelation *relation, uint64 rows);
/* {"column": pattern} for all columns that are filled, as a release keeps it. */
extern char *dp_fill_to_json(const DpRelation *relation);

/* The pattern of a key of this type: '{n}', '{uuid}', 'name {n}'. NULL: the type has none. */
extern const char *dp_fill_key_pattern(const char *name, Oid type, int32 typmod);
/* Why the values of a pattern do not fit a column; NULL: they fit. */
extern const char *dp_fill_refusal(Relation relation, DpChecks *checks, int index,
								   const char *pattern);

#endif
