/*
 * fill_checks.h -- whether values that were made up pass the CHECKs of a relation.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_FILL_CHECKS_H
#define DPSYN_FILL_CHECKS_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"

/* A value that a column would hold. */
typedef struct DpFillValue
{
	bool known; /* the column is not modelled */
	bool isnull;
	Datum value;
} DpFillValue;

/*
 * The name of a CHECK, of the relation or of a domain type, that values break; NULL: none. Only
 * CHECKs are looked at that are about known columns alone and compute with nothing but immutable
 * functions of PostgreSQL itself, as far as there is work for it: no code of anybody runs. value:
 * one for each column of the relation. only: the index of a column that the CHECK must be about;
 * -1: any.
 */
extern const char *dp_fill_broken_check(DpChecks *checks, const DpFillValue *value, int only);

#endif
