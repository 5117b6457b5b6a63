/*
 * arena.h -- the memory that a core function is handed.
 *
 * The glue backs an arena with a memory context, so that an error frees all;
 * tests back it with malloc. The core allocates from nothing else. A build with
 * DPSYN_ARENA_GUARDS has marks around each block (arena_guard.h).
 */
#ifndef DP_ARENA_H
#define DP_ARENA_H

#include "core/base/arena_guard.h"
#include "core/base/status.h"

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
