/*
 * prior.h -- public counts of some columns, as the custodian declared them.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_PRIOR_H
#define DPSYN_PRIOR_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/* Reads the declared priors of a dataset into its relation's domain, which must not be restricted
 * yet. A prior with a level that the domain no longer has is left out; strict makes it an error. */
extern void dp_priors_read(DpRelation *relation, int32 dataset_id, bool strict);

#endif
