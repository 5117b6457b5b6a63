/*
 * arena_guard.c -- marks before and behind each block of an arena.
 *
 * What is allocated:  DpArenaGuard | block | a mark of BEHIND bytes
 *
 * The guards of a context's blocks are a ring, so that blocks that nobody gives back are looked at
 * when the context ends.
 */
#include "core/base/arena.h"

#ifdef DPSYN_ARENA_GUARDS

#include <assert.h>

#define BEFORE UINT64_C(0xD95B10C4D95B10C4)
#define GONE UINT64_C(0xD95B6043D95B6043)
#define BEHIND_BYTE 0xD9

/* Bytes behind a block, so many that a few elements too many do not jump over the mark. Under
 * AddressSanitizer there are none: it sees the end of what was allocated by itself. */
#ifndef BEHIND
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define BEHIND 0
#endif
#endif
#endif
#ifndef BEHIND
#ifdef __SANITIZE_ADDRESS__
#define BEHIND 0
#else
#define BEHIND 32
#endif
#endif

static_assert(sizeof(DpArenaGuard) == offsetof(DpArenaGuard, mark) + sizeof(uint64_t),
			  "nothing lies between the mark and the block");

static void
check_block(const DpArenaGuard *guard)
{
	const unsigned char *behind = (const unsigned char *) (guard + 1) + guard->bytes;
	bool block_was_not_given_back_before = guard->mark != GONE;
	bool nothing_was_written_before_the_block = guard->mark == BEFORE;
	bool nothing_was_written_past_the_block = true;

	assert(block_was_not_given_back_before);
	assert(nothing_was_written_before_the_block);
	for (size_t i = 0; i != BEHIND; i++)
		nothing_was_written_past_the_block &= behind[i] == BEHIND_BYTE;
	assert(nothing_was_written_past_the_block);
}

bool
dp_guard_widen(size_t bytes, size_t *widened)
{
	return !__builtin_add_overflow(bytes, sizeof(DpArenaGuard) + BEHIND, widened);
}

void
dp_guard_ring(DpArenaGuard *ring)
{
	*ring = (DpArenaGuard){.next = ring, .previous = ring};
}

void *
dp_guard_put(DpArenaGuard *ring, void *allocated, size_t bytes)
{
	DpArenaGuard *guard = allocated;
	unsigned char *behind = (unsigned char *) (guard + 1) + bytes;

	*guard = (DpArenaGuard){.next = ring->next, .previous = ring, .bytes = bytes, .mark = BEFORE};
	ring->next->previous = guard;
	ring->next = guard;
	for (size_t i = 0; i != BEHIND; i++)
		behind[i] = BEHIND_BYTE;
	return guard + 1;
}

void *
dp_guard_take(void *block, size_t bytes)
{
	DpArenaGuard *guard = (DpArenaGuard *) block - 1;
	bool block_has_the_requested_size;

	check_block(guard);
	block_has_the_requested_size = guard->bytes == bytes;
	assert(block_has_the_requested_size);
	guard->previous->next = guard->next;
	guard->next->previous = guard->previous;
	guard->mark = GONE;
	return guard;
}

void
dp_guard_check(const DpArenaGuard *ring)
{
	for (const DpArenaGuard *guard = ring->next; guard != ring; guard = guard->next)
		check_block(guard);
}

#endif
