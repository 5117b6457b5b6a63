/*
 * arena.c -- checked allocation from the arena that a function is handed, and
 * an arena over malloc for tests and tools.
 */
#include "core/base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

static bool
fits(const DpArena *arena, uint64_t bytes)
{
	if (arena->bytes_max == 0)
		return bytes <= UINT64_MAX - arena->bytes_used;
	return arena->bytes_used <= arena->bytes_max && bytes <= arena->bytes_max - arena->bytes_used;
}

/* Asks for at least one byte, since malloc(0) may be NULL and NULL means failure here. */
static void *
reserve(DpArena *arena, size_t bytes)
{
	void *memory;

	if (!fits(arena, bytes))
		return NULL;
	memory = arena->allocate(arena->context, bytes > 0 ? bytes : 1);
	if (memory != NULL)
		arena->bytes_used += bytes;
	return memory;
}

void *
dp_alloc(DpArena *arena, size_t count, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	memory = reserve(arena, bytes);
	if (memory != NULL)
		memset(memory, 0, bytes);
	return memory;
}

void
dp_free(DpArena *arena, void *memory, size_t count, size_t size)
{
	if (memory == NULL)
		return;
	arena->bytes_used -= (uint64_t) count * size;
	if (arena->release != NULL)
		arena->release(arena->context, memory);
}

void *
dp_memdup(DpArena *arena, const void *block, size_t bytes)
{
	void *copy = reserve(arena, bytes);

	if (copy != NULL && bytes > 0)
		memcpy(copy, block, bytes);
	return copy;
}

char *
dp_strdup(DpArena *arena, const char *text)
{
	return text == NULL ? NULL : dp_memdup(arena, text, strlen(text) + 1);
}

/* Stands before each block of a malloc arena, in a ring that begins at the context. */
typedef struct MallocLink
{
	alignas(max_align_t) struct MallocLink *next;
	struct MallocLink *previous;
} MallocLink;

static void *
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

static void
malloc_release(void *context, void *memory)
{
	MallocLink *link = (MallocLink *) memory - 1;

	(void) context;
	link->previous->next = link->next;
	link->next->previous = link->previous;
	free(link);
}

/* An arena without memory for its ring cannot give anything. */
DpArena
dp_arena_malloc(void)
{
	MallocLink *ring = malloc(sizeof(*ring));

	if (ring != NULL)
		ring->next = ring->previous = ring;
	return (DpArena){
		.context = ring,
		.allocate = malloc_allocate,
		.release = malloc_release,
	};
}

void
dp_arena_malloc_free(DpArena *arena)
{
	MallocLink *ring = arena->context;

	while (ring != NULL && ring->next != ring)
		malloc_release(ring, ring->next + 1);
	free(ring);
	arena->context = NULL;
	arena->bytes_used = 0;
}
