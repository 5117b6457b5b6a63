/*
 * model_bytes.c -- models as bytes.
 *
 * Formats 1 and 2, all integers LEB128, signed ones zigzag first, a text its length
 * and its bytes:
 *
 *	byte      the version: 2 if there are structure or sets, else 1
 *	text      method
 *	          neighbours, rows_max, rows
 *	          number of attributes; each:
 *	byte        kind (bit 0), has_other (1), other is a text (2), type is a text (3)
 *	text        name, type if any, other if any
 *	            number of labels, and these
 *	          number of tables; each:
 *	byte        storage (bit 0), noise (bits 1 and 2)
 *	            number of attributes, and these; epsilon, delta, sensitivity, threshold
 *	            dense: the values; a 0 is followed by the number of further zeros
 *	            sparse: number of cells; each its codes and its value - threshold
 *	          number of parameters; each:
 *	text        name
 *	            value, signed
 *	          only in format 2: number of integers of structure, and these; number of
 *	          sets; each: rows, tables, integers of structure
 *	8 bytes   FNV-1a of all before, little-endian: finds accidents, not forgers
 *
 * A model has one such form: a longer varint, a run cut in two or a spare bit
 * is refused, so that equal models are equal bytes.
 */
#include "model.h"

#include <string.h>

#define VERSION_PLAIN 1
#define VERSION_STRUCTURED 2
#define DIGEST_BYTES 8

enum
{
	ATTRIBUTE_BINS = 1,
	ATTRIBUTE_HAS_OTHER = 2,
	ATTRIBUTE_OTHER_TEXT = 4,
	ATTRIBUTE_TYPE_TEXT = 8,
	ATTRIBUTE_FLAGS = 15
};

/* Fowler, Noll, Vo: FNV-1a, 64 bits. */
static uint64_t
digest(const unsigned char *bytes, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Writing: one pass with bytes = NULL finds the length, a second fills it. */

typedef struct Writer
{
	unsigned char *bytes;
	size_t length;
} Writer;

static void
put_byte(Writer *writer, unsigned char byte)
{
	if (writer->bytes != NULL)
		writer->bytes[writer->length] = byte;
	writer->length++;
}

static void
put_integer(Writer *writer, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_byte(writer, (unsigned char) (value | 0x80));
	put_byte(writer, (unsigned char) value);
}

static void
put_signed(Writer *writer, int64_t value)
{
	put_integer(writer, ((uint64_t) value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void
put_text(Writer *writer, const char *text)
{
	size_t length = strlen(text);

	put_integer(writer, length);
	if (writer->bytes != NULL)
		memcpy(writer->bytes + writer->length, text, length);
	writer->length += length;
}

static void
put_attribute(Writer *writer, const DpAttribute *attribute)
{
	put_byte(writer, (unsigned char) ((attribute->kind == DP_BINS ? ATTRIBUTE_BINS : 0) |
									  (attribute->has_other ? ATTRIBUTE_HAS_OTHER : 0) |
									  (attribute->other != NULL ? ATTRIBUTE_OTHER_TEXT : 0) |
									  (attribute->type != NULL ? ATTRIBUTE_TYPE_TEXT : 0)));
	put_text(writer, attribute->name);
	if (attribute->type != NULL)
		put_text(writer, attribute->type);
	if (attribute->other != NULL)
		put_text(writer, attribute->other);
	put_integer(writer, attribute->labels_n);
	for (uint32_t i = 0; i < attribute->labels_n; i++)
		put_text(writer, attribute->labels[i]);
}

static void
put_dense(Writer *writer, const DpTable *table)
{
	for (uint64_t i = 0; i < table->cells; i++)
	{
		uint64_t first = i;

		put_signed(writer, table->value[i]);
		if (table->value[i] != 0)
			continue;
		while (i + 1 < table->cells && table->value[i + 1] == 0)
			i++;
		put_integer(writer, i - first);
	}
}

static void
put_sparse(Writer *writer, const DpTable *table)
{
	put_integer(writer, table->cells);
	for (uint64_t i = 0; i < table->cells; i++)
	{
		for (uint32_t k = 0; k < table->n; k++)
			put_integer(writer, table->code[i * table->n + k]);
		put_integer(writer, (uint64_t) (table->value[i] - table->threshold_rows));
	}
}

static void
put_table(Writer *writer, const DpTable *table)
{
	put_byte(writer, (unsigned char) ((unsigned) table->storage | (unsigned) table->noise << 1));
	put_integer(writer, table->n);
	for (uint32_t k = 0; k < table->n; k++)
		put_integer(writer, table->attribute[k]);
	put_integer(writer, (uint64_t) table->cost.epsilon_nano);
	put_integer(writer, (uint64_t) table->cost.delta_atto);
	put_integer(writer, (uint64_t) table->sensitivity_l1);
	put_integer(writer, (uint64_t) table->threshold_rows);
	if (table->storage == DP_DENSE)
		put_dense(writer, table);
	else
		put_sparse(writer, table);
}

static void
put_structure(Writer *writer, const DpModel *model)
{
	put_integer(writer, model->structure_n);
	for (uint32_t i = 0; i < model->structure_n; i++)
		put_integer(writer, model->structure[i]);
	put_integer(writer, model->sets);
	for (uint32_t i = 0; i < model->sets; i++)
	{
		put_integer(writer, (uint64_t) model->set[i].rows);
		put_integer(writer, model->set[i].tables);
		put_integer(writer, model->set[i].structure);
	}
}

static void
put_model(Writer *writer, const DpModel *model)
{
	bool structured = model->structure_n > 0 || model->sets > 0;

	put_byte(writer, structured ? VERSION_STRUCTURED : VERSION_PLAIN);
	put_text(writer, model->method);
	put_integer(writer, (uint64_t) model->unit.neighbours);
	put_integer(writer, model->unit.rows_max);
	put_integer(writer, (uint64_t) model->rows);
	put_integer(writer, model->domain.attributes);
	for (uint32_t i = 0; i < model->domain.attributes; i++)
		put_attribute(writer, &model->domain.attribute[i]);
	put_integer(writer, model->tables);
	for (uint32_t i = 0; i < model->tables; i++)
		put_table(writer, &model->table[i]);
	put_integer(writer, model->parameters);
	for (uint32_t i = 0; i < model->parameters; i++)
	{
		put_text(writer, model->parameter[i].name);
		put_signed(writer, model->parameter[i].value);
	}
	if (structured)
		put_structure(writer, model);
}

DpStatus
dp_model_serialise(const DpModel *model, DpArena *arena, unsigned char **bytes, size_t *length,
				   DpError *error)
{
	Writer writer = {.bytes = NULL};
	size_t body;
	uint64_t hash;

	DP_TRY(dp_model_check(model, error));
	put_model(&writer, model);
	body = writer.length;
	writer.length = 0;
	writer.bytes = dp_alloc(arena, body + DIGEST_BYTES, 1);
	if (writer.bytes == NULL)
		return dp_fail(error, DP_ERR_MEMORY, "no memory for the bytes of a model");
	put_model(&writer, model);
	hash = digest(writer.bytes, body);
	for (int i = 0; i < DIGEST_BYTES; i++)
		put_byte(&writer, (unsigned char) (hash >> (8 * i)));
	*bytes = writer.bytes;
	*length = writer.length;
	return DP_OK;
}

/*
 * Reading. The first fault is kept in status and empties the input, so that
 * what is read after it is 0 and every loop ends.
 */

typedef struct Reader
{
	const unsigned char *at;
	const unsigned char *end;
	DpArena *arena;
	DpError *error;
	DpStatus status;
	uint64_t dense_cells; /* of the tables so far */
} Reader;

static void
fault(Reader *reader, DpStatus status, const char *what)
{
	if (reader->status == DP_OK)
		reader->status = dp_fail(reader->error, status, "stored model: %s", what);
	reader->at = reader->end;
}

static uint64_t
left(const Reader *reader)
{
	return (uint64_t) (reader->end - reader->at);
}

static unsigned char
get_byte(Reader *reader)
{
	if (left(reader) == 0)
	{
		fault(reader, DP_ERR_CORRUPT, "it ends too early");
		return 0;
	}
	return *reader->at++;
}

static uint64_t
get_integer(Reader *reader)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64; shift += 7)
	{
		unsigned char byte = get_byte(reader);

		/* Ten bytes hold 70 bits; a last byte of 0 would be a longer form of a shorter one. */
		if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0))
			break;
		value |= (uint64_t) (byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	fault(reader, DP_ERR_CORRUPT, "an integer is not in its shortest form");
	return 0;
}

/* An integer in 0..maximum. */
static uint64_t
get_bounded(Reader *reader, uint64_t maximum)
{
	uint64_t value = get_integer(reader);

	if (value <= maximum)
		return value;
	fault(reader, DP_ERR_CORRUPT, "a number is out of its bounds");
	return 0;
}

/* How many things follow, each of at least that many bytes: never more than the input can hold. */
static uint64_t
get_count(Reader *reader, uint64_t maximum, uint64_t bytes_each)
{
	uint64_t count = get_bounded(reader, maximum);

	if (count <= left(reader) / bytes_each)
		return count;
	fault(reader, DP_ERR_CORRUPT, "it is shorter than what it announces");
	return 0;
}

static int64_t
get_signed(Reader *reader)
{
	uint64_t zigzag = get_integer(reader);

	return (int64_t) (zigzag >> 1) ^ -(int64_t) (zigzag & 1);
}

static void *
get_memory(Reader *reader, uint64_t count, size_t size)
{
	void *memory = reader->status == DP_OK ? dp_alloc(reader->arena, count, size) : NULL;

	if (memory == NULL)
		fault(reader, DP_ERR_MEMORY, "no memory for it");
	return memory;
}

static const char *
get_text(Reader *reader)
{
	uint64_t length = get_count(reader, DP_TEXT_MAX, 1);
	char *text = get_memory(reader, length + 1, 1);

	if (text == NULL)
		return "";
	memcpy(text, reader->at, length);
	if (memchr(text, '\0', length) != NULL)
		fault(reader, DP_ERR_CORRUPT, "a text has a zero byte");
	else
		reader->at += length;
	return text;
}

static void
get_attribute(Reader *reader, DpAttribute *attribute)
{
	unsigned char flags = get_byte(reader);

	if (flags & ~ATTRIBUTE_FLAGS)
		fault(reader, DP_ERR_CORRUPT, "an attribute has unknown flags");
	attribute->kind = flags & ATTRIBUTE_BINS ? DP_BINS : DP_CATEGORIES;
	attribute->has_other = (flags & ATTRIBUTE_HAS_OTHER) != 0;
	attribute->name = get_text(reader);
	attribute->type = flags & ATTRIBUTE_TYPE_TEXT ? get_text(reader) : NULL;
	attribute->other = flags & ATTRIBUTE_OTHER_TEXT ? get_text(reader) : NULL;
	attribute->labels_n = (uint32_t) get_count(reader, DP_LEVELS_MAX, 1);
	attribute->labels = get_memory(reader, attribute->labels_n, sizeof(*attribute->labels));
	for (uint32_t i = 0; i < attribute->labels_n && reader->status == DP_OK; i++)
		attribute->labels[i] = get_text(reader);
	dp_attribute_count_levels(attribute);
}

static void
get_domain(Reader *reader, DpDomain *domain)
{
	domain->attributes = (uint32_t) get_count(reader, DP_ATTRIBUTES_MAX, 3);
	domain->attribute = get_memory(reader, domain->attributes, sizeof(*domain->attribute));
	for (uint32_t i = 0; i < domain->attributes && reader->status == DP_OK; i++)
		get_attribute(reader, &domain->attribute[i]);
}

/* Zero runs let a few bytes stand for many cells: hence the limit over all tables. */
static void
get_dense(Reader *reader, const DpDomain *domain, DpTable *table)
{
	bool after_run = false;

	if (reader->status != DP_OK)
		return;
	table->cells = dp_domain_cells(domain, table->attribute, table->n);
	if (table->cells > DP_MODEL_CELLS_MAX - reader->dense_cells)
	{
		fault(reader, DP_ERR_CORRUPT, "its dense tables have too many cells");
		return;
	}
	reader->dense_cells += table->cells;
	table->value = get_memory(reader, table->cells, sizeof(*table->value));
	for (uint64_t i = 0; i < table->cells && reader->status == DP_OK; i++)
	{
		table->value[i] = get_signed(reader);
		if (table->value[i] != 0)
		{
			after_run = false;
			continue;
		}
		if (after_run)
			fault(reader, DP_ERR_CORRUPT, "a run of zeros is cut in two");
		after_run = true;
		i += get_bounded(reader, table->cells - 1 - i);
	}
}

static void
get_sparse(Reader *reader, DpTable *table)
{
	table->cells = get_count(reader, UINT64_MAX, (uint64_t) table->n + 1);
	table->value = get_memory(reader, table->cells, sizeof(*table->value));
	table->code = get_memory(reader, table->cells, table->n * sizeof(*table->code));
	for (uint64_t i = 0; i < table->cells && reader->status == DP_OK; i++)
	{
		for (uint32_t k = 0; k < table->n; k++)
			table->code[i * table->n + k] = (uint32_t) get_bounded(reader, UINT32_MAX);
		table->value[i] =
			table->threshold_rows +
			(int64_t) get_bounded(reader, (uint64_t) (INT64_MAX - table->threshold_rows));
	}
}

static void
get_table(Reader *reader, const DpDomain *domain, DpTable *table)
{
	unsigned char flags = get_byte(reader);

	if (flags > 7)
		fault(reader, DP_ERR_CORRUPT, "a table has unknown flags");
	table->storage = flags & 1 ? DP_SPARSE : DP_DENSE;
	table->noise = (DpNoise) (flags >> 1);
	table->n = (uint32_t) get_count(reader, domain->attributes, 1);
	table->attribute = get_memory(reader, table->n, sizeof(*table->attribute));
	/* A fault sets n to 0 or leaves attributes at 0, which exist: no index is out of bounds. */
	for (uint32_t k = 0; k < table->n && reader->status == DP_OK; k++)
		table->attribute[k] = (uint32_t) get_bounded(reader, domain->attributes - 1);
	table->cost.epsilon_nano = (int64_t) get_bounded(reader, INT64_MAX);
	table->cost.delta_atto = (int64_t) get_bounded(reader, INT64_MAX);
	table->sensitivity_l1 = (int64_t) get_bounded(reader, INT64_MAX);
	table->threshold_rows = (int64_t) get_bounded(reader, INT64_MAX);
	if (table->storage == DP_DENSE)
		get_dense(reader, domain, table);
	else
		get_sparse(reader, table);
}

static void
get_structure(Reader *reader, DpModel *model)
{
	model->structure_n = (uint32_t) get_count(reader, DP_MODEL_STRUCTURE_MAX, 1);
	model->structure = get_memory(reader, model->structure_n, sizeof(*model->structure));
	for (uint32_t i = 0; i < model->structure_n && reader->status == DP_OK; i++)
		model->structure[i] = (uint32_t) get_bounded(reader, UINT32_MAX);
	model->sets = (uint32_t) get_count(reader, DP_MODEL_SETS_MAX, 3);
	if (model->sets == 0 && model->structure_n == 0)
		fault(reader, DP_ERR_CORRUPT, "it is of the wrong version");
	if (model->sets > 0)
		model->set = get_memory(reader, model->sets, sizeof(*model->set));
	for (uint32_t i = 0; i < model->sets && reader->status == DP_OK; i++)
	{
		model->set[i].rows = (int64_t) get_bounded(reader, INT64_MAX);
		model->set[i].tables = (uint32_t) get_bounded(reader, DP_MODEL_TABLES_MAX);
		model->set[i].structure = (uint32_t) get_bounded(reader, DP_MODEL_STRUCTURE_MAX);
	}
}

static void
get_model(Reader *reader, DpModel *model)
{
	unsigned char version = get_byte(reader);

	if (version != VERSION_PLAIN && version != VERSION_STRUCTURED)
		fault(reader, DP_ERR_CORRUPT, "it is of an unknown version");
	model->method = get_text(reader);
	model->unit.neighbours = (DpNeighbours) get_bounded(reader, DP_REPLACE_ONE);
	model->unit.rows_max = (uint32_t) get_bounded(reader, UINT32_MAX);
	model->rows = (int64_t) get_bounded(reader, INT64_MAX);
	get_domain(reader, &model->domain);
	model->tables = (uint32_t) get_count(reader, DP_MODEL_TABLES_MAX, 7);
	model->table = get_memory(reader, model->tables, sizeof(*model->table));
	for (uint32_t i = 0; i < model->tables && reader->status == DP_OK; i++)
		get_table(reader, &model->domain, &model->table[i]);
	model->parameters = (uint32_t) get_count(reader, DP_MODEL_PARAMETERS_MAX, 2);
	model->parameter = get_memory(reader, model->parameters, sizeof(*model->parameter));
	for (uint32_t i = 0; i < model->parameters && reader->status == DP_OK; i++)
	{
		model->parameter[i].name = get_text(reader);
		model->parameter[i].value = get_signed(reader);
	}
	if (version == VERSION_STRUCTURED)
		get_structure(reader, model);
	if (left(reader) > 0)
		fault(reader, DP_ERR_CORRUPT, "bytes are left over");
}

static bool
digest_holds(const unsigned char *bytes, size_t length)
{
	uint64_t hash = 0;

	if (length < DIGEST_BYTES)
		return false;
	for (int i = 0; i < DIGEST_BYTES; i++)
		hash |= (uint64_t) bytes[length - DIGEST_BYTES + (size_t) i] << (8 * i);
	return hash == digest(bytes, length - DIGEST_BYTES);
}

DpStatus
dp_model_parse(const unsigned char *bytes, size_t length, DpArena *arena, DpModel *model,
			   DpError *error)
{
	Reader reader = {.arena = arena, .error = error, .status = DP_OK};

	*model = (DpModel){.rows = 0};
	if (!digest_holds(bytes, length))
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: its bytes do not match its digest");
	reader.at = bytes;
	reader.end = bytes + length - DIGEST_BYTES;
	get_model(&reader, model);
	if (reader.status != DP_OK)
		return reader.status;
	return dp_model_check(model, error);
}
