/*
 * inject.c -- a library that is loaded before a server, and cuts a statement of one process short
 * at the n-th time that the process asks for memory: it gets none, or a cancel comes.
 *
 * The test counts first how often a statement asks, so that it can choose the point. Nothing
 * depends on time. The file that EXITS_CONTROL names is mapped by the postmaster and by all that it
 * starts, and by the test.
 *
 * EXITS_SPARE names a function of the server, in which memory is not refused: the next request is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
	COUNT,
	STARVE,
	CANCEL
};

/* As injection.py packs it. */
struct control
{
	volatile long process; /* whose requests count; 0: nobody's */
	volatile long act;
	volatile long seen;   /* requests */
	volatile long at;     /* the one from which on it acts */
	volatile long times;  /* how many are refused */
	volatile long bytes;  /* that were asked for */
	volatile long spared; /* requests that were not refused for where they came from, all in all */
};

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static struct control *control;
static long process;
static const char *spare; /* NULL: none */
static int looking;       /* at who asks, which itself may ask */

enum
{
	FRAMES_MAX = 64
};

/* Whether the function that is spared is among those that ask. */
static int
is_spared(void)
{
	void *frame[FRAMES_MAX];
	int frames, found = 0;
	Dl_info info;

	if (spare == NULL)
		return 0;
	looking = 1;
	frames = backtrace(frame, FRAMES_MAX);
	for (int i = 0; i < frames && !found; i++)
		found = dladdr(frame[i], &info) != 0 && info.dli_sname != NULL &&
				strcmp(info.dli_sname, spare) == 0;
	looking = 0;
	return found;
}

static void
find_process(void)
{
	process = getpid();
}

__attribute__((constructor)) static void
start(void)
{
	const char *path = getenv("EXITS_CONTROL");
	int file = path == NULL ? -1 : open(path, O_RDWR);
	void *memory;

	if (file < 0)
		return;
	memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (memory == MAP_FAILED)
		return;
	find_process();
	pthread_atfork(NULL, NULL, find_process);
	if (getenv("EXITS_SPARE") != NULL) /* a copy: the title of a process comes over it */
		spare = strdup(getenv("EXITS_SPARE"));
	(void) is_spared(); /* the first time loads a library */
	control = memory;
}

/* Whether this request gets nothing. */
static int
is_refused(size_t size)
{
	long request;

	if (control == NULL || control->process != process || looking)
		return 0;
	request = ++control->seen;
	control->bytes += (long) size;
	if (control->act == CANCEL && request == control->at)
		kill(process, SIGINT);
	if (control->act != STARVE || request < control->at || request >= control->at + control->times)
		return 0;
	if (is_spared())
	{
		control->at++;
		control->spared++;
		return 0;
	}
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return is_refused(size) ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return is_refused(n * size) ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *memory, size_t size)
{
	return is_refused(size) ? NULL : __libc_realloc(memory, size);
}
