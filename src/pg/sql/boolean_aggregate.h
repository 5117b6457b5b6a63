/*
 * boolean_aggregate.h -- bool_or, bool_and and every, by the number of rows that decide them.
 */
#ifndef DPSYN_BOOLEAN_AGGREGATE_H
#define DPSYN_BOOLEAN_AGGREGATE_H

#include "pg/server/compat.h"

#include "nodes/primnodes.h"

/*
 * count(*) FILTER (WHERE x) for bool_or(x), and count(*) FILTER (WHERE NOT x) for bool_and(x): if there
 * is such a row, the first is true, and the second false. NULL: it is another aggregate.
 */
extern Aggref *dp_deciding_rows(const Aggref *aggregate, bool *is_and);
/* The aggregate, by the low end of the interval of that count: whether noise alone cannot explain that
 * there are such rows. */
extern Node *dp_decided(Node *low, bool is_and);

#endif
