/*
 * spec.c -- specs: checks, and their bytes.
 *
 * Format 1 (integers and domains as in domain_bytes.h):
 *
 *	byte      1, the version
 *	byte      1 where values outside a complete domain are clamped, plus 2 where rows are kept, plus 4
 *	          where the spec says how much memory its tables may take
 *	          where they are kept: the most bytes of them, and the number of parts
 *	          where it says so: the bytes of the tables
 *	domain
 *	          for each attribute: 0, or 1 and the name of a collation
 *	          number of sets; each:
 *	byte        0 dense, 1 hashed
 *	            number of attributes, and the attributes
 *	8 bytes   digest of all bytes before
 */
#include "core/exact/spec.h"

#include <stdio.h>
#include <string.h>

#include "core/domain/domain_bytes.h"
#include "core/domain/domain.h"
#include "core/exact/marginal.h"

#define VERSION DP_COUNTS_FORMAT
#define CLAMPS 1
#define KEEPS 2
#define BOUNDS_MEMORY 4
#define SET_BYTES_MIN 3 /* storage, the number 1, and an attribute */
#define TICK_SETS 256   /* between two ticks */

/* This ticks now and then, since there can be very many sets. */
static inline void
tick_sets(uint32_t set, const DpTick *tick)
{
	if (set % TICK_SETS == 0)
		dp_tick(tick, -1.0);
}

/* ---- checks ---- */

/* seen[attributes] is all false before and after. */
static DpStatus
check_distinct(const DpSpec *spec, const DpSpecSet *set, bool *seen, DpError *error)
{
	bool twice = false;

	for (uint32_t k = 0; k < set->n; k++)
	{
		twice |= seen[set->attribute[k]];
		seen[set->attribute[k]] = true;
	}
	for (uint32_t k = 0; k < set->n; k++)
		seen[set->attribute[k]] = false;
	if (twice)
		return dp_fail(error, DP_ERR_ARGUMENT, "a set has attribute \"%.64s\" or another one twice",
					   spec->domain.attribute[set->attribute[0]].name);
	return DP_OK;
}

static DpStatus
check_size(const DpSpec *spec, uint32_t index, DpError *error)
{
	char name[160];

	if (spec->set[index].storage != DP_DENSE || dp_spec_cells(spec, index) <= DP_DENSE_CELLS_MAX)
		return DP_OK;
	dp_spec_set_name(spec, index, name, sizeof(name));
	(void) dp_fail(error, DP_ERR_LIMIT, "the table over %s is too large to be dense", name);
	dp_fail_detail(error, "The limit is %llu cells.", (unsigned long long) DP_DENSE_CELLS_MAX);
	dp_fail_hint(error, "Count it hashed, or over fewer columns.");
	return DP_ERR_LIMIT;
}

static DpStatus
check_set(const DpSpec *spec, uint32_t index, bool *seen, DpError *error)
{
	const DpSpecSet *set = &spec->set[index];

	if (set->n == 0 || set->n > spec->domain.attributes)
		return dp_fail(error, DP_ERR_ARGUMENT, "a set needs 1 to %u attributes",
					   spec->domain.attributes);
	if (set->storage != DP_DENSE && set->storage != DP_SPARSE)
		return dp_fail(error, DP_ERR_ARGUMENT, "a set is neither dense nor hashed");
	for (uint32_t k = 0; k < set->n; k++)
	{
		if (set->attribute[k] >= spec->domain.attributes)
			return dp_fail(error, DP_ERR_ARGUMENT, "a set has an attribute that does not exist");
	}
	DP_TRY(check_distinct(spec, set, seen, error));
	return check_size(spec, index, error);
}

DpStatus
dp_spec_check(const DpSpec *spec, const DpTick *tick, DpError *error)
{
	bool seen[DP_ATTRIBUTES_MAX] = {false};

	DP_TRY(dp_domain_check(&spec->domain, error));
	for (uint32_t i = 0; i < spec->domain.attributes; i++)
	{
		const DpRange *range = spec->domain.attribute[i].range;

		if (spec->domain.attribute[i].open || (range != NULL && dp_range_is_unknown(range)))
			return dp_fail(error, DP_ERR_ARGUMENT, "attribute \"%.64s\" has no levels yet",
						   spec->domain.attribute[i].name);
	}
	if (spec->sets == 0)
		return dp_fail(error, DP_ERR_ARGUMENT, "there is no set of attributes to count");
	if (spec->sets > DP_SPEC_SETS_MAX)
		return dp_fail(error, DP_ERR_LIMIT, "there are more than %d sets of attributes to count",
					   DP_SPEC_SETS_MAX);
	for (uint32_t i = 0; i < spec->sets; i++)
	{
		tick_sets(i, tick);
		DP_TRY(check_set(spec, i, seen, error));
	}
	return DP_OK;
}

uint64_t
dp_spec_cells(const DpSpec *spec, uint32_t set)
{
	return dp_domain_cells(&spec->domain, spec->set[set].attribute, spec->set[set].n);
}

void
dp_spec_set_name(const DpSpec *spec, uint32_t index, char *text, size_t size)
{
	const DpSpecSet *set = &spec->set[index];
	size_t length = 0;

	for (uint32_t k = 0; k < set->n && length < size; k++)
		length += (size_t) snprintf(text + length, size - length, "%s%s", k == 0 ? "(" : ", ",
									spec->domain.attribute[set->attribute[k]].name);
	if (length + 2 <= size)
		memcpy(text + length, ")", 2);
	else if (size >= 4)
		memcpy(text + size - 4, "...", 4);
}

/* ---- bytes ---- */

static void
put_spec(DpWriter *writer, const DpSpec *spec, const DpTick *tick)
{
	dp_put_byte(writer, VERSION);
	dp_put_byte(writer, (unsigned char) ((spec->clamps ? CLAMPS : 0) |
										 (spec->keep.bytes_max > 0 ? KEEPS : 0) |
										 (spec->memory_max > 0 ? BOUNDS_MEMORY : 0)));
	if (spec->keep.bytes_max > 0)
	{
		dp_put_integer(writer, spec->keep.bytes_max);
		dp_put_integer(writer, spec->keep.parts);
	}
	if (spec->memory_max > 0)
		dp_put_integer(writer, spec->memory_max);
	dp_put_domain(writer, &spec->domain);
	for (uint32_t i = 0; i < spec->domain.attributes; i++)
	{
		const char *collation = spec->collation == NULL ? NULL : spec->collation[i];

		dp_put_byte(writer, collation != NULL);
		if (collation != NULL)
			dp_put_text(writer, collation);
	}
	dp_put_integer(writer, spec->sets);
	for (uint32_t i = 0; i < spec->sets; i++)
	{
		tick_sets(i, tick);
		dp_put_byte(writer, (unsigned char) spec->set[i].storage);
		dp_put_integer(writer, spec->set[i].n);
		for (uint32_t k = 0; k < spec->set[i].n; k++)
			dp_put_integer(writer, spec->set[i].attribute[k]);
	}
	dp_put_digest(writer);
}

DpStatus
dp_spec_serialise(const DpSpec *spec, unsigned char **bytes, size_t *length, const DpTick *tick,
				  DpArena *arena, DpError *error)
{
	DpWriter writer = {.tick = tick};

	DP_TRY(dp_spec_check(spec, tick, error));
	put_spec(&writer, spec, tick);
	writer.bytes = dp_alloc(arena, writer.length, 1);
	if (writer.bytes == NULL)
		return dp_fail(error, DP_ERR_MEMORY, "no memory for the bytes of a spec");
	writer.length = 0;
	put_spec(&writer, spec, tick);
	*bytes = writer.bytes;
	*length = writer.length;
	return DP_OK;
}

static void
get_set(DpReader *reader, uint32_t attributes, DpSpecSet *set)
{
	set->storage = (DpStorage) dp_get_bounded(reader, DP_SPARSE);
	set->n = (uint32_t) dp_get_count(reader, attributes, 1);
	set->attribute = dp_get_memory(reader, set->n, sizeof(*set->attribute));
	for (uint32_t k = 0; k < set->n && reader->status == DP_OK; k++)
		set->attribute[k] = (uint32_t) dp_get_bounded(reader, attributes - 1);
}

static void
get_keep(DpReader *reader, DpKeep *keep)
{
	keep->bytes_max = dp_get_integer(reader);
	keep->parts = (uint32_t) dp_get_bounded(reader, UINT32_MAX);
	if (keep->bytes_max == 0 || keep->parts == 0)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "it keeps rows in no bytes or no parts");
}

static uint64_t
get_memory_max(DpReader *reader)
{
	uint64_t memory_max = dp_get_integer(reader);

	if (memory_max == 0)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "its tables may take no memory");
	return memory_max;
}

static void
get_spec(DpReader *reader, DpSpec *spec, const DpTick *tick)
{
	uint32_t attributes;
	uint64_t flags;

	if (dp_get_byte(reader) != VERSION)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "it is of an unknown version");
	flags = dp_get_bounded(reader, CLAMPS | KEEPS | BOUNDS_MEMORY);
	spec->clamps = (flags & CLAMPS) != 0;
	if ((flags & KEEPS) != 0)
		get_keep(reader, &spec->keep);
	if ((flags & BOUNDS_MEMORY) != 0)
		spec->memory_max = get_memory_max(reader);
	dp_get_domain(reader, &spec->domain);
	attributes = spec->domain.attributes;
	spec->collation = dp_get_memory(reader, attributes, sizeof(*spec->collation));
	for (uint32_t i = 0; i < attributes && reader->status == DP_OK; i++)
	{
		if (dp_get_bounded(reader, 1) == 1)
			spec->collation[i] = dp_get_text(reader);
	}
	spec->sets = (uint32_t) dp_get_count(reader, DP_SPEC_SETS_MAX, SET_BYTES_MIN);
	spec->set = dp_get_memory(reader, spec->sets, sizeof(*spec->set));
	for (uint32_t i = 0; i < spec->sets && reader->status == DP_OK; i++)
	{
		tick_sets(i, tick);
		get_set(reader, attributes, &spec->set[i]);
	}
	if (dp_reader_left(reader) > 0)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "bytes are left over");
}

DpStatus
dp_spec_parse(const unsigned char *bytes, size_t length, DpSpec *spec, const DpTick *tick,
			  DpArena *arena, DpError *error)
{
	DpReader reader = {
		.name = "spec", .arena = arena, .tick = tick, .error = error, .status = DP_OK};

	*spec = (DpSpec){.sets = 0};
	if (!dp_bytes_digest_holds(bytes, length))
		return dp_fail(error, DP_ERR_CORRUPT, "spec: its bytes do not match its digest");
	reader.at = bytes;
	reader.end = bytes + length - DP_DIGEST_BYTES;
	get_spec(&reader, spec, tick);
	if (reader.status != DP_OK)
		return reader.status;
	return dp_spec_check(spec, tick, error);
}
