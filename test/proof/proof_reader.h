/*
 * proof_reader.h -- what stands in for the reading of integers, where a theorem is about who reads
 * them: an integer is any value that takes one byte or more of those that are left, or a fault that
 * empties the input. That the code reads them so are the theorems bytes.integer and bytes.bounds.
 */
#ifndef DP_PROOF_READER_H
#define DP_PROOF_READER_H

#include "core/domain/domain_bytes.h"
#include "proof_stub.h"

void
dp_reader_fault(DpReader *reader, DpStatus status, const char *what)
{
	(void) what;
	if (reader->status == DP_OK)
		reader->status = status;
	reader->at = reader->end;
}

/* Takes any number of the bytes that are left, up to ten. */
static uint64_t
any_integer(DpReader *reader)
{
	uint64_t taken = nondet_byte();

	given(taken >= 1 && taken <= 10);
	if (reader->status != DP_OK || taken > dp_reader_left(reader))
	{
		dp_reader_fault(reader, DP_ERR_CORRUPT, "");
		return 0;
	}
	reader->at += taken;
	return nondet_uint64();
}

uint64_t
dp_get_long_integer(DpReader *reader)
{
	return any_integer(reader);
}

static int numbers;  /* that were read */
static uint64_t sum; /* of those from the fourth on: in a view, the lengths of its sets */

uint64_t
dp_get_bounded(DpReader *reader, uint64_t maximum)
{
	uint64_t value = any_integer(reader);

	if (value <= maximum)
	{
		sum += ++numbers > 3 ? value : 0;
		return value;
	}
	dp_reader_fault(reader, DP_ERR_CORRUPT, "");
	return 0;
}

uint64_t
dp_get_count(DpReader *reader, uint64_t maximum, uint64_t bytes_each)
{
	uint64_t count = dp_get_bounded(reader, maximum);

	holds(bytes_each >= 1);
	if (count <= dp_reader_left(reader) / bytes_each)
		return count;
	dp_reader_fault(reader, DP_ERR_CORRUPT, "");
	return 0;
}

int64_t
dp_get_signed(DpReader *reader)
{
	return (int64_t) any_integer(reader);
}

void *
dp_get_memory(DpReader *reader, uint64_t count, size_t size)
{
	void *memory = reader->status == DP_OK ? dp_alloc(reader->arena, count, size) : NULL;

	if (memory == NULL)
		dp_reader_fault(reader, DP_ERR_MEMORY, "");
	return memory;
}

/* Up to LENGTH bytes in an object of just that size. */
static DpReader
any_reader(void)
{
	size_t length = nondet_byte();
	unsigned char *bytes;

	given(length <= LENGTH);
	bytes = malloc(length);
	given(bytes != NULL);
	return (DpReader){.name = "", .at = bytes, .end = bytes + length};
}

#endif
