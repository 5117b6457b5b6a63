/*
 * zeros.h -- combinations of levels that cannot occur, as the custodian declared them.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_ZEROS_H
#define DPSYN_ZEROS_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/* Reads the declared zeros of a dataset into its relation's domain, which must not be restricted
 * yet. A zero with a level that the domain no longer has is left out; strict makes it an error. */
extern void dp_zeros_read(DpRelation *relation, int32 dataset_id, bool strict);

#endif
