/*
 * view_selection.h -- selects the tables that are counted, so that all requested ones are margins
 * of them.
 */
#ifndef DP_VIEW_SELECTION_H
#define DP_VIEW_SELECTION_H

#include "core/domain/attribute_set.h"
#include "core/exact/spec.h"

/* A dense table that is counted. Its sets are margins of it. */
typedef struct DpBlock
{
	DpAttributeSet of; /* in the order in which they came */
	uint32_t *levels;  /* [of.n] */
	uint64_t cells;
	uint32_t sets;
	uint32_t *set; /* [sets] index in the spec */
} DpBlock;

typedef struct DpViewSelection
{
	uint32_t blocks;
	DpBlock *block;
	uint64_t cells; /* cells of all blocks */
} DpViewSelection;

/* Makes blocks such that each dense set of the spec lies in exactly one. A block of several sets
 * has at most cells_max cells. With cells_max = 0 a block has several sets only if one of them
 * contains the others. */
extern DpStatus dp_view_selection(const DpSpec *spec, uint64_t cells_max,
								  DpViewSelection *selection, const DpTick *tick,
								  DpArena *arena) DP_MUST_USE;
/*
 * The same for lists too long to search: sets that follow each other in the spec share a block as
 * long as each adds one attribute at most and the block has at most cells_max cells. Sets over no
 * attribute, or with more than set_cells_max cells, are in none (dp_view_selection_is_run).
 */
extern DpStatus dp_view_selection_runs(const DpSpec *spec, uint64_t cells_max,
									   uint64_t set_cells_max, DpViewSelection *selection,
									   const DpTick *tick, DpArena *arena) DP_MUST_USE;
extern bool dp_view_selection_is_run(const DpSpec *spec, uint32_t set, uint64_t set_cells_max);

#endif
