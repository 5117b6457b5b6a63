/*
 * cells.h -- the non-empty cells of one table, some of whose attributes have more values than
 * could be listed. They are SECRET, as every exact count is.
 */
#ifndef DP_CELLS_H
#define DP_CELLS_H

#include "core/plan/measurement.h"

/* A DpCells whose indexes are in order. */
typedef struct DpFinalCells
{
	DpCells cells; /* ascending by index; DP_CELL_OTHER comes last */
	const DpUniverse *
		*universe; /* [n] what an index of an open attribute means; NULL: it is a code */
} DpFinalCells;

/*
 * Counts n tables at once; sets[i].cells.n and .attribute are given. It takes at most two scans:
 * m->counter->count counts the tables without open attributes, m->counter->cells the others.
 */
extern DpStatus dp_cells_count(const DpMeasurement *m, DpFinalCells *sets, uint32_t n,
							   DpError *error) DP_MUST_USE;

#endif
