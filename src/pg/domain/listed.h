/*
 * listed.h -- long lists of categories, which a release takes for ranges of their places in the
 * list, so that it groups those that few rows have.
 *
 * Runs in any process; it sees no data.
 */
#ifndef DPSYN_LISTED_H
#define DPSYN_LISTED_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/*
 * Makes a range (core/domain/range.h) of each text column with more categories than a model can
 * tell apart, unless zeros, priors or a dictionary name its levels. How many these are is decided
 * by whether the method chooses its tables by what noise leaves of them, and then by epsilon.
 */
extern void dp_relation_group_categories(DpRelation *relation, bool chosen, int64 epsilon_nano);

#endif
