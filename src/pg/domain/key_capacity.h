/*
 * key_capacity.h -- how many rows a UNIQUE index can tell apart, by what its columns can hold.
 *
 * Runs in any process; it sees the schema and what the custodian declared, and no data.
 */
#ifndef DPSYN_KEY_CAPACITY_H
#define DPSYN_KEY_CAPACITY_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"
#include "pg/domain/relation_facts.h"

/* The DpKeyCapacity of a relation, when its columns are planned and filled. */
extern List *dp_key_capacities(Relation relation, DpChecks *checks, const DpRelation *facts);
/*
 * ERROR if a second row, or one of the same parent, would repeat what is UNIQUE, whatever it is;
 * WARNING or NOTICE if there can be less than so many rows, or less than a parent may have.
 * rows_per_parent: 0 if the relation is released by itself.
 */
extern void dp_key_capacities_check(const DpRelation *facts, uint64 rows, uint32 rows_per_parent);

#endif
