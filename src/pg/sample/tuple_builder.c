/*
 * tuple_builder.c -- tuples of a job's rows, formed of pieces that are kept.
 *
 * Where a code alone decides a value, the bytes that the value has in a tuple are made once for
 * each code, and a row is their concatenation. A piece's first bytes stand in a chunk of fixed
 * size, which is copied whole: what it holds beyond the piece is overwritten by the next one.
 * Memory is reserved for the longest piece of each column, so that no row has to be measured before
 * it is written.
 */
#include "pg/sample/target.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"

#define CHUNK 16

/* What a value is in a tuple. */
typedef struct Piece
{
	char start[CHUNK]; /* the first bytes */
	const char *rest;  /* those that follow */
	uint32 length;
	uint32 align; /* 0: the value is NULL */
} Piece;

typedef struct FormedColumn
{
	const Piece *kept; /* [levels]; NULL: pieces are made for each row */
	uint32 attribute;  /* whose code decides the piece */
	Form_pg_attribute form;
} FormedColumn;

struct DpTupleBuilder
{
	const DpDrawJob *job;
	int columns;
	FormedColumn *column;
	bool all_cached; /* no value need be decoded */
	int nullables;
	int *nullable;  /* [nullables] columns that can be NULL */
	Size kept_size; /* space for the longest pieces of all columns that have some */
	Datum *values;
	bool *nulls;
	Piece *made;                           /* [columns] of a row */
	char (*short_bytes)[VARATT_SHORT_MAX]; /* [columns] space for the bytes of made ones */
	HeapTupleHeaderData *header;           /* of a row without NULLs, but for its length */
};

static uint32
alignment(char code)
{
	switch (code)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		default:
			return ALIGNOF_DOUBLE;
	}
}

/* The most bytes that an aligned piece takes, with the padding before it. */
static uint32
piece_capacity(const Piece *piece)
{
	return piece->align == 0 ? 0 : piece->length + piece->align - 1;
}

/* bytes: must stay where they are if they are more than a chunk. */
static Piece
piece_from(const char *bytes, uint32 length, uint32 align)
{
	Piece piece = {.rest = length > CHUNK ? bytes + CHUNK : NULL, .length = length, .align = align};

	memcpy(piece.start, bytes, Min(length, CHUNK));
	return piece;
}

/* bytes_out: space for a short varlena. */
static Piece
piece_of(Form_pg_attribute form, Datum value, char *bytes_out)
{
	uint32 align = alignment(form->attalign);
	const char *bytes = DatumGetPointer(value);
	uint32 length;

	if (form->attbyval)
	{
		union
		{
			Datum aligned;
			char bytes[sizeof(Datum)];
		} fixed;

		store_att_byval(fixed.bytes, value, form->attlen);
		return piece_from(fixed.bytes, (uint32) form->attlen, align);
	}
	if (form->attlen == -2)
		return piece_from(bytes, (uint32) strlen(bytes) + 1, align);
	if (form->attlen != -1)
		return piece_from(bytes, (uint32) form->attlen, align);
	/* the header of a value that is toasted or expanded is that of a short one, too */
	if (!VARATT_IS_SHORT(bytes) || VARATT_IS_EXTERNAL(bytes))
		bytes = (const char *) PG_DETOAST_DATUM(value);
	if (VARATT_IS_SHORT(bytes))
		return piece_from(bytes, (uint32) VARSIZE_SHORT(bytes), 1);
	if (form->attstorage == TYPSTORAGE_PLAIN || !VARATT_CAN_MAKE_SHORT(bytes))
		return piece_from(bytes, (uint32) VARSIZE(bytes), align);
	length = (uint32) VARATT_CONVERTED_SHORT_SIZE(bytes);
	SET_VARSIZE_SHORT(bytes_out, length);
	memcpy(bytes_out + VARHDRSZ_SHORT, VARDATA(bytes), length - VARHDRSZ_SHORT);
	return piece_from(bytes_out, length, 1);
}

/* The pieces of a column by code. longest: space for any of them; any_null: one is NULL. */
static const Piece *
segments_keep(Form_pg_attribute form, const NullableDatum *of_code, uint32 levels, uint32 *longest,
			  bool *any_null)
{
	Piece *kept = palloc_extended(sizeof(Piece) * Max(levels, 1), MCXT_ALLOC_HUGE);

	*longest = 0;
	*any_null = false;
	for (uint32 code = 0; code < levels; code++)
	{
		Piece *piece = &kept[code];
		char bytes_out[VARATT_SHORT_MAX];

		*piece = (Piece){.align = 0};
		if (!of_code[code].isnull)
			*piece = piece_of(form, of_code[code].value, bytes_out);
		*any_null = *any_null || of_code[code].isnull;
		*longest = Max(*longest, piece_capacity(piece));
		if (piece->length > CHUNK)
			piece->rest = memcpy(palloc(piece->length - CHUNK), piece->rest, piece->length - CHUNK);
	}
	return kept;
}

static void
column_prepare(DpTupleBuilder *builder, int i)
{
	const DpDrawJob *job = builder->job;
	const DpDomain *domain = &job->stored->model.domain;
	FormedColumn *column = &builder->column[i];
	DpDecoded decoded = dp_decoded(job->decoder, i);
	uint32 longest;
	bool any_null = true;

	column->form = TupleDescAttr(job->row, i);
	/* rules choose values, and a placeholders gives some in place of NULL */
	if (job->rules != NULL || decoded.of_code == NULL ||
		dp_placeholders_knows(job->placeholders, i))
		builder->all_cached = false;
	else
	{
		column->attribute = (uint32) decoded.attribute;
		column->kept =
			segments_keep(column->form, decoded.of_code,
						  domain->attribute[decoded.attribute].levels, &longest, &any_null);
		builder->kept_size += longest;
	}
	if (any_null)
		builder->nullable[builder->nullables++] = i;
}

static HeapTupleHeader
header_create(TupleDesc row)
{
	HeapTupleHeader header = palloc0(MAXALIGN(SizeofHeapTupleHeader));

	HeapTupleHeaderSetTypeId(header, row->tdtypeid);
	HeapTupleHeaderSetTypMod(header, row->tdtypmod);
	ItemPointerSetInvalid(&header->t_ctid);
	HeapTupleHeaderSetNatts(header, row->natts);
	for (int i = 0; i < row->natts; i++)
		if (TupleDescAttr(row, i)->attlen < 0)
			header->t_infomask |= HEAP_HASVARWIDTH;
	header->t_hoff = MAXALIGN(SizeofHeapTupleHeader);
	return header;
}

DpTupleBuilder *
dp_tuple_builder_create(const DpDrawJob *job)
{
	DpTupleBuilder *builder = palloc0(sizeof(DpTupleBuilder));
	int n = Max(job->row->natts, 1);

	builder->job = job;
	builder->columns = job->row->natts;
	builder->column = palloc0(sizeof(FormedColumn) * n);
	builder->values = palloc(sizeof(Datum) * n);
	builder->nulls = palloc(sizeof(bool) * n);
	builder->nullable = palloc(sizeof(int) * n);
	builder->made = palloc0(sizeof(Piece) * n);
	builder->short_bytes = palloc0(sizeof(*builder->short_bytes) * n);
	builder->header = header_create(job->row);
	builder->all_cached = true;
	for (int i = 0; i < builder->columns; i++)
		column_prepare(builder, i);
	return builder;
}

/* Makes the pieces of a row that are not kept. Returns their size at most. */
static Size
make_segments(DpTupleBuilder *builder)
{
	Size size = 0;

	for (int i = 0; i < builder->columns; i++)
	{
		const FormedColumn *column = &builder->column[i];
		Piece *made = &builder->made[i];

		if (column->kept != NULL)
			continue;
		if (builder->nulls[i])
			made->align = 0;
		else
			*made = piece_of(column->form, builder->values[i], builder->short_bytes[i]);
		size += piece_capacity(made);
	}
	return size;
}

static const Piece *
piece_at(const DpTupleBuilder *builder, const uint32 *codes, int i)
{
	const FormedColumn *column = &builder->column[i];

	return column->kept != NULL ? &column->kept[codes[column->attribute]] : &builder->made[i];
}

static bool
has_null(const DpTupleBuilder *builder, const uint32 *codes)
{
	for (int k = 0; k < builder->nullables; k++)
		if (piece_at(builder, codes, builder->nullable[k])->align == 0)
			return true;
	return false;
}

/* Returns where the row ends. start: aligned for any value, with a chunk of space behind the
 * row. */
static char *
copy_segments(const DpTupleBuilder *builder, const uint32 *codes, char *start)
{
	char *at = start;

	for (int i = 0; i < builder->columns; i++)
	{
		const Piece *piece = piece_at(builder, codes, i);

		if (piece->align == 0)
			continue;
		if (piece->align > 1)
		{
			memset(at, 0,
				   MAXIMUM_ALIGNOF); /* PostgreSQL wants zeros in front of an aligned value */
			at = (char *) TYPEALIGN(piece->align, at);
		}
		memcpy(at, piece->start, CHUNK);
		if (piece->length > CHUNK)
			memcpy(at + CHUNK, piece->rest, piece->length - CHUNK);
		at += piece->length;
	}
	return at;
}

/* Writes which columns are not NULL. */
static void
set_present(const DpTupleBuilder *builder, const uint32 *codes, HeapTupleHeader header)
{
	memset(header->t_bits, 0, header->t_hoff - SizeofHeapTupleHeader);
	for (int i = 0; i < builder->columns; i++)
		if (piece_at(builder, codes, i)->align > 0)
			header->t_bits[i >> 3] |= (uint8) (1 << (i & 7));
}

HeapTuple
dp_row_form(DpTupleBuilder *builder, DpRowStream *stream)
{
	Size size = builder->kept_size;
	const uint32 *codes;
	HeapTuple tuple;
	HeapTupleHeader header;
	uint8 offset = builder->header->t_hoff;
	bool any_null;

	if (builder->all_cached)
		codes = dp_job_codes(builder->job, stream);
	else
	{
		codes = dp_job_row(builder->job, stream, builder->values, builder->nulls);
		size += make_segments(builder);
	}
	any_null = has_null(builder, codes);
	if (any_null)
		offset = MAXALIGN(SizeofHeapTupleHeader + BITMAPLEN(builder->columns));

	tuple = palloc(HEAPTUPLESIZE + offset + size + CHUNK);
	header = tuple->t_data = (HeapTupleHeader) ((char *) tuple + HEAPTUPLESIZE);
	memcpy(header, builder->header, builder->header->t_hoff);
	if (any_null)
	{
		header->t_infomask |= HEAP_HASNULL;
		header->t_hoff = offset;
		set_present(builder, codes, header);
	}
	tuple->t_len =
		(uint32) (copy_segments(builder, codes, (char *) header + offset) - (char *) header);
	HeapTupleHeaderSetDatumLength(header, tuple->t_len);
	ItemPointerSetInvalid(&tuple->t_self);
	tuple->t_tableOid = InvalidOid;
	return tuple;
}
