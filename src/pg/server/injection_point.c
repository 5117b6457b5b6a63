/*
 * injection_point.c -- places at which a test holds a process up: see injection_point.h.
 */
#include "pg/server/compat.h"

#include "pg/server/injection_point.h"

#ifdef DPSYN_STOP_POINTS

#include <fcntl.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/pmsignal.h"

#define STOP_STEP_US 1000

static bool
is_named(const char *path, const char *name)
{
	char words[64] = "";
	int file = open(path, O_RDONLY);

	if (file < 0)
		return false;
	(void) !read(file, words, sizeof(words) - 1);
	close(file);
	return strcmp(words, name) == 0;
}

static void
say_stopped(const char *path)
{
	char words[32];
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	snprintf(words, sizeof(words), "%d\n", MyProcPid);
	if (file < 0 || write(file, words, strlen(words)) < 0)
		elog(PANIC, "dpsyn: cannot write \"%s\"", path);
	close(file);
}

void
dp_injection_point(const char *name)
{
	const char *directory = getenv("DPSYN_STOP_DIRECTORY");
	char stop[MAXPGPATH];
	char stopped[MAXPGPATH];

	if (directory == NULL)
		return;
	snprintf(stop, sizeof(stop), "%s/stop", directory);
	snprintf(stopped, sizeof(stopped), "%s/stopped", directory);
	if (!is_named(stop, name))
		return;
	say_stopped(stopped);
	/* A process whose postmaster has gone goes on, as it would without a stop. */
	while (is_named(stop, name) && PostmasterIsAlive())
	{
		pg_usleep(STOP_STEP_US);
		CHECK_FOR_INTERRUPTS();
	}
}

#endif
