/*
 * privacy_unit.h -- what is protected, and by how much one unit can change a histogram.
 */
#ifndef DP_PRIVACY_UNIT_H
#define DP_PRIVACY_UNIT_H

#include "core/base/status.h"

typedef enum DpNeighbours
{
	DP_ADD_REMOVE = 0, /* one unit added or removed */
	DP_REPLACE_ONE = 1 /* one unit replaced */
} DpNeighbours;

/* What is protected: all rows of one unit (a person), at most rows_max of them. */
typedef struct DpUnit
{
	DpNeighbours neighbours;
	uint32_t rows_max; /* >= 1 */
	/* under replace_one: a unit may have no row here, even where none has more than one */
	bool rows_secret;
} DpUnit;

/* A sensitivity that does not fit 64 bits is written so. It is less than the true one, so no
 * mechanism takes it: DP_ERR_RANGE. */
#define DP_SENSITIVITY_TOO_LARGE INT64_MAX

/* Whether the unit has rows and a known relation of neighbours. */
extern bool dp_unit_valid(const DpUnit *unit);
/* L1 sensitivity, in rows, of one histogram in which each row sits in one cell. It is rows_max
 * under add/remove and 2 rows_max under replace. */
extern int64_t dp_unit_l1(const DpUnit *unit);
/*
 * Square of the L2 sensitivity of the same histogram, in rows^2: k^2 under add/remove, 2 k^2
 * under replace, k = rows_max. DP_SENSITIVITY_TOO_LARGE where that is more.
 *
 * All k rows of a unit may share one cell, which then moves by k. The counts that come are a
 * vector u >= 0, those that go a vector w >= 0, each with a sum of at most k. So |u - w|^2 =
 * |u|^2 + |w|^2 - 2 u.w <= k^2 + k^2, and two cells attain it.
 */
extern int64_t dp_unit_l2_squared(const DpUnit *unit);
/*
 * Whether neighbours have the same number of rows: one row replaced. A unit of several rows may be
 * replaced by one with more or fewer, and so may one whose number of rows is secret.
 */
extern bool dp_unit_rows_public(const DpUnit *unit);

#endif
