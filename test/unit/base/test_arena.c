/*
 * test_arena.c -- accounting, limits, overflow, and a DpError's text.
 */
#include "core/base/arena.h"

#include "unit.h"

static bool
all_zero(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

static void
test_allocation(void)
{
	DpArena arena = dp_arena_malloc();
	unsigned char *dirty = dp_alloc(&arena, 100, 10), *clean, *empty;

	memset(dirty, 0xAA, 1000);
	CHECK_I64(arena.bytes_used, 1000, "bytes are counted as asked for");
	dp_free(&arena, dirty, 100, 10);
	CHECK_I64(arena.bytes_used, 0, "and given back");
	clean = dp_alloc(&arena, 1000, 1);
	CHECK(all_zero(clean, 1000), "memory that was used before is zeroed");
	empty = dp_alloc(&arena, 0, 8);
	CHECK(empty != NULL && empty != clean, "0 elements give a valid pointer");
	CHECK_I64(arena.bytes_used, 1000, "that counts nothing");
	dp_free(&arena, empty, 0, 8);
	dp_free(&arena, NULL, 5, 5);
	CHECK_I64(arena.bytes_used, 1000, "freeing NULL does nothing");
	CHECK((uintptr_t) clean % _Alignof(max_align_t) == 0, "memory is aligned for every type");
	dp_arena_malloc_free(&arena); /* the sanitizer reports what it forgets */
	CHECK(dp_alloc(&arena, 1, 1) == NULL, "an arena that ended gives nothing");
}

static void
test_limits(void)
{
	DpArena arena = dp_arena_malloc();
	void *a, *b;

	CHECK(dp_alloc(&arena, SIZE_MAX / 2, 3) == NULL, "a product over 64 bits is refused");
	CHECK(dp_alloc(&arena, SIZE_MAX, 1) == NULL, "so is one that headers would make overflow");
	arena.bytes_max = 100;
	a = dp_alloc(&arena, 60, 1);
	b = dp_alloc(&arena, 41, 1);
	CHECK(a != NULL && b == NULL, "bytes_max holds");
	CHECK_I64(arena.bytes_used, 60, "a refusal counts nothing");
	b = dp_alloc(&arena, 40, 1);
	CHECK(b != NULL, "exactly bytes_max is allowed");
	dp_free(&arena, a, 60, 1);
	a = dp_alloc(&arena, 60, 1);
	CHECK(a != NULL, "what was freed may be used again");
	arena.bytes_used = UINT64_MAX - 5;
	arena.bytes_max = 0;
	CHECK(dp_alloc(&arena, 6, 1) == NULL, "the count itself can't overflow");
	dp_arena_malloc_free(&arena);
}

static void
test_copies(void)
{
	DpArena arena = dp_arena_malloc();
	char *text = dp_strdup(&arena, "w\xC3\xA4hrung"), *empty = dp_strdup(&arena, "");

	CHECK_STRING(text, "w\xC3\xA4hrung", "a string is copied");
	CHECK_STRING(empty, "", "so is an empty one");
	CHECK(dp_strdup(&arena, NULL) == NULL, "NULL stays NULL");
	CHECK(memcmp(dp_memdup(&arena, "a\0b", 3), "a\0b", 3) == 0, "a block is copied, NULs too");
	CHECK(dp_memdup(&arena, NULL, 0) != NULL, "an empty block gives a valid pointer");
	arena.bytes_max = arena.bytes_used + 2;
	CHECK(dp_strdup(&arena, "abc") == NULL, "a copy obeys bytes_max");
	dp_arena_malloc_free(&arena);
}

static void
test_errors(void)
{
	DpError error;
	char longest[600];

	CHECK_I64(dp_fail(NULL, DP_ERR_LIMIT, "x"), DP_ERR_LIMIT, "no DpError is fine");
	dp_fail_detail(NULL, "x");
	dp_fail_hint(NULL, "x");
	dp_fail(&error, DP_ERR_LIMIT, "a %d", 1);
	dp_fail_detail(&error, "b %s", "2");
	dp_fail_hint(&error, "c");
	CHECK(error.status == DP_ERR_LIMIT && strcmp(error.message, "a 1") == 0 &&
			  strcmp(error.detail, "b 2") == 0 && strcmp(error.hint, "c") == 0,
		  "status, message, detail and hint are kept");
	dp_fail(&error, DP_ERR_ARGUMENT, "again");
	CHECK(error.detail[0] == '\0' && error.hint[0] == '\0', "a new error drops the old detail");

	for (size_t shift = 0; shift < 4; shift++)
	{
		size_t length;

		memset(longest, 'x', shift);
		for (size_t i = shift; i + 1 < sizeof(longest); i += 2)
			memcpy(longest + i, "\xC3\xA4", 2);
		longest[sizeof(longest) - 1 - shift % 2] = '\0';
		dp_fail(&error, DP_ERR_ARGUMENT, "%s", longest);
		length = strlen(error.message);
		CHECK(length < sizeof(error.message) && (length - 3 - shift) % 2 == 0 &&
				  strcmp(error.message + length - 3, "...") == 0,
			  "a cut message ends after a whole character, shift %zu", shift);
	}
	for (int status = DP_OK; status <= DP_ERR_INTERNAL; status++)
		CHECK(strcmp(dp_status_text((DpStatus) status), "unknown status") != 0,
			  "status %d has a sentence", status);
}

int
main(void)
{
	test_allocation();
	test_limits();
	test_copies();
	test_errors();
	return unit_finish();
}
