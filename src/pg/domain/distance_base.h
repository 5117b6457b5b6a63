/*
 * distance_base.h -- what a column is the distance from: a column of its own row, or of a row that
 * this belongs to, its parent's or one above.
 *
 * Runs in any process. It sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_DISTANCE_BASE_H
#define DPSYN_DISTANCE_BASE_H

#include "pg/server/compat.h"

#include "utils/rel.h"

#include "pg/budget/dataset.h"
#include "pg/domain/checks.h"
#include "pg/domain/distance.h"
#include "pg/domain/relation_facts.h"

/*
 * The column that words name: 'began' of the relation, or 'orders.began', 'shop.orders.began' of one
 * that its rows belong to, as SQL writes names or without the quotes. ERROR where they name none, or
 * more than one.
 */
extern DpDistanceBase dp_distance_base_named(const DpDataset *dataset, const char *words);
/* ERROR if the column would be a distance from itself by way of others of its row, as they are
 * declared. */
extern void dp_check_distance_circle(const DpDataset *dataset, const char *column,
									 const DpDistanceBase *base);

/*
 * Makes an attribute and its column those of distances. nullable becomes true where the base can be
 * NULL. false: the base is not there any more, or of another type.
 */
extern bool dp_distance_apply(Relation relation, const DpChecks *checks, const DpDistanceBase *base,
							  DpAttribute *attribute, DpColumn *column, bool *nullable);
/* What a column that is a distance is from. */
extern DpDistanceBase dp_distance_base_of(const DpColumn *column);

#endif
