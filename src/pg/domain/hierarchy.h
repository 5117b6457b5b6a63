/*
 * hierarchy.h -- the public hierarchy of a column's categories, as the custodian declared it.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_HIERARCHY_H
#define DPSYN_HIERARCHY_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/*
 * Reads the declared hierarchies of a dataset into its relation's domain: the categories of each
 * such column get the order of its hierarchy, and the attribute its boundaries. Zeros and priors
 * must not have been read yet, because they name categories by their places. ERROR for a hierarchy
 * that does not fit the relation any more.
 */
extern void dp_hierarchies_read(DpRelation *relation, int32 dataset_id);

#endif
