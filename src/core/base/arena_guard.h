/*
 * arena_guard.h -- marks before and behind each block of an arena, in builds with
 * DPSYN_ARENA_GUARDS.
 *
 * A block's marks are looked at when it is given back, and those of all blocks that are left when
 * the arena ends. A write past either end of a block, a block that is given back with another size
 * than it was asked for, or twice, ends the process by a failed assertion. Without
 * DPSYN_ARENA_GUARDS nothing of this is there.
 */
#ifndef DP_ARENA_GUARD_H
#define DP_ARENA_GUARD_H

#include "core/base/status.h"

#ifdef DPSYN_ARENA_GUARDS

#include <stdalign.h>
#include <stddef.h>

typedef struct DpArenaGuard DpArenaGuard;

/* Stands before each block. The ring of a context's blocks begins and ends at one that is before
 * none; it must not move. */
struct DpArenaGuard
{
	alignas(max_align_t) DpArenaGuard *next;
	DpArenaGuard *previous;
	size_t bytes;  /* of the block, as asked for */
	uint64_t mark; /* it lies next to the block */
};

extern void dp_guard_ring(DpArenaGuard *ring);
/* Looks at the marks of all blocks in a ring. */
extern void dp_guard_check(const DpArenaGuard *ring);

/* For arena.c. The bytes to ask for in place of a block's; false if they are too many. */
extern bool dp_guard_widen(size_t bytes, size_t *widened) DP_MUST_USE;
/* Puts the marks of a block into what was allocated for it, and gives the block. */
extern void *dp_guard_put(DpArenaGuard *ring, void *allocated, size_t bytes) DP_MUST_USE;
/* Looks at the marks of a block that is given back, and gives what was allocated for it. */
extern void *dp_guard_take(void *block, size_t bytes) DP_MUST_USE;

#endif

#endif
