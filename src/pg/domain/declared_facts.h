/*
 * declared_facts.h -- what the custodian declared about levels of a relation, read into its domain.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_DECLARED_FACTS_H
#define DPSYN_DECLARED_FACTS_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/*
 * Public hierarchies: the categories of each such column get the order of its hierarchy, and the
 * attribute its boundaries. Zeros and priors must not have been read yet, because they name
 * categories by their places. ERROR for a hierarchy that does not fit the relation any more.
 */
extern void dp_hierarchies_read(DpRelation *relation, int32 dataset_id);

/* Public counts of some columns, into a domain that is not restricted yet. A prior with a level
 * that the domain no longer has is left out; strict makes it an error. */
extern void dp_priors_read(DpRelation *relation, int32 dataset_id, bool strict);
/* The same of combinations of levels that cannot occur. */
extern void dp_zeros_read(DpRelation *relation, int32 dataset_id, bool strict);

/*
 * Long lists of categories: makes a range (core/domain/range.h) of each text column with more
 * categories than a model can tell apart, unless zeros, priors or a dictionary name its levels. A
 * release then groups the categories that few rows have. How many categories are too many depends
 * on whether the method chooses its tables by what noise leaves of them, and then on epsilon.
 */
extern void dp_relation_group_categories(DpRelation *relation, bool chosen, int64 epsilon_nano);

#endif
