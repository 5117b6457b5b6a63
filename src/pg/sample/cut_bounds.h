/*
 * cut_bounds.h -- intervals of answers for which bins are cut.
 *
 * Post-processing: runs in the caller's backend, on what was released.
 */
#ifndef DPSYN_CUT_BOUNDS_H
#define DPSYN_CUT_BOUNDS_H

#include "pg/server/compat.h"

#include "core/estimate/measured.h"
#include "pg/sample/condition.h"
#include "pg/sample/store.h"

/*
 * A bin of which a condition takes a part is counted in proportion. How its rows lie inside of it is
 * not known: all of them may meet the condition, or none. Makes the interval of each answer of a
 * query reach from the least, as if no row of such a bin did, to the most, as if all did. Does
 * nothing where no bin is cut. table: [stored->model.tables].
 */
extern void dp_widen_cut(DpStored *stored, const DpCondition *condition,
						 const DpMarginalQuery *query, const DpMeasuredTable *table,
						 const DpTick *tick, DpGroupAnswer *answer);

#endif
