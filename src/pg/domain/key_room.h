/*
 * key_room.h -- how many rows a UNIQUE index leaves room for, by what its columns can hold.
 *
 * Runs in any process; it sees the schema and what the custodian declared, and no data.
 */
#ifndef DPSYN_KEY_ROOM_H
#define DPSYN_KEY_ROOM_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"
#include "pg/domain/relation_facts.h"

/* The DpKeyRoom of a relation, when its columns are planned and filled. */
extern List *dp_key_rooms(Relation relation, DpChecks *checks, const DpRelation *facts);
/*
 * ERROR if a second row, or one of the same parent, would repeat what is UNIQUE, whatever it is;
 * WARNING if there is room for less than so many rows, or for less than a parent may have.
 * rows_per_parent: 0 if the relation is released by itself.
 */
extern void dp_key_rooms_check(const DpRelation *facts, uint64 rows, uint32 rows_per_parent);

#endif
