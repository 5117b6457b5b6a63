/*
 * arena.c -- checked allocation from the arena that a function is handed.
 */
#include "core/base/arena.h"

#include <string.h>

static bool
fits(const DpArena *arena, uint64_t bytes)
{
	if (arena->bytes_max == 0)
		return bytes <= UINT64_MAX - arena->bytes_used;
	return arena->bytes_used <= arena->bytes_max && bytes <= arena->bytes_max - arena->bytes_used;
}

#ifdef DPSYN_ARENA_GUARDS

static void *
allocate(DpArena *arena, size_t bytes)
{
	DpArenaGuard *ring = arena->ring(arena->context);
	size_t widened;
	void *memory;

	if (ring == NULL || !dp_guard_widen(bytes, &widened))
		return NULL;
	memory = arena->allocate(arena->context, widened);
	return memory == NULL ? NULL : dp_guard_put(ring, memory, bytes);
}

#else

/* Asks for at least one byte, since malloc(0) may be NULL and NULL means failure here. */
static void *
allocate(DpArena *arena, size_t bytes)
{
	return arena->allocate(arena->context, bytes > 0 ? bytes : 1);
}

#endif

static void *
reserve(DpArena *arena, size_t bytes)
{
	void *memory;

	if (!fits(arena, bytes))
		return NULL;
	memory = allocate(arena, bytes);
	if (memory != NULL)
		arena->bytes_used += bytes;
	return memory;
}

void *
dp_alloc_uncleared(DpArena *arena, size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL : reserve(arena, bytes);
}

void *
dp_alloc(DpArena *arena, size_t count, size_t size)
{
	void *memory = dp_alloc_uncleared(arena, count, size);

	if (memory != NULL)
		memset(memory, 0, count * size);
	return memory;
}

void
dp_free(DpArena *arena, void *memory, size_t count, size_t size)
{
	if (memory == NULL)
		return;
	arena->bytes_used -= (uint64_t) count * size;
#ifdef DPSYN_ARENA_GUARDS
	memory = dp_guard_take(memory, count * size);
#endif
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
