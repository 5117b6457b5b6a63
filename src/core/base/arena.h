/*
 * arena.h -- the memory that a core function is handed.
 *
 * The glue backs an arena with a memory context, so that an error frees all;
 * tests back it with malloc. The core allocates from nothing else. A build with
 * DPSYN_ARENA_GUARDS has marks around each block.
 */
#ifndef DP_ARENA_H
#define DP_ARENA_H

#include <stdalign.h>
#include <stddef.h>

#include "core/base/status.h"

/*
 * Marks before and behind each block of an arena, in builds with DPSYN_ARENA_GUARDS.
 *
 * A block's marks are looked at when it is given back, and those of all blocks that are left when
 * the arena ends. A write past either end of a block, a block that is given back with another size
 * than it was asked for, or twice, ends the process by a failed assertion. Without
 * DPSYN_ARENA_GUARDS nothing of this is there.
 */

#ifdef DPSYN_ARENA_GUARDS

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

typedef struct DpArena
{
	void *context;
	void *(*allocate)(void *context, size_t bytes); /* uninitialised; NULL if it can't */
	void (*release)(void *context, void *memory);   /* early return of one allocation */
	uint64_t bytes_used;                            /* sum of live allocations as asked for */
	uint64_t bytes_max;                             /* 0 = no limit of its own */
#ifdef DPSYN_ARENA_GUARDS
	DpArenaGuard *(*ring)(void *context); /* of all blocks that it holds; NULL if it can't */
#endif
} DpArena;

/* Gives count x size bytes, zeroed, and checks the product for overflow. A request of 0 bytes
 * gives a valid pointer. The result is NULL if memory or bytes_max is exhausted. */
extern void *dp_alloc(DpArena *arena, size_t count, size_t size) DP_MUST_USE;
/* The same without zeroing the memory. The caller writes all of it before reading. */
extern void *dp_alloc_uncleared(DpArena *arena, size_t count, size_t size) DP_MUST_USE;
/* Gives memory of count x size bytes back before the arena ends. NULL is allowed. */
extern void dp_free(DpArena *arena, void *memory, size_t count, size_t size);
/* Copies a NUL-terminated string, or a block. The result is NULL if memory is exhausted or text
 * is NULL. */
extern char *dp_strdup(DpArena *arena, const char *text) DP_MUST_USE;
extern void *dp_memdup(DpArena *arena, const void *block, size_t bytes) DP_MUST_USE;

#endif
