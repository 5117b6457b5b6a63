/*
 * code_cache.c -- codes of rows, kept column by column in chunks.
 */
#include "core/exact/counts.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/exact/count_kernel.h"

#define CHUNK_ROWS (UINT64_C(128) * DP_BATCH_ROWS)

/* The codes of an attribute follow one another: those before take CHUNK_ROWS times their widths. */
struct DpCodeChunk
{
	DpCodeChunk *next;
	uint64_t rows;
	unsigned char code[];
};

/* A part of the rows of a chunk, or of such bytes: the codes of each attribute. */
typedef struct RowPart
{
	const unsigned char *code[DP_ATTRIBUTES_MAX];
	uint64_t rows;
} RowPart;

/* ---- codes ---- */

static uint8_t
code_width(uint32_t levels)
{
	if (levels <= UINT32_C(1) << 8)
		return 1;
	if (levels <= UINT32_C(1) << 16)
		return 2;
	return levels <= UINT32_C(1) << 24 ? 3 : 4;
}

static void
pack(const uint32_t *code, uint32_t rows, uint8_t width, unsigned char *into)
{
	if (width == 1)
		for (uint32_t i = 0; i < rows; i++)
			into[i] = (unsigned char) code[i];
	else if (width == 2)
		for (uint32_t i = 0; i < rows; i++)
		{
			into[2 * i] = (unsigned char) code[i];
			into[2 * i + 1] = (unsigned char) (code[i] >> 8);
		}
	else
		for (uint32_t i = 0; i < rows; i++)
			for (uint32_t k = 0; k < width; k++)
				into[width * i + k] = (unsigned char) (code[i] >> (8 * k));
}

static void
unpack(const unsigned char *from, uint32_t rows, uint8_t width, uint32_t *code)
{
	if (width == 1)
		for (uint32_t i = 0; i < rows; i++)
			code[i] = from[i];
	else if (width == 2)
		for (uint32_t i = 0; i < rows; i++)
			code[i] = from[2 * i] | (uint32_t) from[2 * i + 1] << 8;
	else if (width == 3)
		for (uint32_t i = 0; i < rows; i++)
			code[i] =
				from[3 * i] | (uint32_t) from[3 * i + 1] << 8 | (uint32_t) from[3 * i + 2] << 16;
	else
		for (uint32_t i = 0; i < rows; i++)
			code[i] = from[4 * i] | (uint32_t) from[4 * i + 1] << 8 |
					  (uint32_t) from[4 * i + 2] << 16 | (uint32_t) from[4 * i + 3] << 24;
}

/* ---- beginning and end ---- */

uint64_t
dp_code_cache_row_bytes(const DpDomain *domain)
{
	uint64_t bytes = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		bytes += code_width(domain->attribute[a].levels);
	return bytes;
}

DpStatus
dp_code_cache_init(DpCodeCache *kept, const DpSpec *spec, DpArena *arena)
{
	const DpDomain *domain = &spec->domain;

	*kept = (DpCodeCache){.arena = arena, .attributes = domain->attributes};
	kept->width = dp_alloc(arena, domain->attributes, sizeof(*kept->width));
	if (kept->width == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
		kept->width[a] = code_width(domain->attribute[a].levels);
	kept->row_bytes = (uint32_t) dp_code_cache_row_bytes(domain);
	kept->rows_max = spec->keep.bytes_max / kept->row_bytes;
	kept->added_max = kept->rows_max / (spec->keep.parts > 0 ? spec->keep.parts : 1);
	return DP_OK;
}

static size_t
chunk_bytes(const DpCodeCache *kept)
{
	return sizeof(DpCodeChunk) + CHUNK_ROWS * kept->row_bytes;
}

static void
free_first(DpCodeCache *kept)
{
	DpCodeChunk *chunk = kept->first;

	kept->first = chunk->next;
	dp_free(kept->arena, chunk, chunk_bytes(kept), 1);
}

static void
free_chunks(DpCodeCache *kept)
{
	while (kept->first != NULL)
		free_first(kept);
	kept->last = NULL;
}

static void
free_cache(DpCodeCache *kept)
{
	if (kept->arena == NULL)
		return;
	free_chunks(kept);
	dp_free(kept->arena, kept->width, kept->attributes, sizeof(*kept->width));
	*kept = (DpCodeCache){.arena = NULL};
}

static void
lose(DpCodeCache *kept)
{
	free_chunks(kept);
	kept->rows = 0;
	kept->lost = true;
}

/* ---- adding ---- */

/* A chunk with space for a row; NULL: there is none, and all are lost. */
static DpCodeChunk *
chunk_with_capacity(DpCodeCache *kept)
{
	DpCodeChunk *chunk = kept->last;

	if (chunk != NULL && chunk->rows < CHUNK_ROWS)
		return chunk;
	chunk = dp_alloc(kept->arena, chunk_bytes(kept), 1);
	if (chunk == NULL)
	{
		lose(kept);
		return NULL;
	}
	if (kept->last != NULL)
		kept->last->next = chunk;
	else
		kept->first = chunk;
	kept->last = chunk;
	return chunk;
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether so many rows more may be kept; if not, all are lost. */
static bool
may_keep(DpCodeCache *kept, uint64_t rows)
{
	if (!kept->lost && rows > kept->rows_max - kept->rows)
		lose(kept);
	return !kept->lost;
}

void
dp_code_cache_add(DpCodeCache *kept, const uint32_t *const *code, uint32_t rows)
{
	if (!kept->lost && rows > kept->added_max - kept->added)
		lose(kept);
	if (!may_keep(kept, rows))
		return;
	kept->added += rows;
	for (uint32_t first = 0, n; first < rows; first += n)
	{
		DpCodeChunk *chunk = chunk_with_capacity(kept);
		unsigned char *into;

		if (chunk == NULL)
			return;
		n = (uint32_t) smaller(rows - first, CHUNK_ROWS - chunk->rows);
		into = chunk->code;
		for (uint32_t a = 0; a < kept->attributes; a++)
		{
			pack(code[a] + first, n, kept->width[a], into + chunk->rows * kept->width[a]);
			into += CHUNK_ROWS * kept->width[a];
		}
		chunk->rows += n;
		kept->rows += n;
	}
}

static void
add_part(DpCodeCache *kept, RowPart part)
{
	if (!may_keep(kept, part.rows))
		return;
	for (uint64_t first = 0, n; first < part.rows; first += n)
	{
		DpCodeChunk *chunk = chunk_with_capacity(kept);
		unsigned char *into;

		if (chunk == NULL)
			return;
		n = smaller(part.rows - first, CHUNK_ROWS - chunk->rows);
		into = chunk->code;
		for (uint32_t a = 0; a < kept->attributes; a++)
		{
			uint8_t width = kept->width[a];

			memcpy(into + chunk->rows * width, part.code[a] + first * width, n * width);
			into += CHUNK_ROWS * width;
		}
		chunk->rows += n;
		kept->rows += n;
	}
}

/* The codes of each attribute begin `capacity` rows after those of the one before. */
static RowPart
part_of(const DpCodeCache *kept, const unsigned char *code, uint64_t capacity, uint64_t rows)
{
	RowPart part = {.rows = rows};

	for (uint32_t a = 0; a < kept->attributes; a++)
	{
		part.code[a] = code;
		code += capacity * kept->width[a];
	}
	return part;
}

void
dp_code_cache_append(DpCodeCache *kept, const DpCodeCache *from)
{
	if (from->lost)
		lose(kept);
	for (const DpCodeChunk *chunk = from->first; chunk != NULL; chunk = chunk->next)
		add_part(kept, part_of(from, chunk->code, CHUNK_ROWS, chunk->rows));
}

void
dp_code_cache_take(DpCodeCache *kept, DpCodeCache *from)
{
	if (from->lost)
		lose(kept);
	while (from->first != NULL)
	{
		add_part(kept, part_of(from, from->first->code, CHUNK_ROWS, from->first->rows));
		free_first(from);
	}
	free_cache(from);
}

/* ---- bytes ---- */

uint64_t
dp_code_cache_length(const DpCodeCache *kept)
{
	return kept->rows * kept->row_bytes;
}

/* However the rows came together, full chunks are written, and then the rest. */
void
dp_code_cache_write(const DpCodeCache *kept, unsigned char *bytes)
{
	for (const DpCodeChunk *chunk = kept->first; chunk != NULL; chunk = chunk->next)
	{
		RowPart part = part_of(kept, chunk->code, CHUNK_ROWS, chunk->rows);

		for (uint32_t a = 0; a < kept->attributes; a++)
		{
			memcpy(bytes, part.code[a], chunk->rows * kept->width[a]);
			bytes += chunk->rows * kept->width[a];
		}
	}
}

static bool
codes_are_levels(const unsigned char *from, uint64_t rows, uint8_t width, uint32_t levels)
{
	uint32_t code[DP_BATCH_ROWS];
	bool inside = true;

	for (uint64_t first = 0; first < rows; first += DP_BATCH_ROWS)
	{
		uint32_t n = (uint32_t) smaller(rows - first, DP_BATCH_ROWS);

		unpack(from + first * width, n, width, code);
		for (uint32_t i = 0; i < n; i++)
			inside &= code[i] < levels;
	}
	return inside;
}

static bool
part_is_sound(const DpDomain *domain, const RowPart *part)
{
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		uint32_t levels = domain->attribute[a].levels;

		if (!codes_are_levels(part->code[a], part->rows, code_width(levels), levels))
			return false;
	}
	return true;
}

/* Rows without bytes are lost ones. */
bool
dp_code_cache_read(DpCodeCache *kept, const DpSpec *spec, uint64_t rows, const unsigned char *bytes,
				   uint64_t length)
{
	const DpDomain *domain = &spec->domain;
	uint8_t width[DP_ATTRIBUTES_MAX];
	DpCodeCache shape = {.attributes = domain->attributes, .width = width};

	if (length == 0)
	{
		if (rows > 0 && kept != NULL)
			lose(kept);
		return true;
	}
	shape.row_bytes = (uint32_t) dp_code_cache_row_bytes(domain);
	if (length / shape.row_bytes != rows || length % shape.row_bytes != 0 ||
		length > spec->keep.bytes_max)
		return false;
	for (uint32_t a = 0; a < domain->attributes; a++)
		width[a] = code_width(domain->attribute[a].levels);
	for (uint64_t first = 0, n; first < rows; first += n)
	{
		RowPart part;

		n = smaller(rows - first, CHUNK_ROWS);
		part = part_of(&shape, bytes, n, n);
		if (!part_is_sound(domain, &part))
			return false;
		if (kept != NULL)
			add_part(kept, part);
		bytes += n * shape.row_bytes;
	}
	return true;
}

/* ---- reading again ---- */

/* All codes are levels, so that no map is read beyond its end. */
static void
read_column(const DpCodeCache *kept, const RowPart *part, const DpCachedColumn *column,
			uint64_t first, uint32_t rows, uint32_t *code)
{
	uint8_t width = kept->width[column->attribute];

	unpack(part->code[column->attribute] + first * width, rows, width, code);
	if (column->map != NULL)
		for (uint32_t i = 0; i < rows; i++)
			code[i] = column->map[code[i]];
}

uint32_t
dp_code_cache_next(DpCodeCacheReader *reader, const DpCachedColumn *column, uint32_t columns,
				   uint32_t *const *code)
{
	const DpCodeCache *kept = reader->kept;
	RowPart part;
	uint32_t rows;

	if (!reader->begun)
		reader->chunk = kept->first;
	reader->begun = true;
	while (reader->chunk != NULL && reader->row >= reader->chunk->rows)
	{
		reader->chunk = reader->chunk->next;
		reader->row = 0;
	}
	if (reader->chunk == NULL)
		return 0;
	part = part_of(kept, reader->chunk->code, CHUNK_ROWS, reader->chunk->rows);
	rows = (uint32_t) smaller(reader->chunk->rows - reader->row, DP_BATCH_ROWS);
	for (uint32_t c = 0; c < columns; c++)
		read_column(kept, &part, &column[c], reader->row, rows, code[c]);
	reader->row += rows;
	return rows;
}
