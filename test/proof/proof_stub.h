/*
 * proof_stub.h -- what stands in for the world around the code: memory, errors, texts.
 *
 * Memory is a fresh object of exactly the size asked for, or none: whatever lies outside of it is
 * out of bounds, and each request may fail. An error keeps its status alone, since no theorem is
 * about its words.
 */
#ifndef DP_PROOF_STUB_H
#define DP_PROOF_STUB_H

#include <string.h>

#include "proof.h"

void *
dp_alloc(DpArena *arena, size_t count, size_t size)
{
	size_t bytes;

	(void) arena;
	if (nondet_bool() || __builtin_mul_overflow(count, size, &bytes) || bytes > BYTES_MAX)
		return NULL;
	return calloc(1, bytes > 0 ? bytes : 1);
}

void
dp_free(DpArena *arena, void *memory, size_t count, size_t size)
{
	(void) arena;
	(void) count;
	(void) size;
	free(memory);
}

/* Of which cbmc has none of its own. */
void *
memchr(const void *memory, int wanted, size_t length)
{
	const unsigned char *byte = memory;

	for (size_t i = 0; i < length; i++)
		if (byte[i] == (unsigned char) wanted)
			return (void *) (byte + i);
	return NULL;
}

DpStatus
dp_fail(DpError *error, DpStatus status, const char *format, ...)
{
	(void) error;
	(void) format;
	return status;
}

#endif
