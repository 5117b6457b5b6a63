/*
 * carried_measure.h -- which measure of a question an aggregate of SQL is.
 */
#ifndef DPSYN_CARRIED_MEASURE_H
#define DPSYN_CARRIED_MEASURE_H

#include "pg/server/compat.h"

#include "nodes/primnodes.h"

#include "pg/sql/carried.h"

/* ERROR for an aggregate that has no private answer. text: of the statement. */
extern DpCarriedMeasure *dp_carried_measure(const Aggref *aggregate, const char *text);

#endif
