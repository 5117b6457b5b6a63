/*
 * implied_distance.h -- columns that a CHECK puts after another: discharged >= admitted.
 *
 * Runs in any process; it sees the schema and public domains, and no data.
 */
#ifndef DPSYN_IMPLIED_DISTANCE_H
#define DPSYN_IMPLIED_DISTANCE_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/*
 * Models a date or timestamp as its distance from another, where a CHECK of the relation says that
 * it is not before that one, and nothing is declared about it. The other one is a range of the same
 * type, and is never NULL. except: a column that stays as it is; NULL: none does.
 */
extern void dp_relation_imply_distances(DpRelation *relation, const char *except);

#endif
