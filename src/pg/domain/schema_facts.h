/*
 * schema_facts.h -- what the schema itself declares about a column.
 *
 * Runs in any process; it sees the schema and no data.
 */
#ifndef DPSYN_SCHEMA_FACTS_H
#define DPSYN_SCHEMA_FACTS_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"

/* Whether no row of the relation, or of a child of it, can hold NULL in a column. index counts
 * from 0. */
extern bool dp_schema_not_null(Relation relation, const DpChecks *checks, int index);
/*
 * The texts of all values that the column can hold besides NULL; false if the schema does not say.
 * Where it says more than is read, checks learn that the column is unseen. owner_code: the type's
 * input function may run, which for a domain runs its owner's CHECK.
 */
extern bool dp_schema_values(DpChecks *checks, Form_pg_attribute attribute, bool owner_code,
							 const char ***labels, uint32 *labels_n);

/* Whether the type is a domain with NOT NULL, or over one. */
extern bool dp_schema_type_not_null(Oid type);

#endif
