/*
 * shared_unit.h -- whether relations that share a budget have one unit.
 *
 * Runs in any process. It reads the catalogs, and no data.
 */
#ifndef DPSYN_SHARED_UNIT_H
#define DPSYN_SHARED_UNIT_H

#include "pg/server/compat.h"

#include "pg/budget/dataset.h"

/*
 * ERROR unless costs for units of both relations may be added up: the neighbouring relation, the
 * unit, its column and the stated sensitivity of both are compared.
 */
extern void dp_check_same_unit(const DpDataset *other, const DpDataset *requested);
/*
 * ERROR, before anything is spent, where the unit columns of the relations that share the budget do
 * not tell units apart by one equality any more.
 */
extern void dp_dataset_check_shared(const DpDataset *dataset);

#endif
