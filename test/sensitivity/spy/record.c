/*
 * record.c -- the files of the spy: its order, the calls, the outputs.
 */
#include "pg/server/compat.h"

#include <ctype.h>

#include "miscadmin.h"

#include "spy.h"

#define NAME_MAX_BYTES 63

static int mode = -1; /* it was not read yet */
static int fault;
uint64_t dp_spy_stream_own, dp_spy_stream_mechanisms;
static FILE *calls;
static FILE *outputs;

static FILE *
open_file(const char *name, const char *how)
{
	char path[MAXPGPATH];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u/%s", getenv("DPSYN_SPY_DIRECTORY"), MyDatabaseId, name);
	file = fopen(path, how);
	if (file == NULL && strcmp(name, "order") != 0)
		elog(ERROR, "spy: could not open \"%s\": %m", path);
	return file;
}

/* A process has one order, which it reads when it first asks. */
static void
read_order(void)
{
	char output_name[NAME_MAX_BYTES + 1], call_name[NAME_MAX_BYTES + 1];
	unsigned long long seed;
	FILE *order;

	if (mode >= 0)
		return;
	mode = SPY_OFF;
	order = getenv("DPSYN_SPY_DIRECTORY") ? open_file("order", "r") : NULL;
	if (order == NULL)
		return;
	if (fscanf(order, "%d %llu %d %63s %63s", &mode, &seed, &fault, output_name, call_name) != 5)
		elog(ERROR, "spy: the order cannot be read");
	fclose(order);
	dp_spy_stream_own = seed;
	dp_spy_stream_mechanisms = ~seed;
	if (mode == SPY_OFF)
		return;
	calls = open_file(call_name, "a");
	outputs = open_file(output_name, mode == SPY_RECORD ? "a" : "r");
}

SpyMode
dp_spy_mode(void)
{
	read_order();
	return (SpyMode) mode;
}

int
dp_spy_fault(void)
{
	read_order();
	return fault;
}

/* ---- calls ---- */

void
dp_spy_begin(const char *kind)
{
	fputs(kind, calls);
}

void
dp_spy_number(const char *name, int64_t value)
{
	fprintf(calls, " %s=" INT64_FORMAT, name, (int64) value);
}

void
dp_spy_places(void)
{
	fputs(" :", calls);
}

void
dp_spy_place(uint64_t place, int64_t value)
{
	fprintf(calls, " " UINT64_FORMAT "=" INT64_FORMAT, (uint64) place, (int64) value);
}

void
dp_spy_named(const char *place, int64_t value)
{
	fputc(' ', calls);
	for (const unsigned char *c = (const unsigned char *) place; *c != '\0'; c++)
	{
		if (isalnum(*c) || *c == ',' || *c == '.')
			fputc(*c, calls);
		else
			fprintf(calls, "%%%02x", *c);
	}
	fprintf(calls, "=" INT64_FORMAT, (int64) value);
}

void
dp_spy_vector(const int64_t *value, size_t n)
{
	dp_spy_places();
	for (size_t i = 0; i < n; i++)
		if (value[i] != 0)
			dp_spy_place(i, value[i]);
}

void
dp_spy_end(void)
{
	fputc('\n', calls);
	fflush(calls);
}

void
dp_spy_wrong(const char *what)
{
	fprintf(calls, "wrong %s\n", what);
	fflush(calls);
}

/* ---- outputs ---- */

void
dp_spy_put(const char *kind, const void *output, size_t bytes)
{
	uint64 size = bytes;

	if (fwrite(kind, 1, 3, outputs) != 3 || fwrite(&size, sizeof(size), 1, outputs) != 1 ||
		(bytes > 0 && fwrite(output, bytes, 1, outputs) != 1) || fflush(outputs) != 0)
		elog(ERROR, "spy: an output could not be written: %m");
}

void *
dp_spy_get(const char *kind, size_t *bytes)
{
	char found[3];
	uint64 size;
	void *output;
	long at = ftell(outputs);

	if (fread(found, 1, 3, outputs) != 3 || memcmp(found, kind, 3) != 0 ||
		fread(&size, sizeof(size), 1, outputs) != 1)
	{
		fseek(outputs, at, SEEK_SET);
		return NULL;
	}
	output = malloc(size + 1);
	if (output == NULL || (size > 0 && fread(output, size, 1, outputs) != 1))
		elog(ERROR, "spy: an output could not be read");
	*bytes = size;
	return output;
}

void
dp_spy_output(const char *kind, void *output, size_t bytes)
{
	size_t recorded;
	void *from;

	if (mode == SPY_RECORD)
	{
		dp_spy_put(kind, output, bytes);
		return;
	}
	from = dp_spy_get(kind, &recorded);
	if (from == NULL || recorded != bytes)
		dp_spy_wrong("there is no such output of the other database");
	else if (bytes > 0)
		memcpy(output, from, bytes);
	free(from);
}

/* ---- random bytes ---- */

/* SplitMix64 */
bool
dp_spy_fill(void *context, void *buffer, size_t bytes)
{
	uint64_t *stream = context;
	unsigned char *to = buffer;

	for (size_t i = 0; i < bytes; i++)
	{
		uint64_t mixed = (*stream += UINT64CONST(0x9e3779b97f4a7c15));

		mixed = (mixed ^ (mixed >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
		mixed = (mixed ^ (mixed >> 27)) * UINT64CONST(0x94d049bb133111eb);
		to[i] = (unsigned char) (mixed ^ (mixed >> 31));
	}
	return true;
}
