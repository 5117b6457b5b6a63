/*
 * protectable.h -- which relations can be protected, and what PostgreSQL shows of their parts.
 */
#ifndef PROTECTABLE_H
#define PROTECTABLE_H

#include "pg/server/compat.h"

/* ERROR unless it is a table, view or foreign table that the release worker can read. */
extern void dp_check_protectable(Oid relation);
/* WARNING of partitions, partial indexes and extended statistics, whose sizes are nobody's secret. */
extern void dp_warn_of_sizes(Oid relation);

#endif
