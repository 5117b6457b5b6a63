/*
 * protectable.h -- which relations can be protected, and what PostgreSQL shows of their parts.
 */
#ifndef DPSYN_PROTECTABLE_H
#define DPSYN_PROTECTABLE_H

#include "pg/server/compat.h"

/* ERROR unless it is a table, view or foreign table that the release worker can read. */
extern void dp_check_protectable(Oid relation);
/* WARNING of partitions, partial indexes and extended statistics, whose sizes every role can
 * read. */
extern void dp_warn_of_sizes(Oid relation);

#endif
