/*
 * graphical_tile.h -- rows of a graphical model that are drawn together, column by column, so that
 * each cell comes for as many of them as the model says.
 */
#ifndef DP_GRAPHICAL_TILE_H
#define DP_GRAPHICAL_TILE_H

#include "core/base/prng.h"
#include "core/rows/graphical_node.h"
#include "core/rows/graphical_sampler.h"

typedef struct DpGraphicalTile DpGraphicalTile;

/* What a tile is drawn from. All of it must outlive the tile. */
typedef struct DpTileModel
{
	uint32_t attributes;
	const uint32_t *levels; /* [attributes] of groups */
	uint32_t nodes;
	const DpGraphicalNode *node; /* [nodes] none stands before one that draws what it knows */
	const DpLevelSplit *const *split;
} DpTileModel;

/* Makes an empty tile with room for rows that are whole blocks. */
extern DpStatus dp_graphical_tile_create(const DpTileModel *model, DpGraphicalTile **out,
										 DpArena *arena) DP_MUST_USE;
extern uint64_t dp_graphical_tile_room(const DpGraphicalTile *tile);
/* Draws rows in the place of those that were there; rows <= room. */
extern void dp_graphical_tile_draw(DpGraphicalTile *tile, DpPrng *prng, uint64_t rows,
								   const DpTick *tick);
/* Writes the codes of rows from a place on, row by row: codes[rows x attributes]. */
extern void dp_graphical_tile_rows(const DpGraphicalTile *tile, uint64_t place, uint32_t rows,
								   uint32_t *codes);

#endif
