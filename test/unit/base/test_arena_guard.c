/*
 * test_arena_guard.c -- what the marks around an arena's blocks notice: each misuse ends the
 * process that does it.
 */
#define BEHIND 32 /* also where AddressSanitizer would do */

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "unit.h"

/* With marks here as on a server; so the archive's are not linked. */
#include "core/base/arena.c"
#include "core/base/arena_guard.c"

#define BYTES 24

typedef void (*Misuse)(DpArena *arena, unsigned char *block);

/* The write goes by a pointer that no compiler looks through. */
static void
put(unsigned char *block, ptrdiff_t at)
{
	volatile unsigned char *byte = block + at;

	*byte = (unsigned char) (*byte + 1);
}

static void
write_past_and_free(DpArena *arena, unsigned char *block)
{
	put(block, BYTES);
	dp_free(arena, block, BYTES, 1);
}

static void
write_last_mark_and_free(DpArena *arena, unsigned char *block)
{
	put(block, BYTES + BEHIND - 1);
	dp_free(arena, block, BYTES, 1);
}

static void
write_past_and_end(DpArena *arena, unsigned char *block)
{
	put(block, BYTES);
	dp_arena_malloc_free(arena);
}

static void
write_past_copy_and_end(DpArena *arena, unsigned char *block)
{
	(void) block;
	put(dp_memdup(arena, "of three", 3), 3);
	dp_arena_malloc_free(arena);
}

static void
write_past_empty_and_end(DpArena *arena, unsigned char *block)
{
	(void) block;
	put(dp_alloc(arena, 0, 8), 0);
	dp_arena_malloc_free(arena);
}

static void
write_before_and_free(DpArena *arena, unsigned char *block)
{
	put(block, -1);
	dp_free(arena, block, BYTES, 1);
}

static void
free_another_size(DpArena *arena, unsigned char *block)
{
	dp_free(arena, block, BYTES - 1, 1);
}

static void
keep_memory(void *context, void *memory)
{
	(void) context;
	(void) memory;
}

static void
free_twice(DpArena *arena, unsigned char *block)
{
	arena->release = keep_memory; /* or else malloc's own check comes first */
	dp_free(arena, block, BYTES, 1);
	dp_free(arena, block, BYTES, 1);
}

static void
use_rightly(DpArena *arena, unsigned char *block)
{
	put(block, 0);
	put(block, BYTES - 1);
	dp_free(arena, block, BYTES, 1);
	dp_arena_malloc_free(arena);
}

/* Whether a process that does this is ended by abort. */
static bool
is_noticed(Misuse misuse)
{
	pid_t child;
	int status = 0;

	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		DpArena arena = dp_arena_malloc();
		unsigned char *block = dp_alloc(&arena, BYTES, 1);

		if (block == NULL || freopen("/dev/null", "w", stderr) == NULL)
			_exit(2);
		signal(SIGABRT, SIG_DFL);
		misuse(&arena, block);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void
test_misuse(void)
{
	CHECK(is_noticed(write_past_and_free), "a write past the end is noticed when it is freed");
	CHECK(is_noticed(write_last_mark_and_free), "so is one some bytes behind it");
	CHECK(is_noticed(write_past_and_end), "and when the arena ends");
	CHECK(is_noticed(write_past_copy_and_end), "behind a copy too");
	CHECK(is_noticed(write_past_empty_and_end), "behind 0 bytes too");
	CHECK(is_noticed(write_before_and_free), "a write before the block is noticed");
	CHECK(is_noticed(free_another_size), "so is another size than was asked for");
	CHECK(is_noticed(free_twice), "and a block that is freed twice");
	CHECK(!is_noticed(use_rightly), "who does none of this goes on");
}

static void
test_blocks(void)
{
	DpArena arena = dp_arena_malloc();
	unsigned char *first = dp_alloc(&arena, BYTES, 1);
	unsigned char *second = dp_alloc(&arena, 0, 8);
	char *text = dp_strdup(&arena, "text");

	CHECK_I64(arena.bytes_used, BYTES + 5, "marks do not count as used");
	CHECK((uintptr_t) first % _Alignof(max_align_t) == 0 &&
			  (uintptr_t) second % _Alignof(max_align_t) == 0,
		  "blocks are aligned for every type");
	CHECK_STRING(text, "text", "a block holds what was put there");
	dp_free(&arena, second, 0, 8);
	dp_free(&arena, first, BYTES, 1);
	dp_guard_check(arena.ring(arena.context));
	CHECK(dp_alloc(&arena, SIZE_MAX - 8, 1) == NULL, "a size that marks would make overflow");
	dp_arena_malloc_free(&arena);
	CHECK(dp_alloc(&arena, 1, 1) == NULL, "an arena that ended gives nothing");
}

int
main(void)
{
	test_misuse();
	test_blocks();
	return unit_finish();
}
