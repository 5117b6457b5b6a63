/*
 * unit_arena.h -- an arena over malloc and free: each block is one of malloc's, so that sanitizers
 * see where it ends. Programs without sanitizers have a mark there (base/arena.h).
 */
#ifndef UNIT_ARENA_H
#define UNIT_ARENA_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/arena.h"

/* Stands before each block of a malloc arena, in a ring that begins at the context. */
typedef struct MallocLink
{
	alignas(max_align_t) struct MallocLink *next;
	struct MallocLink *previous;
} MallocLink;

/* Where the ring begins. */
typedef struct MallocRing
{
	MallocLink link;
#ifdef DPSYN_ARENA_GUARDS
	DpArenaGuard guard;
#endif
} MallocRing;

static inline void *
malloc_allocate(void *context, size_t bytes)
{
	MallocLink *ring = context;
	MallocLink *link;

	if (ring == NULL || bytes > SIZE_MAX - sizeof(*link))
		return NULL;
	link = malloc(sizeof(*link) + bytes);
	if (link == NULL)
		return NULL;
	link->next = ring->next;
	link->previous = ring;
	ring->next->previous = link;
	ring->next = link;
	return link + 1;
}

static inline void
malloc_release(void *context, void *memory)
{
	MallocLink *link = (MallocLink *) memory - 1;

	(void) context;
	link->previous->next = link->next;
	link->next->previous = link->previous;
	free(link);
}

#ifdef DPSYN_ARENA_GUARDS
static inline DpArenaGuard *
malloc_guard(void *context)
{
	MallocRing *ring = context;

	return ring == NULL ? NULL : &ring->guard;
}
#endif

/* An arena without memory for its ring cannot give anything. */
static inline DpArena
dp_arena_malloc(void)
{
	MallocRing *ring = malloc(sizeof(*ring));
	DpArena arena = {.context = ring, .allocate = malloc_allocate, .release = malloc_release};

	if (ring != NULL)
		ring->link.next = ring->link.previous = &ring->link;
#ifdef DPSYN_ARENA_GUARDS
	arena.ring = malloc_guard;
	if (ring != NULL)
		dp_guard_ring(&ring->guard);
#endif
	return arena;
}

/* Frees all that the arena still holds. */
static inline void
dp_arena_malloc_free(DpArena *arena)
{
	MallocRing *ring = arena->context;

#ifdef DPSYN_ARENA_GUARDS
	if (ring != NULL)
		dp_guard_check(&ring->guard);
#endif
	while (ring != NULL && ring->link.next != &ring->link)
		malloc_release(ring, ring->link.next + 1);
	free(ring);
	arena->context = NULL;
	arena->bytes_used = 0;
}

#endif
