/*
 * cells.h -- the non-empty cells of one table, some of whose attributes have
 * more values than could be listed. SECRET, as every exact count.
 */
#ifndef DP_CELLS_H
#define DP_CELLS_H

#include "method.h"

/* A DpCells with its indexes put in order. */
typedef struct DpSettledCells
{
	DpCells cells; /* ascending by index; DP_CELL_REST comes last */
	const DpUniverse *
		*universe; /* [n] what an index of an open attribute means; NULL: it is a code */
} DpSettledCells;

/* Cells of the domain of a table: product of levels and of sizes of universes; saturates, as it does
 * for an open attribute without a universe. */
extern uint64_t dp_cells_size(const DpDomain *domain, const uint32_t *attributes, uint32_t n);
/* Values that attribute can take, likewise. */
extern uint64_t dp_attribute_size(const DpAttribute *attribute);
extern bool dp_cells_any_open(const DpDomain *domain, const uint32_t *attributes, uint32_t n);

/*
 * Counts n tables at once, sets[i].cells.n and .attribute given. At most two scans: tables without
 * open attributes are counted by m->counter->count, the others by m->counter->cells.
 */
extern DpStatus dp_cells_count(const DpMeasurement *m, DpSettledCells *sets, uint32_t n,
							   DpError *error) DP_MUST_USE;

#endif
