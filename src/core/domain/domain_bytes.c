/*
 * domain_bytes.c -- writing and reading what the stored formats are made of.
 *
 * A domain is the number of its attributes, and for each:
 *
 *	byte      kind (bit 0), has_other (1), other is a text (2), type is a text (3), has a range (4),
 *	          of listed categories (5)
 *	text      name, type if any, other if any
 *	          number of labels, and the labels; or a range
 *
 * A range has no labels, since they follow from it:
 *
 *	byte      state, and byte: kind of the grid
 *	signed    first, last; integer step; signed digits
 *	texts     if it is of listed categories, last + 1 of them
 *	          asked: twice bins_max, plus 1 where it is declared. Found: the number of leaves, and
 *	          for each how far it begins from the one before (not the first), and twice its weight,
 *	          plus 1 where it begins a bin
 */
#include "core/domain/domain_bytes.h"

#include <string.h>

enum
{
	ATTRIBUTE_BINS = 1,
	ATTRIBUTE_HAS_OTHER = 2,
	ATTRIBUTE_OTHER_TEXT = 4,
	ATTRIBUTE_TYPE_TEXT = 8,
	ATTRIBUTE_RANGE = 16,
	ATTRIBUTE_LISTED = 32,
	ATTRIBUTE_FLAGS = 63
};

#define TICK_LABELS 65536 /* between two ticks */

static inline void
tick_labels(uint32_t label, const DpTick *tick)
{
	if (label % TICK_LABELS == 0)
		dp_tick(tick, -1.0);
}

uint64_t
dp_bytes_digest(const unsigned char *bytes, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

bool
dp_bytes_digest_holds(const unsigned char *bytes, size_t length)
{
	uint64_t hash = 0;

	if (length < DP_DIGEST_BYTES)
		return false;
	for (int i = 0; i < DP_DIGEST_BYTES; i++)
		hash |= (uint64_t) bytes[length - DP_DIGEST_BYTES + (size_t) i] << (8 * i);
	return hash == dp_bytes_digest(bytes, length - DP_DIGEST_BYTES);
}

/* ---- writing ---- */

void
dp_put_bytes(DpWriter *writer, const void *bytes, size_t length)
{
	if (writer->bytes != NULL && length > 0)
		memcpy(writer->bytes + writer->length, bytes, length);
	writer->length += length;
}

void
dp_put_text(DpWriter *writer, const char *text)
{
	size_t length = strlen(text);

	dp_put_integer(writer, length);
	dp_put_bytes(writer, text, length);
}

static void
put_leaves(DpWriter *writer, const DpRange *range)
{
	uint32_t bin = 0;

	dp_put_integer(writer, range->leaves);
	for (uint32_t i = 0; i < range->leaves; i++)
	{
		bool begins = bin < range->bins && range->leaf[i] == range->bin[bin];

		if (i > 0)
			dp_put_integer(writer, (uint64_t) range->leaf[i] - (uint64_t) range->leaf[i - 1]);
		dp_put_integer(writer, range->weight[i] * 2 + begins);
		bin += begins;
	}
}

static void
put_range(DpWriter *writer, const DpRange *range)
{
	dp_put_byte(writer, (unsigned char) range->state);
	dp_put_byte(writer, (unsigned char) range->grid.kind);
	dp_put_signed(writer, range->grid.first);
	dp_put_signed(writer, range->grid.last);
	dp_put_integer(writer, (uint64_t) range->grid.step);
	dp_put_signed(writer, range->grid.digits);
	for (int64_t i = 0; range->listed != NULL && i <= range->grid.last; i++)
	{
		tick_labels((uint32_t) i, writer->tick);
		dp_put_text(writer, range->listed[i]);
	}
	if (range->state == DP_RANGE_REQUESTED)
		dp_put_integer(writer, range->bins_max * UINT64_C(2) + range->is_declared);
	else if (range->state == DP_RANGE_FOUND)
		put_leaves(writer, range);
}

static void
put_attribute(DpWriter *writer, const DpAttribute *attribute)
{
	dp_put_byte(writer, (unsigned char) ((attribute->kind == DP_BINS ? ATTRIBUTE_BINS : 0) |
										 (attribute->has_other ? ATTRIBUTE_HAS_OTHER : 0) |
										 (attribute->other != NULL ? ATTRIBUTE_OTHER_TEXT : 0) |
										 (attribute->type != NULL ? ATTRIBUTE_TYPE_TEXT : 0) |
										 (attribute->range != NULL ? ATTRIBUTE_RANGE : 0) |
										 (attribute->range != NULL && attribute->range->listed
											  ? ATTRIBUTE_LISTED
											  : 0)));
	dp_put_text(writer, attribute->name);
	if (attribute->type != NULL)
		dp_put_text(writer, attribute->type);
	if (attribute->other != NULL)
		dp_put_text(writer, attribute->other);
	if (attribute->range != NULL)
	{
		put_range(writer, attribute->range);
		return;
	}
	dp_put_integer(writer, attribute->labels_n);
	for (uint32_t i = 0; i < attribute->labels_n; i++)
	{
		tick_labels(i, writer->tick);
		dp_put_text(writer, attribute->labels[i]);
	}
}

void
dp_put_domain(DpWriter *writer, const DpDomain *domain)
{
	dp_put_integer(writer, domain->attributes);
	for (uint32_t i = 0; i < domain->attributes; i++)
		put_attribute(writer, &domain->attribute[i]);
}

void
dp_put_digest(DpWriter *writer)
{
	uint64_t hash = writer->bytes == NULL ? 0 : dp_bytes_digest(writer->bytes, writer->length);

	for (int i = 0; i < DP_DIGEST_BYTES; i++)
		dp_put_byte(writer, (unsigned char) (hash >> (8 * i)));
}

/* ---- reading ---- */

bool (*dp_text_is_valid)(const char *text, size_t length) = NULL;

void
dp_reader_fault(DpReader *reader, DpStatus status, const char *what)
{
	if (reader->status == DP_OK)
		reader->status = dp_fail(reader->error, status, "%s: %s", reader->name, what);
	reader->at = reader->end;
}

uint64_t
dp_get_long_integer(DpReader *reader)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64; shift += 7)
	{
		unsigned char byte = dp_get_byte(reader);

		/* Ten bytes hold 70 bits; a last byte of 0 would be a longer form of a shorter one. */
		if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0))
			break;
		value |= (uint64_t) (byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	dp_reader_fault(reader, DP_ERR_CORRUPT, "an integer is not in its shortest form");
	return 0;
}

uint64_t
dp_get_bounded(DpReader *reader, uint64_t maximum)
{
	uint64_t value = dp_get_integer(reader);

	if (value <= maximum)
		return value;
	dp_reader_fault(reader, DP_ERR_CORRUPT, "a number is out of its bounds");
	return 0;
}

uint64_t
dp_get_count(DpReader *reader, uint64_t maximum, uint64_t bytes_each)
{
	uint64_t count = dp_get_bounded(reader, maximum);

	if (count <= dp_reader_left(reader) / bytes_each)
		return count;
	dp_reader_fault(reader, DP_ERR_CORRUPT, "it is shorter than what it announces");
	return 0;
}

int64_t
dp_get_signed(DpReader *reader)
{
	uint64_t zigzag = dp_get_integer(reader);

	return (int64_t) (zigzag >> 1) ^ -(int64_t) (zigzag & 1);
}

void *
dp_get_memory(DpReader *reader, uint64_t count, size_t size)
{
	void *memory = reader->status == DP_OK ? dp_alloc(reader->arena, count, size) : NULL;

	if (memory == NULL)
		dp_reader_fault(reader, DP_ERR_MEMORY, "no memory for it");
	return memory;
}

const char *
dp_get_text(DpReader *reader)
{
	uint64_t length = dp_get_count(reader, DP_TEXT_MAX, 1);
	char *text = dp_get_memory(reader, length + 1, 1);

	if (text == NULL)
		return "";
	memcpy(text, reader->at, length);
	if (memchr(text, '\0', length) != NULL)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "a text has a zero byte");
	else if (dp_text_is_valid != NULL && !dp_text_is_valid(text, length))
		dp_reader_fault(reader, DP_ERR_ENCODING,
						"a text is not valid in the encoding of the database");
	else
		reader->at += length;
	return text;
}

/* Reads the leaves of a range whose grid is valid. The first one begins the first bin. */
static void
get_leaves(DpReader *reader, DpRange *range)
{
	uint64_t left = (uint64_t) range->grid.last - (uint64_t) range->grid.first;

	range->leaves = (uint32_t) dp_get_count(reader, DP_GRID_CELLS_MAX, 1);
	range->bin = dp_get_memory(reader, range->leaves, sizeof(*range->bin));
	range->leaf = dp_get_memory(reader, range->leaves, sizeof(*range->leaf));
	range->weight = dp_get_memory(reader, range->leaves, sizeof(*range->weight));
	for (uint32_t i = 0; i < range->leaves && reader->status == DP_OK; i++)
	{
		uint64_t further = i == 0 ? 0 : dp_get_bounded(reader, left);
		uint64_t weight = dp_get_integer(reader);

		tick_labels(i, reader->tick);
		left -= further;
		range->leaf[i] =
			i == 0 ? range->grid.first : (int64_t) ((uint64_t) range->leaf[i - 1] + further);
		range->weight[i] = weight / 2;
		if (weight % 2 == 1)
			range->bin[range->bins++] = range->leaf[i];
	}
}

/* Reads as many categories as the grid has places. */
static const char **
get_listed(DpReader *reader, const DpGrid *grid)
{
	const char **listed;
	uint32_t n;

	if (grid->first != 0 || grid->last >= DP_GRID_CELLS_MAX ||
		(uint64_t) grid->last >= dp_reader_left(reader))
	{
		dp_reader_fault(reader, DP_ERR_CORRUPT, "a range has no list of categories");
		return NULL;
	}
	n = (uint32_t) grid->last + 1;
	listed = dp_get_memory(reader, n, sizeof(*listed));
	for (uint32_t i = 0; i < n && reader->status == DP_OK; i++)
	{
		tick_labels(i, reader->tick);
		listed[i] = dp_get_text(reader);
	}
	return listed;
}

static const DpRange *
get_range(DpReader *reader, bool has_list)
{
	DpRange *range = dp_get_memory(reader, 1, sizeof(*range));
	int64_t digits;

	if (range == NULL)
		return NULL;
	range->state = (DpRangeState) dp_get_bounded(reader, DP_RANGE_FOUND);
	range->grid.kind = (DpGridKind) dp_get_bounded(reader, DP_GRID_INTERVAL);
	range->grid.first = dp_get_signed(reader);
	range->grid.last = dp_get_signed(reader);
	range->grid.step = (int64_t) dp_get_bounded(reader, INT64_MAX);
	digits = dp_get_signed(reader);
	range->grid.digits = (int) digits;
	if (reader->status == DP_OK &&
		(digits != range->grid.digits || dp_grid_check(&range->grid, NULL) != DP_OK))
		dp_reader_fault(reader, DP_ERR_CORRUPT, "a range has no valid grid");
	if (has_list && reader->status == DP_OK)
		range->listed = get_listed(reader, &range->grid);
	if (range->state == DP_RANGE_REQUESTED)
	{
		uint64_t number = dp_get_bounded(reader, DP_GRID_BINS_MAX * UINT64_C(2) + 1);

		range->bins_max = (uint32_t) (number / 2);
		range->is_declared = number % 2 == 1;
	}
	else if (range->state == DP_RANGE_FOUND && reader->status == DP_OK)
		get_leaves(reader, range);
	if (reader->status == DP_OK && dp_range_check(range, NULL) != DP_OK)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "a range has invalid bins");
	return reader->status == DP_OK ? range : NULL;
}

static void
get_ranged(DpReader *reader, bool has_list, DpAttribute *attribute)
{
	attribute->range = get_range(reader, has_list);
	if (attribute->range == NULL)
		return;
	if (attribute->range->state == DP_RANGE_FOUND)
	{
		attribute->labels_n = attribute->range->bins + 1;
		attribute->labels = dp_range_labels(attribute->range, reader->arena);
		if (attribute->labels == NULL)
			dp_reader_fault(reader, DP_ERR_MEMORY, "no memory for it");
	}
	dp_attribute_count_levels(attribute);
}

static void
get_attribute(DpReader *reader, DpAttribute *attribute)
{
	unsigned char flags = dp_get_byte(reader);

	if (flags & ~ATTRIBUTE_FLAGS || (flags & ATTRIBUTE_LISTED && !(flags & ATTRIBUTE_RANGE)))
		dp_reader_fault(reader, DP_ERR_CORRUPT, "an attribute has unknown flags");
	attribute->kind = flags & ATTRIBUTE_BINS ? DP_BINS : DP_CATEGORIES;
	attribute->has_other = (flags & ATTRIBUTE_HAS_OTHER) != 0;
	attribute->name = dp_get_text(reader);
	attribute->type = flags & ATTRIBUTE_TYPE_TEXT ? dp_get_text(reader) : NULL;
	attribute->other = flags & ATTRIBUTE_OTHER_TEXT ? dp_get_text(reader) : NULL;
	if (flags & ATTRIBUTE_RANGE)
	{
		get_ranged(reader, (flags & ATTRIBUTE_LISTED) != 0, attribute);
		return;
	}
	attribute->labels_n = (uint32_t) dp_get_count(reader, DP_LEVELS_MAX, 1);
	attribute->labels = dp_get_memory(reader, attribute->labels_n, sizeof(*attribute->labels));
	for (uint32_t i = 0; i < attribute->labels_n && reader->status == DP_OK; i++)
	{
		tick_labels(i, reader->tick);
		attribute->labels[i] = dp_get_text(reader);
	}
	dp_attribute_count_levels(attribute);
}

void
dp_get_domain(DpReader *reader, DpDomain *domain)
{
	domain->attributes = (uint32_t) dp_get_count(reader, DP_ATTRIBUTES_MAX, 3);
	domain->attribute = dp_get_memory(reader, domain->attributes, sizeof(*domain->attribute));
	for (uint32_t i = 0; i < domain->attributes && reader->status == DP_OK; i++)
		get_attribute(reader, &domain->attribute[i]);
}
