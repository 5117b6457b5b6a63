/*
 * marginal_cover.h -- fewer tables to count than were asked for. For
 * marginal_counts.c.
 */
#ifndef DP_MARGINAL_COVER_H
#define DP_MARGINAL_COVER_H

#include "marginal_spec.h"

/* A dense table that is counted; its sets are margins of it. */
typedef struct DpBlock
{
	uint32_t n;
	uint32_t *attribute; /* [n] index in the domain */
	uint32_t *levels;    /* [n] */
	uint64_t cells;
	uint32_t sets;
	uint32_t *set; /* [sets] index in the spec */
} DpBlock;

typedef struct DpCover
{
	uint32_t blocks;
	DpBlock *block;
	uint64_t cells; /* of all blocks */
} DpCover;

/* Blocks such that each dense set of the spec lies in exactly one. A block of several sets has at most
 * cells_max cells; 0: only sets that contain others are blocks of several. */
extern DpStatus dp_marginal_cover(const DpSpec *spec, uint64_t cells_max, DpArena *arena,
								  const DpTick *tick, DpCover *cover) DP_MUST_USE;

#endif
