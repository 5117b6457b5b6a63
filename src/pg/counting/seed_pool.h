/*
 * seed_pool.h -- the public rows at which chains start.
 *
 * Runs in the caller's backend, with the caller's rights.
 */
#ifndef DPSYN_SEED_POOL_H
#define DPSYN_SEED_POOL_H

#include "pg/server/compat.h"

#include "core/domain/seed_pool.h"
#include "pg/domain/relation.h"

/*
 * The table that the option seed_pool names, for a release of relation; InvalidOid if the option is
 * not given. ERROR unless it is a plain table that is not and was not protected, and whose rows no
 * such relation has.
 */
extern Oid dp_seed_pool_relation(const DpRelation *relation, const DpOptions *options);
/* Its rows; NULL if the option is not given. */
extern const DpSeedPool *dp_seed_pool_read(const DpRelation *relation, const DpOptions *options);

#endif
