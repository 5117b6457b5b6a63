/*
 * distance_base.h -- what a column is the distance from: a column of its own row, or of a row that
 * this belongs to, its parent's or one above; or an end of such a column of a range type.
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
 * The column that words name: 'began' or 'lower(during)' of the relation, or 'orders.began',
 * 'shop.orders.began' of one that its rows belong to, as SQL writes names or without the quotes. ERROR where they name none, or
 * more than one.
 */
extern DpDistanceBase dp_distance_base_named(const DpDataset *dataset, const char *words);
/* ERROR unless column, of that type, can be modelled as the distance from base. */
extern void dp_check_distance(Oid relation, const char *column, Oid type,
							  const DpDistanceBase *base);
/* The base in words: began, or orders.began. */
extern char *dp_distance_base_label(const DpDistanceBase *base);
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
/* The same as an expression over the columns of its relation. of: "s." before their names. */
extern char *dp_distance_base_expression(const DpColumn *column, const char *of);

#endif
