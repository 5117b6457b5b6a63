/*
 * kept_rows.c -- codes of rows, kept column by column in slabs.
 */
#include "core/exact/kept_rows.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/exact/count_kernel.h"
#include "core/exact/counts.h"

#define SLAB_ROWS (UINT64_C(128) * DP_BATCH_ROWS)

/* The codes of an attribute follow one another: those before take SLAB_ROWS times their widths. */
struct DpRowSlab
{
	DpRowSlab *next;
	uint64_t rows;
	unsigned char code[];
};

/* A part of the rows of a slab, or of such bytes: the codes of each attribute. */
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
dp_kept_row_bytes(const DpDomain *domain)
{
	uint64_t bytes = 0;

	for (uint32_t a = 0; a < domain->attributes; a++)
		bytes += code_width(domain->attribute[a].levels);
	return bytes;
}

DpStatus
dp_kept_rows_init(DpKeptRows *kept, const DpSpec *spec, DpArena *arena)
{
	const DpDomain *domain = &spec->domain;

	*kept = (DpKeptRows){.arena = arena, .attributes = domain->attributes};
	kept->width = dp_alloc(arena, domain->attributes, sizeof(*kept->width));
	if (kept->width == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
		kept->width[a] = code_width(domain->attribute[a].levels);
	kept->row_bytes = (uint32_t) dp_kept_row_bytes(domain);
	kept->rows_max = spec->keep.bytes_max / kept->row_bytes;
	kept->added_max = kept->rows_max / (spec->keep.parts > 0 ? spec->keep.parts : 1);
	return DP_OK;
}

static size_t
slab_bytes(const DpKeptRows *kept)
{
	return sizeof(DpRowSlab) + SLAB_ROWS * kept->row_bytes;
}

static void
free_first(DpKeptRows *kept)
{
	DpRowSlab *slab = kept->first;

	kept->first = slab->next;
	dp_free(kept->arena, slab, slab_bytes(kept), 1);
}

static void
free_slabs(DpKeptRows *kept)
{
	while (kept->first != NULL)
		free_first(kept);
	kept->last = NULL;
}

void
dp_kept_rows_free(DpKeptRows *kept)
{
	if (kept->arena == NULL)
		return;
	free_slabs(kept);
	dp_free(kept->arena, kept->width, kept->attributes, sizeof(*kept->width));
	*kept = (DpKeptRows){.arena = NULL};
}

static void
lose(DpKeptRows *kept)
{
	free_slabs(kept);
	kept->rows = 0;
	kept->lost = true;
}

/* ---- adding ---- */

/* A slab with room for a row; NULL: there is none, and all are lost. */
static DpRowSlab *
slab_with_room(DpKeptRows *kept)
{
	DpRowSlab *slab = kept->last;

	if (slab != NULL && slab->rows < SLAB_ROWS)
		return slab;
	slab = dp_alloc(kept->arena, slab_bytes(kept), 1);
	if (slab == NULL)
	{
		lose(kept);
		return NULL;
	}
	if (kept->last != NULL)
		kept->last->next = slab;
	else
		kept->first = slab;
	kept->last = slab;
	return slab;
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether so many rows more may be kept; if not, all are lost. */
static bool
may_keep(DpKeptRows *kept, uint64_t rows)
{
	if (!kept->lost && rows > kept->rows_max - kept->rows)
		lose(kept);
	return !kept->lost;
}

void
dp_kept_rows_add(DpKeptRows *kept, const uint32_t *const *code, uint32_t rows)
{
	if (!kept->lost && rows > kept->added_max - kept->added)
		lose(kept);
	if (!may_keep(kept, rows))
		return;
	kept->added += rows;
	for (uint32_t first = 0, n; first < rows; first += n)
	{
		DpRowSlab *slab = slab_with_room(kept);
		unsigned char *into;

		if (slab == NULL)
			return;
		n = (uint32_t) smaller(rows - first, SLAB_ROWS - slab->rows);
		into = slab->code;
		for (uint32_t a = 0; a < kept->attributes; a++)
		{
			pack(code[a] + first, n, kept->width[a], into + slab->rows * kept->width[a]);
			into += SLAB_ROWS * kept->width[a];
		}
		slab->rows += n;
		kept->rows += n;
	}
}

static void
add_part(DpKeptRows *kept, RowPart part)
{
	if (!may_keep(kept, part.rows))
		return;
	for (uint64_t first = 0, n; first < part.rows; first += n)
	{
		DpRowSlab *slab = slab_with_room(kept);
		unsigned char *into;

		if (slab == NULL)
			return;
		n = smaller(part.rows - first, SLAB_ROWS - slab->rows);
		into = slab->code;
		for (uint32_t a = 0; a < kept->attributes; a++)
		{
			uint8_t width = kept->width[a];

			memcpy(into + slab->rows * width, part.code[a] + first * width, n * width);
			into += SLAB_ROWS * width;
		}
		slab->rows += n;
		kept->rows += n;
	}
}

/* The codes of each attribute begin `room` rows after those of the one before. */
static RowPart
part_of(const DpKeptRows *kept, const unsigned char *code, uint64_t room, uint64_t rows)
{
	RowPart part = {.rows = rows};

	for (uint32_t a = 0; a < kept->attributes; a++)
	{
		part.code[a] = code;
		code += room * kept->width[a];
	}
	return part;
}

void
dp_kept_rows_append(DpKeptRows *kept, const DpKeptRows *from)
{
	if (from->lost)
		lose(kept);
	for (const DpRowSlab *slab = from->first; slab != NULL; slab = slab->next)
		add_part(kept, part_of(from, slab->code, SLAB_ROWS, slab->rows));
}

void
dp_kept_rows_take(DpKeptRows *kept, DpKeptRows *from)
{
	if (from->lost)
		lose(kept);
	while (from->first != NULL)
	{
		add_part(kept, part_of(from, from->first->code, SLAB_ROWS, from->first->rows));
		free_first(from);
	}
	dp_kept_rows_free(from);
}

/* ---- bytes ---- */

uint64_t
dp_kept_rows_length(const DpKeptRows *kept)
{
	return kept->rows * kept->row_bytes;
}

/* However the rows came together, full slabs are written, and then the rest. */
void
dp_kept_rows_write(const DpKeptRows *kept, unsigned char *bytes)
{
	for (const DpRowSlab *slab = kept->first; slab != NULL; slab = slab->next)
	{
		RowPart part = part_of(kept, slab->code, SLAB_ROWS, slab->rows);

		for (uint32_t a = 0; a < kept->attributes; a++)
		{
			memcpy(bytes, part.code[a], slab->rows * kept->width[a]);
			bytes += slab->rows * kept->width[a];
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
dp_kept_rows_read(DpKeptRows *kept, const DpSpec *spec, uint64_t rows, const unsigned char *bytes,
				  uint64_t length)
{
	const DpDomain *domain = &spec->domain;
	uint8_t width[DP_ATTRIBUTES_MAX];
	DpKeptRows shape = {.attributes = domain->attributes, .width = width};

	if (length == 0)
	{
		if (rows > 0 && kept != NULL)
			lose(kept);
		return true;
	}
	shape.row_bytes = (uint32_t) dp_kept_row_bytes(domain);
	if (length / shape.row_bytes != rows || length % shape.row_bytes != 0 ||
		length > spec->keep.bytes_max)
		return false;
	for (uint32_t a = 0; a < domain->attributes; a++)
		width[a] = code_width(domain->attribute[a].levels);
	for (uint64_t first = 0, n; first < rows; first += n)
	{
		RowPart part;

		n = smaller(rows - first, SLAB_ROWS);
		part = part_of(&shape, bytes, n, n);
		if (!part_is_sound(domain, &part))
			return false;
		if (kept != NULL)
			add_part(kept, part);
		bytes += n * shape.row_bytes;
	}
	return true;
}

/* ---- counting ---- */

/* All codes are levels, so that no map is read beyond its end. */
static void
put_codes(const DpKeptRows *kept, const RowPart *part, uint64_t first, const DpKeptColumn *column,
		  DpCounts *counts)
{
	uint32_t attributes = counts->spec->domain.attributes;

	for (uint32_t a = 0; a < attributes; a++)
	{
		uint8_t width = kept->width[column[a].attribute];
		uint32_t *code = counts->code[a];

		unpack(part->code[column[a].attribute] + first * width, counts->rows, width, code);
		if (column[a].map != NULL)
			for (uint32_t i = 0; i < counts->rows; i++)
				code[i] = column[a].map[code[i]];
	}
}

DpStatus
dp_kept_rows_count(const DpKeptRows *kept, const DpKeptColumn *column, DpCounts *counts,
				   DpError *error)
{
	for (const DpRowSlab *slab = kept->first; slab != NULL; slab = slab->next)
	{
		RowPart part = part_of(kept, slab->code, SLAB_ROWS, slab->rows);

		for (uint64_t first = 0; first < slab->rows; first += DP_BATCH_ROWS)
		{
			counts->rows = (uint32_t) smaller(slab->rows - first, DP_BATCH_ROWS);
			put_codes(kept, &part, first, column, counts);
			DP_TRY(dp_counts_batch(counts, error));
		}
	}
	return dp_counts_settle(counts, error);
}
